-- What a picture says of itself, as far as it says anything: its sides in pixels as they are shown, and when it was
-- taken, as EXIF has it: without a zone where none is told.
ALTER TABLE uploads
  ADD COLUMN width integer,
  ADD COLUMN height integer,
  ADD COLUMN captured_at text;

-- The thumbnail that the service made of a photo, a small WebP, and how far that is. Whoever makes one holds a lease:
-- two processes do not both work at it, and one that dies over a file is followed twice at most. A process of the
-- version before makes none; its photos get theirs later.
CREATE TABLE thumbnails (
  upload_id   text PRIMARY KEY REFERENCES uploads (id) ON DELETE CASCADE,
  state       text NOT NULL DEFAULT 'none' CHECK (state IN ('none', 'made', 'failed')),
  attempts    smallint NOT NULL,
  lease_until timestamptz,
  picture     bytea CHECK (octet_length(picture) <= 20480)
);

-- Names are looked for in the order of arrival now: a page is full after a few rows where many names fit, and reading
-- a hundred thousand to the end costs less than sorting what the index found; the index cost each row that was written
-- more than all others together. The function stays for a process of the version before.
DROP INDEX uploads_by_name_grams;
