-- The media type of a file by its content, and what is known of a document or a video: see `media-info.ts`. NULL until the
-- file was read.
ALTER TABLE uploads ADD COLUMN media_type text, ADD COLUMN media_info jsonb;
