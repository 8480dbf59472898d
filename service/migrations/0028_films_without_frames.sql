-- -1 in `image_worker_version`: a film that was read where there was no ffmpeg. It is read again where there is one. So are the
-- films that have no frames yet.
UPDATE thumbnails SET image_worker_version = -1
  FROM uploads
 WHERE uploads.id = upload_id AND state <> 'none' AND media_type LIKE 'video/%' AND frames_bytes IS NULL;
CREATE INDEX thumbnails_without_ffmpeg ON thumbnails (upload_id COLLATE "C") WHERE image_worker_version = -1;
