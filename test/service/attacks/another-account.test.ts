import { beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser } from '../support/browser-client.js';
import type { Page } from '../support/browser-client.js';
import { poll, startDevice } from '../support/oauth-client.js';
import { addUser, addWorkspace, openSettings } from '../support/users.js';
import type { TestUser } from '../support/users.js';
import { useService } from '../support/use-service.js';

describe('"Use another account" under attack', () => {
  let anna: TestUser;
  let mallory: TestUser;

  const service = useService();
  beforeAll(async () => {
    const workspaceId = await addWorkspace(service, 'North Studio');
    anna = await addUser(service, { [workspaceId]: 'member' });
    mallory = await addUser(service, { [workspaceId]: 'member' });
  });

  const atConsent = async (user: TestUser) => {
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    const browser = await openSettings(service, user, '/settings/apps');
    await browser.open(`/oauth/device?user_code=${userCode}`);
    const consent = await browser.submit('Continue');
    return { browser, consent, deviceCode };
  };
  const isSignedIn = async (browser: TestBrowser, user: TestUser): Promise<boolean> => {
    const browserUser = browser.copy();
    const { text } = await browserUser.open('/settings/apps');
    return text.includes(`Apps that you, Person ${user.username.split('-')[1] ?? ''}`);
  };
  const send = (
    browser: TestBrowser,
    page: Page,
    fields: Readonly<Record<string, string>>,
  ): Promise<Page> => {
    browser.show({ ...page, forms: [{ action: '', method: 'POST', fields, buttons: [FORGED] }] });
    return browser.submit(FORGED.label);
  };
  const FORGED = { label: 'Forged', name: '', value: '' };
  const isPending = async (deviceCode: string): Promise<boolean> => {
    const { error } = (await poll(service.baseUrl, deviceCode)).body;
    return error === 'authorization_pending' || error === 'slow_down';
  };

  it.each(['switch', 'again', 'deny', 'allow'])(
    'refuses a form without its token or with another page’s token: %s',
    async (decision) => {
      const { browser, consent, deviceCode } = await atConsent(anna);
      const other = await atConsent(mallory);

      for (const csrf of ['', 'x', other.consent.form?.fields['csrf'] ?? '']) {
        const page = await send(browser, consent, { csrf, decision });
        expect(page.status).toBe(403);
        expect(page.text).toContain('Nothing was sent');
      }

      expect(await isSignedIn(browser, anna)).toBe(true);
      expect(await isPending(deviceCode)).toBe(true);
    },
  );

  it('signs no user out by a GET request alone', async () => {
    const { browser, consent } = await atConsent(anna);

    await browser.open(`${consent.url}?decision=switch`);

    expect(await isSignedIn(browser, anna)).toBe(true);
  });

  it('invalidates the cookies that were set before the account switch', async () => {
    const { browser, consent, deviceCode } = await atConsent(anna);
    const thief = browser.copy();
    await browser.submit('Use another account');
    await browser.submit('Sign in', { username: mallory.username, password: mallory.password });

    thief.show(consent);
    for (const decision of ['allow', 'deny', 'again', 'switch']) {
      const csrf = consent.form?.fields['csrf'] ?? '';
      const page = await send(thief, consent, { csrf, decision });
      expect([decision, page.status]).toEqual([decision, 400]);
      expect(page.text).not.toContain(mallory.username);
    }

    expect(await isPending(deviceCode)).toBe(true);
    expect(await isSignedIn(thief, anna)).toBe(false);
    expect(await isSignedIn(thief, mallory)).toBe(false);
    expect((await browser.submit('Allow')).text).toContain('You are connected');
  });

  it('gives the next sign-in a new session identifier', async () => {
    const { browser } = await atConsent(anna);
    const before = browser.cookie('cws_session');
    await browser.submit('Use another account');
    const between = browser.cookie('cws_session');
    await browser.submit('Sign in', { username: mallory.username, password: mallory.password });

    expect(between).toBe('');
    expect(browser.cookie('cws_session')).not.toBe('');
    expect(browser.cookie('cws_session')).not.toBe(before);
  });

  it('is consistent when it races with Allow', async () => {
    const { browser, consent, deviceCode } = await atConsent(anna);

    const pages = await Promise.all([
      browser.submit('Use another account'),
      browser.copy().open(consent.url),
      (async () => {
        const tab = browser.copy();
        tab.show(consent);
        return tab.submit('Allow');
      })(),
    ]);

    // Whichever was first: either Anna connected, or nobody did.
    for (const { status } of pages) expect(status).toBeLessThan(500);
    const { status, body } = await poll(service.baseUrl, deviceCode);
    const isConnected = pages.some(({ text }) => text.includes('You are connected'));
    expect([status, isConnected ? undefined : body['error']]).toEqual(
      isConnected ? [200, undefined] : [400, 'authorization_pending'],
    );
    expect(await isSignedIn(browser, anna)).toBe(false);
  });

  it('answers a second press of "Use another account"', async () => {
    const { browser, deviceCode } = await atConsent(anna);

    const pages = await Promise.all([1, 2, 3].map(() => browser.submit('Use another account')));

    for (const { status, text } of pages) {
      expect(`${status} ${text}`).toMatch(
        /^200 .*Sign in to connect|^400 .*(You have signed out|already answered|Enter the code again)/,
      );
    }
    expect(await isPending(deviceCode)).toBe(true);
  });

  it('does not let an anonymous client fill the database', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    await browser.open(`/oauth/device?user_code=${userCode}`);
    const atSignIn = await browser.submit('Continue');
    const rows = async (): Promise<number> =>
      (await service.database.query("SELECT id FROM oidc_records WHERE kind = 'Interaction'"))
        .length;
    const before = await rows();
    const csrf = atSignIn.form?.fields['csrf'] ?? '';

    for (const decision of ['switch', 'again']) await send(browser, atSignIn, { csrf, decision });
    // Nor by the address that the browser comes back to after an answer.
    const back = await browser.open(atSignIn.url.replace('/interaction/', '/device/'));

    expect(await rows()).toBe(before);
    expect([back.url, back.status]).toEqual([atSignIn.url, 200]);
  });
});
