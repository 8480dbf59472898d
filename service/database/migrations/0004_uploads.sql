-- Which app an upload belongs to. A process of the version before does not say it: then it is the
-- plugin's, which nearly all uploads are.
ALTER TABLE uploads ADD COLUMN client_id text NOT NULL DEFAULT 'creative-workspace-plugin';

-- Uploads that are there already: the one app that their person allowed in that workspace; where
-- there is none, but a personal access token, that; else the default.
UPDATE uploads SET client_id = sole.client_id
  FROM (SELECT account_id, workspace_id, min(client_id) AS client_id
          FROM consents
         GROUP BY account_id, workspace_id
        HAVING count(DISTINCT client_id) = 1) AS sole
 WHERE sole.account_id = uploads.account_id AND sole.workspace_id = uploads.workspace_id
   AND sole.client_id <> uploads.client_id;
UPDATE uploads SET client_id = 'personal:token'
 WHERE NOT EXISTS (SELECT 1 FROM consents
                    WHERE consents.account_id = uploads.account_id
                      AND consents.workspace_id = uploads.workspace_id)
   AND EXISTS (SELECT 1 FROM personal_access_tokens AS tokens
                WHERE tokens.account_id = uploads.account_id
                  AND tokens.workspace_id = uploads.workspace_id);

-- The client's own id for an upload is unique among those of one app. The version before has it in
-- client_upload_id, unique among those of one person; it goes on to keep that promise while it still
-- runs. So upload_key is the id from now on, and client_upload_id is filled as long as no other app
-- has taken the same one. A later version can drop that column.
ALTER TABLE uploads ADD COLUMN upload_key text;
CREATE UNIQUE INDEX uploads_by_key
  ON uploads (account_id, workspace_id, client_id, (COALESCE(upload_key, client_upload_id)));

-- The pages of the list, and the work at a start.
CREATE INDEX uploads_finished ON uploads (account_id, workspace_id, created_at, id)
  WHERE finished_at IS NOT NULL;
CREATE INDEX uploads_finished_of_client ON uploads (account_id, workspace_id, client_id, created_at, id)
  WHERE finished_at IS NOT NULL;
CREATE INDEX uploads_unfinished_by_id ON uploads (id) WHERE finished_at IS NULL;
CREATE INDEX uploads_unfinished_by_person ON uploads (account_id, workspace_id)
  WHERE finished_at IS NULL;

-- How much of its room each workspace uses. Unfinished uploads count with their whole length; each
-- counts with 16 KiB more than its bytes, for its row and its file. Kept by triggers, so that it is right
-- whichever version of the service writes. Rows are locked in the order of their ids.
CREATE TABLE workspace_usage (
  workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  bytes        bigint NOT NULL
);
INSERT INTO workspace_usage (workspace_id, bytes)
SELECT workspace_id, sum(size + 16384) FROM uploads GROUP BY workspace_id;

CREATE FUNCTION count_added_uploads() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO workspace_usage (workspace_id, bytes)
  SELECT workspace_id, sum(size + 16384) FROM added GROUP BY workspace_id ORDER BY workspace_id
  ON CONFLICT (workspace_id) DO UPDATE SET bytes = workspace_usage.bytes + excluded.bytes;
  RETURN NULL;
END $$;
CREATE TRIGGER uploads_added AFTER INSERT ON uploads
  REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_added_uploads();

CREATE FUNCTION count_removed_uploads() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM workspace_usage
    WHERE workspace_id IN (SELECT workspace_id FROM removed) ORDER BY workspace_id FOR UPDATE;
  UPDATE workspace_usage SET bytes = workspace_usage.bytes - gone.bytes
    FROM (SELECT workspace_id, sum(size + 16384) AS bytes FROM removed GROUP BY workspace_id) AS gone
   WHERE gone.workspace_id = workspace_usage.workspace_id;
  RETURN NULL;
END $$;
CREATE TRIGGER uploads_removed AFTER DELETE ON uploads
  REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_removed_uploads();
