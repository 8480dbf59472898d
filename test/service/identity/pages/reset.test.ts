import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { runCommand } from '../../../../service/app/admin-commands.js';
import { PasswordChanges } from '../../../../service/identity/passwords/password-changes.js';
import { TestBrowser } from '../../support/browser-client.js';
import { addUser, addWorkspace, connectAs, openSettings } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { startTestService } from '../../support/running-service.js';
import { useService } from '../../support/use-service.js';
import { newUserForm, openLink } from './inviting.js';

const NEW = 'heron lamp quarter';
const ENTRY = { new_password: NEW, new_password_again: NEW };

describe('a link of the operator', () => {
  let workspaceId: string;
  let user: TestUser;
  let ahead = 0;

  const service = useService({ now: () => new Date(Date.now() + ahead) });
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
  });
  beforeEach(async () => {
    ahead = 0;
    user = await addUser(service, { [workspaceId]: 'member' });
  });

  /** Runs a command; returns the path of the link that it prints. */
  const admin = async (name: string, ...args: string[]): Promise<string> => {
    const printed = await runCommand(
      {
        database: service.database,
        storage: () => {
          throw new Error('no storage is needed');
        },
        settle: () => Promise.resolve(),
        baseUrl: service.baseUrl,
      },
      name,
      args,
    );
    return (printed.split('\n').at(-1) ?? '').replace(service.baseUrl, '');
  };
  const signIn = async (password: string): Promise<number> => {
    const browser = new TestBrowser(service.baseUrl);
    await browser.open('/settings/account');
    return (await browser.submit('Sign in', { username: user.username, password })).status;
  };

  it('lets the first user in, as an owner', async () => {
    const name = 'First Studio';
    await addWorkspace(service, name);
    const browser = await openLink(service, await admin('invite', name, 'owner'));
    expect(browser.page.text).toContain('an administrator');

    const page = await browser.submit('Create account and join', newUserForm());

    expect(page.text).toContain('You have joined the workspace');
    expect((await browser.open('/settings/people')).text).toContain('Invite people');
  });

  it('a user chooses a new password once; browsers are signed out, apps stay', async () => {
    const other = await openSettings(service, user, '/settings/account');
    const token = await connectAs(service, user);
    const link = await admin('reset-link', user.username);
    expect(link).toMatch(/^\/new-password\?token=svc_rst_[\w-]{43}$/);
    const browser = await openLink(service, link);
    expect(browser.page.url).toBe(`${service.baseUrl}/new-password`);
    expect(browser.page.text).toContain(`Username: ${user.username}`);

    const short = await browser.submit('Save and sign in', { ...ENTRY, new_password: 'short' });
    expect(short.status).toBe(400);
    const page = await browser.submit('Save and sign in', ENTRY);

    expect(page.text).toContain('Password changed');
    expect([await signIn(user.password), await signIn(NEW)]).toEqual([401, 200]);
    expect((await other.open('/settings/account')).text).not.toContain('Sign out');
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${service.baseUrl}/api/v1/me`, { headers })).status).toBe(200);
    expect((await openLink(service, link)).page.status).toBe(404);
    expect(JSON.stringify(service.logLines)).not.toContain(link.slice(-43));
    const rows = await service.database.query('SELECT * FROM password_resets');
    expect(JSON.stringify(rows)).not.toContain(link.slice(-43));
  });

  // @threat U4
  it('can be used once, also by concurrent requests', async () => {
    const link = await admin('reset-link', user.username);
    const browsers = await Promise.all(Array.from({ length: 4 }, () => openLink(service, link)));

    const pages = await Promise.all(
      browsers.map((browser) => browser.submit('Save and sign in', ENTRY)),
    );

    expect(pages.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
  });

  it('expires after an hour, with the next link, and with a new password', async () => {
    const first = await admin('reset-link', user.username);
    const waiting = await openLink(service, first);
    expect(waiting.page.status).toBe(200);
    ahead = 3_600_001;
    expect((await waiting.submit('Save and sign in', ENTRY)).status).toBe(404);
    expect(await signIn(user.password)).toBe(200);

    // The command has the clock of this computer.
    ahead = 0;
    const second = await admin('reset-link', user.username);
    const third = await admin('reset-link', user.username);
    expect((await openLink(service, second)).page.status).toBe(404);
    const last = await openLink(service, third);
    await admin('reset-password', user.username);
    expect((await last.submit('Save and sign in', ENTRY)).status).toBe(404);
  });

  it('accepts only its own form in the browser that opened it', async () => {
    const link = await admin('reset-link', user.username);
    const browser = await openLink(service, link);
    const other = await openLink(service, link);
    const csrf = other.page.form?.fields['csrf'] ?? '';

    const forged = await browser.submit('Save and sign in', { ...ENTRY, csrf });

    expect(csrf).not.toBe('');
    expect(forged.status).toBe(403);
    expect(await signIn(user.password)).toBe(200);
    expect((await browser.submit('Save and sign in', ENTRY)).status).toBe(200);
  });
});

describe('a sign-in whose password was just checked', () => {
  it('does not outlast the password', async () => {
    const service = await startTestService();
    try {
      const user = await addUser(service, {});
      const hashOf = async (): Promise<string> => {
        const [row] = await service.database.query<{ password_hash: string }>(
          'SELECT password_hash FROM accounts WHERE id = $1',
          [user.accountId],
        );
        return row?.password_hash ?? '';
      };
      let late = 0;
      // It becomes a session between the change and the moment at which all that was under way is over.
      const settle = async (): Promise<void> => {
        late += 1;
        await service.database.query(
          `INSERT INTO oidc_records (kind, id, payload) VALUES ('Session', $1, $2)`,
          [`late-${late}`, JSON.stringify({ accountId: user.accountId })],
        );
      };
      const left = (): Promise<unknown[]> =>
        service.database.query(
          `SELECT id FROM oidc_records WHERE id LIKE 'late-%' AND consumed_at IS NULL`,
        );
      const changes = new PasswordChanges(service.database, () => new Date(), settle);
      const hashes = { from: await hashOf(), to: 'another' };

      await changes.change(user.accountId, hashes, { browsers: true, apps: false });

      expect([late, await left()]).toEqual([1, []]);
      // Somebody was faster: nothing changes.
      expect(await changes.change(user.accountId, hashes, { browsers: true, apps: false })).toBe(
        false,
      );
      const link = await changes.makeReset(user.accountId);
      await changes.reset(link, 'a third', { browsers: true, apps: false });
      expect([late, await left()]).toEqual([2, []]);
    } finally {
      await service.close();
    }
  });
});
