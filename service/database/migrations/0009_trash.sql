-- Photos that were deleted lie in the trash until they are removed, bytes and all. The version before does not
-- know of it: as long as it runs beside this one, its list shows them still.
ALTER TABLE uploads ADD COLUMN trashed_at timestamptz;
ALTER TABLE uploads ADD COLUMN trashed_by text REFERENCES accounts (id) ON DELETE SET NULL;

-- The pages of the photos of a workspace, or of one of its people, in the order of their arrival.
CREATE INDEX uploads_arrived ON uploads (workspace_id, finished_at, id)
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL;
CREATE INDEX uploads_arrived_of_person ON uploads (workspace_id, account_id, finished_at, id)
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL;

-- The same for the trash, and what is to be removed from it.
CREATE INDEX uploads_trashed ON uploads (workspace_id, trashed_at, id) WHERE trashed_at IS NOT NULL;
CREATE INDEX uploads_trashed_by_time ON uploads (trashed_at, id) WHERE trashed_at IS NOT NULL;
-- Whoever deleted a photo may be removed.
CREATE INDEX uploads_trashed_by ON uploads (trashed_by) WHERE trashed_by IS NOT NULL;

-- Finds photos by a part of their name: every three characters in a row that a name holds, in small letters.
-- An extension would do the same, but not every server has it.
CREATE FUNCTION name_grams(name text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT COALESCE(array_agg(DISTINCT substr(lower(name), place, 3)), '{}')
    FROM generate_series(1, length(lower(name)) - 2) AS place
$$;
CREATE INDEX uploads_by_name_grams ON uploads USING gin (name_grams(name))
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL;
