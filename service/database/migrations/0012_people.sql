-- Links by which people join a workspace, each once. Only the SHA-256 of what is in a link is kept; the row goes when
-- the link is used. `invited_by` is empty where the people who run the service have made it.
CREATE TABLE invitations (
  id           text PRIMARY KEY,
  token_sha256 text NOT NULL UNIQUE,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  role         text NOT NULL CHECK (role IN ('owner', 'member')),
  invited_by   text REFERENCES accounts (id) ON DELETE CASCADE,
  created_at   timestamptz NOT NULL,
  expires_at   timestamptz NOT NULL
);
CREATE INDEX invitations_by_workspace ON invitations (workspace_id);
CREATE INDEX invitations_by_person ON invitations (invited_by);
CREATE INDEX invitations_expiry ON invitations (expires_at);

-- Links by which a person chooses a new password; of each person the newest alone.
CREATE TABLE password_resets (
  account_id   text PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  token_sha256 text NOT NULL UNIQUE,
  expires_at   timestamptz NOT NULL
);
CREATE INDEX password_resets_expiry ON password_resets (expires_at);
