-- The order of the list of the API.
CREATE INDEX share_answers_by_time ON share_answers (created_at, id);
