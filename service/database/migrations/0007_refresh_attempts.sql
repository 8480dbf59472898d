-- A refresh whose answer was lost can be asked for again, by the value that was sent with it. All of this
-- stands with the refresh token that was used up: the hash of that value, the access token that was given
-- last, when what was given was first used, and how often it was asked for again since when.
ALTER TABLE oidc_records
  ADD COLUMN refresh_attempt_sha256 text,
  ADD COLUMN successor_access_id text,
  ADD COLUMN successor_used_at timestamptz,
  ADD COLUMN refresh_retries integer NOT NULL DEFAULT 0,
  ADD COLUMN refresh_retries_since timestamptz;

-- Only access tokens that nobody has used yet: each is looked up here until its first use.
CREATE INDEX oidc_records_unused_successor ON oidc_records (successor_access_id)
  WHERE successor_access_id IS NOT NULL AND successor_used_at IS NULL;
