import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setMember } from '../../../../service/identity/accounts/accounts.js';
import { revokeMembership } from '../../../../service/identity/access/revoke-access.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import { openReadyDatabase } from '../../support/database-templates.js';
import { addUser, addWorkspace, connectAs, openSettings, send } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { startTestService } from '../../support/running-service.js';
import type { TestService } from '../../support/running-service.js';
import { photo } from '../../support/tus-client.js';

describe('a user who is removed while creating something in a workspace', () => {
  let database: Database;
  let service: TestService;
  let workspaceId: string;
  /** Runs after a request was authorized, just before it writes to a table. */
  const before = new Map<string, () => Promise<void>>();
  const happen = async (table: string): Promise<void> => {
    const happens = before.get(table);
    before.delete(table);
    await happens?.();
  };

  beforeAll(async () => {
    database = await openReadyDatabase();
    service = await startTestService({
      database: {
        ...database,
        query: async (sql, params) => {
          await happen(/^\s*INSERT INTO (\w+)/.exec(sql)?.[1] ?? '');
          return database.query(sql, params);
        },
        transaction: async (work) => {
          for (const table of before.keys()) await happen(table);
          return database.transaction(work);
        },
      },
    });
    workspaceId = await addWorkspace(service, 'North Studio');
  });
  afterAll(() => service.close());
  afterEach(() => {
    before.clear();
  });

  /** The ways in which a membership ends. */
  const WAYS: Readonly<Record<string, (user: TestUser) => Promise<void>>> = {
    'by an owner': async ({ accountId }) => {
      await database.transaction((transaction) =>
        revokeMembership(transaction, workspaceId, accountId),
      );
    },
    'in any other way': async ({ accountId }) => {
      await database.query('DELETE FROM workspace_members WHERE account_id = $1', [accountId]);
    },
  };
  const THINGS = [
    { what: 'a personal access token', table: 'personal_access_tokens', column: 'account_id' },
    { what: 'a link', table: 'shares', column: 'created_by' },
  ] as const;

  const makes = async (user: TestUser, table: (typeof THINGS)[number]['table']) => {
    if (table === 'shares') {
      const id = await send(service, await connectAs(service, user), 'One.jpg', photo(10));
      const browser = await openSettings(service, user, `/shares/new?photo=${id}`);
      return () => browser.submit('Create link');
    }
    const browser = await openSettings(service, user, '/settings/developer/tokens/new');
    const fields = { name: 'Script', scope: 'uploads:read', workspace: workspaceId };
    return () => browser.submit('Create token', fields);
  };

  describe.each(THINGS)('$what', ({ table, column }) => {
    const rowsOf = ({ accountId }: TestUser): Promise<object[]> =>
      database.query(`SELECT id FROM ${table} WHERE ${column} = $1`, [accountId]);

    it('is created for a remaining member', async () => {
      const user = await addUser(service, { [workspaceId]: 'member' });
      const make = await makes(user, table);
      expect((await make()).status).toBe(201);
      expect(await rowsOf(user)).toHaveLength(1);
    });

    it.each(Object.keys(WAYS))('is not created for a user who is removed %s', async (way) => {
      const user = await addUser(service, { [workspaceId]: 'member' });
      const make = await makes(user, table);
      let isRemoved = false;
      before.set(table, async () => {
        await WAYS[way]?.(user);
        isRemoved = true;
      });

      const answer = await make();

      expect(isRemoved).toBe(true);
      expect([400, 404]).toContain(answer.status);
      expect(answer.markup).not.toContain('id="secret"');
      // Were it there, it would be good again as soon as they come back.
      await setMember(database, workspaceId, user.accountId, 'member');
      expect(await rowsOf(user)).toEqual([]);
      expect(service.logLines.filter(({ event }) => event === 'server_error')).toEqual([]);
    });
  });

  it.each(Object.keys(WAYS))('loses earlier tokens and links %s', async (way) => {
    const user = await addUser(service, { [workspaceId]: 'member' });
    for (const { table } of THINGS) await (await makes(user, table))();

    await WAYS[way]?.(user);
    await setMember(database, workspaceId, user.accountId, 'member');

    for (const { table, column } of THINGS) {
      const rows = await database.query(`SELECT id FROM ${table} WHERE ${column} = $1`, [
        user.accountId,
      ]);
      expect([table, rows]).toEqual([table, []]);
    }
  });
});
