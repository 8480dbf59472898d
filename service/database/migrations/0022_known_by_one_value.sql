-- What makes uploads copies of one file is one value here, which no other index has. Without it, the database may read all
-- uploads of a person for each file of a question, in the order of another index.
CREATE INDEX uploads_known
  ON uploads ((ARRAY[account_id, workspace_id, size::text, name]), created_at, id)
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL;
DROP INDEX uploads_finished_by_name;
