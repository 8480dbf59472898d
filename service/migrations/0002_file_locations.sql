-- Where the location is in each file: what to replace to remove it, or why that cannot be found; see
-- `service/library/previews/file-location.ts`. NULL: not searched yet. What an earlier `location_version` found is searched
-- again.
ALTER TABLE thumbnails
  ADD COLUMN location jsonb CHECK (pg_column_size(location) <= 524288),
  ADD COLUMN location_version smallint NOT NULL DEFAULT 0;

-- A photo has work left until its thumbnail is made or has failed, and its location was searched.
DROP INDEX thumbnails_to_make;
CREATE INDEX thumbnails_to_make ON thumbnails (workspace_id COLLATE "C", upload_id COLLATE "C")
  WHERE state = 'none' OR location IS NULL;
CREATE INDEX thumbnails_by_location_version ON thumbnails (location_version) WHERE location IS NOT NULL;
