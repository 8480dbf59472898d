-- Which files are placed in a delivered file: the document, or what was exported from it. Both are versions. Rows go with either of them.
CREATE TABLE placements (
  container_id text NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
  upload_id    text NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
  PRIMARY KEY (container_id, upload_id)
);
CREATE INDEX placements_by_upload ON placements (upload_id, container_id);
