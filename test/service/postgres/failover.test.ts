import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { openPostgresDatabase } from '../../../service/kernel/database/postgres.js';
import { UnavailableError } from '../../../service/kernel/errors.js';
import { startServiceProcess } from '../support/service-process.js';
import type { ServiceProcess } from '../support/service-process.js';
import { TcpSwitch } from '../support/tcp-switch.js';
import { seen, Session } from './careful-client.js';
import { findPostgres, startPostgres, startStandby, WITHOUT_FLUSHES } from './server.js';
import type { TemporaryPostgres } from './server.js';

describe('a failover to the standby server', () => {
  let primary: TemporaryPostgres;
  let standby: TemporaryPostgres;
  let way: TcpSwitch;
  let folder: string;
  let service: ServiceProcess;

  beforeEach(async () => {
    const programs = await findPostgres();
    if (programs === undefined) throw new Error('PostgreSQL is not installed');
    primary = await startPostgres(programs, WITHOUT_FLUSHES);
    standby = await startStandby(programs, primary.url);
    // Every commit on the primary is also on the standby.
    await onPrimary(`ALTER SYSTEM SET synchronous_standby_names = '*'`, 'SELECT pg_reload_conf()');
    way = await TcpSwitch.start(portOf(primary));
    folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-failover-'));
    const url = new URL(primary.url);
    url.port = String(way.port);
    service = await startServiceProcess({ databaseUrl: url.href, dataDir: folder });
    Object.assign(seen, { wrong: [], away: 0 });
  });
  afterEach(async () => {
    await service.kill();
    await way.close();
    await Promise.all([standby.stop(), primary.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  async function onPrimary(...statements: string[]): Promise<void> {
    const client = new Client({ connectionString: primary.url });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }

  /** Devices work before, during and after the failover. Then every session and every photo must exist. */
  async function workDuring(failover: () => Promise<void>): Promise<void> {
    const sessions = await Promise.all(
      [0, 1, 2].map(async () => new Session(service.ownUrl, await service.connect())),
    );
    let over = false;
    const working = sessions.map((session, index) => session.work(String(index), () => over));
    const ended = Promise.all(working);
    await Promise.race([sleep(700), ended]);
    await failover();
    const before = sessions.map(({ refreshes }) => refreshes);
    while (sessions.some(({ refreshes }, index) => refreshes < (before[index] ?? 0) + 2))
      await Promise.race([sleep(50), ended]);
    over = true;
    const finished = await ended;

    expect(seen.wrong).toEqual([]);
    for (const [index, session] of sessions.entries()) {
      await session.refresh();
      expect(await session.lost(finished[index] ?? new Map())).toEqual([]);
    }
  }

  it('causes 503 for a while, and loses no session and no photo', async () => {
    await workDuring(async () => {
      await way.off();
      await primary.halt('immediate');
      await standby.promote();
      way.turnTo(portOf(standby));
      await way.on();
    });
    expect(seen.away).toBeGreaterThan(0);
    await primary.resume();
  });

  it('closes connections to the old server after a refused write', async () => {
    const url = new URL(primary.url);
    url.port = String(way.port);
    const database = await openPostgresDatabase(url.href, () => undefined);
    await database.query('CREATE TABLE changes (number integer)');
    /** Which servers answer to several questions at the same time. */
    const answering = async (): Promise<number[]> => {
      const answers = await Promise.all(
        Array.from({ length: 4 }, () =>
          database.query<{ port: number }>('SELECT inet_server_port() AS port, pg_sleep(0.1)'),
        ),
      );
      return [...new Set(answers.flat().map(({ port }) => port))];
    };
    await answering();
    await onPrimary(
      'ALTER SYSTEM SET default_transaction_read_only = on',
      'SELECT pg_reload_conf()',
    );
    await standby.promote();
    way.turnTo(portOf(standby));
    expect(await answering()).toEqual([portOf(primary)]);

    await expect(
      database.transaction((inside) => inside.query('INSERT INTO changes VALUES (1)')),
    ).rejects.toThrow(UnavailableError);

    expect(await answering()).toEqual([portOf(standby)]);
    await database.query('INSERT INTO changes VALUES (1)');
    await database.close();
  });

  it('does not fail requests that wait for the old server', async () => {
    const url = new URL(primary.url);
    url.port = String(way.port);
    const database = await openPostgresDatabase(url.href, () => undefined);
    await onPrimary(
      'ALTER SYSTEM SET default_transaction_read_only = on',
      'SELECT pg_reload_conf()',
    );
    // These have nine of the ten connections.
    const busy = Array.from({ length: 9 }, () => database.query('SELECT pg_sleep(1)'));
    const refused = database.transaction((inside) => inside.query('CREATE TABLE changes ()'));
    const waiting = Array.from({ length: 5 }, () => database.query('SELECT 1 AS one'));

    await expect(refused).rejects.toThrow(UnavailableError);

    expect(await Promise.all(waiting)).toEqual(waiting.map(() => [{ one: 1 }]));
    await Promise.all(busy);
    await database.close();
  });

  it('works while the old server is still reachable and read-only', async () => {
    await workDuring(async () => {
      await onPrimary(
        'ALTER SYSTEM SET default_transaction_read_only = on',
        'SELECT pg_reload_conf()',
      );
      // The running commit reaches the standby.
      await sleep(500);
      await standby.promote();
      // The service's connections to the one before stay.
      way.turnTo(portOf(standby));
    });
    expect(seen.away).toBeGreaterThan(0);
  });
});

function portOf({ url }: TemporaryPostgres): number {
  return Number(new URL(url).port);
}
