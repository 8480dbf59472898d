-- Ten frames of a film, side by side in one picture, which is in the storage: how many bytes it has. NULL for other files, and where
-- there is no ffmpeg.
ALTER TABLE uploads ADD COLUMN frames_bytes integer;
