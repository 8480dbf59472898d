-- Ends a grant with every token and code that came from it, in one round trip. Each statement in here sees what was
-- committed while it waited for the lock before it: what a refresh stored meanwhile goes as well.
CREATE FUNCTION end_grant(ended text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM oidc_records WHERE kind = 'Grant' AND id = ended FOR UPDATE;
  DELETE FROM oidc_records WHERE grant_id = ended OR (kind = 'Grant' AND id = ended);
  DELETE FROM consents WHERE grant_id = ended;
END $$;

-- How much of its room a workspace uses, and how many unfinished uploads one of its people has there. Whoever asks is
-- alone in that workspace until their transaction ends: creations at the same time are counted one after another.
CREATE FUNCTION use_of_room(person text, workspace text, OUT bytes bigint, OUT unfinished bigint)
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO workspace_usage (workspace_id, bytes) VALUES (workspace, 0) ON CONFLICT DO NOTHING;
  SELECT usage.bytes INTO bytes
    FROM workspace_usage AS usage WHERE usage.workspace_id = workspace FOR UPDATE;
  SELECT count(*) INTO unfinished FROM uploads
   WHERE account_id = person AND workspace_id = workspace AND finished_at IS NULL;
END $$;

-- What a crash of the database may cost: counts of attempts begin anew, and a device may poll early once. In return
-- nothing of it waits for the disk.
ALTER TABLE attempts SET UNLOGGED;
ALTER TABLE device_polls SET UNLOGGED;

-- Polls are removed by the time of the first one, which stays: an index that holds the time of the last one would have
-- to be written at each poll.
ALTER TABLE device_polls ADD COLUMN first_polled_at timestamptz NOT NULL DEFAULT now();
UPDATE device_polls SET first_polled_at = polled_at;
DROP INDEX device_polls_by_time;
CREATE INDEX device_polls_by_first ON device_polls (first_polled_at);

-- Room in each page for the next version of rows that are changed, which then needs no new entry in any index.
ALTER TABLE attempts SET (fillfactor = 70);
ALTER TABLE device_polls SET (fillfactor = 70);
ALTER TABLE consents SET (fillfactor = 80);
ALTER TABLE oidc_records SET (fillfactor = 85);
ALTER TABLE uploads SET (fillfactor = 85);
ALTER TABLE upload_locks SET (fillfactor = 50);
ALTER TABLE workspace_usage SET (fillfactor = 50);

-- Whose rows go, or are looked for, with a person or a workspace.
CREATE INDEX workspace_members_by_account ON workspace_members (account_id);
CREATE INDEX consents_by_workspace ON consents (workspace_id);
CREATE INDEX personal_access_tokens_by_workspace ON personal_access_tokens (workspace_id);
