-- A guest whom the studio knows: one with an address of their own, or one whom the studio confirmed.
CREATE TABLE known_guests (
  share_id   text NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
  guest_id   text NOT NULL,
  guest_name text NOT NULL CHECK (char_length(guest_name) BETWEEN 1 AND 80),
  is_invited boolean NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (share_id, guest_id)
);

-- A guest whom the studio removed. Those of one removal are restored at once.
CREATE TABLE removed_guests (
  share_id   text NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
  guest_id   text NOT NULL,
  guest_name text NOT NULL CHECK (char_length(guest_name) BETWEEN 1 AND 80),
  removal_id text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (share_id, guest_id)
);
CREATE INDEX removed_guests_by_end ON removed_guests (expires_at);
INSERT INTO removed_guests (share_id, guest_id, guest_name, removal_id, expires_at)
SELECT share_id, guest_id, max(guest_name), gen_random_uuid()::text, max(expires_at)
  FROM removed_answers GROUP BY share_id, guest_id;

-- An answer that is restored keeps whether it was mailed.
ALTER TABLE removed_answers ADD COLUMN is_mailed boolean NOT NULL DEFAULT true;
-- Set while the guest is removed.
ALTER TABLE share_finishes ADD COLUMN removed_until timestamptz;
CREATE INDEX share_finishes_removed ON share_finishes (removed_until) WHERE removed_until IS NOT NULL;

ALTER TABLE shares
  -- Whether guests can answer.
  ADD COLUMN takes_feedback boolean NOT NULL DEFAULT true,
  -- How many favourites one guest can have, and how many files all guests together can download.
  ADD COLUMN max_favourites integer CHECK (max_favourites BETWEEN 1 AND 5000),
  ADD COLUMN max_downloads integer CHECK (max_downloads BETWEEN 1 AND 10000);

-- A file that guests downloaded through a link with a limit of files.
CREATE TABLE share_downloads (
  share_id text NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
  photo_id text NOT NULL,
  PRIMARY KEY (share_id, photo_id)
);
