-- Projects keep photos together. They are archived, never deleted, but with their workspace.
CREATE TABLE projects (
  id           text PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name         text NOT NULL,
  created_by   text REFERENCES accounts (id) ON DELETE SET NULL,
  created_at   timestamptz NOT NULL,
  archived_at  timestamptz,
  UNIQUE (id, workspace_id)
);
CREATE UNIQUE INDEX projects_by_name ON projects (workspace_id, lower(name)) WHERE archived_at IS NULL;
CREATE INDEX projects_by_workspace ON projects (workspace_id);
CREATE INDEX projects_created_by ON projects (created_by) WHERE created_by IS NOT NULL;

-- A photo lies in one project of its own workspace, or in none.
ALTER TABLE uploads ADD COLUMN project_id text;
ALTER TABLE uploads ADD CONSTRAINT uploads_project
  FOREIGN KEY (project_id, workspace_id) REFERENCES projects (id, workspace_id);

-- The pages of the photos of a project.
CREATE INDEX uploads_arrived_in_project ON uploads (project_id, finished_at, id)
  WHERE project_id IS NOT NULL AND finished_at IS NOT NULL AND trashed_at IS NULL;

-- The list for programs that may read all of a workspace.
CREATE INDEX uploads_finished_of_workspace ON uploads (workspace_id, created_at, id)
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL;
