import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createWorkspace, workspaceIdsOf } from '../../../../service/identity/accounts/accounts.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import type { EventDeclaration, NewEvent } from '../../../../service/kernel/events/event.js';
import {
  eventAppender,
  listEvents,
  type AppendedEvent,
  type EventSubscriber,
} from '../../../../service/kernel/events/event-log.js';
import { openMigratedDatabase } from '../../support/database-templates.js';
import { addUser } from '../../support/users.js';

const PAINTED: EventDeclaration = {
  kind: { name: 'wall', label: 'photos', audience: 'account' },
  action: 'wall_painted',
  type: 'wall.painted',
  description: 'A wall was painted.',
  example: { colour: 'red' },
};

describe('appending an event', () => {
  let database: Database;
  let accountId: string;
  let workspaces: string[];

  beforeAll(async () => {
    database = await openMigratedDatabase();
  });
  beforeEach(async () => {
    workspaces = [
      await createWorkspace(database, 'North'),
      await createWorkspace(database, 'South'),
    ];
    const roles = Object.fromEntries(workspaces.map((id) => [id, 'owner' as const]));
    ({ accountId } = await addUser({ database }, roles));
  });
  afterAll(() => database.close());

  const event = (workspaceId?: string): NewEvent => ({
    ...{ happenedAt: new Date(), declaration: PAINTED, workspaceId, accountId, by: accountId },
    about: { colour: 'red' },
  });
  const listed = (of: { readonly workspaceId: string } | { readonly accountId: string }) =>
    listEvents(database, [PAINTED], { of, limit: 10 });

  it('stores it for its workspace, or for the account and each workspace of the user', async () => {
    const received: AppendedEvent[] = [];
    const append = eventAppender(workspaceIdsOf, [
      (_transaction, one) => Promise.resolve(void received.push(one)),
    ]);
    await database.transaction(async (transaction) => {
      await append(transaction, event(workspaces[0]));
      await append(transaction, event());
    });
    const places = received.map(({ rows }) => rows.map(({ workspaceId }) => workspaceId));
    expect(places[0]).toEqual([workspaces[0]]);
    expect(new Set(places[1])).toEqual(new Set([undefined, ...workspaces]));
    const ids = received.flatMap(({ rows }) => rows.map(({ id }) => id));
    expect(new Set(ids).size).toBe(4);
    const [workspaceId = '', other = ''] = workspaces;
    expect((await listed({ workspaceId })).map(({ id }) => id)).toHaveLength(2);
    const [only] = await listed({ workspaceId: other });
    expect(only).toMatchObject({ declaration: PAINTED, accountId, about: { colour: 'red' } });
    // The user sees the event of the account once.
    expect(await listed({ accountId })).toHaveLength(1);
  });

  it('calls the subscribers one after another, in the transaction of the change', async () => {
    const seen: string[] = [];
    const subscriber =
      (name: string): EventSubscriber =>
      async (transaction, { rows }) => {
        seen.push(`${name} begins`);
        const found = await transaction.query('SELECT 1 FROM audit_events WHERE id = $1::bigint', [
          rows[0]?.id ?? '',
        ]);
        seen.push(`${name} sees ${found.length}`);
      };
    const append = eventAppender(workspaceIdsOf, [subscriber('one'), subscriber('two')]);
    await database.transaction((transaction) => append(transaction, event(workspaces[0])));
    expect(seen).toEqual(['one begins', 'one sees 1', 'two begins', 'two sees 1']);
  });

  it('fails with its subscribers, so that nothing of the change is stored', async () => {
    const workspaceId = await createWorkspace(database, 'East');
    const append = eventAppender(workspaceIdsOf, [() => Promise.reject(new Error('no room'))]);
    const change = database.transaction(async (transaction) => {
      await transaction.query('UPDATE accounts SET display_name = $2 WHERE id = $1', [
        accountId,
        'Zoe',
      ]);
      await append(transaction, event(workspaceId));
    });
    await expect(change).rejects.toThrow('no room');
    expect(await listed({ workspaceId })).toEqual([]);
    const names = await database.query('SELECT display_name FROM accounts WHERE id = $1', [
      accountId,
    ]);
    expect(names).not.toEqual([{ display_name: 'Zoe' }]);
  });
});
