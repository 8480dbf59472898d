-- A personal access token ends with the membership of its person, whoever ends that, as a link does: also one that was
-- made at that very moment, which would be good again should the person come back. None of before is left that way.
DELETE FROM personal_access_tokens AS tokens
 WHERE NOT EXISTS (SELECT 1 FROM workspace_members AS members
                    WHERE members.workspace_id = tokens.workspace_id
                      AND members.account_id = tokens.account_id);
ALTER TABLE personal_access_tokens
  ADD CONSTRAINT personal_access_tokens_membership FOREIGN KEY (workspace_id, account_id)
    REFERENCES workspace_members (workspace_id, account_id) ON DELETE CASCADE;
-- Finds those of a membership, and as well those of a workspace.
CREATE INDEX personal_access_tokens_by_membership ON personal_access_tokens (workspace_id, account_id);
DROP INDEX personal_access_tokens_by_workspace;

-- Photos that nobody has put into a project yet: where all others have their place these are few, among many.
CREATE INDEX uploads_arrived_in_no_project ON uploads (workspace_id, finished_at, id)
  WHERE project_id IS NULL AND finished_at IS NOT NULL AND trashed_at IS NULL;
