-- What makes photos versions of one another is one value here, which no other index has: the database takes a person for
-- one of few photos, so that each index that begins with the person seemed as good, and read all of theirs.
DROP INDEX uploads_versions;
CREATE INDEX uploads_versions
  ON uploads ((ARRAY[account_id, workspace_id, COALESCE(project_id, ''), name]), finished_at, id)
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL;
