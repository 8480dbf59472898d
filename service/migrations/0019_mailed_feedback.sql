-- Whether a mail about it was queued. Earlier answers count as mailed.
ALTER TABLE share_answers ADD COLUMN is_mailed boolean NOT NULL DEFAULT true;
ALTER TABLE share_answers ALTER COLUMN is_mailed SET DEFAULT false;
ALTER TABLE share_finishes ADD COLUMN is_mailed boolean NOT NULL DEFAULT false;
