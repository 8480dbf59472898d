-- Lists by name compare the numbers in names as numbers: IMG_2 comes before IMG_10. In the key of a name, each number has no
-- leading zeros, and follows the number of its digits: up to 8 as one digit, more as a 9 and four digits. So a key is hardly
-- longer than its name, and every collation that orders digits compares it rightly. After 16 numbers, the rest is text: this
-- bounds the work. Names that differ only in case, leading zeros or normal form have the same key.
CREATE FUNCTION natural_sort_key(name text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  rest   text := lower(normalize(name, NFC));
  key    text := '';
  run    text;
  digits text;
  start  integer;
BEGIN
  FOR _ IN 1..16 LOOP
    run := substring(rest FROM '[0-9]+');
    EXIT WHEN run IS NULL;
    start := strpos(rest, run);
    digits := ltrim(run, '0');
    key := key || left(rest, start - 1)
      || CASE WHEN length(digits) <= 8 THEN length(digits)::text ELSE '9' || lpad(length(digits)::text, 4, '0') END
      || digits;
    rest := substr(rest, start + length(run));
  END LOOP;
  RETURN key || rest;
END $$;

DROP INDEX uploads_named, uploads_named_of_account, uploads_named_in_project, uploads_named_in_project_of_account;
CREATE INDEX uploads_named ON uploads (workspace_id, natural_sort_key(name), id)
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL AND is_current;
CREATE INDEX uploads_named_of_account ON uploads (workspace_id, account_id, natural_sort_key(name), id)
  WHERE finished_at IS NOT NULL AND trashed_at IS NULL AND is_current;
CREATE INDEX uploads_named_in_project ON uploads (project_id, natural_sort_key(name), id)
  WHERE project_id IS NOT NULL AND finished_at IS NOT NULL AND trashed_at IS NULL AND is_current;
CREATE INDEX uploads_named_in_project_of_account ON uploads (project_id, account_id, natural_sort_key(name), id)
  WHERE project_id IS NOT NULL AND finished_at IS NOT NULL AND trashed_at IS NULL AND is_current;
