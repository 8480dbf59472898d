-- Counts a changed upload in one statement, whose plan is kept: a function in SQL is planned again for each photo.
CREATE OR REPLACE FUNCTION count_changed_upload() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO photo_counts (workspace_id, project_id, account_id, photos, replaced, trashed)
  SELECT one.workspace_id, COALESCE(one.project_id, ''), one.account_id,
         CASE WHEN one.trashed_at IS NULL AND one.is_current THEN one.change ELSE 0 END,
         CASE WHEN one.trashed_at IS NULL AND NOT one.is_current THEN one.change ELSE 0 END,
         CASE WHEN one.trashed_at > timestamptz 'epoch' AND one.is_current THEN one.change ELSE 0 END
    FROM (VALUES
      (OLD.workspace_id, OLD.project_id, OLD.account_id, OLD.finished_at, OLD.trashed_at, OLD.is_current, -1),
      (NEW.workspace_id, NEW.project_id, NEW.account_id, NEW.finished_at, NEW.trashed_at, NEW.is_current, 1)
    ) AS one (workspace_id, project_id, account_id, finished_at, trashed_at, is_current, change)
   WHERE one.finished_at IS NOT NULL AND (one.trashed_at IS NULL OR one.is_current);
  RETURN NULL;
END $$;
DROP FUNCTION count_upload(uploads, integer);

-- Waits for the row once: an insertion would wait for the same lock before.
CREATE OR REPLACE FUNCTION lock_workspace_usage(account text, workspace text, OUT bytes bigint, OUT unfinished bigint)
LANGUAGE plpgsql AS $$
BEGIN
  SELECT usage.bytes INTO bytes
    FROM workspace_usage AS usage WHERE usage.workspace_id = workspace FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO workspace_usage (workspace_id, bytes) VALUES (workspace, 0) ON CONFLICT DO NOTHING;
    SELECT usage.bytes INTO bytes
      FROM workspace_usage AS usage WHERE usage.workspace_id = workspace FOR UPDATE;
  END IF;
  SELECT count(*) INTO unfinished FROM uploads
   WHERE account_id = account AND workspace_id = workspace AND finished_at IS NULL;
END $$;
