-- Whether the end of a link that expired is in the log. A later end is recorded once more.
ALTER TABLE shares ADD COLUMN expiry_is_recorded boolean NOT NULL DEFAULT false;
CREATE INDEX shares_to_expire ON shares (expires_at) WHERE NOT expiry_is_recorded AND revoked_at IS NULL;
