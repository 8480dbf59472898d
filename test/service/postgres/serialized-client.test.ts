import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import type { Database } from '../../../service/kernel/database/database.js';
import { migrate } from '../../../service/kernel/database/migrate.js';
import { makeDatabase } from './databases.js';

const SERVER = process.env['TEST_DATABASE_URL'] ?? '';

describe('concurrent statements of one transaction', () => {
  let database: Database;

  beforeAll(async () => {
    database = await makeDatabase(SERVER);
    await migrate(database);
    await database.query('CREATE TABLE numbers (number integer)');
  });
  afterAll(() => database.close());

  const count = async (): Promise<number> => {
    const rows = await database.query('SELECT number FROM numbers');
    return rows.length;
  };

  /** The maximum of concurrent statements on a connection. */
  const mostAtOnce = async (work: () => Promise<unknown>): Promise<number> => {
    const under = new Map<unknown, number>();
    let most = 0;
    const plain = Object.getOwnPropertyDescriptor(Client.prototype, 'query')?.value as (
      ...args: unknown[]
    ) => Promise<unknown> | undefined;
    const watched = jest.spyOn(Client.prototype, 'query') as unknown as {
      mockImplementation(how: (this: unknown, ...args: unknown[]) => unknown): void;
      mockRestore(): void;
    };
    watched.mockImplementation(function (this: unknown, ...args) {
      const now = (under.get(this) ?? 0) + 1;
      under.set(this, now);
      most = Math.max(most, now);
      const answer = plain.apply(this, args);
      const end = (): void => void under.set(this, (under.get(this) ?? 0) - 1);
      if (answer === undefined) end();
      else answer.then(end, end);
      return answer;
    });
    try {
      await work().catch(() => undefined);
    } finally {
      watched.mockRestore();
    }
    return most;
  };

  it('run one after another', async () => {
    const most = await mostAtOnce(() =>
      database.transaction((transaction) =>
        Promise.all(
          [1, 2, 3, 4].map((number) =>
            transaction.query('INSERT INTO numbers VALUES ($1)', [number]),
          ),
        ),
      ),
    );
    expect(most).toBe(1);
    expect(await count()).toBe(4);
  });

  it('are all rolled back when one of them fails', async () => {
    const before = await count();
    const most = await mostAtOnce(() =>
      database.transaction((transaction) =>
        Promise.all([
          transaction.query('INSERT INTO numbers VALUES (5)'),
          transaction.query('SELECT 1 / 0'),
          transaction.query('INSERT INTO numbers VALUES (6)'),
          transaction.query('INSERT INTO numbers VALUES (7)'),
        ]),
      ),
    );
    expect(most).toBe(1);
    expect(await count()).toBe(before);
  });
});
