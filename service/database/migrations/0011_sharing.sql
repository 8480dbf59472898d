-- Whether all members of a workspace see all of its photos, or each their own.
ALTER TABLE workspaces ADD COLUMN members_see_all boolean NOT NULL DEFAULT false;

-- Links that show a photo or a project to whoever has them. Only the SHA-256 of what makes a link is kept. A link
-- ends with its photo, project or workspace, and when its maker leaves the workspace.
CREATE TABLE shares (
  id            text PRIMARY KEY,
  token_sha256  text NOT NULL UNIQUE,
  workspace_id  text NOT NULL,
  created_by    text NOT NULL,
  upload_id     text REFERENCES uploads (id) ON DELETE CASCADE,
  project_id    text REFERENCES projects (id) ON DELETE CASCADE,
  password_hash text,
  created_at    timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL,
  opened_at     timestamptz,
  CHECK ((upload_id IS NULL) <> (project_id IS NULL)),
  FOREIGN KEY (workspace_id, created_by)
    REFERENCES workspace_members (workspace_id, account_id) ON DELETE CASCADE
);
CREATE INDEX shares_by_workspace ON shares (workspace_id, created_at, id);
CREATE INDEX shares_by_maker ON shares (workspace_id, created_by);
CREATE INDEX shares_of_upload ON shares (upload_id) WHERE upload_id IS NOT NULL;
CREATE INDEX shares_of_project ON shares (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX shares_expiry ON shares (expires_at);
