-- People and the workspaces they share.
CREATE TABLE accounts (
  id            text PRIMARY KEY,
  username      text NOT NULL UNIQUE,
  display_name  text NOT NULL,
  password_hash text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE workspaces (
  id         text PRIMARY KEY,
  name       text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE workspace_members (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  account_id   text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  role         text NOT NULL CHECK (role IN ('owner', 'member')),
  PRIMARY KEY (workspace_id, account_id)
);

-- Everything oidc-provider keeps: grants, tokens, device codes, sessions, interactions.
-- For tokens `id` is the SHA-256 of the token, so that the table does not hold a usable credential.
CREATE TABLE oidc_records (
  kind        text NOT NULL,
  id          text NOT NULL,
  payload     jsonb NOT NULL,
  grant_id    text,
  user_code   text UNIQUE,
  session_uid text UNIQUE,
  expires_at  timestamptz,
  consumed_at timestamptz,
  PRIMARY KEY (kind, id)
);
CREATE INDEX oidc_records_grant ON oidc_records (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX oidc_records_expiry ON oidc_records (expires_at);

-- What a person agreed to: one row per grant. The workspace of a token is that of its grant.
CREATE TABLE consents (
  grant_id     text PRIMARY KEY,
  account_id   text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  client_id    text NOT NULL,
  scope        text NOT NULL,
  created_at   timestamptz NOT NULL
);

-- When a device last polled the token endpoint (RFC 8628 section 3.5), by hashed device code.
CREATE TABLE device_polls (
  device_code_sha256 text PRIMARY KEY,
  polled_at          timestamptz NOT NULL,
  previous_polled_at timestamptz
);

-- Keys that the service makes for itself at its first start.
CREATE TABLE service_secrets (
  name       text PRIMARY KEY,
  value      jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- One row per upload; the bytes lie in a file named by `id`. The unique constraint is what makes
-- a repeated creation with the same client_upload_id find the upload that is already there.
CREATE TABLE uploads (
  id               text PRIMARY KEY,
  account_id       text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  workspace_id     text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  client_upload_id text,
  size             bigint NOT NULL CHECK (size >= 0),
  name             text NOT NULL,
  type             text NOT NULL,
  metadata         jsonb NOT NULL,
  created_at       timestamptz NOT NULL,
  finished_at      timestamptz,
  sha256           text,
  CHECK ((finished_at IS NULL) = (sha256 IS NULL)),
  UNIQUE (account_id, workspace_id, client_upload_id)
);
CREATE INDEX uploads_by_workspace ON uploads (workspace_id, account_id, created_at);
