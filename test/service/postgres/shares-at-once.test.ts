import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Database } from '../../../service/kernel/database/database.js';
import { migrate } from '../../../service/kernel/database/migrate.js';
import { MAX_SHARES } from '../../../service/delivery/shares/share.js';
import { CsrfTokens } from '../../../service/identity/csrf/csrf.js';
import { ShareTable } from '../../../service/delivery/shares/share-table.js';
import { addUser, addWorkspace } from '../support/users.js';
import { makeDatabase } from './databases.js';

const SERVER = process.env['TEST_DATABASE_URL'] ?? '';
const NOW = new Date('2026-01-01T00:00:00Z');

const AT_ONCE = 4;

let database: Database;

beforeAll(async () => {
  database = await makeDatabase(SERVER);
  await migrate(database);
});
afterAll(() => database.close());

it('concurrent creations do not exceed the link limit of a workspace', async () => {
  const workspaceId = await addWorkspace({ database }, 'North Studio');
  const { accountId: makerId } = await addUser({ database }, { [workspaceId]: 'member' });
  await database.query(
    'INSERT INTO projects (id, workspace_id, name, created_at) VALUES ($1, $2, $3, $4)',
    ['wedding', workspaceId, 'Wedding', NOW],
  );
  const shares = new ShareTable(database, new CsrfTokens('a test'), () => NOW);
  const make = (): ReturnType<ShareTable['create']> =>
    shares.create({
      workspaceId,
      creatorId: makerId,
      target: { kind: 'project', id: 'wedding' },
      days: 1,
      passwordHash: undefined,
    });
  const waiting = async (): Promise<number> => {
    const rows = await database.query('SELECT DISTINCT pid FROM pg_locks WHERE NOT granted');
    return rows.length;
  };
  for (let count = 1; count < MAX_SHARES; count += 1) await make();
  const made = await database.transaction(async (transaction) => {
    // None of them ends before all have begun.
    await transaction.query('SELECT 1 FROM workspace_members WHERE account_id = $1 FOR UPDATE', [
      makerId,
    ]);
    const making = Promise.all(Array.from({ length: AT_ONCE }, make));
    while ((await waiting()) < AT_ONCE) await new Promise((resolve) => setTimeout(resolve, 10));
    return { making };
  });
  expect((await made.making).filter((one) => one === 'full')).toHaveLength(AT_ONCE - 1);
  expect(await shares.of(workspaceId)).toHaveLength(MAX_SHARES);
});
