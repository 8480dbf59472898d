-- Thumbnails are in the storage, next to the previews; the rows have their number of bytes. `picture` and `thumbnail` are those of an
-- earlier version of the service, which a job moves there.
ALTER TABLE thumbnails ADD COLUMN picture_bytes integer;
CREATE INDEX thumbnails_to_move ON thumbnails (upload_id COLLATE "C") WHERE picture IS NOT NULL;

ALTER TABLE watermarked_pictures
  ADD COLUMN thumbnail_bytes integer,
  DROP CONSTRAINT watermarked_pictures_check,
  ADD CHECK ((COALESCE(octet_length(thumbnail), thumbnail_bytes) IS NULL) = (preview_bytes IS NULL));
CREATE INDEX watermarked_pictures_to_move ON watermarked_pictures (upload_id COLLATE "C") WHERE thumbnail IS NOT NULL;
