import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { DATABASE_LIMITS } from '../../../service/kernel/database/timeouts.js';
import { migrate } from '../../../service/kernel/database/migrate.js';
import { openPostgresDatabase } from '../../../service/kernel/database/postgres.js';
import { UnavailableError } from '../../../service/kernel/errors.js';
import { startService } from '../../../service/start.js';
import { poll, refresh, requestDevice, startDevice, tokensOf } from '../support/oauth-client.js';
import { dropDatabase, makeDatabaseUrl } from './databases.js';
import { findPostgres, startPostgres, WITHOUT_FLUSHES } from './server.js';
import type { TemporaryPostgres } from './server.js';
import { startServiceProcess } from '../support/service-process.js';

const SERVER = process.env['TEST_DATABASE_URL'] ?? '';

/** A separate server, because other tests use the common one. */
async function startOwnServer(): Promise<TemporaryPostgres> {
  const programs = await findPostgres();
  if (programs === undefined) throw new Error('PostgreSQL is not installed');
  return startPostgres(programs, WITHOUT_FLUSHES);
}

/** The answer, or `lost` when the service closed the connection without one. @throws what else went wrong. */
async function answerOrLost<T>(request: Promise<T>): Promise<T | 'lost'> {
  try {
    return await request;
  } catch (error) {
    const cause: unknown = error instanceof Error ? error.cause : undefined;
    if (cause instanceof Error && 'code' in cause && cause.code === 'UND_ERR_SOCKET') return 'lost';
    throw error;
  }
}

/** Given back after each test, in reverse. */
const releases: (() => unknown)[] = [];
afterEach(async () => {
  for (const give of releases.splice(0).reverse()) await give();
});

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-pg-restart-'));
  releases.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('a restart of PostgreSQL (npm run test:all -- postgres)', () => {
  let server: TemporaryPostgres;

  beforeAll(async () => {
    server = await startOwnServer();
  });
  afterAll(() => server.stop());

  it('crashes no process: requests are answered or get 503, six times', async () => {
    const service = await startServiceProcess({
      databaseUrl: server.url,
      dataDir: await makeFolder(),
      baseUrl: 'http://localhost',
      args: ['--poll-interval-seconds', '1'],
    });
    releases.push(() => service.kill());
    const statuses = new Map<string, number>();
    const count = (what: string): void => {
      statuses.set(what, (statuses.get(what) ?? 0) + 1);
    };
    let over = false;
    const { deviceCode } = await startDevice(service.ownUrl);
    const requests: (() => Promise<{ status: number; headers: Headers }>)[] = [
      () => fetch(`${service.ownUrl}/oauth/device`),
      () => fetch(`${service.ownUrl}/settings/apps`),
      () => fetch(`${service.ownUrl}/healthz`),
      () => requestDevice(service.ownUrl),
      // A transaction.
      () => poll(service.ownUrl, deviceCode),
      () => poll(service.ownUrl, deviceCode),
    ];
    const askers = requests.map(async (ask, index) => {
      while (!over) {
        const answer = await answerOrLost(ask());
        // A request of a program that takes too long is closed without a response.
        if (answer === 'lost') {
          expect(index).toBeGreaterThanOrEqual(3);
          continue;
        }
        const { status, headers } = answer;
        // Devices may get slow_down; a limit may return 429.
        count(`${index}: ${status < 500 ? 'answered' : status}`);
        if (status === 503 && index !== 2) expect(headers.get('retry-after')).not.toBeNull();
        await sleep(2);
      }
    });

    for (const mode of ['fast', 'immediate', 'fast', 'immediate', 'fast', 'immediate'] as const) {
      await sleep(200);
      await server.halt(mode);
      await sleep(200);
      expect((await fetch(`${service.ownUrl}/healthz`)).status).toBe(503);
      await server.resume();
      while ((await fetch(`${service.ownUrl}/healthz`)).status !== 200) await sleep(50);
    }
    over = true;
    await Promise.all(askers);

    const seen = new Set([...statuses.keys()].map((key) => key.split(': ')[1]));
    expect(seen).toEqual(new Set(['answered', '503']));
    expect((await requestDevice(service.ownUrl)).status).toBe(200);
  });

  it('ends no session of twelve refreshing standard clients in six crashes', async () => {
    const service = await startServiceProcess({
      databaseUrl: server.url,
      dataDir: await makeFolder(),
    });
    releases.push(() => service.kill());
    const statuses = new Map<number, number>();
    let over = false;
    /** Refreshes with the newest refresh token, and with the same one again after a 503 or a lost response. */
    const refreshOnce = async (refreshToken: string): Promise<string> => {
      const answer = await answerOrLost(refresh(service.ownUrl, refreshToken));
      if (answer === 'lost') return refreshToken;
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      return answer.status === 200 ? tokensOf(answer).refreshToken : refreshToken;
    };
    const sessions: string[] = [];
    while (sessions.length < 12) sessions.push((await service.connect()).refreshToken);
    const working = sessions.map(async (first) => {
      let newest = first;
      while (!over) newest = await refreshOnce(newest);
      return newest;
    });

    for (let crash = 0; crash < 6; crash += 1) {
      await sleep(300);
      await server.halt('immediate');
      await server.resume();
    }
    await sleep(1000);
    over = true;
    const newest = await Promise.all(working);

    expect(new Set(statuses.keys())).toEqual(new Set([200, 503]));
    const last = await Promise.all(newest.map((token) => refresh(service.ownUrl, token)));
    expect(last.map(({ status }) => status)).toEqual(sessions.map(() => 200));
  });

  it('ends an idle transaction at once, without changes', async () => {
    const lost: Error[] = [];
    const database = await openPostgresDatabase(server.url, (error) => lost.push(error));
    releases.push(() => database.close());
    for (const mode of ['fast', 'immediate'] as const) {
      let begun = (): void => undefined;
      const isBegun = new Promise<void>((resolve) => (begun = resolve));
      const stuck = database.transaction(async (transaction) => {
        await transaction.query('SELECT 1');
        begun();
        return new Promise<never>(() => undefined);
      });
      const outcome = stuck.catch((error: unknown) => error);
      await isBegun;
      await server.halt(mode);

      expect(await outcome).toBeInstanceOf(UnavailableError);
      await expect(database.query('SELECT 1')).rejects.toThrow(UnavailableError);
      await server.resume();
      expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    }
  });

  it('is awaited by a starting service', async () => {
    await server.halt('fast');
    const messages: (string | undefined)[] = [];
    const started = startService({
      port: 0,
      dataDir: await makeFolder(),
      databaseUrl: server.url,
      log: ({ message }) => messages.push(message),
    });
    while (messages.length === 0) await sleep(20);
    await server.resume();

    const service = await started;
    releases.push(() => service.close());

    expect((await requestDevice(service.baseUrl)).status).toBe(200);
  });

  it.each([
    ['a wrong password', (url: URL) => (url.password = 'not-the-password'), '28P01'],
    ['no password', (url: URL) => (url.password = ''), 'signing in failed'],
    ['no such database', (url: URL) => (url.pathname = '/not-there'), 'has no database not-there'],
    ['no such user', (url: URL) => (url.username = 'nobody-here'), '28P01'],
    ['no TLS', (url: URL) => (url.search = '?sslmode=require'), 'signing in failed'],
  ])('is not awaited for %s', async (_name, change, reason) => {
    const url = new URL(server.url);
    const { password } = url;
    change(url);

    const failure: unknown = await startService({
      port: 0,
      dataDir: await makeFolder(),
      databaseUrl: url.href,
    }).catch((error: unknown) => error);

    expect(failure).toMatchObject({ code: 'database_unavailable' });
    const { message } = failure as Error;
    expect(message).toContain(reason);
    for (const secret of [password, 'not-the-password']) expect(message).not.toContain(secret);
  });
});

describe('a start on PostgreSQL', () => {
  let databaseUrl: string;
  let other: Client;

  beforeAll(async () => {
    databaseUrl = await makeDatabaseUrl(SERVER);
  });
  afterAll(() => dropDatabase(SERVER, databaseUrl));

  const connectOther = async (): Promise<void> => {
    other = new Client({ connectionString: databaseUrl });
    await other.connect();
    releases.push(() => other.end());
  };

  it('waits for another process’s migration beyond the statement timeout', async () => {
    await connectOther();
    await other.query('SELECT pg_advisory_lock(7310528646)');
    const database = await openPostgresDatabase(databaseUrl, () => undefined, {
      ...DATABASE_LIMITS,
      lockMs: 200,
      statementMs: 200,
      idleMs: 200,
      transactionMs: 200,
    });
    const migrated = migrate(database).then(() => 'migrated');
    expect(await Promise.race([migrated, sleep(1000)])).toBeUndefined();

    await other.query('SELECT pg_advisory_unlock(7310528646)');

    expect(await migrated).toBe('migrated');
    const service = await startService({ port: 0, dataDir: await makeFolder(), database });
    expect((await requestDevice(service.baseUrl)).status).toBe(200);
    await service.close();
  });

  it('prints server and database without secrets', async () => {
    const { hostname, port, pathname, password } = new URL(databaseUrl);
    const service = await startService({ port: 0, dataDir: await makeFolder(), databaseUrl });
    releases.push(() => service.close());

    const { database } = service.uses;

    expect(database).toMatch(/^PostgreSQL \d+\.\d+/);
    expect(database).toContain(`${pathname.slice(1)} at ${hostname}:${port}`);
    expect(database).not.toContain(password);
  });

  it('skips locked rows and deletes every other expired row', async () => {
    const database = await openPostgresDatabase(databaseUrl, () => undefined);
    const first = await startService({ port: 0, dataDir: await makeFolder(), database });
    await first.close();
    await connectOther();
    await other.query(
      `INSERT INTO oidc_records (kind, id, payload, expires_at)
       SELECT kind, 'expired-' || n, '{}', now() - interval '2 days'
         FROM generate_series(1, 1200) AS n, (VALUES ('Session'), ('DeviceCode')) AS kinds (kind)`,
    );
    await other.query('BEGIN');
    await other.query(`SELECT 1 FROM oidc_records WHERE id = 'expired-7' FOR UPDATE`);

    const service = await startService({
      port: 0,
      dataDir: await makeFolder(),
      database: await openPostgresDatabase(databaseUrl, () => undefined),
    });
    releases.push(() => service.close());
    const left = async (): Promise<string[]> =>
      (
        await other.query<{ id: string }>(`SELECT id FROM oidc_records WHERE id LIKE 'expired-%'`)
      ).rows.map(({ id }) => id);
    while ((await left()).length > 2) await sleep(20);

    expect(await left()).toEqual(['expired-7', 'expired-7']);
    await other.query('COMMIT');
    await service.purge();
    expect(await left()).toEqual([]);
  });
});
