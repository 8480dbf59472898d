import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser } from '../support/browser-client.js';
import type { Page } from '../support/browser-client.js';
import { listUploads, poll, startDevice } from '../support/oauth-client.js';
import { authorizePath, makePkce } from '../support/code-flow.js';
import {
  addPerson,
  addWorkspace,
  elementText,
  openSettings,
  registerApplication,
} from '../support/users.js';
import type { Person } from '../support/users.js';
import { useService } from '../support/use-service.js';

describe('a button that is pressed twice', () => {
  let studio: string;
  let person: Person;

  const service = useService();
  beforeAll(async () => {
    studio = await addWorkspace(service, 'North Studio');
    person = await addPerson(service, { [studio]: 'owner' });
  });
  afterEach(() => {
    // None of it causes a server error.
    expect(service.logLines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  const credentials = () => ({ username: person.username, password: person.password });
  /** Presses a button of the page three times at once, as an impatient hand does. */
  const pressed = (
    browser: TestBrowser,
    label: string,
    values: Readonly<Record<string, string>> = {},
  ): Promise<Page[]> => Promise.all([1, 2, 3].map(() => browser.submit(label, values)));
  const texts = (pages: readonly Page[]): string[] =>
    pages.map(({ status, text }) => `${status} ${text}`);

  it('signs in to Settings', async () => {
    const browser = new TestBrowser(service.baseUrl);
    await browser.open('/settings/apps');

    const pages = await pressed(browser, 'Sign in', credentials());

    for (const text of texts(pages)) expect(text).toMatch(/^200 .*Apps that you, Person/);
    expect((await browser.open('/settings/developer')).text).toContain('OAuth applications');
  });

  it('signs in once more, over somebody who is signed in', async () => {
    const browser = await openSettings(service, service.demo, '/settings/apps');
    await browser.open('/settings/sign-in');

    const pages = await pressed(browser, 'Sign in', credentials());

    for (const text of texts(pages)) expect(text).toMatch(/^200 .*No photos yet/);
  });

  it('leads on or says how to go on, with a code: Continue, Sign in, Allow', async () => {
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    await browser.open('/oauth/device');

    const entered = await pressed(browser, 'Continue', { user_code: userCode });
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

  it('knows the person whose second press comes after the first has taken the cookie away', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    await browser.open('/oauth/device');
    await browser.submit('Continue', { user_code: userCode });
    const address = await browser.redirectOf(() => browser.submit('Sign in', credentials()));
    await browser.open(address);

    expect((await browser.open(address)).text).toContain('You are signed in');
    const another = await openSettings(service, service.demo, '/settings/apps');
    expect((await another.open(address)).text).not.toContain('signed in');
  });

  it('says the same of Deny', async () => {
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    const browser = await openSettings(service, person, '/settings/apps');
    await browser.open('/oauth/device');
    await browser.submit('Continue', { user_code: userCode });

    const denied = await pressed(browser, 'Deny');

    for (const text of texts(denied)) expect(text).toMatch(/^200 .*Not connected/);
    expect((await poll(service.baseUrl, deviceCode)).body['error']).toBe('access_denied');
  });

  it('shows the outcome again to who goes back after Allow', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = await openSettings(service, person, '/settings/apps');
    await browser.open('/oauth/device');
    const consent = await browser.submit('Continue', { user_code: userCode });
    await browser.submit('Allow');

    const back = await browser.open(consent.url);
    expect(back.text).toContain('You are connected');
    expect(back.text).toContain('Creative Workspace plugin');
    const stranger = await new TestBrowser(service.baseUrl).open(consent.url);
    expect(stranger.status).toBe(400);
    expect(stranger.text).not.toContain('connected');
  });

  it('sends one answer to an app that asked in the browser, and says so at the second', async () => {
    const browser = await openSettings(service, person, '/settings/apps');
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

  it('ends a connection, and is content that it has ended', async () => {
    await service.connect();
    const browser = await openSettings(service, service.demo, '/settings/apps');

    const pages = await pressed(browser, 'Disconnect');

    for (const text of texts(pages)) expect(text).toMatch(/^200 .*App disconnected/);
  });

  it('makes tokens and applications of which each one that is shown works', async () => {
    const browser = await openSettings(service, person, '/settings/developer/tokens/new');
    const made = await pressed(browser, 'Create token', {
      name: 'Twice',
      workspace: studio,
      scope: 'uploads:read',
    });
    for (const page of made) {
      expect(page.status).toBe(201);
      const token = elementText(page, 'secret');
      expect((await listUploads(service.baseUrl, token)).status).toBe(200);
    }

    await browser.open(`/settings/developer/applications/new?workspace=${studio}`);
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

  it('deletes an application, and is content that it is gone', async () => {
    const browser = await openSettings(service, person);
    const { clientId } = await registerApplication(browser, studio, {
      kind: 'confidential',
      redirectUris: 'https://print.example/callback',
    });
    await browser.open(`/settings/developer/applications/${clientId}`);

    const pages = await pressed(browser, 'Delete application', { confirm: 'yes' });

    for (const text of texts(pages)) {
      expect(text).toMatch(/^200 .*Application deleted|^404 .*Page not found/);
    }
  });

  it('signs out', async () => {
    const browser = await openSettings(service, person);

    const pages = await pressed(browser, 'Sign out');

    for (const text of texts(pages)) expect(text).toMatch(/^200 .*Sign in/);
    expect((await browser.open('/settings/apps')).text).toContain('Sign in');
  });
});

describe('a session that ends meanwhile', () => {
  const service = useService();

  const endSessions = () =>
    service.database.query("DELETE FROM oidc_records WHERE kind = 'Session'");

  it('leads to the sign-in from every page of Settings, without doing what was asked', async () => {
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
    'leads on from the consent page to the sign-in for the same code, at %s',
    async (decision) => {
      const { userCode, deviceCode } = await startDevice(service.baseUrl);
      const browser = await openSettings(service, service.demo, '/settings/apps');
      await browser.open('/oauth/device');
      await browser.submit('Continue', { user_code: userCode });
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

  it('lets a person sign in whose form was open for long', async () => {
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

  it('is not brought back by a request that began before Sign out', async () => {
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

  it('is stored for nobody who only looks', async () => {
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
    await guesser.open('/oauth/device');
    await guesser.submit('Continue', { user_code: userCode });
    await guesser.open(authorizePath(makePkce()));

    expect(
      await service.database.query("SELECT payload FROM oidc_records WHERE kind = 'Session'"),
    ).toEqual([]);
  });
});
