-- A guest of a link who gets the replies of the studio by mail, once the address is confirmed.
CREATE TABLE reply_subscriptions (
  share_id      text NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
  guest_id      text NOT NULL,
  email         text NOT NULL,
  -- A keyed hash of the link and the address, see `reply_stops`.
  address_key   text NOT NULL,
  locale        text NOT NULL,
  requested_at  timestamptz NOT NULL,
  confirmed_at  timestamptz,
  -- When the first reply came that was not mailed, and when its mail is due.
  since         timestamptz,
  due_at        timestamptz,
  -- Set while the guest is removed.
  removed_until timestamptz,
  PRIMARY KEY (share_id, guest_id)
);
CREATE INDEX reply_subscriptions_due ON reply_subscriptions (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX reply_subscriptions_pending ON reply_subscriptions (requested_at) WHERE confirmed_at IS NULL;
CREATE INDEX reply_subscriptions_removed ON reply_subscriptions (removed_until) WHERE removed_until IS NOT NULL;

-- A mailbox whose reader ended the mails about a link, without its address.
CREATE TABLE reply_stops (
  share_id    text NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
  address_key text NOT NULL,
  PRIMARY KEY (share_id, address_key)
);

-- Whether a mail about the reply was queued. Earlier replies count as mailed.
ALTER TABLE share_answers ADD COLUMN is_reply_mailed boolean NOT NULL DEFAULT true;
ALTER TABLE removed_answers ADD COLUMN is_reply_mailed boolean NOT NULL DEFAULT true;

-- The ids of the reviewers of whose decision there is an event.
ALTER TABLE share_rounds ADD COLUMN decided_guests jsonb NOT NULL DEFAULT '[]';
