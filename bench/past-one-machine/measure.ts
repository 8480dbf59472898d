/**
 * Measures what the model of growth reckons with (costs.ts): bytes of rows with their indexes, and bytes of PostgreSQL's
 * journal for a request. By the service itself on an embedded database in memory; about ten seconds. Run by
 * `npm run growth-model -- --measure`.
 */
import { randomBytes } from 'node:crypto';

import type { Queryable } from '../../service/database/database.js';
import { listUploads, poll, refresh, startDevice, tokensOf } from '../../test/service/client.js';
import { openReadyDatabase } from '../../test/service/kept-databases.js';
import { startTestService, type TestService } from '../../test/service/running.js';
import { create, photo } from '../../test/service/tus.js';

const ROWS = 5000;
const REQUESTS = 30;

/** A random id as long as the hash of a credential. */
const RANDOM_ID = `substr(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 1, 43)`;

/** What is added for each connection: copies of the rows that the service made for a real one, under other ids. */
const COPIES: Readonly<Record<string, string>> = {
  'account, with its membership': `
    WITH made AS (
      INSERT INTO accounts (id, username, display_name, password_hash, created_at)
      SELECT ${RANDOM_ID}, ${RANDOM_ID}, one.display_name, repeat('x', 120), one.created_at
        FROM (SELECT * FROM accounts LIMIT 1) AS one, generate_series(1, ${String(ROWS)}) RETURNING id
    )
    INSERT INTO workspace_members (workspace_id, account_id, role)
    SELECT (SELECT id FROM workspaces LIMIT 1), id, 'member' FROM made`,
  consent: `
    INSERT INTO consents (grant_id, account_id, workspace_id, client_id, scope, created_at, last_used_at)
    SELECT ${RANDOM_ID}, one.account_id, one.workspace_id, one.client_id, one.scope, one.created_at, now()
      FROM (SELECT * FROM consents LIMIT 1) AS one, generate_series(1, ${String(ROWS)})`,
  ...Object.fromEntries(
    ['Grant', 'RefreshToken', 'AccessToken'].map((kind) => [
      kind,
      `INSERT INTO oidc_records (kind, id, payload, grant_id, expires_at, consumed_at,
                                 refresh_attempt_sha256, successor_access_id)
       SELECT one.kind, ${RANDOM_ID}, one.payload,
              CASE WHEN one.grant_id IS NOT NULL THEN ${RANDOM_ID} END,
              now() + random() * interval '90 days', one.consumed_at, one.refresh_attempt_sha256,
              CASE WHEN one.successor_access_id IS NOT NULL THEN ${RANDOM_ID} END
         FROM (SELECT * FROM oidc_records WHERE kind = '${kind}' ORDER BY consumed_at LIMIT 1) AS one,
              generate_series(1, ${String(ROWS)})`,
    ]),
  ),
  upload: `
    INSERT INTO uploads (id, account_id, workspace_id, client_id, client_upload_id, upload_key, size, name, type,
                         metadata, metadata_header, created_at, active_at, finished_at, sha256, crc32c)
    SELECT ${RANDOM_ID}, one.account_id, one.workspace_id, one.client_id, NULL, ${RANDOM_ID}, one.size,
           'DSC_' || (10000 + n) || '.jpg', one.type, one.metadata, one.metadata_header, one.created_at, one.active_at,
           one.created_at + n * interval '1 second', one.sha256, one.crc32c
      FROM (SELECT * FROM uploads LIMIT 1) AS one, generate_series(1, ${String(ROWS)}) AS n`,
  'thumbnail of 8 KB': `
    UPDATE thumbnails
       SET state = 'made', attempts = 1, lease_until = NULL,
           picture = decode((SELECT string_agg(md5(random()::text || upload_id || part), '')
                               FROM generate_series(1, 500) AS part), 'hex')`,
};

/** Prints bytes of rows and of the journal, one line each. */
export async function measure(): Promise<void> {
  const database = await openReadyDatabase();
  const service = await startTestService({ database });
  try {
    const tokens = await service.connect();
    await refresh(service.baseUrl, tokens.refreshToken, { refresh_attempt: attempt() });
    await send(service, tokens.accessToken);
    for (const [what, sql] of Object.entries(COPIES)) {
      const before = await sizeOf(database);
      await database.query(sql);
      console.log(`${what}: ${(((await sizeOf(database)) - before) / ROWS).toFixed(0)} bytes`);
    }
    console.log(
      `upload, its indexes alone: ${((await indexesOf(database)) / ROWS).toFixed(0)} bytes`,
    );
    await database.query('ANALYZE');
    for (const [what, request] of Object.entries(await requestsOf(service))) {
      const warm = await journalOf(database, false, request);
      const cold = await journalOf(database, true, request);
      console.log(
        `${what}: journal ${warm.toFixed(0)} bytes, first since a checkpoint ${cold.toFixed(0)}`,
      );
    }
  } finally {
    await service.close();
  }
}

async function requestsOf(
  service: TestService,
): Promise<Readonly<Record<string, () => Promise<unknown>>>> {
  let { refreshToken } = await service.connect();
  const { accessToken } = await service.connect();
  await listUploads(service.baseUrl, accessToken);
  const { deviceCode } = await startDevice(service.baseUrl);
  return {
    refresh: async () => {
      const more = { refresh_attempt: attempt() };
      ({ refreshToken } = tokensOf(await refresh(service.baseUrl, refreshToken, more)));
    },
    poll: () => poll(service.baseUrl, deviceCode),
    list: () => listUploads(service.baseUrl, accessToken),
    'first use of an access token': async () => {
      const more = { refresh_attempt: attempt() };
      const refreshed = tokensOf(await refresh(service.baseUrl, refreshToken, more));
      ({ refreshToken } = refreshed);
      await listUploads(service.baseUrl, refreshed.accessToken);
    },
    'photo in one request': () => send(service, accessToken),
    'device code, sign-in, consent, tokens': () => service.connect(),
  };
}

/** Bytes of journal for one request. When cold, each is the first one since a checkpoint: whole pages are written. */
async function journalOf(
  database: Queryable,
  isCold: boolean,
  request: () => Promise<unknown>,
): Promise<number> {
  let bytes = 0;
  await request();
  for (let index = 0; index < REQUESTS; index += 1) {
    if (isCold) {
      await database.query('CHECKPOINT');
    }
    const before = await journalAt(database);
    await request();
    bytes += (await journalAt(database)) - before;
  }
  return bytes / REQUESTS;
}

async function journalAt(database: Queryable): Promise<number> {
  const [row] = await database.query<{ at: string }>(
    `SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::text AS at`,
  );
  return Number(row?.at);
}

async function indexesOf(database: Queryable): Promise<number> {
  const [row] = await database.query<{ bytes: string }>(
    `SELECT pg_indexes_size('uploads')::text AS bytes`,
  );
  return Number(row?.bytes);
}

/** Bytes of all tables, with indexes and what is stored out of line. */
async function sizeOf(database: Queryable): Promise<number> {
  const [row] = await database.query<{ bytes: string }>(
    `SELECT sum(pg_total_relation_size(oid))::text AS bytes FROM pg_class
      WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`,
  );
  return Number(row?.bytes);
}

async function send({ baseUrl }: TestService, token: string): Promise<unknown> {
  const metadata = {
    filename: 'DSC_10000.jpg',
    filetype: 'image/jpeg',
    client_upload_id: attempt(),
  };
  return create(baseUrl, token, { length: 1000, metadata, body: photo(1000) });
}

function attempt(): string {
  return randomBytes(32).toString('base64url');
}
