-- The pictures of the pages of a document from the second on, which are in the storage: that of the first one is the preview. `mark`
-- names what they show. Without bytes, there is no picture of the page.
CREATE TABLE page_pictures (
  upload_id       text NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
  page            integer NOT NULL CHECK (page > 1),
  is_marked       boolean NOT NULL,
  mark            text NOT NULL,
  thumbnail_bytes integer,
  preview_bytes   integer,
  PRIMARY KEY (upload_id, page, is_marked),
  CHECK ((thumbnail_bytes IS NULL) = (preview_bytes IS NULL))
);
