-- The decision that a link asks its reviewers for.
CREATE TABLE share_rounds (
  share_id       text PRIMARY KEY REFERENCES shares (id) ON DELETE CASCADE,
  until          timestamptz NOT NULL,
  -- How many minutes the studio is behind UTC, to name the day of `until`.
  offset_minutes integer NOT NULL,
  asked_at       timestamptz NOT NULL,
  -- When reviewers were reminded, or it was too late for that.
  reminded_at    timestamptz,
  -- When the studio was informed that all have decided, or that the date has passed.
  closed_at      timestamptz,
  -- When there may be something to do.
  due_at         timestamptz,
  -- Grows with each change, so that no process acts on what was before.
  revision       integer NOT NULL DEFAULT 0
);
CREATE INDEX share_rounds_due ON share_rounds (due_at) WHERE due_at IS NOT NULL;

ALTER TABLE known_guests ADD COLUMN is_reviewer boolean NOT NULL DEFAULT false;

-- The mail address of a guest.
CREATE TABLE guest_addresses (
  share_id        text NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
  guest_id        text NOT NULL,
  email           text NOT NULL,
  locale          text NOT NULL,
  wants_reminders boolean NOT NULL,
  -- Whether the reader ended the mails to this address.
  is_ended        boolean NOT NULL DEFAULT false,
  PRIMARY KEY (share_id, guest_id)
);
