-- OAuth applications of the workspace tier, registered in Settings by workspace owners. A secret has
-- 256 random bits, so its SHA-256 is as hard to turn back as a slow hash.
CREATE TABLE oauth_clients (
  client_id         text PRIMARY KEY,
  workspace_id      text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name              text NOT NULL,
  confidential      boolean NOT NULL,
  redirect_uris     jsonb NOT NULL,
  scope             text NOT NULL,
  secret_sha256     text,
  secret_created_at timestamptz,
  created_at        timestamptz NOT NULL,
  CHECK (confidential = (secret_sha256 IS NOT NULL)),
  CHECK (confidential = (secret_created_at IS NOT NULL))
);
CREATE INDEX oauth_clients_by_workspace ON oauth_clients (workspace_id);

-- Personal access tokens. Only their SHA-256 is kept.
CREATE TABLE personal_access_tokens (
  id           text PRIMARY KEY,
  token_sha256 text NOT NULL UNIQUE,
  account_id   text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name         text NOT NULL,
  scope        text NOT NULL,
  created_at   timestamptz NOT NULL,
  expires_at   timestamptz NOT NULL,
  last_used_at timestamptz
);
CREATE INDEX personal_access_tokens_by_account ON personal_access_tokens (account_id);
CREATE INDEX personal_access_tokens_expiry ON personal_access_tokens (expires_at);

ALTER TABLE consents ADD COLUMN last_used_at timestamptz;
CREATE INDEX consents_by_account ON consents (account_id);
CREATE INDEX consents_by_client ON consents (client_id);

-- How often something that must not be tried too often was tried; `key` is a SHA-256.
CREATE TABLE attempts (
  key         text PRIMARY KEY,
  count       integer NOT NULL,
  window_ends timestamptz NOT NULL
);
CREATE INDEX attempts_end ON attempts (window_ends);

-- Which request works on which upload, between several processes. A lock whose holder died expires.
CREATE TABLE upload_locks (
  upload_id  text PRIMARY KEY,
  holder     text NOT NULL,
  expires_at timestamptz NOT NULL,
  wanted     boolean NOT NULL DEFAULT false
);

-- When bytes last came in, to tell an upload that was given up from a slow one.
ALTER TABLE uploads ADD COLUMN active_at timestamptz;
UPDATE uploads SET active_at = created_at;
ALTER TABLE uploads ALTER COLUMN active_at SET NOT NULL;
ALTER TABLE uploads ALTER COLUMN active_at SET DEFAULT now();
CREATE INDEX uploads_unfinished ON uploads (active_at) WHERE finished_at IS NULL;
