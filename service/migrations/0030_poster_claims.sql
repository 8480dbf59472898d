-- When an app began to send the poster of a film: another one is not stored beside it.
ALTER TABLE uploads ADD COLUMN poster_claimed_at timestamptz;
