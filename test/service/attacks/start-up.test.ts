import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Database } from '../../../service/kernel/database/database.js';
import { DATABASE_LIMITS } from '../../../service/kernel/database/timeouts.js';
import { UnavailableError } from '../../../service/kernel/errors.js';
import { startService } from '../../../service/start.js';
import { requestDevice } from '../support/oauth-client.js';
import { freePort } from '../support/free-port.js';
import { openReadyDatabase, openTestDatabase } from '../support/database-templates.js';
import { startTestService } from '../support/running-service.js';

/** As many transactions at once as a pool has connections. */
const POOL = 10;

/** Given back after each test, in reverse. */
const releases: (() => unknown)[] = [];
afterEach(async () => {
  for (const give of releases.splice(0).reverse()) await give();
});

function never(): Promise<never> {
  return new Promise<never>(() => undefined);
}

/** POSTs to the token endpoint, announcing a body of ten bytes and sending one. */
async function postHalf(baseUrl: string): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  releases.push(() => {
    socket.destroy();
  });
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  await new Promise<void>((resolve) => {
    socket.write(
      'POST /api/oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n' +
        'Content-Type: application/x-www-form-urlencoded\r\n\r\ng',
      () => {
        resolve();
      },
    );
  });
  return socket;
}

describe('the embedded database under attack', () => {
  // @threat S1
  it('rolls back a transaction that waits for a client', async () => {
    const database = await openTestDatabase({ ...DATABASE_LIMITS, idleMs: 200 });
    releases.push(() => database.close());
    await database.query('CREATE TABLE t (n int)');

    const stuck = Array.from({ length: POOL }, () =>
      database.transaction(async (transaction) => {
        await transaction.query('INSERT INTO t VALUES (1)');
        return never();
      }),
    );

    const outcomes = await Promise.allSettled(stuck);
    expect(outcomes).toEqual(
      Array.from({ length: POOL }, () => ({
        status: 'rejected',
        reason: expect.any(UnavailableError),
      })),
    );
    expect(await database.query('SELECT n FROM t')).toEqual([]);
  });

  it('rolls back an endless transaction completely', async () => {
    const database = await openTestDatabase({ ...DATABASE_LIMITS, transactionMs: 300 });
    releases.push(() => database.close());
    await database.query('CREATE TABLE t (n int)');
    let late: unknown;
    let goesOn = (): void => undefined;
    const ended = new Promise<void>((resolve) => (goesOn = resolve));

    const transaction = database.transaction(async (statements) => {
      try {
        for (;;) await statements.query('INSERT INTO t VALUES (1)');
      } catch (error) {
        late = error;
      } finally {
        goesOn();
      }
    });

    await expect(transaction).rejects.toThrow(UnavailableError);
    await ended;
    expect(late).toBeInstanceOf(UnavailableError);
    expect(await database.query('SELECT n FROM t')).toEqual([]);
  });

  it('delays others for a limited time only', async () => {
    const database = await openTestDatabase({ ...DATABASE_LIMITS, waitMs: 1500 });
    releases.push(() => database.close());
    let free = (): void => undefined;
    const held = new Promise<void>((resolve) => (free = resolve));
    const holders = Promise.allSettled(
      Array.from({ length: POOL }, () => database.transaction(() => held)),
    );

    await expect(database.query('SELECT 1')).rejects.toThrow(UnavailableError);

    free();
    await holders;
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('serves others during a request without its body', async () => {
    const database = await openReadyDatabase({ ...DATABASE_LIMITS, idleMs: 300 });
    const service = await startTestService({ database });
    releases.push(() => service.close());
    for (let count = 0; count <= POOL; count += 1) await postHalf(service.baseUrl);

    expect((await requestDevice(service.baseUrl)).status).toBe(200);
    expect((await fetch(`${service.baseUrl}/healthz`)).status).toBe(200);
  });
});

describe('a start of the service', () => {
  // @threat S4
  it('does not wait for cleanup, but a close waits for a running one', async () => {
    const database = await openReadyDatabase();
    let free = (): void => undefined;
    const held = new Promise<void>((resolve) => (free = resolve));
    const ended: string[] = [];
    const slow: Database = {
      ...database,
      query: async <Row extends object>(
        ...statement: Parameters<Database['query']>
      ): Promise<Row[]> => {
        const [sql] = statement;
        if (!/^\s*(DELETE|SELECT \* FROM uploads)/.test(sql)) return database.query(...statement);
        await held;
        const rows = await database.query<Row>(...statement);
        ended.push(sql);
        return rows;
      },
    };

    const service = await startTestService({ database: slow });

    expect((await requestDevice(service.baseUrl)).status).toBe(200);
    let isClosed = false;
    const closed = service.close().then(() => (isClosed = true));
    await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    free();
    await closed;
    // The one that was running; no other was begun.
    expect(ended).toHaveLength(1);
  });

  it('waits for an unavailable database, returns 503, and can be aborted', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'creative-workspace-start-'));
    releases.push(() => rm(dataDir, { recursive: true, force: true }));
    const port = await freePort();
    const stop = new AbortController();
    const messages: (string | undefined)[] = [];
    const requestIds: (string | undefined)[] = [];
    const started = startService({
      port,
      dataDir,
      baseUrl: 'https://service.example',
      // Two addresses, each of which refuses: no other test may listen at this port at the same time, as it may at a free one.
      databaseUrl: 'postgres://user:its-password@localhost:1/workspace',
      signal: stop.signal,
      log: ({ message, requestId }) => {
        messages.push(message);
        requestIds.push(requestId);
      },
    });
    const outcome = started.catch((error: unknown) => error);
    const baseUrl = `http://localhost:${port}`;
    while (messages.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));

    const health = await fetch(`${baseUrl}/healthz`);
    const api = await requestDevice(baseUrl);
    const page = await fetch(`${baseUrl}/oauth/device`);
    const cookie = `__Host-cws_language=de.${'x'.repeat(22)}`;
    const inGerman = await fetch(`${baseUrl}/oauth/device`, { headers: { cookie } });
    const uploads = `${baseUrl}/api/v1/uploads`;
    const preflight = await fetch(uploads, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    });
    const fromScript = await fetch(uploads, { headers: { origin: 'https://app.example' } });

    expect([health.status, api.status, page.status]).toEqual([503, 503, 503]);
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
    const ids = [health, page].map(({ headers }) => headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(2);
    // A script in a browser may read that, and does not take the service for gone.
    expect([preflight.status, fromScript.status]).toEqual([204, 503]);
    for (const { headers } of [preflight, fromScript])
      expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(fromScript.headers.get('tus-resumable')).toBe('1.0.0');
    expect(api.body).toMatchObject({ error: 'temporarily_unavailable' });
    expect(await page.text()).toContain('The service is starting');
    expect(await inGerman.text()).toContain('Der Dienst startet gerade');
    expect(messages.join()).toContain('ECONNREFUSED');
    expect(messages.join()).not.toContain('its-password');
    stop.abort();
    expect(await outcome).toMatchObject({ name: 'AbortError' });
    expect(requestIds).toEqual(expect.arrayContaining(ids));
    await expect(fetch(`${baseUrl}/healthz`)).rejects.toThrow();
  });
});
