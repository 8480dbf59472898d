-- Every photo has its row in `thumbnails` from its arrival on, so that those which nobody has looked at are found by an
-- index of just these, however many there are of the others. A trigger sees to it, whichever version of the service
-- writes; a lease that ended long ago lets the version before take such a row as one whose holder has died.
CREATE FUNCTION note_photo_to_look_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO thumbnails (upload_id, attempts, lease_until)
  VALUES (NEW.id, 0, timestamptz 'epoch') ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER uploads_to_look_at AFTER INSERT OR UPDATE OF finished_at ON uploads
  FOR EACH ROW WHEN (NEW.finished_at IS NOT NULL) EXECUTE FUNCTION note_photo_to_look_at();

INSERT INTO thumbnails (upload_id, attempts, lease_until)
SELECT id, 0, timestamptz 'epoch' FROM uploads WHERE finished_at IS NOT NULL
ON CONFLICT DO NOTHING;

CREATE INDEX thumbnails_to_make ON thumbnails (upload_id) WHERE state = 'none';
-- Room in each page for the next version of a row: it is taken by whoever looks, then the picture comes.
ALTER TABLE thumbnails SET (fillfactor = 85);

-- Device codes, which anybody can have made, are removed an hour after their end, all other rows a day after: they are
-- found without reading what is still kept.
CREATE INDEX oidc_records_device_codes ON oidc_records (expires_at) WHERE kind = 'DeviceCode';

-- By the digest, also for who may see all of a workspace; of those with the same bytes there are few.
CREATE INDEX uploads_finished_by_digest ON uploads (workspace_id, sha256, created_at, id)
  WHERE finished_at IS NOT NULL;
DROP INDEX uploads_finished_by_sha256;

-- Takes the lock of an upload, if it is free or its holder was silent for too long, and then reads the upload, in one
-- round trip. The second statement in here sees what the holder before has written. Nobody waits for the disk: a lock
-- that is lost with a crash of the database server is noticed by its holder at the next renewal.
CREATE FUNCTION take_upload(wanted_id text, by_holder text, seconds double precision,
                            OUT is_taken boolean, OUT found_upload uploads)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO upload_locks (upload_id, holder, expires_at)
  VALUES (wanted_id, by_holder, now() + make_interval(secs => seconds))
  ON CONFLICT (upload_id) DO UPDATE SET
    holder = excluded.holder, expires_at = excluded.expires_at, wanted = false
  WHERE upload_locks.expires_at < now();
  is_taken := FOUND;
  IF is_taken THEN
    SELECT * INTO found_upload FROM uploads WHERE id = wanted_id;
  END IF;
END $$;

-- What of a grant is used or has expired, without reading what is still good: a refresh removes it.
DROP INDEX oidc_records_grant;
CREATE INDEX oidc_records_grant ON oidc_records (grant_id, kind, expires_at) WHERE grant_id IS NOT NULL;
