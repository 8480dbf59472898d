-- Whether members may create personal access tokens for the workspace.
ALTER TABLE workspaces ADD COLUMN allows_personal_tokens boolean NOT NULL DEFAULT true;

-- Whether a session that the company account of the workspace opened created it. It ends with the link of that account.
ALTER TABLE personal_access_tokens ADD COLUMN by_company boolean NOT NULL DEFAULT false;
ALTER TABLE consents ADD COLUMN by_company boolean NOT NULL DEFAULT false;

-- The workspace that a notice is about; NULL for the account as a whole.
ALTER TABLE notices ADD COLUMN workspace_id text REFERENCES workspaces (id) ON DELETE CASCADE;
CREATE INDEX notices_by_workspace ON notices (workspace_id) WHERE workspace_id IS NOT NULL;
