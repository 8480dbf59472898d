-- A failing webhook gets no event for a while: `failed_at` is the time of the latest failure since the latest success, and
-- `retry_after` is when its receiver wants the next request at the earliest.
ALTER TABLE webhooks
  ADD COLUMN failed_at timestamptz,
  ADD COLUMN retry_after timestamptz;
