-- What a guest typed ends some time after its link. An approval stays without its guest: `guest_id` is empty then.
ALTER TABLE share_answers
  DROP CONSTRAINT share_answers_guest_name_check,
  ADD CHECK (char_length(guest_name) BETWEEN 1 AND 80 OR guest_id = ''),
  -- Set once the link is gone.
  ADD COLUMN expires_at timestamptz;
CREATE INDEX share_answers_expiry ON share_answers (expires_at) WHERE share_id IS NULL AND guest_id <> '';
