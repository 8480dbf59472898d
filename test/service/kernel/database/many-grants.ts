import type { Queryable } from '../../../../service/kernel/database/database.js';

/** Adds users, a tenth as many workspaces, and a membership of each. */
export async function addPeople(database: Queryable, count: number): Promise<void> {
  await database.query(
    `INSERT INTO accounts (id, username, display_name, password_hash)
     SELECT 'person-' || n, 'one-of-many-' || n, 'Person', repeat('scrypt', 30) FROM generate_series(1, ${count}) AS n`,
  );
  await database.query(
    `INSERT INTO workspaces (id, name)
     SELECT 'workspace-' || n, 'Studio' FROM generate_series(1, ${count} / 10) AS n`,
  );
  await database.query(
    `INSERT INTO workspace_members (workspace_id, account_id, role)
     SELECT 'workspace-' || (1 + n % (${count} / 10)), 'person-' || n, 'member'
       FROM generate_series(1, ${count}) AS n`,
  );
}

/**
 * Fills the tables with connections as they are after some hours: a grant, its consent, its refresh token, the one
 * before, and two access tokens each, spread over as many users and a tenth as many workspaces. One in ten expired
 * long ago. The planner sees what a grown database has only after `analyse`.
 */
export async function addGrants(database: Queryable, count: number): Promise<void> {
  await addPeople(database, count);
  await database.query(
    `INSERT INTO consents (grant_id, account_id, workspace_id, client_id, scope, created_at)
     SELECT 'grant-' || n, 'person-' || n, 'workspace-' || (1 + n % (${count} / 10)), 'client',
            'uploads:write', now() - interval '40 days'
       FROM generate_series(1, ${count}) AS n`,
  );
  await database.query(
    `INSERT INTO personal_access_tokens
       (id, token_sha256, account_id, workspace_id, name, scope, created_at, expires_at)
     SELECT 'pat-' || n, 'pat-' || n, 'person-' || n, 'workspace-' || (1 + n % (${count} / 10)), 'x',
            'uploads:write', now(), now() + interval '30 days'
       FROM generate_series(1, ${count} / 2) AS n`,
  );
  await database.query(
    `INSERT INTO oidc_records (kind, id, payload, grant_id, consumed_at, expires_at)
     SELECT kind, kind || '-' || name || '-' || n,
            jsonb_build_object('accountId', 'person-' || n, 'grantId', 'grant-' || n),
            CASE WHEN kind <> 'Grant' THEN 'grant-' || n END,
            CASE name WHEN 'used' THEN now() END,
            now() + CASE WHEN n % 10 = 0 THEN interval '-3 days' ELSE interval '10 days' END
       FROM generate_series(1, ${count}) AS n
      CROSS JOIN (VALUES ('RefreshToken', 'used'), ('RefreshToken', 'new'), ('AccessToken', 'old'),
                         ('AccessToken', 'new')) AS made (kind, name)`,
  );
  await database.query(
    `INSERT INTO oidc_records (kind, id, payload, expires_at)
     SELECT 'Grant', 'grant-' || n, jsonb_build_object('accountId', 'person-' || n),
            now() + CASE WHEN n % 10 = 0 THEN interval '-3 days' ELSE interval '10 days' END
       FROM generate_series(1, ${count}) AS n`,
  );
}
