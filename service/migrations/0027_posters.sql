-- How many bytes the picture has that the app sent for a film.
ALTER TABLE uploads ADD COLUMN poster_bytes integer;
