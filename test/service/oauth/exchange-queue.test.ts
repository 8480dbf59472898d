import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Database, Queryable, SqlValue } from '../../../service/kernel/database/database.js';
import { UnavailableError } from '../../../service/kernel/errors.js';
import { ExchangeQueue } from '../../../service/oauth/tokens/exchange-queue.js';
import {
  storeExchange,
  type PendingExchange,
} from '../../../service/oauth/tokens/token-exchange.js';
import { openMigratedDatabase } from '../support/database-templates.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const after = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1000);

describe('exchanges that wait for each other', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openMigratedDatabase();
  });
  afterAll(() => database.close());

  const add = (kind: string, id: string, grantId: string | null, more: Added = {}) =>
    database.query(
      `INSERT INTO oidc_records (kind, id, payload, grant_id, expires_at, consumed_at)
       VALUES ($1, $2, '{"from": "before"}', $3, $4, $5)`,
      [kind, id, grantId, more.expiresAt ?? after(3600), more.consumedAt ?? null],
    );

  /** A connection: its unused token is `ID now`, an older one is `ID used`. */
  async function connect(): Promise<string> {
    const id = randomUUID();
    await add('Grant', id, null);
    await add('RefreshToken', `${id} now`, id);
    await add('RefreshToken', `${id} used`, id, { consumedAt: after(-60) });
    await add('AccessToken', `${id} valid`, id);
    await add('AccessToken', `${id} expired`, id, { expiresAt: after(-1) });
    return id;
  }

  const exchangeOf = (grantId: string, more: Partial<PendingExchange> = {}): PendingExchange => ({
    kind: 'RefreshToken',
    id: `${grantId} now`,
    grantId,
    attempt: 'attempt',
    tokens: {
      access: { id: `${grantId} access`, payload: { scope: 'ä "x"' }, expiresAt: after(60) },
      refresh: { id: `${grantId} next`, payload: { rotations: 1 }, expiresAt: after(600) },
      response: {},
    },
    ...more,
  });

  /** The rows of a connection, with its id replaced. */
  async function rowsOf(grantId: string): Promise<unknown> {
    const rows = await database.query(
      `SELECT kind, replace(id, $1, '') AS id, payload, expires_at, consumed_at,
              refresh_attempt_sha256, replace(successor_access_id, $1, '') AS successor,
              successor_used_at, refresh_retries
         FROM oidc_records WHERE grant_id = $1 OR id = $1 ORDER BY 1, 2`,
      [grantId],
    );
    return rows;
  }

  /** Stores exchanges that have to wait for another one, and gives what each resolved to. */
  async function together(exchanges: readonly PendingExchange[], on: Queryable = database) {
    const queue = new ExchangeQueue(on);
    const first = exchangeOf(await connect());
    const results = await Promise.allSettled(
      [first, ...exchanges].map((exchange) => queue.store({ exchange, now: NOW })),
    );
    return results
      .slice(1)
      .map((one): unknown => (one.status === 'fulfilled' ? one.value : one.reason));
  }

  it('are planned once if they do not wait, also for few connections with many tokens', async () => {
    const grants: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      grants.push(await connect());
    }
    for (const grant of grants) {
      await database.query(
        `INSERT INTO oidc_records (kind, id, payload, grant_id, expires_at)
         SELECT 'AccessToken', $1 || n, '{}', $1, $2 FROM generate_series(1, 500) AS n`,
        [grant, after(3600)],
      );
    }
    await database.query('ANALYZE oidc_records');
    for (const grant of grants) {
      expect(await storeExchange(database, exchangeOf(grant), NOW)).toBe(true);
    }

    const [plans] = await database.query<{ once: number }>(
      `SELECT generic_plans::integer AS once FROM pg_prepared_statements WHERE statement LIKE 'WITH held%'`,
    );
    // PostgreSQL plans the first five for their values.
    expect(plans?.once).toBeGreaterThanOrEqual(7);
  });

  it.each<[string, boolean, (grantId: string) => PendingExchange | Promise<PendingExchange>]>([
    ['an unused token', true, (grantId) => exchangeOf(grantId)],
    ['no attempt', true, (grantId) => exchangeOf(grantId, { attempt: undefined })],
    ['a used token', false, (grantId) => exchangeOf(grantId, { id: `${grantId} used` })],
    ['an unknown token', false, (grantId) => exchangeOf(grantId, { id: `${grantId} none` })],
    ['a token of another kind', false, (grantId) => exchangeOf(grantId, { kind: 'DeviceCode' })],
    [
      "another grant's token",
      false,
      async (grantId) => exchangeOf(grantId, { id: `${await connect()} now` }),
    ],
    [
      'a grant that has ended',
      false,
      async (grantId) => {
        await database.query(`DELETE FROM oidc_records WHERE kind = 'Grant' AND id = $1`, [
          grantId,
        ]);
        return exchangeOf(grantId);
      },
    ],
    [
      'a device code',
      true,
      async (grantId) => {
        await add('DeviceCode', `${grantId} code`, grantId);
        return exchangeOf(grantId, { kind: 'DeviceCode', id: `${grantId} code` });
      },
    ],
    [
      'an app that may not refresh',
      true,
      (grantId) => {
        const { tokens, ...rest } = exchangeOf(grantId);
        return { ...rest, tokens: { ...tokens, refresh: undefined } };
      },
    ],
  ])('leave the same rows as one alone, with %s', async (_name, isStored, make) => {
    const [alone, other, another] = [await connect(), await connect(), await connect()];
    const single = await make(alone);

    expect(await storeExchange(database, single, NOW)).toBe(isStored);
    const several = [exchangeOf(another), await make(other)];
    expect(await together(several)).toEqual([true, isStored]);

    expect(await rowsOf(other)).toEqual(await rowsOf(alone));
  });

  it('use a token once that two of them present', async () => {
    const [grantId, other] = [await connect(), await connect()];
    const twice = exchangeOf(grantId);
    const { access, ...tokens } = twice.tokens;
    const second = { ...twice, tokens: { ...tokens, access: { ...access, id: `${grantId} 2` } } };

    const answers = await together([twice, exchangeOf(other), second]);

    expect(answers).toEqual([true, true, false]);
    expect(await rowsOf(grantId)).toEqual(await rowsOf(other));
  });

  it('take two tokens of one grant after another', async () => {
    const grantId = await connect();
    const first = exchangeOf(grantId);
    const next = exchangeOf(grantId, {
      id: `${grantId} next`,
      tokens: {
        access: { id: `${grantId} access 2`, payload: {}, expiresAt: after(60) },
        refresh: { id: `${grantId} next 2`, payload: {}, expiresAt: after(600) },
        response: {},
      },
    });

    expect(await together([first, next])).toEqual([true, true]);
  });

  it('are stored together, at most 64 by one statement', async () => {
    const statements: string[] = [];
    const exchanges: PendingExchange[] = [];
    for (let count = 0; count < 65; count += 1) {
      exchanges.push(exchangeOf(await connect()));
    }

    const answers = await together(exchanges, noting(database, statements));

    expect(new Set(answers)).toEqual(new Set([true]));
    expect(statements).toHaveLength(1 + 2);
  });

  it('are stored without the one that the database refuses', async () => {
    const [good, bad] = [await connect(), await connect()];
    const { tokens, ...rest } = exchangeOf(bad);
    const access = { ...tokens.access, payload: { scope: '\0' } };

    const [stored, refused] = await together([
      exchangeOf(good),
      { ...rest, tokens: { ...tokens, access } },
    ]);

    expect(stored).toBe(true);
    expect(refused).toMatchObject({ code: '22P05' });
  });

  it('all fail while the database is away, and none is made twice', async () => {
    const exchanges = [
      exchangeOf(await connect()),
      exchangeOf(await connect()),
      exchangeOf(await connect()),
    ];
    const statements: string[] = [];
    let isAway = true;
    const away: Queryable = {
      query: <Row extends object>(sql: string, params?: readonly SqlValue[]) =>
        isAway
          ? Promise.reject(new UnavailableError('away'))
          : noting(database, statements).query<Row>(sql, params),
    };
    const queue = new ExchangeQueue(away);
    const storeAll = () =>
      Promise.allSettled(exchanges.map((exchange) => queue.store({ exchange, now: NOW })));

    const before = await storeAll();
    isAway = false;

    expect(new Set(before.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(new Set((await storeAll()).map(({ status }) => status))).toEqual(new Set(['fulfilled']));
    expect(statements).toHaveLength(1 + 1);
  });
});

interface Added {
  readonly expiresAt?: Date;
  readonly consumedAt?: Date;
}

function noting(target: Queryable, statements: string[]): Queryable {
  return {
    query: <Row extends object>(sql: string, params?: readonly SqlValue[]) => {
      statements.push(sql);
      return target.query<Row>(sql, params);
    },
  };
}
