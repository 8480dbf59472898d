-- The answers of guests whom the studio removed. They are kept until it can no longer be undone.
CREATE TABLE removed_answers (
  LIKE share_answers,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY (share_id) REFERENCES shares (id) ON DELETE CASCADE,
  FOREIGN KEY (photo_id) REFERENCES uploads (id) ON DELETE CASCADE
);
CREATE INDEX removed_answers_by_guest ON removed_answers (share_id, guest_id);
CREATE INDEX removed_answers_by_photo ON removed_answers (photo_id);
CREATE INDEX removed_answers_by_end ON removed_answers (expires_at);

CREATE INDEX share_answers_by_guest ON share_answers (share_id, guest_id) WHERE share_id IS NOT NULL;

-- Webhooks that got all kinds of events get the new one, too.
UPDATE webhooks SET events = events || '["feedback"]'
 WHERE events @> '["upload", "account", "app", "member", "link", "workspace", "webhook"]';
