-- Photos of one person with the same name in one workspace, and in the same project or in none, are versions of one
-- another: the newest first, however many there are.
CREATE INDEX uploads_versions
  ON uploads (account_id, workspace_id, name, COALESCE(project_id, ''), finished_at, id)
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL;
