import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { Accounts, createAccount } from '../../../service/identity/accounts/accounts.js';
import { PasswordChanges } from '../../../service/identity/passwords/password-changes.js';
import type { Database } from '../../../service/kernel/database/database.js';
import { migrate } from '../../../service/kernel/database/migrate.js';
import { openPostgresDatabase } from '../../../service/kernel/database/postgres.js';
import { dropDatabase, makeDatabaseUrl } from './databases.js';

const SERVER = process.env['TEST_DATABASE_URL'] ?? '';
const NOTHING_ELSE = { browsers: false, apps: false };

let databaseUrl: string;
let database: Database;
/** The test's own connection, which holds others up. */
let holder: Client;

beforeAll(async () => {
  databaseUrl = await makeDatabaseUrl(SERVER);
  database = await openPostgresDatabase(databaseUrl, (error) => {
    throw error;
  });
  await migrate(database);
  holder = new Client({ connectionString: databaseUrl });
  await holder.connect();
});
afterAll(async () => {
  await holder.end();
  await database.close();
  await dropDatabase(SERVER, databaseUrl);
});

/** Resolves when this many statements wait for a lock. The holder cannot query this within its transaction. */
async function untilWaiting(count: number): Promise<void> {
  for (;;) {
    const [row] = await database.query<{ waiting: number }>(
      `SELECT count(*)::integer AS waiting FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if ((row?.waiting ?? 0) >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

it('concurrent password changes by form and by link succeed once', async () => {
  const user = { username: 'one', displayName: 'One', password: 'the first' };
  const accountId = await createAccount(database, user);
  const accounts = new Accounts(database);
  const from = (await accounts.passwordHash(accountId)) ?? '';
  const changes = new PasswordChanges(
    database,
    () => new Date(),
    () => Promise.resolve(),
  );
  const token = await changes.makeReset(accountId);
  await holder.query('BEGIN');
  await holder.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [accountId]);

  const changed = changes.change(accountId, { from, to: 'by the old one' }, NOTHING_ELSE);
  await untilWaiting(1);
  const reset = changes.reset(token, 'by the link', NOTHING_ELSE);
  await untilWaiting(2);
  await holder.query('COMMIT');

  expect(await Promise.all([changed, reset])).toEqual([true, false]);
  expect(await accounts.passwordHash(accountId)).toBe('by the old one');
});
