-- Users and the workspaces they share.
CREATE TABLE accounts (
  id            text PRIMARY KEY,
  username      text NOT NULL UNIQUE,
  display_name  text NOT NULL,
  password_hash text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  -- Where mail goes; only a confirmed address gets any.
  email              text,
  email_confirmed_at timestamptz,
  -- The language in which the user confirmed it: that of mails.
  email_locale       text
);
CREATE UNIQUE INDEX accounts_by_email ON accounts (lower(email)) WHERE email_confirmed_at IS NOT NULL;

CREATE TABLE workspaces (
  id              text PRIMARY KEY,
  name            text NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  -- Whether every member sees all photos of the workspace, or only their own.
  members_see_all boolean NOT NULL DEFAULT false,
  -- How apps may sign in with a code (RFC 8628): `number` and `same-network` are stricter than `standard`.
  code_sign_in    text NOT NULL DEFAULT 'standard'
    CHECK (code_sign_in IN ('standard', 'number', 'same-network', 'off')),
  -- Whether apps that owners of the workspace registered may do so, too, or official apps only.
  code_sign_in_apps text NOT NULL DEFAULT 'all' CHECK (code_sign_in_apps IN ('all', 'official')),
  -- Whether users enter a second factor before they allow an app.
  needs_second_factor boolean NOT NULL DEFAULT false
);

CREATE TABLE workspace_members (
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  account_id   text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  role         text NOT NULL CHECK (role IN ('owner', 'member')),
  PRIMARY KEY (workspace_id, account_id)
);
CREATE INDEX workspace_members_by_account ON workspace_members (account_id);

-- The logo of a workspace, a small WebP. The version is random, and part of its address.
CREATE TABLE workspace_logos (
  workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  version      text NOT NULL UNIQUE,
  picture      bytea NOT NULL,
  width        smallint NOT NULL,
  height       smallint NOT NULL
);

-- Invitation links to a workspace. Each works once. Only the SHA-256 of the token in a link is stored. The row is
-- deleted when the link is used. `invited_by` is NULL for an invitation that an operator made.
CREATE TABLE invitations (
  id           text PRIMARY KEY,
  token_sha256 text NOT NULL UNIQUE,
  -- The token of the link in a mail: a second one, made when the mail is sent.
  mail_token_sha256 text UNIQUE,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  role         text NOT NULL CHECK (role IN ('owner', 'member')),
  invited_by   text REFERENCES accounts (id) ON DELETE CASCADE,
  created_at   timestamptz NOT NULL,
  expires_at   timestamptz NOT NULL
);
CREATE INDEX invitations_by_workspace ON invitations (workspace_id);
CREATE INDEX invitations_by_account ON invitations (invited_by);
CREATE INDEX invitations_expiry ON invitations (expires_at);

-- Password reset links. Each user has at most one.
CREATE TABLE password_resets (
  account_id   text PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  token_sha256 text NOT NULL UNIQUE,
  expires_at   timestamptz NOT NULL
);
CREATE INDEX password_resets_expiry ON password_resets (expires_at);

-- Everything oidc-provider stores: grants, tokens, device codes, sessions, interactions.
-- For tokens, device codes, sessions and interactions `id` is a SHA-256, so that the table holds no usable credential.
--
-- A client can repeat a refresh whose response was lost, with the same `refresh_attempt`. The used refresh token
-- therefore records the hash of that value, the access token that was issued last, when that was first used, and how
-- often the request was repeated since when.
--
-- `fillfactor`, here and below: free space in each page for the next version of a row, which then needs no new entry in
-- any index.
CREATE TABLE oidc_records (
  kind                   text NOT NULL,
  id                     text NOT NULL,
  payload                jsonb NOT NULL,
  grant_id               text,
  user_code              text UNIQUE,
  session_uid            text UNIQUE,
  expires_at             timestamptz,
  consumed_at            timestamptz,
  refresh_attempt_sha256 text,
  successor_access_id    text,
  successor_used_at      timestamptz,
  refresh_retries        integer NOT NULL DEFAULT 0,
  refresh_retries_since  timestamptz,
  PRIMARY KEY (kind, id)
) WITH (fillfactor = 85);
-- A refresh removes used and expired records of its grant without reading the valid ones.
CREATE INDEX oidc_records_grant ON oidc_records (grant_id, kind, expires_at) WHERE grant_id IS NOT NULL;
-- For the cleanup, by how long a kind is kept after its expiry.
CREATE INDEX oidc_records_expiry ON oidc_records (expires_at);
CREATE INDEX oidc_records_fleeting ON oidc_records (expires_at)
  WHERE kind IN ('Session', 'Interaction');
CREATE INDEX oidc_records_device_codes ON oidc_records (expires_at) WHERE kind = 'DeviceCode';
-- Only unused access tokens: each is looked up here until its first use.
CREATE INDEX oidc_records_unused_successor ON oidc_records (successor_access_id)
  WHERE successor_access_id IS NOT NULL AND successor_used_at IS NULL;

-- The consent of a user: one row per grant. The workspace of a token is that of its grant.
CREATE TABLE consents (
  grant_id     text PRIMARY KEY,
  account_id   text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  client_id    text NOT NULL,
  scope        text NOT NULL,
  created_at   timestamptz NOT NULL,
  last_used_at timestamptz,
  -- The computer, as the app described it at the sign-in; the user may change its name.
  device_id    text,
  device_name  text,
  device_app   text,
  device_os    text,
  device_renamed boolean NOT NULL DEFAULT false
) WITH (fillfactor = 80);
CREATE INDEX consents_by_account ON consents (account_id);
CREATE INDEX consents_by_client ON consents (client_id);
CREATE INDEX consents_by_workspace ON consents (workspace_id);

-- Ends a grant with all of its tokens and codes in one round trip. Each statement sees what was committed while it
-- waited for the lock before it, so tokens of a concurrent refresh are deleted as well.
CREATE FUNCTION end_grant(ended text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM oidc_records WHERE kind = 'Grant' AND id = ended FOR UPDATE;
  DELETE FROM oidc_records WHERE grant_id = ended OR (kind = 'Grant' AND id = ended);
  DELETE FROM consents WHERE grant_id = ended;
END $$;

-- When a device polled the token endpoint (RFC 8628 section 3.5), by hashed device code. Unlogged: after a crash of the
-- database a device may poll early once, and in return no poll waits for the disk. Rows are removed by the time of the
-- first poll: an index on the time of the last poll would have to be written at each poll.
CREATE UNLOGGED TABLE device_polls (
  device_code_sha256 text PRIMARY KEY,
  polled_at          timestamptz NOT NULL,
  previous_polled_at timestamptz,
  first_polled_at    timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 70);
CREATE INDEX device_polls_by_first ON device_polls (first_polled_at);

-- DPoP proofs that were used (RFC 9449 section 11.1), until they are too old to be used again. Unlogged: after a crash of
-- the database a proof could be used twice within minutes, and in return no request waits for the disk.
CREATE UNLOGGED TABLE dpop_proofs (
  proof_sha256 text PRIMARY KEY,
  expires_at   timestamptz NOT NULL
);
CREATE INDEX dpop_proofs_expiry ON dpop_proofs (expires_at);

-- How often something that must not be tried too often was tried; `key` is a SHA-256. Unlogged: after a crash of the
-- database the counts start again.
CREATE UNLOGGED TABLE attempts (
  key         text PRIMARY KEY,
  count       integer NOT NULL,
  window_ends timestamptz NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX attempts_end ON attempts (window_ends);

-- Keys that the service generates at its first start.
CREATE TABLE service_secrets (
  name       text PRIMARY KEY,
  value      jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Each transaction that changes something leaves a row here. A process that lost its connection at the COMMIT finds out
-- by it whether the transaction was committed. The status by transaction id (pg_xact_status) would not do: after a
-- crash PostgreSQL gives the ids of lost transactions to others.
CREATE TABLE transaction_outcomes (
  id uuid PRIMARY KEY,
  -- False where a process that lost its connection has found the transaction gone, and keeps it from committing late.
  is_committed boolean NOT NULL,
  expires_at timestamptz NOT NULL DEFAULT now() + interval '1 hour'
);
CREATE INDEX transaction_outcomes_by_end ON transaction_outcomes (expires_at);

-- OAuth applications of the workspace tier, registered in Settings by workspace owners. A secret has
-- 256 random bits, so its SHA-256 is as hard to reverse as a slow hash.
CREATE TABLE oauth_clients (
  client_id         text PRIMARY KEY,
  workspace_id      text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name              text NOT NULL,
  confidential      boolean NOT NULL,
  redirect_uris     jsonb NOT NULL,
  scope             text NOT NULL,
  secret_sha256     text,
  secret_created_at timestamptz,
  created_at        timestamptz NOT NULL,
  CHECK (confidential = (secret_sha256 IS NOT NULL)),
  CHECK (confidential = (secret_created_at IS NOT NULL))
);
CREATE INDEX oauth_clients_by_workspace ON oauth_clients (workspace_id);

-- Personal access tokens. Only their SHA-256 is stored. A token ends with the membership of its user, even if it is
-- created at the same time. Otherwise it would become valid again if the user rejoined.
CREATE TABLE personal_access_tokens (
  id           text PRIMARY KEY,
  token_sha256 text NOT NULL UNIQUE,
  account_id   text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name         text NOT NULL,
  scope        text NOT NULL,
  created_at   timestamptz NOT NULL,
  expires_at   timestamptz NOT NULL,
  last_used_at timestamptz,
  CONSTRAINT personal_access_tokens_membership FOREIGN KEY (workspace_id, account_id)
    REFERENCES workspace_members (workspace_id, account_id) ON DELETE CASCADE
);
CREATE INDEX personal_access_tokens_by_account ON personal_access_tokens (account_id);
CREATE INDEX personal_access_tokens_expiry ON personal_access_tokens (expires_at);
CREATE INDEX personal_access_tokens_by_membership ON personal_access_tokens (workspace_id, account_id);

-- Projects group photos. They can be archived, and are deleted only with their workspace.
CREATE TABLE projects (
  id           text PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name         text NOT NULL,
  created_by   text REFERENCES accounts (id) ON DELETE SET NULL,
  created_at   timestamptz NOT NULL,
  archived_at  timestamptz,
  UNIQUE (id, workspace_id)
);
CREATE UNIQUE INDEX projects_by_name ON projects (workspace_id, lower(name)) WHERE archived_at IS NULL;
CREATE INDEX projects_by_workspace ON projects (workspace_id);
CREATE INDEX projects_created_by ON projects (created_by) WHERE created_by IS NOT NULL;

-- One row per upload. The bytes are in a file, or an object of the storage, named by `id`.
CREATE TABLE uploads (
  id               text PRIMARY KEY,
  account_id       text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  workspace_id     text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  -- The app that created the upload.
  client_id        text NOT NULL DEFAULT 'creative-workspace-plugin',
  -- The app's own id for the upload. A repeated creation with the same id finds the upload that is already there.
  client_upload_id text,
  size             bigint NOT NULL CHECK (size >= 0),
  name             text NOT NULL,
  type             text NOT NULL,
  metadata         jsonb NOT NULL,
  -- `Upload-Metadata` as it came; HEAD gives it back.
  metadata_header  text,
  created_at       timestamptz NOT NULL,
  -- When bytes last came in, to tell an abandoned upload from a slow one.
  active_at        timestamptz NOT NULL DEFAULT now(),
  finished_at      timestamptz,
  -- The digests of the stored bytes, and those that the client announced, which they must match.
  sha256           text,
  crc32c           text,
  expected_sha256  text,
  expected_crc32c  text,
  -- A deleted photo stays in the trash for a limited time before it is removed with its bytes.
  trashed_at       timestamptz,
  trashed_by       text REFERENCES accounts (id) ON DELETE SET NULL,
  -- The project of the same workspace that the photo is in; NULL for none. Of an unfinished upload: the one it asks for.
  project_id       text,
  -- The identity that the app gives the document or file, and the upload that it is to replace: an id, or 'none'.
  document         text,
  replaces         text,
  -- A photo has one or more versions, each an upload. Its id is the id of the first; `version_of` is NULL there. All
  -- versions are in the same project, and in the trash together. Lists and links show the current one.
  version_of       text,
  photo_id         text NOT NULL GENERATED ALWAYS AS (COALESCE(version_of, id)) STORED,
  is_current       boolean NOT NULL DEFAULT true,
  -- Read from the picture, if present: its displayed size in pixels, and its capture time in the EXIF format, which may
  -- have no time zone.
  width            integer,
  height           integer,
  captured_at      text,
  -- The preview that the service has made: its size in pixels and in bytes, and the `image_worker_version` that made it.
  -- NULL while there is none.
  preview_width    smallint,
  preview_height   smallint,
  preview_bytes    integer,
  preview_version  smallint,
  -- The sort key: the capture time, in UTC if it has no time zone, else the time of upload.
  taken_at         timestamptz,
  -- Camera, exposure, title and more, see `service/library/previews/picture-info.ts`.
  picture_info     jsonb,
  -- What a search looks through, in lower case: the name and the texts of `picture_info`.
  search_text      text,
  CHECK ((finished_at IS NULL) = (sha256 IS NULL)),
  CHECK ((finished_at IS NULL) = (taken_at IS NULL)),
  CONSTRAINT uploads_by_key UNIQUE (account_id, workspace_id, client_id, client_upload_id),
  CONSTRAINT uploads_project
    FOREIGN KEY (project_id, workspace_id) REFERENCES projects (id, workspace_id)
) WITH (fillfactor = 85);
CREATE INDEX uploads_by_workspace ON uploads (workspace_id, account_id, created_at);

-- Until a finished upload is read, its time of upload and its name stand in for what the picture says.
CREATE FUNCTION describe_upload() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.taken_at := NEW.finished_at;
  NEW.search_text := lower(NEW.name);
  RETURN NEW;
END $$;
CREATE TRIGGER uploads_described BEFORE INSERT OR UPDATE OF finished_at ON uploads
  FOR EACH ROW WHEN (NEW.finished_at IS NOT NULL AND NEW.taken_at IS NULL) EXECUTE FUNCTION describe_upload();

-- Unfinished uploads: recovery at a start, cleanup, and the limit for each user.
CREATE INDEX uploads_unfinished ON uploads (active_at) WHERE finished_at IS NULL;
CREATE INDEX uploads_unfinished_by_id ON uploads (id) WHERE finished_at IS NULL;
CREATE INDEX uploads_unfinished_by_account ON uploads (account_id, workspace_id)
  WHERE finished_at IS NULL;

-- The list of the API: of a user, of an app, of a workspace, and by digest.
CREATE INDEX uploads_finished ON uploads (account_id, workspace_id, created_at, id)
  WHERE finished_at IS NOT NULL;
CREATE INDEX uploads_finished_of_client ON uploads (account_id, workspace_id, client_id, created_at, id)
  WHERE finished_at IS NOT NULL;
CREATE INDEX uploads_finished_of_workspace ON uploads (workspace_id, created_at, id)
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL;
CREATE INDEX uploads_finished_by_digest ON uploads (workspace_id, sha256, created_at, id)
  WHERE finished_at IS NOT NULL;

-- The pages of photos by time of upload, time of capture and name: of a workspace, a user and a project.
CREATE INDEX uploads_listed ON uploads (workspace_id, finished_at, id, is_current)
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL;
CREATE INDEX uploads_listed_of_account ON uploads (workspace_id, account_id, finished_at, id, is_current)
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL;
CREATE INDEX uploads_listed_in_project ON uploads (project_id, finished_at, id, is_current)
  WHERE project_id IS NOT NULL AND finished_at IS NOT NULL AND trashed_at IS NULL;
CREATE INDEX uploads_captured ON uploads (workspace_id, taken_at, id)
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL AND is_current;
CREATE INDEX uploads_captured_of_account ON uploads (workspace_id, account_id, taken_at, id)
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL AND is_current;
CREATE INDEX uploads_captured_in_project ON uploads (project_id, taken_at, id)
  WHERE project_id IS NOT NULL AND finished_at IS NOT NULL AND trashed_at IS NULL AND is_current;
CREATE INDEX uploads_named ON uploads (workspace_id, lower(name), id)
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL AND is_current;
CREATE INDEX uploads_named_of_account ON uploads (workspace_id, account_id, lower(name), id)
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL AND is_current;
CREATE INDEX uploads_named_in_project ON uploads (project_id, lower(name), id)
  WHERE project_id IS NOT NULL AND finished_at IS NOT NULL AND trashed_at IS NULL AND is_current;
-- For members who see only their own photos of a project.
CREATE INDEX uploads_listed_in_project_of_account ON uploads (project_id, account_id, finished_at, id)
  WHERE project_id IS NOT NULL AND finished_at IS NOT NULL AND trashed_at IS NULL AND is_current;
CREATE INDEX uploads_captured_in_project_of_account ON uploads (project_id, account_id, taken_at, id)
  WHERE project_id IS NOT NULL AND finished_at IS NOT NULL AND trashed_at IS NULL AND is_current;
CREATE INDEX uploads_named_in_project_of_account ON uploads (project_id, account_id, lower(name), id)
  WHERE project_id IS NOT NULL AND finished_at IS NOT NULL AND trashed_at IS NULL AND is_current;

-- The trash: its page, its cleanup, and the photos that a removed user has put there.
CREATE INDEX uploads_trashed ON uploads (workspace_id, trashed_at, id, is_current) WHERE trashed_at IS NOT NULL;
CREATE INDEX uploads_trashed_by_time ON uploads (trashed_at, id) WHERE trashed_at IS NOT NULL;
CREATE INDEX uploads_trashed_by ON uploads (trashed_by) WHERE trashed_by IS NOT NULL;

-- The versions of a photo, of which one is current. An unfinished upload is the only one with its `photo_id`.
CREATE UNIQUE INDEX uploads_current ON uploads (photo_id) WHERE is_current;
CREATE INDEX uploads_versions ON uploads (photo_id, finished_at, id);

-- What a new upload may be a version of: photos of one user with the same document or name. Copies: uploads of one user
-- with the same size and name. Each index has one array as its key. With separate columns, the planner expects few photos
-- of a user, chooses another index that begins with the user, and reads all of their photos.
CREATE INDEX uploads_of_document ON uploads ((ARRAY[account_id, workspace_id, document]), finished_at, id)
  WHERE document IS NOT NULL AND finished_at IS NOT NULL AND trashed_at IS NULL;
-- The photos of a document, whose identity is followed by a part and a format: `ID#page-2#image/jpeg`.
CREATE INDEX uploads_of_any_part ON uploads ((ARRAY[account_id, workspace_id, split_part(document, '#', 1)]))
  WHERE document IS NOT NULL AND finished_at IS NOT NULL AND trashed_at IS NULL;
CREATE INDEX uploads_of_name ON uploads ((ARRAY[account_id, workspace_id, name]), finished_at, id)
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL AND is_current;
CREATE INDEX uploads_known
  ON uploads ((ARRAY[account_id, workspace_id, size::text, name]), created_at, id)
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL;

-- How many bytes each workspace uses. Unfinished uploads count with their whole length, and each upload counts 16 KiB
-- more, for its row and its file. Previews count as well. Triggers keep the sum; they lock rows in the order of their ids.
CREATE TABLE workspace_usage (
  workspace_id text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  bytes        bigint NOT NULL
) WITH (fillfactor = 50);

-- How many photos, earlier versions of them, and photos in the trash a user has in a project; '' is outside of projects.
-- Each number is the sum of the rows. Triggers only add rows, so that uploads at the same time do not wait for one another.
-- A job replaces the rows of a user in a project by their sum.
CREATE TABLE photo_counts (
  workspace_id text NOT NULL,
  project_id   text NOT NULL,
  account_id   text NOT NULL,
  photos       integer NOT NULL,
  replaced     integer NOT NULL,
  trashed      integer NOT NULL,
  is_sum       boolean NOT NULL DEFAULT false
);
CREATE INDEX photo_counts_by_project ON photo_counts (workspace_id, project_id, account_id);
CREATE INDEX photo_counts_to_sum ON photo_counts (workspace_id, project_id, account_id) WHERE NOT is_sum;

-- Adds one upload to the numbers, or takes it out of them (`change` is -1). Unfinished and removed uploads do not count.
CREATE FUNCTION count_upload(one uploads, change integer) RETURNS void LANGUAGE sql AS $$
  INSERT INTO photo_counts (workspace_id, project_id, account_id, photos, replaced, trashed)
  SELECT one.workspace_id, COALESCE(one.project_id, ''), one.account_id,
         CASE WHEN one.trashed_at IS NULL AND one.is_current THEN change ELSE 0 END,
         CASE WHEN one.trashed_at IS NULL AND NOT one.is_current THEN change ELSE 0 END,
         CASE WHEN one.trashed_at > timestamptz 'epoch' AND one.is_current THEN change ELSE 0 END
   WHERE one.finished_at IS NOT NULL AND (one.trashed_at IS NULL OR one.is_current);
$$;
CREATE FUNCTION count_changed_upload() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_upload(OLD, -1), count_upload(NEW, 1);
  RETURN NULL;
END $$;
CREATE TRIGGER uploads_changed AFTER UPDATE OF finished_at, trashed_at, project_id, is_current ON uploads
  FOR EACH ROW WHEN (
    (OLD.finished_at IS NULL, OLD.trashed_at, OLD.is_current, OLD.project_id) IS DISTINCT FROM
    (NEW.finished_at IS NULL, NEW.trashed_at, NEW.is_current, NEW.project_id))
  EXECUTE FUNCTION count_changed_upload();

CREATE FUNCTION count_added_uploads() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO photo_counts (workspace_id, project_id, account_id, photos, replaced, trashed)
  SELECT workspace_id, COALESCE(project_id, ''), account_id,
         count(*) FILTER (WHERE trashed_at IS NULL AND is_current),
         count(*) FILTER (WHERE trashed_at IS NULL AND NOT is_current),
         count(*) FILTER (WHERE trashed_at > timestamptz 'epoch' AND is_current)
    FROM added WHERE finished_at IS NOT NULL
   GROUP BY workspace_id, project_id, account_id;
  INSERT INTO workspace_usage (workspace_id, bytes)
  SELECT workspace_id, sum(size + 16384) FROM added GROUP BY workspace_id ORDER BY workspace_id
  ON CONFLICT (workspace_id) DO UPDATE SET bytes = workspace_usage.bytes + excluded.bytes;
  RETURN NULL;
END $$;
CREATE TRIGGER uploads_added AFTER INSERT ON uploads
  REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_added_uploads();

CREATE FUNCTION count_removed_uploads() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO photo_counts (workspace_id, project_id, account_id, photos, replaced, trashed)
  SELECT workspace_id, COALESCE(project_id, ''), account_id,
         -count(*) FILTER (WHERE trashed_at IS NULL AND is_current),
         -count(*) FILTER (WHERE trashed_at IS NULL AND NOT is_current),
         -count(*) FILTER (WHERE trashed_at > timestamptz 'epoch' AND is_current)
    FROM removed WHERE finished_at IS NOT NULL
   GROUP BY workspace_id, project_id, account_id;
  PERFORM 1 FROM workspace_usage
    WHERE workspace_id IN (SELECT workspace_id FROM removed) ORDER BY workspace_id FOR UPDATE;
  UPDATE workspace_usage SET bytes = workspace_usage.bytes - gone.bytes
    FROM (SELECT workspace_id, sum(size + 16384 + COALESCE(preview_bytes, 0)) AS bytes FROM removed GROUP BY workspace_id) AS gone
   WHERE gone.workspace_id = workspace_usage.workspace_id;
  RETURN NULL;
END $$;
CREATE TRIGGER uploads_removed AFTER DELETE ON uploads
  REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_removed_uploads();

CREATE FUNCTION count_preview() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE workspace_usage SET bytes = bytes + COALESCE(NEW.preview_bytes, 0) - COALESCE(OLD.preview_bytes, 0)
   WHERE workspace_id = NEW.workspace_id;
  RETURN NULL;
END $$;
CREATE TRIGGER uploads_previewed AFTER UPDATE OF preview_bytes ON uploads
  FOR EACH ROW WHEN (NEW.preview_bytes IS DISTINCT FROM OLD.preview_bytes) EXECUTE FUNCTION count_preview();

-- How many bytes a workspace uses, and how many unfinished uploads one user has there. The row of the workspace stays
-- locked until the transaction ends: concurrent creations are counted one after another.
CREATE FUNCTION lock_workspace_usage(account text, workspace text, OUT bytes bigint, OUT unfinished bigint)
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO workspace_usage (workspace_id, bytes) VALUES (workspace, 0) ON CONFLICT DO NOTHING;
  SELECT usage.bytes INTO bytes
    FROM workspace_usage AS usage WHERE usage.workspace_id = workspace FOR UPDATE;
  SELECT count(*) INTO unfinished FROM uploads
   WHERE account_id = account AND workspace_id = workspace AND finished_at IS NULL;
END $$;

-- The photo that an upload becomes a version of, and by what it was found; NULL for a new photo. An upload without a name
-- is called 'untitled', which is no match. Without a sort, only the two indexes give the order: otherwise a plan that was
-- made for an empty table may read another index from end to end later.
CREATE FUNCTION photo_before(account text, workspace text, named text, documented text, project text, replaced text,
                             OUT photo text, OUT match text)
LANGUAGE plpgsql STABLE SET enable_sort = off AS $$
BEGIN
  IF replaced IS NOT NULL THEN
    SELECT photo_id, 'id' INTO photo, match FROM uploads
     WHERE id = replaced AND account_id = account AND workspace_id = workspace
       AND finished_at IS NOT NULL AND trashed_at IS NULL;
    RETURN;
  END IF;
  SELECT photo_id, 'document' INTO photo, match FROM uploads
   WHERE ARRAY[account_id, workspace_id, document] = ARRAY[account, workspace, documented]
     AND document IS NOT NULL AND finished_at IS NOT NULL AND trashed_at IS NULL
   ORDER BY finished_at DESC, id DESC LIMIT 1;
  IF photo IS NULL AND named <> 'untitled' THEN
    -- Names repeat in other projects; the newest thousand are looked at.
    SELECT CASE WHEN document <> documented THEN NULL ELSE photo_id END, 'name' INTO photo, match FROM (
      SELECT photo_id, document, project_id, finished_at, id FROM uploads
       WHERE ARRAY[account_id, workspace_id, name] = ARRAY[account, workspace, named]
         AND finished_at IS NOT NULL AND trashed_at IS NULL AND is_current
       ORDER BY finished_at DESC, id DESC LIMIT 1000) AS same
     WHERE project IS NULL OR project_id = project
     ORDER BY finished_at DESC, id DESC LIMIT 1;
  END IF;
END $$;

-- Finishes an upload whose digests are the expected ones: as a new photo, or as the current version of the photo that it
-- replaces. Of several at once for one photo, the last to be finished is the current one.
-- Returns the upload; no row when it was not finished.
CREATE FUNCTION finish_upload(upload text, finished timestamptz, digest text, checksum text)
RETURNS SETOF uploads LANGUAGE plpgsql AS $$
DECLARE
  one        uploads;
  owner      text;
  named      bigint;
  documented bigint;
  photo      text;
  locked     text;
  -- The project that the upload is to be in, and the one that its photo was in.
  project    text;
  former     text;
BEGIN
  SELECT * INTO one FROM uploads WHERE id = upload FOR UPDATE;
  IF NOT FOUND OR one.finished_at IS NOT NULL OR one.expected_sha256 <> digest OR one.expected_crc32c <> checksum THEN
    RETURN;
  END IF;
  -- Uploads that may begin the same photo wait for one another; each next statement sees what the others committed.
  owner := one.account_id || ' ' || one.workspace_id;
  named := hashtextextended(owner || ' name ' || NULLIF(one.name, 'untitled'), 0);
  documented := hashtextextended(owner || ' document ' || one.document, 0);
  -- In one order. NULL locks nothing.
  PERFORM pg_advisory_xact_lock(LEAST(named, documented)), pg_advisory_xact_lock(GREATEST(named, documented));
  LOOP
    photo := (photo_before(one.account_id, one.workspace_id, one.name, one.document, one.project_id, one.replaces)).photo;
    EXIT WHEN photo IS NULL OR photo = locked;
    PERFORM 1 FROM uploads WHERE id = photo FOR UPDATE;
    locked := photo;
  END LOOP;
  IF one.project_id IS NOT NULL THEN
    -- One that was archived since the upload began is as good as none.
    SELECT id INTO project FROM projects WHERE id = one.project_id AND archived_at IS NULL;
  END IF;
  IF photo IS NOT NULL THEN
    UPDATE uploads SET is_current = false WHERE photo_id = photo AND is_current RETURNING project_id INTO former;
    IF project IS NULL THEN
      project := former;
    ELSIF project IS DISTINCT FROM former THEN
      UPDATE uploads SET project_id = project WHERE photo_id = photo;
    END IF;
  END IF;
  RETURN QUERY
    UPDATE uploads SET finished_at = finished, sha256 = digest, crc32c = checksum, version_of = photo, project_id = project
     WHERE id = upload RETURNING *;
END $$;

-- What a user has done to photos: for its message, and so that they can undo it for a while. `created_at` is also the time in
-- `trashed_at` of photos that were put into the trash. `undone` is how many photos are as before again; NULL while it was not undone.
CREATE TABLE photo_changes (
  id           text PRIMARY KEY,
  account_id   text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  kind         text NOT NULL CHECK (kind IN ('trashed', 'restored', 'removed', 'moved')),
  -- Where the photos were moved to; NULL for out of their projects.
  project_id   text REFERENCES projects (id) ON DELETE CASCADE,
  photos       integer NOT NULL,
  undone       integer,
  created_at   timestamptz NOT NULL,
  expires_at   timestamptz NOT NULL
);
CREATE INDEX photo_changes_by_account ON photo_changes (account_id, created_at);
CREATE INDEX photo_changes_by_workspace ON photo_changes (workspace_id);
CREATE INDEX photo_changes_by_project ON photo_changes (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX photo_changes_expiry ON photo_changes (expires_at);

-- How the photos were before, in parts that are undone one by one. A part is deleted when it is undone.
CREATE TABLE photo_change_parts (
  change_id text NOT NULL REFERENCES photo_changes (id) ON DELETE CASCADE,
  part      integer NOT NULL,
  former    jsonb NOT NULL,
  PRIMARY KEY (change_id, part)
);

-- Uploads whose rows were deleted and whose bytes are still to be removed from the storage. The trigger adds them in the
-- transaction that deletes the row, so that a crash in between leaves no bytes behind.
CREATE TABLE discarded_uploads (id text PRIMARY KEY);

CREATE FUNCTION note_discarded_uploads() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO discarded_uploads (id) SELECT id FROM removed ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER uploads_discarded AFTER DELETE ON uploads
  REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION note_discarded_uploads();

-- Which request works on which upload, across several processes. A lock that its holder does not renew expires.
CREATE TABLE upload_locks (
  upload_id  text PRIMARY KEY,
  holder     text NOT NULL,
  expires_at timestamptz NOT NULL,
  wanted     boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);

-- The thumbnail of each photo, a small WebP. A process that makes one takes a lease: no two processes work on one photo,
-- and a photo that ends its process is tried twice at most. `workspace_id` is set while there is work left.
-- `image_worker_version` is the version that tried last; a failure of an earlier version is tried again.
CREATE TABLE thumbnails (
  upload_id      text PRIMARY KEY REFERENCES uploads (id) ON DELETE CASCADE,
  workspace_id   text,
  state          text NOT NULL DEFAULT 'none' CHECK (state IN ('none', 'made', 'failed')),
  attempts       smallint NOT NULL,
  lease_until    timestamptz,
  picture        bytea CHECK (octet_length(picture) <= 40960),
  image_worker_version smallint NOT NULL DEFAULT 0
) WITH (fillfactor = 85);
-- Workspaces take turns. COLLATE "C": no other index has this order, so the planner uses this one, whatever its
-- statistics say.
CREATE INDEX thumbnails_to_make ON thumbnails (workspace_id COLLATE "C", upload_id COLLATE "C")
  WHERE state = 'none';
CREATE INDEX thumbnails_failed ON thumbnails (image_worker_version) WHERE state = 'failed';

-- The pictures of a photo with a watermark: the thumbnail, and how many bytes the preview has in the storage. `mark`
-- names the text and the picture that was marked. NULL, if that was not possible.
CREATE TABLE watermarked_pictures (
  upload_id     text PRIMARY KEY REFERENCES uploads (id) ON DELETE CASCADE,
  mark          text NOT NULL,
  thumbnail     bytea CHECK (octet_length(thumbnail) <= 40960),
  preview_bytes integer,
  CHECK ((thumbnail IS NULL) = (preview_bytes IS NULL))
);

-- Every finished upload has its row in `thumbnails`, so that a small index finds those that were not tried yet.
CREATE FUNCTION note_photo_to_look_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO thumbnails (upload_id, workspace_id, attempts, lease_until)
  VALUES (NEW.id, NEW.workspace_id, 0, timestamptz 'epoch') ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER uploads_to_look_at AFTER INSERT OR UPDATE OF finished_at ON uploads
  FOR EACH ROW WHEN (NEW.finished_at IS NOT NULL) EXECUTE FUNCTION note_photo_to_look_at();

-- Links that show chosen photos or a project without a sign-in. The token in a link is made from its id with a key of the
-- service; only its SHA-256 is stored. A link ends with its project or workspace, and when its creator leaves the
-- workspace. An expired or revoked link is kept for some time.
CREATE TABLE shares (
  id            text PRIMARY KEY,
  token_sha256  text NOT NULL UNIQUE,
  workspace_id  text NOT NULL,
  created_by    text NOT NULL,
  -- NULL for a link to the photos in share_photos.
  project_id    text REFERENCES projects (id) ON DELETE CASCADE,
  password_hash text,
  created_at    timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL,
  revoked_at    timestamptz,
  -- When it stops working, or has stopped.
  ends_at       timestamptz NOT NULL GENERATED ALWAYS AS (LEAST(expires_at, revoked_at)) STORED,
  opened_at     timestamptz,
  views           integer NOT NULL DEFAULT 0,
  downloads_count integer NOT NULL DEFAULT 0,
  title           text CHECK (char_length(title) BETWEEN 1 AND 100),
  message         text CHECK (char_length(message) BETWEEN 1 AND 500),
  -- The id of the first version of the cover photo. The link may no longer show it.
  cover_photo_id  text REFERENCES uploads (id) ON DELETE SET NULL,
  downloads       text NOT NULL DEFAULT 'original' CHECK (downloads IN ('original', 'web', 'none')),
  shows_location  boolean NOT NULL DEFAULT false,
  -- Whether its pictures carry the name of the workspace. Originals would not.
  watermark       boolean NOT NULL DEFAULT false,
  CHECK (NOT watermark OR downloads <> 'original'),
  FOREIGN KEY (workspace_id, created_by)
    REFERENCES workspace_members (workspace_id, account_id) ON DELETE CASCADE
);
CREATE INDEX shares_by_workspace ON shares (workspace_id, created_at, id);
CREATE INDEX shares_by_maker ON shares (workspace_id, created_by);
CREATE INDEX shares_of_project ON shares (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX shares_by_end ON shares (ends_at);
CREATE INDEX shares_of_cover ON shares (cover_photo_id) WHERE cover_photo_id IS NOT NULL;

-- The photos of a link to chosen photos.
CREATE TABLE share_photos (
  share_id text NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
  photo_id text NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
  PRIMARY KEY (share_id, photo_id)
);
CREATE INDEX share_photos_by_photo ON share_photos (photo_id);

-- The last report of each computer about photos that have not arrived. It has no names of photos.
CREATE TABLE device_queues (
  workspace_id  text NOT NULL,
  account_id    text NOT NULL,
  -- The app that reports, and its random id of the computer.
  client_id     text NOT NULL,
  device_id     text NOT NULL,
  device_name   text NOT NULL,
  waiting       integer NOT NULL,
  waiting_since timestamptz,
  state         text NOT NULL CHECK (state IN ('uploading', 'paused', 'blocked')),
  reason        text,
  reported_at   timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL,
  PRIMARY KEY (workspace_id, account_id, client_id, device_id),
  FOREIGN KEY (workspace_id, account_id)
    REFERENCES workspace_members (workspace_id, account_id) ON DELETE CASCADE
) WITH (fillfactor = 70);
CREATE INDEX device_queues_expiry ON device_queues (expires_at);

-- What guests of links said about photos: favourites, approvals and comments. Answers outlive their link, since an approval
-- counts after it; they end with their photo. `guest_id` is random, for each browser and link.
CREATE TABLE share_answers (
  id         text PRIMARY KEY,
  share_id   text REFERENCES shares (id) ON DELETE SET NULL,
  photo_id   text NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
  kind       text NOT NULL CHECK (kind IN ('favourite', 'approval', 'comment')),
  guest_id   text NOT NULL,
  guest_name text NOT NULL CHECK (char_length(guest_name) BETWEEN 1 AND 80),
  -- The version that the guest saw. Its upload may be gone since.
  upload_id  text NOT NULL,
  version    integer NOT NULL,
  sha256     text NOT NULL,
  comment    text CHECK (char_length(comment) <= 2000),
  -- What a comment points to, as parts of the width and the height of the picture.
  pin_x      double precision CHECK (pin_x BETWEEN 0 AND 1),
  pin_y      double precision CHECK (pin_y BETWEEN 0 AND 1),
  created_at timestamptz NOT NULL,
  done_at    timestamptz,
  CHECK ((kind = 'comment') = (comment IS NOT NULL)),
  CHECK ((pin_x IS NULL) = (pin_y IS NULL) AND (pin_x IS NULL OR kind = 'comment'))
);
CREATE UNIQUE INDEX share_answers_once ON share_answers (share_id, guest_id, photo_id, kind) WHERE kind <> 'comment';
CREATE INDEX share_answers_by_share ON share_answers (share_id, photo_id) WHERE share_id IS NOT NULL;
CREATE INDEX share_answers_by_photo ON share_answers (photo_id, kind);

-- What a user is to be shown once, on the next page they open, and by mail.
CREATE TABLE notices (
  id         text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  kind       text NOT NULL,
  about      jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  shown_at   timestamptz,
  -- NULL until the mail has been queued, or is known not to be needed.
  mailed_at  timestamptz
);
CREATE INDEX notices_to_show ON notices (account_id, created_at) WHERE shown_at IS NULL;
CREATE INDEX notices_to_mail ON notices (created_at) WHERE mailed_at IS NULL;
CREATE INDEX notices_by_time ON notices (created_at);

-- The browsers in which users are signed in; `session_id` is that of the session in `oidc_records`.
CREATE TABLE browser_sessions (
  session_id   text PRIMARY KEY,
  account_id   text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  user_agent   text NOT NULL,
  network      text NOT NULL,
  created_at   timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL
);
CREATE INDEX browser_sessions_by_account ON browser_sessions (account_id);

-- Passkeys (WebAuthn). Ids are base64url.
CREATE TABLE passkeys (
  id           text PRIMARY KEY,
  account_id   text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  public_key   bytea NOT NULL,
  counter      bigint NOT NULL,
  transports   jsonb NOT NULL,
  name         text NOT NULL,
  created_at   timestamptz NOT NULL,
  last_used_at timestamptz
);
CREATE INDEX passkeys_by_account ON passkeys (account_id);

-- Authenticator apps (TOTP, RFC 6238). The secret is encrypted. A code is accepted once: `last_step` is its time step.
CREATE TABLE totp_secrets (
  account_id   text PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  secret       bytea NOT NULL,
  created_at   timestamptz NOT NULL,
  confirmed_at timestamptz,
  last_step    bigint NOT NULL DEFAULT 0
);
CREATE TABLE recovery_codes (
  code_sha256 text PRIMARY KEY,
  account_id  text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE
);
CREATE INDEX recovery_codes_by_account ON recovery_codes (account_id);

-- The OpenID provider of a workspace, and the users who sign in there. The client secret is encrypted.
CREATE TABLE identity_providers (
  workspace_id  text PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  issuer        text NOT NULL,
  client_id     text NOT NULL,
  client_secret bytea NOT NULL,
  -- Each with `name` and `isConfirmed`: whether its owner named the workspace in the DNS.
  domains       jsonb NOT NULL,
  -- Who becomes a member: users with an invitation, or everybody of a domain.
  admits        text NOT NULL CHECK (admits IN ('invited', 'domain')),
  created_at    timestamptz NOT NULL
);
CREATE TABLE account_identities (
  workspace_id text NOT NULL REFERENCES identity_providers (workspace_id) ON DELETE CASCADE,
  subject      text NOT NULL,
  account_id   text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  created_at   timestamptz NOT NULL,
  last_used_at timestamptz,
  PRIMARY KEY (workspace_id, subject),
  -- A company opens only the accounts of its members.
  FOREIGN KEY (workspace_id, account_id) REFERENCES workspace_members (workspace_id, account_id) ON DELETE CASCADE
);
CREATE INDEX account_identities_by_account ON account_identities (account_id);

-- Mail addresses that wait to be confirmed. Only the SHA-256 of the token in a link is stored.
CREATE TABLE email_confirmations (
  account_id   text PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  email        text NOT NULL,
  token_sha256 text NOT NULL UNIQUE,
  expires_at   timestamptz NOT NULL
);
CREATE INDEX email_confirmations_expiry ON email_confirmations (expires_at);

-- Mail that is to be sent. It holds no secret: a link is made when its mail is sent.
CREATE TABLE outgoing_mail (
  id         text PRIMARY KEY,
  kind       text NOT NULL,
  recipient  text NOT NULL,
  locale     text NOT NULL,
  about      jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  attempts   integer NOT NULL DEFAULT 0,
  due_at     timestamptz NOT NULL
);
CREATE INDEX outgoing_mail_due ON outgoing_mail (due_at);

-- What happened to an account and in a workspace, for the owners. Rows are removed after a set time.
CREATE TABLE audit_events (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  happened_at  timestamptz NOT NULL,
  action       text NOT NULL,
  workspace_id text REFERENCES workspaces (id) ON DELETE CASCADE,
  account_id   text,
  by           text,
  about        jsonb NOT NULL
);
CREATE INDEX audit_events_by_workspace ON audit_events (workspace_id, id);
CREATE INDEX audit_events_by_account ON audit_events (account_id, id);
CREATE INDEX audit_events_by_actor ON audit_events (by, id);
CREATE INDEX audit_events_by_time ON audit_events (happened_at);

-- Addresses that get events, and what is to be sent to them. Secrets are encrypted.
CREATE TABLE webhooks (
  id           text PRIMARY KEY,
  workspace_id text NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  url          text NOT NULL,
  secret       bytea NOT NULL,
  -- The secret before a change; it also signs for a while.
  former_secret bytea,
  former_until  timestamptz,
  -- The kinds of events, such as `app`.
  events       jsonb NOT NULL,
  created_by   text REFERENCES accounts (id) ON DELETE SET NULL,
  created_at   timestamptz NOT NULL,
  -- Since when no delivery has succeeded; NULL after a success.
  failing_since timestamptz,
  disabled_at  timestamptz
);
CREATE INDEX webhooks_by_workspace ON webhooks (workspace_id);
CREATE TABLE webhook_deliveries (
  id           text PRIMARY KEY,
  webhook_id   text NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event        text NOT NULL,
  payload      jsonb NOT NULL,
  created_at   timestamptz NOT NULL,
  attempts     integer NOT NULL DEFAULT 0,
  -- NULL once it was delivered or given up.
  due_at       timestamptz,
  delivered_at timestamptz,
  -- The last answer: an HTTP status, or what failed.
  status       integer,
  failure      text
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (created_at);
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, created_at);

-- Adds a delivery of `upload.finished` for each webhook, in the transaction that finishes the upload.
CREATE FUNCTION announce_upload() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_deliveries (id, webhook_id, event, payload, created_at, due_at)
  SELECT 'msg_' || gen_random_uuid(), webhooks.id, 'upload.finished',
         jsonb_build_object(
           'type', 'upload.finished',
           'timestamp', to_char(NEW.finished_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'data', jsonb_build_object(
             'id', NEW.id, 'workspace_id', NEW.workspace_id, 'client', NEW.client_id,
             'by', jsonb_build_object('id', NEW.account_id, 'username', username, 'name', display_name),
             'photo', NEW.photo_id, 'project', NEW.project_id,
             'name', NEW.name, 'type', NEW.type, 'size', NEW.size, 'sha256', NEW.sha256)),
         NEW.finished_at, NEW.finished_at
    FROM webhooks LEFT JOIN accounts ON accounts.id = NEW.account_id
   WHERE webhooks.workspace_id = NEW.workspace_id AND disabled_at IS NULL AND events ? 'upload';
  RETURN NULL;
END $$;
CREATE TRIGGER uploads_announced AFTER UPDATE OF finished_at ON uploads
  FOR EACH ROW WHEN (OLD.finished_at IS NULL AND NEW.finished_at IS NOT NULL) EXECUTE FUNCTION announce_upload();
