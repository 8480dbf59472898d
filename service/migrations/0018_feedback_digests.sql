-- A link with feedback since `since` of which its creator gets a mail at `due_at`.
CREATE TABLE share_digests (
  share_id    text PRIMARY KEY REFERENCES shares (id) ON DELETE CASCADE,
  since       timestamptz NOT NULL,
  due_at      timestamptz NOT NULL,
  -- Whether a guest has finished: then later feedback does not delay the mail.
  is_finished boolean NOT NULL DEFAULT false
);
CREATE INDEX share_digests_due ON share_digests (due_at);

-- A guest who has finished with a link.
CREATE TABLE share_finishes (
  share_id    text NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
  guest_id    text NOT NULL,
  guest_name  text NOT NULL CHECK (char_length(guest_name) BETWEEN 1 AND 80),
  sentence    text CHECK (char_length(sentence) BETWEEN 1 AND 500),
  finished_at timestamptz NOT NULL,
  PRIMARY KEY (share_id, guest_id)
);

-- A user who wants no mails about the feedback of a link; of all links where `share_id` is empty.
CREATE TABLE digest_opt_outs (
  account_id text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  share_id   text NOT NULL,
  PRIMARY KEY (account_id, share_id)
);
