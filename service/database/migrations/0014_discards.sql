-- Uploads whose rows are gone: what the storage has of them is still to be removed. Noted with the row's removal, in
-- one transaction, so that a crash between the row and its bytes leaves nothing for ever. Nothing refers to these ids.
CREATE TABLE discarded_uploads (id text PRIMARY KEY);

CREATE FUNCTION note_discarded_uploads() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO discarded_uploads (id) SELECT id FROM removed ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER uploads_discarded AFTER DELETE ON uploads
  REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION note_discarded_uploads();
