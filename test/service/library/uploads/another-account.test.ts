import { beforeAll, describe, expect, it } from '@jest/globals';
import { revokeAccess } from '../../../../service/identity/access/revoke-access.js';
import { removeMember, setMember } from '../../../../service/identity/accounts/accounts.js';
import { TestBrowser } from '../../support/browser-client.js';
import type { Page } from '../../support/browser-client.js';
import { poll, startDevice } from '../../support/oauth-client.js';
import { authorizePath, exchangeCode, makePkce } from '../../support/code-flow.js';
import { addUser, addWorkspace, openSettings, registerApplication } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';

describe('a user who needs another account', () => {
  let anna: TestUser;
  let ben: TestUser;

  const service = useService();
  beforeAll(async () => {
    const workspaceId = await addWorkspace(service, 'North Studio');
    anna = await addUser(service, { [workspaceId]: 'member' });
    ben = await addUser(service, { [workspaceId]: 'member' });
  });

  const signIn = (browser: TestBrowser, { username, password }: TestUser): Promise<Page> =>
    browser.submit('Sign in', { username, password });
  const ownerOf = async (deviceCode: string): Promise<unknown> => {
    expect((await poll(service.baseUrl, deviceCode)).status).toBe(200);
    const [newest] = await service.database.query<{ account_id: string }>(
      'SELECT account_id FROM consents ORDER BY created_at DESC LIMIT 1',
    );
    return newest?.account_id;
  };

  it('uses another account at the consent page, with the same code', async () => {
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    const browser = await openSettings(service, anna, '/settings/apps');
    await browser.open(`/oauth/device?user_code=${userCode}`);
    const consent = await browser.submit('Continue');
    expect(consent.text).toContain(`(${anna.username}). Not you?`);

    const atSignIn = await browser.submit('Use another account');

    expect(atSignIn.status).toBe(200);
    expect(atSignIn.text).toContain('to connect Creative Workspace plugin');
    expect((await poll(service.baseUrl, deviceCode)).body['error']).toBe('authorization_pending');
    const again = await signIn(browser, ben);
    expect(again.text).toContain(`(${ben.username})`);
    expect((await browser.submit('Allow')).text).toContain('You are connected');
    expect(await ownerOf(deviceCode)).toBe(ben.accountId);
  });

  it('keeps state and PKCE of an authorization request in the browser', async () => {
    const pkce = makePkce();
    const browser = await openSettings(service, anna, '/settings/apps');
    await browser.open(authorizePath(pkce, { state: 'the state' }));

    await browser.submit('Use another account');
    await signIn(browser, ben);
    const redirect = await browser.leaving(browser.submit('Allow'));

    expect(redirect.searchParams.get('state')).toBe('the state');
    const code = redirect.searchParams.get('code') ?? '';
    expect((await exchangeCode(service.baseUrl, code, pkce.verifier)).status).toBe(200);
  });

  it('signs out of all pages in this browser', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = await openSettings(service, anna, '/settings/apps');
    await browser.open(`/oauth/device?user_code=${userCode}`);
    await browser.submit('Continue');

    await browser.submit('Use another account');

    expect((await browser.open('/settings/apps')).text).toContain('Sign in to see your settings');
  });

  it('continues when another user signed in while the sign-in page was open', async () => {
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    await browser.open(`/oauth/device?user_code=${userCode}`);
    const atSignIn = await browser.submit('Continue');
    await browser.open('/settings/apps');
    await signIn(browser, anna);
    browser.show(atSignIn);
    expect((await signIn(browser, ben)).text).toContain('Someone else is signed in');

    await browser.submit('Use another account');
    await signIn(browser, ben);
    await browser.submit('Allow');

    expect(await ownerOf(deviceCode)).toBe(ben.accountId);
  });

  it.each([
    ['GET', (browser: TestBrowser, consent: Page) => browser.open(consent.url)],
    ['Deny', (browser: TestBrowser) => browser.submit('Deny')],
  ])('sees that they signed out in another tab, and can continue, at %s', async (_at, act) => {
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    const browser = await openSettings(service, anna, '/settings/apps');
    const { page: settings } = browser;
    await browser.open(`/oauth/device?user_code=${userCode}`);
    const consent = await browser.submit('Continue');
    browser.show(settings);
    await browser.submit('Sign out');
    browser.show(consent);

    const page = await act(browser, consent);

    expect(page.status).toBe(400);
    expect(page.text).toContain('You have signed out');
    await browser.submit('Sign in again');
    await signIn(browser, anna);
    await browser.submit('Allow');
    expect(await ownerOf(deviceCode)).toBe(anna.accountId);
  });

  it('sees that their session was ended, at the consent page and at the sign-in', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = await openSettings(service, anna, '/settings/apps');
    await browser.open(`/oauth/device?user_code=${userCode}`);
    await browser.submit('Continue');
    await revokeAccess(service.database, anna.accountId);

    const page = await browser.submit('Allow');

    expect(page.status).toBe(400);
    expect(page.text).toContain('You were signed out');
    expect(page.text).not.toMatch(/too long|another browser|new code/);
    expect(page.markup).toContain('href="/oauth/device"');
    // The code was not lost over it.
    await browser.open(`/oauth/device?user_code=${userCode}`);
    expect((await browser.submit('Continue')).text).toContain('Sign in');
  });

  it('sees that a page of another browser is invalid here, and the next step', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = await openSettings(service, anna, '/settings/apps');
    await browser.open(`/oauth/device?user_code=${userCode}`);
    const { url } = await browser.submit('Continue');

    const page = await new TestBrowser(service.baseUrl).open(url);

    expect(page.status).toBe(400);
    expect(page.text).toContain('start again there');
  });
});

describe('a user without a workspace', () => {
  let workspaceId: string;

  const service = useService();
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
  });

  const atConsent = async (user: TestUser) => {
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    const browser = await openSettings(service, user, '/settings/apps');
    await browser.open(`/oauth/device?user_code=${userCode}`);
    await browser.submit('Continue');
    return { browser, deviceCode };
  };

  it('shows who can help and does not suggest a new code', async () => {
    const user = await addUser(service, {});
    const { browser } = await atConsent(user);
    const { page } = browser;

    expect(page.status).toBe(403);
    expect(page.text).toContain('does not belong to a workspace');
    expect(page.text).toContain('add this account');
    expect(page.text).toContain(user.username);
    expect(page.text).not.toContain('Get a new code');
  });

  it('continues with the same code after joining a workspace', async () => {
    const user = await addUser(service, {});
    const { browser, deviceCode } = await atConsent(user);
    await setMember(service.database, workspaceId, user.accountId, 'member');
    const address = /class="button" href="([^"]+)"/.exec(browser.page.markup)?.[1] ?? '';

    await browser.open(address);
    await browser.submit('Allow');

    expect((await poll(service.baseUrl, deviceCode)).status).toBe(200);
  });

  it('uses another account with the same code', async () => {
    const { browser, deviceCode } = await atConsent(await addUser(service, {}));
    const { username, password } = await addUser(service, { [workspaceId]: 'member' });

    await browser.submit('Use another account');
    await browser.submit('Sign in', { username, password });
    await browser.submit('Allow');

    expect((await poll(service.baseUrl, deviceCode)).status).toBe(200);
  });

  it('can deny, and the app receives the reason', async () => {
    const { browser, deviceCode } = await atConsent(await addUser(service, {}));
    const { url } = browser.page;

    const last = await browser.submit('Do not connect');

    expect(last.text).toContain('Once you have been added to a workspace');
    expect((await browser.open(url)).text).toBe(last.text);
    expect((await poll(service.baseUrl, deviceCode)).body).toEqual({
      error: 'access_denied',
      error_description: 'the user has no workspace for this app',
    });
  });

  it('gets a plain denial after leaving the workspace', async () => {
    const user = await addUser(service, { [workspaceId]: 'member' });
    const { browser, deviceCode } = await atConsent(user);

    expect((await browser.submit('Deny')).text).toContain('Access denied');
    await removeMember(service.database, workspaceId, user.accountId);

    const { body } = await poll(service.baseUrl, deviceCode);
    expect(body['error_description']).toBe('the user denied the request');
  });

  it('returns to a workspace’s app through the confirmation page', async () => {
    const owner = await addUser(service, { [workspaceId]: 'owner' });
    const redirectUris = 'https://print.example/callback';
    const { clientId } = await registerApplication(
      await openSettings(service, owner),
      workspaceId,
      {
        kind: 'confidential',
        redirectUris,
      },
    );
    const outsider = await addUser(service, {});
    const browser = await openSettings(service, outsider, '/settings/apps');
    const page = await browser.open(
      authorizePath(makePkce(), { client_id: clientId, redirect_uri: redirectUris }),
    );
    expect(page.text).toContain('a workspace that you are not a member of');

    const leaving = await browser.submit('Do not connect');

    expect(leaving.text).toContain('Leave Creative Workspace?');
    expect(leaving.markup).toContain('error=access_denied');
  });
});
