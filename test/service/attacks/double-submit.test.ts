import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser } from '../support/browser-client.js';
import type { Page } from '../support/browser-client.js';
import { listUploads, poll, startDevice } from '../support/oauth-client.js';
import { authorizePath, makePkce } from '../support/code-flow.js';
import {
  addUser,
  addWorkspace,
  elementText,
  openSettings,
  registerApplication,
} from '../support/users.js';
import type { TestUser } from '../support/users.js';
import { useService } from '../support/use-service.js';

describe('a button that is pressed twice', () => {
  let workspaceId: string;
  let user: TestUser;

  const service = useService();
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    user = await addUser(service, { [workspaceId]: 'owner' });
  });
  afterEach(() => {
    // None of it causes a server error.
    expect(service.logLines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  const credentials = () => ({ username: user.username, password: user.password });
  /** Presses a button of the page three times at once, as an impatient hand does. */
  const pressed = (
    browser: TestBrowser,
    label: string,
    values: Readonly<Record<string, string>> = {},
  ): Promise<Page[]> => Promise.all([1, 2, 3].map(() => browser.submit(label, values)));
  const texts = (pages: readonly Page[]): string[] =>
    pages.map(({ status, text }) => `${status} ${text}`);

  it('signs in to Settings when Sign in is pressed twice', async () => {
    const browser = new TestBrowser(service.baseUrl);
    await browser.open('/settings/apps');

    const pages = await pressed(browser, 'Sign in', credentials());

    for (const text of texts(pages)) expect(text).toMatch(/^200 .*Apps that you, Person/);
    expect((await browser.open('/settings/developer')).text).toContain('OAuth applications');
  });

  it('replaces the signed-in user when Sign in is pressed twice', async () => {
    const browser = await openSettings(service, service.demo, '/settings/apps');
    await browser.open('/settings/sign-in');

    const pages = await pressed(browser, 'Sign in', credentials());

    for (const text of texts(pages)) expect(text).toMatch(/^200 .*No files yet/);
  });

  it('continues or explains the next step for a repeated Continue, Sign in and Allow', async () => {
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    await browser.open(`/oauth/device?user_code=${userCode}`);

    const entered = await pressed(browser, 'Continue', {});
    for (const text of texts(entered)) expect(text).toMatch(/^200 .*Sign in/);
    const signedIn = await pressed(browser, 'Sign in', credentials());
    for (const text of texts(signedIn)) {
      expect(text).toMatch(/^200 .*Connect Creative Workspace plugin\?|^400 .*You are signed in/);
    }
    const atConsent =
      signedIn.find(({ text }) => text.includes('Connect Creative')) ?? browser.page;
    browser.show(atConsent);
    const allowed = await pressed(browser, 'Allow');

    for (const text of texts(allowed)) expect(text).toMatch(/^200 .*You are connected/);
    expect((await poll(service.baseUrl, deviceCode)).status).toBe(200);
  });

  it('recognizes the user whose second press comes after the cookie was removed', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    await browser.open(`/oauth/device?user_code=${userCode}`);
    await browser.submit('Continue');
    const address = await browser.redirectOf(() => browser.submit('Sign in', credentials()));
    await browser.open(address);

    expect((await browser.open(address)).text).toContain('You are signed in');
    const another = await openSettings(service, service.demo, '/settings/apps');
    expect((await another.open(address)).text).not.toContain('signed in');
  });

  it('shows the same outcome for a repeated Deny', async () => {
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    const browser = await openSettings(service, user, '/settings/apps');
    await browser.open(`/oauth/device?user_code=${userCode}`);
    await browser.submit('Continue');

    const denied = await pressed(browser, 'Deny');

    for (const text of texts(denied)) expect(text).toMatch(/^200 .*Not connected/);
    expect((await poll(service.baseUrl, deviceCode)).body['error']).toBe('access_denied');
  });

  it('shows the outcome again after the back button', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = await openSettings(service, user, '/settings/apps');
    await browser.open(`/oauth/device?user_code=${userCode}`);
    const consent = await browser.submit('Continue');
    await browser.submit('Allow');

    const back = await browser.open(consent.url);
    expect(back.text).toContain('You are connected');
    expect(back.text).toContain('Creative Workspace plugin');
    const outsider = await new TestBrowser(service.baseUrl).open(consent.url);
    expect(outsider.status).toBe(400);
    expect(outsider.text).not.toContain('connected');
  });

  it('sends one answer to a browser-flow app and reports it on the second press', async () => {
    const browser = await openSettings(service, user, '/settings/apps');
    await browser.open(authorizePath(makePkce()));

    const [first, second] = await Promise.allSettled([
      browser.submit('Allow'),
      browser.submit('Allow'),
    ]);

    const left = [first, second].filter(({ status }) => status === 'rejected');
    const stayed = [first, second].flatMap((one) =>
      one.status === 'fulfilled' ? [one.value] : [],
    );
    expect(left.length).toBeGreaterThan(0);
    for (const text of texts(stayed)) expect(text).toMatch(/^400 .*already answered/);
  });

  it('accepts a second request to end the same connection', async () => {
    await service.connect();
    const browser = await openSettings(service, service.demo, '/settings/apps');

    const pages = await pressed(browser, 'Disconnect');

    for (const text of texts(pages)) expect(text).toMatch(/^200 .*App disconnected/);
  });

  it('creates only working tokens and applications on repeated presses', async () => {
    const browser = await openSettings(service, user, '/settings/developer/tokens/new');
    const made = await pressed(browser, 'Create token', {
      name: 'Twice',
      workspace: workspaceId,
      scope: 'uploads:read',
    });
    for (const page of made) {
      expect(page.status).toBe(201);
      const token = elementText(page, 'secret');
      expect((await listUploads(service.baseUrl, token)).status).toBe(200);
    }

    await browser.open(`/settings/developer/applications/new?workspace=${workspaceId}`);
    const registered = await pressed(browser, 'Create application', {
      name: 'Twice',
      kind: 'confidential',
      redirect_uris: 'https://print.example/callback',
      scope: 'uploads:write',
    });
    expect(registered.map(({ status }) => status)).toEqual([201, 201, 201]);

    await browser.open('/settings/developer');
    const revoked = await pressed(browser, 'Revoke');
    for (const text of texts(revoked)) expect(text).toMatch(/^200 .*Token revoked/);
  });

  it('accepts a second request to delete the same application', async () => {
    const browser = await openSettings(service, user);
    const { clientId } = await registerApplication(browser, workspaceId, {
      kind: 'confidential',
      redirectUris: 'https://print.example/callback',
    });
    await browser.open(`/settings/developer/applications/${clientId}`);

    const pages = await pressed(browser, 'Delete application', { confirm: 'yes' });

    for (const text of texts(pages)) {
      expect(text).toMatch(/^200 .*Application deleted|^404 .*Page not found/);
    }
  });

  it('signs out on repeated presses', async () => {
    const browser = await openSettings(service, user);

    const pages = await pressed(browser, 'Sign out');

    for (const text of texts(pages)) expect(text).toMatch(/^200 .*Sign in/);
    expect((await browser.open('/settings/apps')).text).toContain('Sign in');
  });
});

describe('a session that ends while a page is open', () => {
  const service = useService();

  const endSessions = () =>
    service.database.query("DELETE FROM oidc_records WHERE kind = 'Session'");

  it('redirects every form of Settings to the sign-in without applying it', async () => {
    await service.connect();
    const browser = await openSettings(service, service.demo, '/settings/apps');
    await endSessions();

    const page = await browser.submit('Disconnect');

    expect(page.status).toBe(403);
    expect(page.text).toContain('Nothing was changed');
    expect(page.markup).toContain('href="/settings"');
    const again = await openSettings(service, service.demo, '/settings/apps');
    expect(again.page.text).toContain('Creative Workspace plugin');
  });

  it.each(['Allow', 'Deny'])(
    'redirects from the consent page to the sign-in for the same code, at %s',
    async (decision) => {
      const { userCode, deviceCode } = await startDevice(service.baseUrl);
      const browser = await openSettings(service, service.demo, '/settings/apps');
      await browser.open(`/oauth/device?user_code=${userCode}`);
      await browser.submit('Continue');
      await endSessions();

      const page = await browser.submit(decision);

      expect(page.status).toBe(400);
      expect(page.text).toContain('You have signed out');
      expect((await poll(service.baseUrl, deviceCode)).body['error']).toBe('authorization_pending');
      await browser.submit('Sign in again');
      await browser.submit('Sign in', {
        username: service.demo.username,
        password: service.demo.password,
      });
      await browser.submit('Allow');
      expect((await poll(service.baseUrl, deviceCode)).status).toBe(200);
    },
  );

  it('accepts a sign-in form that was open for long', async () => {
    const browser = new TestBrowser(service.baseUrl);
    const old = await browser.open('/settings/apps');
    const later = new TestBrowser(service.baseUrl);
    later.show(old);
    const { username, password } = service.demo;

    const refused = await later.submit('Sign in', { username, password });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('Sign in again');
    const page = await later.submit('Sign in', { username, password });

    expect(page.text).toContain('Connected apps');
  });

  it('does not restore a session by a request that began before Sign out', async () => {
    const browser = await openSettings(service, service.demo, '/settings/apps');
    const rows = () =>
      service.database.query(
        "SELECT id FROM oidc_records WHERE kind = 'Session' AND consumed_at IS NULL",
      );
    const before = (await rows()).length;

    await Promise.all([
      browser.submit('Sign out'),
      ...Array.from({ length: 5 }, () => browser.open('/oauth/device?user_code=BCDF-GHJK')),
    ]);

    expect(await rows()).toHaveLength(before - 1);
  });

  it('stores no session for a browser that only reads pages', async () => {
    await endSessions();
    for (const path of [
      '/settings',
      '/settings/sign-in',
      '/oauth/device',
      '/oauth/device?user_code=BCDF-GHJK',
    ]) {
      const browser = new TestBrowser(service.baseUrl);
      await browser.open(path);
      await browser.open(path);
    }
    const guesser = new TestBrowser(service.baseUrl);
    await guesser.open('/oauth/device');
    await guesser.submit('Continue', { user_code: 'BCDF-GHJK' });
    await guesser.submit('Continue', { xsrf: 'forged' });
    const { userCode } = await startDevice(service.baseUrl);
    await guesser.open(`/oauth/device?user_code=${userCode}`);
    await guesser.submit('Continue');
    await guesser.open(authorizePath(makePkce()));

    expect(
      await service.database.query("SELECT payload FROM oidc_records WHERE kind = 'Session'"),
    ).toEqual([]);
  });
});
