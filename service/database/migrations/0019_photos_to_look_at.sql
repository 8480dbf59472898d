-- Nobody else needs ids in this order, so that a reader who asks for it is given this index, however large it has grown
-- while there was much to do, and whatever the statistics say. Made anew, it is as small as what is left to do.
DROP INDEX thumbnails_to_make;
CREATE INDEX thumbnails_to_make ON thumbnails (upload_id COLLATE "C") WHERE state = 'none';
