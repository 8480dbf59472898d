-- Stars, labels and wishes for changes beside favourites and approvals. `value` is the number of stars, or of the label.
ALTER TABLE share_answers
  DROP CONSTRAINT share_answers_kind_check,
  ADD CONSTRAINT share_answers_kind_check
    CHECK (kind IN ('favourite', 'stars', 'label', 'approval', 'changes', 'comment')),
  ADD COLUMN value smallint CHECK (value BETWEEN 1 AND 5),
  ADD CHECK ((kind IN ('stars', 'label')) = (value IS NOT NULL)),
  -- The answer of the studio to a comment. The account may be gone since.
  ADD COLUMN reply text CHECK (char_length(reply) <= 2000),
  ADD COLUMN reply_by text,
  ADD COLUMN replied_at timestamptz,
  ADD CHECK ((reply IS NULL) = (replied_at IS NULL) AND (reply IS NULL OR kind = 'comment'));
ALTER TABLE removed_answers
  ADD COLUMN value smallint, ADD COLUMN reply text, ADD COLUMN reply_by text, ADD COLUMN replied_at timestamptz;

-- What a workspace calls a label. Others have the name of their colour.
CREATE TABLE feedback_labels (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  label        smallint NOT NULL CHECK (label BETWEEN 1 AND 5),
  name         text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 40),
  PRIMARY KEY (workspace_id, label)
);
