import { beforeAll, describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { DEMO_ACCOUNT, seedDemoAccount } from '../../../service/identity/accounts/demo.js';
import { runCommand } from '../../../service/app/admin-commands.js';
import { openStorage } from '../../../service/library/uploads/storage/open-storage.js';
import { UploadRepository } from '../../../service/library/uploads/repository/upload-repository.js';
import { approveDevice, TestBrowser } from '../support/browser-client.js';
import { listUploads, poll, refresh, startDevice, tokensOf } from '../support/oauth-client.js';
import { addUser, addWorkspace, elementText, openSettings } from '../support/users.js';
import type { TestUser } from '../support/users.js';
import { startTestService } from '../support/running-service.js';
import type { TestService } from '../support/running-service.js';
import { useService } from '../support/use-service.js';
import { create, locationOf, photo } from '../support/tus-client.js';

/** Tries to sign in with the public password of the demo account. */
async function signInAsDemo(service: TestService): Promise<number> {
  // Behind the proxy, so to speak: the base URL is not where the service listens.
  const browser = new TestBrowser(`http://${service.listensOn}`);
  await browser.open('/settings/apps');
  const { username, password } = DEMO_ACCOUNT;
  return (await browser.submit('Sign in', { username, password })).status;
}

describe('the demo account', () => {
  // @threat S6
  it('is closed and hidden at a public base URL', async () => {
    const service = await startTestService({ baseUrl: 'https://workspace.example' });
    try {
      const browser = new TestBrowser(`http://${service.listensOn}`);

      expect((await browser.open('/settings/apps')).text).not.toContain(DEMO_ACCOUNT.password);
      expect(await signInAsDemo(service)).toBe(401);
      expect(service.hasDemoAccount).toBe(false);
    } finally {
      await service.close();
    }
  });

  it('is closed at a public base URL also if it exists', async () => {
    const service = await startTestService({
      baseUrl: 'https://workspace.example',
      demoAccount: false,
    });
    try {
      await seedDemoAccount(service.database);

      expect(await signInAsDemo(service)).toBe(401);
    } finally {
      await service.close();
    }
  });

  it('works at a public base URL with the option, and the start warns', async () => {
    const service = await startTestService({
      baseUrl: 'https://workspace.example',
      demoAccount: true,
    });
    try {
      const browser = new TestBrowser(`http://${service.listensOn}`);

      expect((await browser.open('/settings/apps')).text).not.toContain(DEMO_ACCOUNT.password);
      expect(await signInAsDemo(service)).toBe(200);
      expect(service.warnings).toEqual([expect.stringContaining('its password is public')]);
    } finally {
      await service.close();
    }
  });
});

describe('a stolen session', () => {
  let workspace: string;

  const service = useService();
  beforeAll(async () => {
    workspace = await addWorkspace(service, 'Studio');
  });

  const admin = (name: string, ...args: string[]): Promise<string> =>
    runCommand(
      {
        database: service.database,
        storage: () => openStorage(service.storageOptions, new UploadRepository(service.database)),
        settle: () => Promise.resolve(),
        baseUrl: service.baseUrl,
      },
      name,
      args.filter((arg) => !arg.startsWith('--')),
      new Set(args.filter((arg) => arg.startsWith('--')).map((flag) => flag.slice(2))),
    );

  const isSignedIn = async (browser: TestBrowser): Promise<boolean> =>
    (await browser.open('/settings/apps')).text.includes('Sign out');

  /** Every kind of access of a user: a browser, an app, a personal token. */
  const settled = async (): Promise<{
    user: TestUser;
    browser: TestBrowser;
    tokens: { accessToken: string; refreshToken: string };
    personalToken: string;
  }> => {
    const user = await addUser(service, { [workspace]: 'member' });
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    await approveDevice(service.baseUrl, userCode, user);
    const tokens = tokensOf(await poll(service.baseUrl, deviceCode));
    const browser = await openSettings(service, user, '/settings/developer/tokens/new');
    const page = await browser.submit('Create token', {
      name: 'Script',
      scope: 'uploads:read',
      days: '7',
    });
    return { user, browser, tokens, personalToken: elementText(page, 'secret') };
  };

  /** Repeats requests with a browser's cookies until stopped; each one stores the session again. */
  const keepAsking = (browser: TestBrowser): (() => Promise<void>) => {
    const cookie = browser.sessionCookie;
    let stopped = false;
    const ask = async (): Promise<void> => {
      while (!stopped) {
        await (await fetch(`${service.baseUrl}/oauth/device`, { headers: { cookie } })).text();
      }
    };
    const asking = Promise.all(Array.from({ length: 8 }, ask));
    return async () => {
      stopped = true;
      await asking;
    };
  };

  // @threat P4
  it('ends at sign-out while requests are in progress', async () => {
    const user = await addUser(service, { [workspace]: 'member' });
    const browser = await openSettings(service, user, '/settings/apps');
    const thief = browser.copy();
    const stop = keepAsking(browser);

    await browser.submit('Sign out');
    await stop();

    expect(await isSignedIn(thief)).toBe(false);
  });

  it('ends with a new password while requests are in progress', async () => {
    const { user, browser, tokens } = await settled();
    const stop = keepAsking(browser);

    const said = await admin('reset-password', user.username);
    await stop();

    expect(await isSignedIn(browser)).toBe(false);
    const again = new TestBrowser(service.baseUrl);
    await again.open('/settings/apps');
    const old = await again.submit('Sign in', {
      username: user.username,
      password: user.password,
    });
    expect(old.status).toBe(401);
    const password = / is (\S+);/.exec(said)?.[1] ?? '';
    const page = await again.submit('Sign in', { username: user.username, password });
    expect(page.status).toBe(200);
    // Connected apps keep their access: uploads continue.
    expect((await listUploads(service.baseUrl, tokens.accessToken)).status).not.toBe(401);
  });

  it('cannot begin with the old password after a password change', async () => {
    const user = await addUser(service, { [workspace]: 'member' });
    const { userCode } = await startDevice(service.baseUrl);
    const thief = new TestBrowser(service.baseUrl);
    await thief.open(`/oauth/device?user_code=${userCode}`);
    await thief.submit('Continue');
    const resume = await thief.redirectOf(() =>
      thief.submit('Sign in', { username: user.username, password: user.password }),
    );

    await admin('reset-password', user.username);
    await thief.open(resume).catch(() => undefined);

    expect(await isSignedIn(thief)).toBe(false);
  });

  it('ends with end-sessions, and so do connected apps and personal access tokens', async () => {
    const { user, browser, tokens, personalToken } = await settled();
    const other = await settled();

    expect(await admin('end-sessions', user.username)).toContain(
      '2 browser sessions, 1 connected apps, 1 personal access tokens',
    );

    expect(await isSignedIn(browser)).toBe(false);
    expect((await listUploads(service.baseUrl, tokens.accessToken)).status).toBe(401);
    expect((await listUploads(service.baseUrl, personalToken)).status).toBe(401);
    expect((await refresh(service.baseUrl, tokens.refreshToken)).body).toMatchObject({
      error: 'invalid_grant',
    });
    // Other users are not affected.
    expect(await isSignedIn(other.browser)).toBe(true);
    expect((await listUploads(service.baseUrl, other.personalToken)).status).toBe(200);
    expect((await refresh(service.baseUrl, other.tokens.refreshToken)).status).toBe(200);
  });

  it('ends when its owner is removed with all data', async () => {
    const { user, browser, tokens, personalToken } = await settled();
    const upload = await create(service.baseUrl, tokens.accessToken, {
      length: 100,
      metadata: { filename: 'one.jpg' },
      body: photo(100),
    });
    const id = path.basename(locationOf(service.baseUrl, upload));
    expect(await service.stored.has(id)).toBe(true);

    await expect(admin('remove-user', user.username)).rejects.toThrow('They have 1 uploads');
    expect((await listUploads(service.baseUrl, tokens.accessToken)).status).not.toBe(401);
    await admin('remove-user', user.username, '--with-uploads');

    expect(await isSignedIn(browser)).toBe(false);
    expect((await listUploads(service.baseUrl, tokens.accessToken)).status).toBe(401);
    expect((await listUploads(service.baseUrl, personalToken)).status).toBe(401);
    expect(await service.stored.has(id)).toBe(false);
    for (const [table, column] of [
      ['accounts', 'id'],
      ['workspace_members', 'account_id'],
      ['consents', 'account_id'],
      ['personal_access_tokens', 'account_id'],
      ['uploads', 'account_id'],
      ['oidc_records', "payload ->> 'accountId'"],
    ] as const) {
      const rows = await service.database.query(`SELECT 1 FROM ${table} WHERE ${column} = $1`, [
        user.accountId,
      ]);
      expect([table, rows.length]).toEqual([table, 0]);
    }
  });
});
