-- What a comment points to, beside its spot: a page of a document, or a time of a video, in milliseconds from its start.
ALTER TABLE share_answers
  ADD COLUMN page integer CHECK (page >= 1),
  ADD COLUMN start_ms integer CHECK (start_ms >= 0),
  ADD COLUMN end_ms integer CHECK (end_ms >= start_ms),
  ADD CHECK (kind = 'comment' OR (page IS NULL AND start_ms IS NULL)),
  ADD CHECK (page IS NULL OR start_ms IS NULL),
  ADD CHECK (end_ms IS NULL OR start_ms IS NOT NULL);
ALTER TABLE removed_answers ADD COLUMN page integer, ADD COLUMN start_ms integer, ADD COLUMN end_ms integer;
