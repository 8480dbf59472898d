-- Replaces the rows that triggers have added to `photo_counts` by the sum for each user in a project, for 500 of these at most.
-- Several processes may do this at the same time: each inserts the sum of the rows that it has deleted, and leaves out those that another one
-- has locked. Returns for how many there were rows. Without scans of the whole table, whatever the statistics say.
CREATE FUNCTION sum_photo_counts() RETURNS integer LANGUAGE sql SET enable_seqscan = off AS $$
  WITH changed AS (
    SELECT DISTINCT workspace_id, project_id, account_id FROM photo_counts WHERE NOT is_sum LIMIT 500
  ), found AS (
    SELECT one.place FROM changed CROSS JOIN LATERAL (
      SELECT ctid AS place FROM photo_counts AS counted
       WHERE counted.workspace_id = changed.workspace_id AND counted.project_id = changed.project_id
         AND counted.account_id = changed.account_id
         FOR UPDATE SKIP LOCKED) AS one
  ), gone AS (
    DELETE FROM photo_counts WHERE ctid = ANY (ARRAY(SELECT place FROM found)) RETURNING *
  ), sums AS (
    INSERT INTO photo_counts (workspace_id, project_id, account_id, photos, replaced, trashed, is_sum)
    SELECT workspace_id, project_id, account_id, sum(photos), sum(replaced), sum(trashed), true FROM gone
     GROUP BY workspace_id, project_id, account_id
    HAVING (sum(photos), sum(replaced), sum(trashed)) <> (0, 0, 0)
  )
  SELECT count(*)::integer FROM changed;
$$;

-- Pages add up these rows, so their number is bounded: each 256th row replaces them by sums.
CREATE SEQUENCE photo_count_changes;
CREATE FUNCTION bound_photo_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF nextval('photo_count_changes') % 256 = 0 THEN
    PERFORM sum_photo_counts();
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER photo_counts_added AFTER INSERT ON photo_counts
  FOR EACH ROW WHEN (NOT NEW.is_sum) EXECUTE FUNCTION bound_photo_counts();
