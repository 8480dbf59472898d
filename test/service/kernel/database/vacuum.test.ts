import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { storeExchange, storeExchanges } from '../../../../service/oauth/tokens/token-exchange.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import { migrate } from '../../../../service/kernel/database/migrate.js';
import { asDatabase } from '../../../../service/kernel/database/pglite.js';
import { vacuumChanged } from '../../../../service/kernel/database/vacuum.js';
import { openEmptyInMemory } from '../../support/database-templates.js';

// Of the embedded database only: a server does this itself.
describe('vacuuming an embedded database', () => {
  let database: Database;

  beforeEach(async () => {
    database = await asDatabase(await openEmptyInMemory());
  });
  afterEach(() => database.close());

  it('makes the space of old rows usable and renews statistics, once for many changes', async () => {
    await database.query('CREATE TABLE grown (number integer, filler text)');
    await database.query('CREATE TABLE small (number integer)');
    await database.query(
      `INSERT INTO grown SELECT n, repeat('x', 200) FROM generate_series(1, 3000) AS n`,
    );
    await database.query('INSERT INTO small SELECT n FROM generate_series(1, 3000) AS n');
    await database.query('DELETE FROM grown WHERE number % 2 = 0');
    await vacuum();
    const size = await statisticsOf('grown');
    expect(size).toMatchObject({ rows: 1500, dead: 0 });
    expect(await statisticsOf('small')).toMatchObject({ rows: -1 });

    await database.query(
      `INSERT INTO grown SELECT n, repeat('x', 200) FROM generate_series(1, 1000) AS n`,
    );
    await vacuum();
    expect(await statisticsOf('grown')).toMatchObject({ rows: 1500, pages: size.pages });
    await database.query(`UPDATE grown SET filler = 'y' WHERE number <= 500`);
    await vacuum();
    expect(await statisticsOf('grown')).toMatchObject({ rows: 2500, dead: 0 });
  });

  it.each([
    ['a refresh', 1],
    ['refreshes that are stored together', 3],
  ])(
    'keeps %s from reading the whole table, and from writing to an index for the used token',
    async (_name, grants) => {
      await migrate(database);
      const expiresAt = new Date(Date.now() + 3_600_000);
      const add = (kind: string, id: string, grantId: string | null): Promise<unknown> =>
        database.query(
          `INSERT INTO oidc_records (kind, id, payload, grant_id, expires_at) VALUES ($1, $2, '{}', $3, $4)`,
          [kind, id, grantId, expiresAt],
        );
      const all = Array.from({ length: grants }, (_, index) => `grant-${index}`);
      for (const grantId of all) {
        await add('Grant', grantId, null);
        await add('RefreshToken', `refresh-0-${grantId}`, grantId);
      }
      await vacuum();

      const times = 30;
      for (let count = 0; count < times; count += 1) {
        const exchanges = all.map((grantId) => {
          const tokens = {
            response: {},
            access: { id: `access-${count}-${grantId}`, payload: {}, expiresAt },
            refresh: { id: `refresh-${count + 1}-${grantId}`, payload: {}, expiresAt },
          };
          const id = `refresh-${count}-${grantId}`;
          return {
            kind: 'RefreshToken',
            id,
            grantId,
            attempt: `attempt-${count}`,
            tokens,
          } as const;
        });
        const now = new Date();
        const [exchange, ...more] = exchanges;
        if (exchange !== undefined && more.length === 0) {
          expect(await storeExchange(database, exchange, now)).toBe(true);
        } else {
          const timed = exchanges.map((one) => ({ exchange: one, now }));
          expect((await storeExchanges(database, timed)).size).toBe(grants);
        }
      }

      await database.query('SELECT pg_stat_force_next_flush()');
      const [read] = await database.query(
        `SELECT seq_tup_read::integer AS rows, n_tup_upd::integer AS marked,
              (n_tup_upd - n_tup_hot_upd)::integer AS indexed
         FROM pg_stat_user_tables WHERE relname = 'oidc_records'`,
      );
      expect(read).toEqual({ rows: 0, marked: times * grants, indexed: 0 });
    },
  );

  /** PostgreSQL counts changes up to a second later. */
  async function vacuum(): Promise<void> {
    await database.query('SELECT pg_stat_force_next_flush()');
    await vacuumChanged(database);
  }

  async function statisticsOf(
    table: string,
  ): Promise<{ readonly rows: number; readonly pages: number; readonly dead: number }> {
    const [row] = await database.query<{ rows: number; pages: number; dead: number }>(
      `SELECT reltuples::integer AS rows, relpages AS pages, n_dead_tup::integer AS dead
         FROM pg_class JOIN pg_stat_user_tables ON relid = oid WHERE pg_class.relname = $1`,
      [table],
    );
    return row ?? { rows: 0, pages: 0, dead: 0 };
  }
});
