-- A decision stays as history when its guest withdraws it or takes the other one instead.
ALTER TABLE share_answers
  ADD COLUMN withdrawn_at timestamptz,
  ADD CHECK (withdrawn_at IS NULL OR kind IN ('approval', 'changes'));
ALTER TABLE removed_answers ADD COLUMN withdrawn_at timestamptz;
DROP INDEX share_answers_once;
CREATE UNIQUE INDEX share_answers_once ON share_answers (share_id, guest_id, photo_id, kind)
 WHERE kind <> 'comment' AND withdrawn_at IS NULL;
