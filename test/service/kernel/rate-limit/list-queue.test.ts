import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ListQueue } from '../../../../service/kernel/rate-limit/list-queue.js';
import { authorization } from '../../support/tus-client.js';
import { useService } from '../../support/use-service.js';
import { addUser, addWorkspace, createToken } from '../../support/users.js';

/** Lists that were begun, and how to end the first of them. */
function heldLists(): {
  list: (name: string) => () => Promise<void>;
  begun: string[];
  readonly end: () => Promise<void>;
} {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    list: (name) => () => {
      begun.push(name);
      return new Promise((resolve) => ends.push(resolve));
    },
    end: async () => {
      ends.shift()?.();
      await nextTurn();
    },
  };
}

describe('the queue of lists', () => {
  const service = useService();
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('reads two at a time, and lets users take turns', async () => {
    const queue = new ListQueue();
    const { list, begun, end } = heldLists();
    const many = Array.from({ length: 20 }, () => queue.run('mallory', list('mallory')));
    const one = queue.run('vera', list('vera'));
    await nextTurn();
    expect(begun).toEqual(['mallory', 'mallory']);

    await end();
    expect(begun).toEqual(['mallory', 'mallory', 'vera']);
    while (begun.length <= many.length) await end();
    await end();
    await end();
    await Promise.all([...many, one]);
  });

  it('refuses a user with more than 32 lists, and nobody else', async () => {
    const queue = new ListQueue();
    const { list, end, begun } = heldLists();
    const many = Array.from({ length: 32 }, () => queue.run('mallory', list('mallory')));
    await expect(queue.run('mallory', list('mallory'))).rejects.toThrow('too many lists wait');
    const one = queue.run('vera', list('vera'));
    await nextTurn();
    while (begun.length <= many.length) await end();
    await end();
    await end();
    await Promise.all([...many, one]);
    expect(begun).toContain('vera');
  });

  it.each(['/api/v1/uploads', '/api/v1/photos', '/api/v1/feedback'])('has %s', async (path) => {
    const workspaceId = await addWorkspace(service, 'North Studio');
    const user = await addUser(service, { [workspaceId]: 'owner' });
    const token = await createToken(service, user, 'workspace:read');
    const run = jest.spyOn(ListQueue.prototype, 'run');

    const { status } = await fetch(service.baseUrl + path, { headers: authorization(token) });

    expect([status, run.mock.calls.map(([accountId]) => accountId)]).toEqual([
      200,
      [user.accountId],
    ]);
  });
});
