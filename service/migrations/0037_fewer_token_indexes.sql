-- A token is in three indexes instead of six: it has no user code and no session, and its first use is found by its grant.
-- With some room in each page, marking a refresh token as used writes to no index at all.
ALTER TABLE oidc_records DROP CONSTRAINT oidc_records_user_code_key;
ALTER TABLE oidc_records DROP CONSTRAINT oidc_records_session_uid_key;
CREATE UNIQUE INDEX oidc_records_user_code ON oidc_records (user_code) WHERE user_code IS NOT NULL;
CREATE UNIQUE INDEX oidc_records_session_uid ON oidc_records (session_uid) WHERE session_uid IS NOT NULL;
DROP INDEX oidc_records_unused_successor;
ALTER TABLE oidc_records SET (fillfactor = 80);
