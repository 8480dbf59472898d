-- What the storage held when an upload was finished, beside its SHA-256; what its client said it would be, by
-- which it is judged; and Upload-Metadata as it came, which HEAD gives back. A process of the version before
-- writes none of them.
ALTER TABLE uploads
  ADD COLUMN crc32c text,
  ADD COLUMN expected_sha256 text,
  ADD COLUMN expected_crc32c text,
  ADD COLUMN metadata_header text;

-- Which of a person's files are here already, and the list by the digest.
CREATE INDEX uploads_finished_by_name ON uploads (account_id, workspace_id, name, size, created_at, id)
  WHERE finished_at IS NOT NULL;
CREATE INDEX uploads_finished_by_sha256 ON uploads (account_id, workspace_id, sha256, created_at, id)
  WHERE finished_at IS NOT NULL;
