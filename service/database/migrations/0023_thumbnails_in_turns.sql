-- Photos are looked at in turns between workspaces, so what is left to do is found by workspace. Only rows with work left
-- need theirs; the trigger notes it for new photos.
--
-- `looker_version` is the version that looked at a photo last. What failed with an earlier one is tried again. A process of
-- the version before this one writes none, so what fails there is tried again, too.
ALTER TABLE thumbnails
  ADD COLUMN workspace_id text,
  ADD COLUMN looker_version smallint NOT NULL DEFAULT 0;

CREATE OR REPLACE FUNCTION note_photo_to_look_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO thumbnails (upload_id, workspace_id, attempts, lease_until)
  VALUES (NEW.id, NEW.workspace_id, 0, timestamptz 'epoch') ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

UPDATE thumbnails SET workspace_id = uploads.workspace_id
  FROM uploads WHERE uploads.id = upload_id AND state <> 'made';

DROP INDEX thumbnails_to_make;
CREATE INDEX thumbnails_to_make ON thumbnails (workspace_id COLLATE "C", upload_id COLLATE "C")
  WHERE state = 'none';
CREATE INDEX thumbnails_failed ON thumbnails (looker_version) WHERE state = 'failed';
