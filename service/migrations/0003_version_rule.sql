-- Names decide in one normal form: macOS writes "ä" as a letter and a mark, other systems as one character.
DROP INDEX uploads_of_name;
CREATE INDEX uploads_of_name ON uploads ((ARRAY[account_id, workspace_id, normalize(name, NFC)]), finished_at, id)
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL AND is_current;
DROP INDEX uploads_known;
CREATE INDEX uploads_known
  ON uploads ((ARRAY[account_id, workspace_id, size::text, normalize(name, NFC)]), created_at, id)
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL;

-- What the names of two files of one document have in common if they are versions of one photo: not the ending, and not the
-- case, which many systems ignore.
CREATE FUNCTION name_stem(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT lower(regexp_replace(normalize(name, NFC), '(.)\.[A-Za-z0-9]{1,8}$', '\1'))
$$;
CREATE INDEX uploads_of_named_document
  ON uploads ((ARRAY[account_id, workspace_id, document, name_stem(name)]), finished_at, id)
  WHERE document IS NOT NULL AND finished_at IS NOT NULL AND trashed_at IS NULL;

-- Whether the document alone decides, whatever the name is: the app has exported the document itself.
ALTER TABLE uploads ADD COLUMN by_document boolean NOT NULL DEFAULT false;

-- The photo that an upload becomes a version of, and by what it was found; NULL for a new photo. An upload without a name
-- is called 'untitled', which is no match. Without a sort, only the indexes give the order: otherwise a plan that was
-- made for an empty table may read another index from end to end later.
DROP FUNCTION photo_before(text, text, text, text, text, text);
CREATE FUNCTION photo_before(account text, workspace text, named text, documented text, project text, replaced text,
                             alone boolean DEFAULT false, OUT photo text, OUT match text)
LANGUAGE plpgsql STABLE SET enable_sort = off AS $$
BEGIN
  IF replaced IS NOT NULL THEN
    SELECT photo_id, 'id' INTO photo, match FROM uploads
     WHERE id = replaced AND account_id = account AND workspace_id = workspace
       AND finished_at IS NOT NULL AND trashed_at IS NULL;
    RETURN;
  END IF;
  IF alone THEN
    SELECT photo_id, 'document' INTO photo, match FROM uploads
     WHERE ARRAY[account_id, workspace_id, document] = ARRAY[account, workspace, documented]
       AND document IS NOT NULL AND finished_at IS NOT NULL AND trashed_at IS NULL
     ORDER BY finished_at DESC, id DESC LIMIT 1;
  ELSE
    SELECT photo_id, 'document' INTO photo, match FROM uploads
     WHERE ARRAY[account_id, workspace_id, document, name_stem(name)]
           = ARRAY[account, workspace, documented, name_stem(named)]
       AND document IS NOT NULL AND finished_at IS NOT NULL AND trashed_at IS NULL
     ORDER BY finished_at DESC, id DESC LIMIT 1;
  END IF;
  IF photo IS NULL AND named <> 'untitled' THEN
    -- Names repeat in other projects; the newest thousand are looked at.
    SELECT CASE WHEN document <> documented THEN NULL ELSE photo_id END, 'name' INTO photo, match FROM (
      SELECT photo_id, document, project_id, finished_at, id FROM uploads
       WHERE ARRAY[account_id, workspace_id, normalize(name, NFC)] = ARRAY[account, workspace, normalize(named, NFC)]
         AND finished_at IS NOT NULL AND trashed_at IS NULL AND is_current
       ORDER BY finished_at DESC, id DESC LIMIT 1000) AS same
     WHERE project IS NULL OR project_id = project
     ORDER BY finished_at DESC, id DESC LIMIT 1;
  END IF;
END $$;

-- Finishes an upload whose digests are the expected ones: as a new photo, or as the current version of the photo that it
-- replaces. Of several at once for one photo, the last to be finished is the current one.
-- Returns the upload; no row when it was not finished.
CREATE OR REPLACE FUNCTION finish_upload(upload text, finished timestamptz, digest text, checksum text)
RETURNS SETOF uploads LANGUAGE plpgsql AS $$
DECLARE
  one        uploads;
  owner      text;
  named      bigint;
  documented bigint;
  photo      text;
  locked     text;
  -- The project that the upload is to be in, and the one that its photo was in.
  project    text;
  former     text;
BEGIN
  SELECT * INTO one FROM uploads WHERE id = upload FOR UPDATE;
  IF NOT FOUND OR one.finished_at IS NOT NULL OR one.expected_sha256 <> digest OR one.expected_crc32c <> checksum THEN
    RETURN;
  END IF;
  -- Uploads that may begin the same photo wait for one another; each next statement sees what the others committed.
  owner := one.account_id || ' ' || one.workspace_id;
  named := hashtextextended(owner || ' name ' || NULLIF(normalize(one.name, NFC), 'untitled'), 0);
  documented := hashtextextended(owner || ' document ' || one.document, 0);
  -- In one order. NULL locks nothing.
  PERFORM pg_advisory_xact_lock(LEAST(named, documented)), pg_advisory_xact_lock(GREATEST(named, documented));
  LOOP
    photo := (photo_before(one.account_id, one.workspace_id, one.name, one.document, one.project_id, one.replaces,
                           one.by_document)).photo;
    EXIT WHEN photo IS NULL OR photo = locked;
    PERFORM 1 FROM uploads WHERE id = photo FOR UPDATE;
    locked := photo;
  END LOOP;
  IF one.project_id IS NOT NULL THEN
    -- One that was archived since the upload began is as good as none.
    SELECT id INTO project FROM projects WHERE id = one.project_id AND archived_at IS NULL;
  END IF;
  IF photo IS NOT NULL THEN
    UPDATE uploads SET is_current = false WHERE photo_id = photo AND is_current RETURNING project_id INTO former;
    IF project IS NULL THEN
      project := former;
    ELSIF project IS DISTINCT FROM former THEN
      UPDATE uploads SET project_id = project WHERE photo_id = photo;
    END IF;
  END IF;
  RETURN QUERY
    UPDATE uploads SET finished_at = finished, sha256 = digest, crc32c = checksum, version_of = photo, project_id = project
     WHERE id = upload RETURNING *;
END $$;
