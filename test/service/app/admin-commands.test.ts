import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createAccount,
  createWorkspace,
  setMember,
} from '../../../service/identity/accounts/accounts.js';
import { Invitations, MAX_INVITATIONS } from '../../../service/identity/invitations/invitations.js';
import { runCommand, type AdminContext } from '../../../service/app/admin-commands.js';
import type { Database } from '../../../service/kernel/database/database.js';
import { MailError } from '../../../service/kernel/mail/mail-transport.js';
import { openMigratedDatabase } from '../support/database-templates.js';

describe('an owner who becomes a member by an admin command', () => {
  let database: Database;
  let context: AdminContext;
  let invitations: Invitations;

  beforeAll(async () => {
    database = await openMigratedDatabase();
    context = {
      database,
      storage: () => {
        throw new Error('no uploads here');
      },
      settle: () => Promise.resolve(),
      baseUrl: 'http://localhost',
    };
    invitations = new Invitations(database, () => new Date());
  });
  afterAll(() => database.close());

  const addOwner = async (username: string, workspaceId: string): Promise<string> => {
    const user = { username, displayName: username, password: 'x' };
    const accountId = await createAccount(database, user);
    await setMember(database, workspaceId, accountId, 'owner');
    return accountId;
  };
  const invite = (workspaceId: string, invitedBy: string): ReturnType<Invitations['create']> =>
    invitations.create({ workspaceId, invitedBy, role: 'member' });

  it('revokes the open invitations of an owner who becomes a member', async () => {
    const workspaceId = await createWorkspace(database, 'North Studio');
    const made = await invite(workspaceId, await addOwner('ada', workspaceId));
    if (typeof made === 'string') throw new Error(made);

    await runCommand(context, 'set-role', ['ada', 'North Studio', 'member']);
    await runCommand(context, 'set-role', ['ada', 'North Studio', 'owner']);

    expect(await invitations.find(made.token)).toBeUndefined();
  });

  it('does not count void invitations against the limit', async () => {
    const workspaceId = await createWorkspace(database, 'South Studio');
    const former = await addOwner('bea', workspaceId);
    const owner = await addOwner('cid', workspaceId);
    for (let count = 0; count < MAX_INVITATIONS; count += 1) await invite(workspaceId, former);
    expect(await invite(workspaceId, owner)).toBe('too many');

    // As a version of the service left it that ended no invitations.
    await setMember(database, workspaceId, former, 'member');

    expect(await invite(workspaceId, owner)).toMatchObject({ id: expect.any(String) });
  });
});

describe('the events of admin commands', () => {
  it('name no user who acted, and notify the user whose sign-in changed', async () => {
    const database = await openMigratedDatabase();
    const storage = (): never => {
      throw new Error('no uploads here');
    };
    const settle = (): Promise<void> => Promise.resolve();
    const run = (name: string, ...args: string[]): Promise<string> =>
      runCommand({ database, storage, settle, baseUrl: 'http://localhost' }, name, args);
    await run('add-workspace', 'North Studio');
    await run('add-user', 'ada');
    await run('set-role', 'ada', 'North Studio', 'member');
    await run('set-role', 'ada', 'North Studio', 'member');
    await run('set-role', 'ada', 'North Studio', 'owner');
    await run('invite', 'North Studio', 'member');
    await run('reset-password', 'ada');
    await run('remove-second-factor', 'ada');
    await run('end-sessions', 'ada');
    const notices = await database.query('SELECT kind FROM notices ORDER BY created_at, id');
    await run('remove-from-workspace', 'ada', 'North Studio');
    await run('remove-from-workspace', 'ada', 'North Studio');
    await run('set-role', 'ada', 'North Studio', 'member');
    await run('remove-user', 'ada');

    const events = await database.query<{ action: string; by: string | null }>(
      `SELECT action, by FROM audit_events WHERE workspace_id IS NOT NULL ORDER BY id`,
    );
    await database.close();
    expect(events).toEqual(
      [
        ...['joined', 'role_changed', 'invited', 'password_reset', 'second_factors_removed'],
        ...['access_ended', 'removed', 'joined', 'removed'],
      ].map((action) => ({ action, by: null })),
    );
    expect(notices).toEqual([{ kind: 'password_reset' }, { kind: 'second_factors_removed' }]);
  });
});

describe('the command send-test-mail', () => {
  const run = (mail: AdminContext['mail'], address: string): Promise<string> =>
    runCommand({ mail, baseUrl: 'https://service.example' } as AdminContext, 'send-test-mail', [
      address,
    ]);

  it('sends a mail, or prints why not', async () => {
    const sent: unknown[] = [];
    const works = { send: async (mail: unknown) => void sent.push(await Promise.resolve(mail)) };
    const fails = { send: () => Promise.reject(new MailError('it refused', true)) };

    expect(await run(works, 'ada@studio.example')).toContain('to ada@studio.example');
    expect(sent).toMatchObject([{ to: 'ada@studio.example' }]);
    await expect(run(fails, 'ada@studio.example')).rejects.toThrow('Nothing was sent: it refused.');
    await expect(run(undefined, 'ada@studio.example')).rejects.toThrow('Set SMTP_URL');
    await expect((async () => run(works, 'ada'))()).rejects.toThrow('must look like');
  });
});
