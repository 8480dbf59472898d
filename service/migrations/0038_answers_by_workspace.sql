-- The workspace of an answer is that of its photo. With it, a list reads the answers of one workspace only.
ALTER TABLE share_answers ADD COLUMN workspace_id text;
UPDATE share_answers SET workspace_id = uploads.workspace_id FROM uploads WHERE uploads.id = share_answers.photo_id;
ALTER TABLE share_answers ALTER COLUMN workspace_id SET NOT NULL;

-- For any writer of the row: an earlier version of the service, or the answers of a guest who is restored.
CREATE FUNCTION set_answer_workspace() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT uploads.workspace_id INTO NEW.workspace_id FROM uploads WHERE uploads.id = NEW.photo_id;
  RETURN NEW;
END $$;
CREATE TRIGGER share_answers_placed BEFORE INSERT ON share_answers
  FOR EACH ROW EXECUTE FUNCTION set_answer_workspace();

-- The order of the list of the API.
DROP INDEX share_answers_by_time;
CREATE INDEX share_answers_by_time ON share_answers (workspace_id, created_at, id);
