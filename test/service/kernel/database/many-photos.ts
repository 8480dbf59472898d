import type { Queryable } from '../../../../service/kernel/database/database.js';

/** The workspace in which most of the photos lie. */
export const WORKSPACE_ID = 'studio-of-many';

/** A user of that workspace, and one of its projects. */
export const ONE_USER = 'person-7';
export const ONE_PROJECT = 'project-8';

/**
 * Fills the tables with photos as a studio has them after years: nine of ten in one workspace of twenty users, in
 * fifty projects and in none, one of a hundred in the trash, one of twenty in two versions, each with its thumbnail; the
 * others in as many workspaces as there are (see `addPeople`, which comes first). One of two hundred is an upload that is
 * not finished. One of five hundred photos has a link, and one of ten has ten answers of clients. The planner sees them
 * only after `analyse`.
 * @param isSpread false: those of the one workspace are of one user in one project, {@link ONE_USER} and {@link ONE_PROJECT}
 */
export async function addPhotos(
  database: Queryable,
  count: number,
  isSpread = true,
): Promise<void> {
  await database.query(`INSERT INTO workspaces (id, name) VALUES ('${WORKSPACE_ID}', 'Studio')`);
  await database.query(
    `INSERT INTO workspace_members (workspace_id, account_id, role)
     SELECT '${WORKSPACE_ID}', 'person-' || n, CASE n WHEN 1 THEN 'owner' ELSE 'member' END
       FROM generate_series(1, 20) AS n`,
  );
  await database.query(
    `INSERT INTO projects (id, workspace_id, name, created_by, created_at)
     SELECT 'project-' || n, '${WORKSPACE_ID}', 'Project ' || n, 'person-1', now()
       FROM generate_series(0, 49) AS n`,
  );
  await database.query(
    `INSERT INTO uploads (id, account_id, workspace_id, client_id, size, name, type, metadata, created_at, active_at,
                          finished_at, taken_at, search_text, sha256, project_id, trashed_at, trashed_by, version_of, is_current,
                          document)
     SELECT md5('photo' || n), person, workspace, 'client', 1000 + n % 7, 'DSC_' || lpad(n::text, 6, '0') || '.jpg',
            'image/jpeg', '{}', at, at, finished, finished,
            'dsc_' || lpad(n::text, 6, '0') || '.jpg', CASE WHEN finished IS NOT NULL THEN md5('bytes' || n) END,
            CASE WHEN workspace <> '${WORKSPACE_ID}' THEN NULL WHEN NOT ${isSpread} THEN '${ONE_PROJECT}'
                 WHEN n % 2 = 0 THEN 'project-' || n % 50 END,
            CASE WHEN n % 100 = 50 THEN at + interval '1 day' END, CASE WHEN n % 100 = 50 THEN person END,
            CASE WHEN n % 20 = 5 THEN md5('photo' || n - 1) END, n % 20 <> 4,
            CASE WHEN n % 2 = 0 THEN 'xmp.did:' || n || '#image/jpeg' END
       FROM (
         SELECT n, now() - interval '20 days' + n * interval '1 second' AS at,
                CASE WHEN n % 200 <> 7 THEN now() - interval '20 days' + n * interval '1 second' END AS finished,
                CASE WHEN n % 10 <> 3 THEN '${WORKSPACE_ID}' ELSE 'workspace-' || (1 + n / 10 % (people / 10)) END AS workspace,
                CASE WHEN n % 10 = 3 THEN 'person-' || (1 + n % people)
                     WHEN ${isSpread} THEN 'person-' || (1 + n % 20) ELSE '${ONE_USER}' END AS person
           FROM generate_series(1, ${count}) AS n
          CROSS JOIN (SELECT count(*) AS people FROM accounts WHERE id LIKE 'person-%') AS counted
       ) AS made`,
  );
  // All but a few have been looked at. With rows as long as those of photos, the planner prefers an index to a scan.
  await database.query(
    `UPDATE thumbnails SET state = 'made', attempts = 1, lease_until = NULL, picture_bytes = 20000,
            location = jsonb_build_object('kind', 'unsearchable', 'reason', repeat('-', 1000))
      WHERE upload_id NOT IN (SELECT md5('photo' || n) FROM generate_series(1, 20) AS n)`,
  );
  await database.query(
    `INSERT INTO shares (id, token_sha256, workspace_id, created_by, created_at, expires_at)
     SELECT 'share-' || n, 'share-' || n, '${WORKSPACE_ID}', 'person-1', now(), now() + interval '10 days'
       FROM generate_series(1, ${count} / 500) AS n`,
  );
  await database.query(
    `INSERT INTO share_photos (share_id, photo_id)
     SELECT 'share-' || n, md5('photo' || n * 500 - 499) FROM generate_series(1, ${count} / 500) AS n`,
  );
  await database.query(
    `INSERT INTO share_answers (id, share_id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256,
                                comment, created_at, expires_at)
     SELECT 'answer-' || n, CASE WHEN n % 5 = 0 THEN 'share-' || 1 + n % (${count} / 500) END, photo.id, kind, 'guest-' || n % 100, 'Guest',
            photo.id, 1, photo.sha256, CASE kind WHEN 'comment' THEN 'Fine' END, now(),
            -- As the job has noted it for those whose links are gone.
            CASE WHEN n % 5 > 0 THEN now() + interval '60 days' END
       FROM generate_series(1, ${count}) AS n
       JOIN uploads AS photo ON photo.id = md5('photo' || n / 10 * 10)
      CROSS JOIN LATERAL (SELECT (ARRAY['favourite', 'approval', 'comment'])[1 + n % 3] AS kind) AS one`,
  );
}
