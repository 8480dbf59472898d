import { beforeAll, describe, expect, it } from '@jest/globals';
import { approveDevice, TestBrowser } from '../support/browser-client.js';
import { poll, startDevice } from '../support/oauth-client.js';
import { addUser, addWorkspace, type TestUser } from '../support/users.js';
import { useService } from '../support/use-service.js';

const CHOICE = 'prompt=select_account';
const FIRST = 'Ada North';
const SECOND = 'Ben South';

describe('the account choice of the device page', () => {
  const service = useService();
  let first: TestUser;
  let second: TestUser;

  beforeAll(async () => {
    const workspace = await addWorkspace(service, 'North Studio');
    first = await addUser(service, { [workspace]: 'owner' }, { displayName: FIRST });
    second = await addUser(service, { [workspace]: 'member' }, { displayName: SECOND });
  });

  /** A browser in which a person is signed in. */
  const signedIn = async (user: TestUser): Promise<TestBrowser> => {
    const browser = new TestBrowser(service.baseUrl);
    const { userCode } = await startDevice(service.baseUrl);
    await approveDevice(service.baseUrl, userCode, user, browser);
    return browser;
  };
  const labels = ({ page }: TestBrowser): string[] =>
    page.forms.flatMap(({ buttons }) => buttons.map(({ label }) => label));
  const isConnectedAs = async (deviceCode: string, { username }: TestUser): Promise<boolean> => {
    const { body } = await poll(service.baseUrl, deviceCode);
    const headers = { authorization: `Bearer ${String(body['access_token'])}` };
    const me = await fetch(`${service.baseUrl}/api/v1/me`, { headers });
    return JSON.stringify(await me.json()).includes(`"username":"${username}"`);
  };

  it('offers the signed-in account and another one, and continues with the signed-in one', async () => {
    const browser = await signedIn(first);
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    await browser.open(`/oauth/device?user_code=${userCode}&${CHOICE}`);

    await browser.submit('Continue');

    expect(browser.page.text).toContain('Which account?');
    expect(labels(browser).slice(0, 2)).toEqual([`Continue as ${FIRST}`, 'Use another account']);
    expect(browser.page.markup).not.toContain('<script');
    await browser.submit(`Continue as ${FIRST}`);
    expect(labels(browser)).toContain('Allow');
    await browser.submit('Allow');
    expect(await isConnectedAs(deviceCode, first)).toBe(true);
  });

  it('leads to the sign-in and then to the consent of the other account', async () => {
    const browser = await signedIn(first);
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    await browser.open(`/oauth/device?user_code=${userCode}&${CHOICE}`);
    await browser.submit('Continue');

    await browser.submit('Use another account');

    expect(labels(browser)).toContain('Sign in');
    await browser.submit('Sign in', { username: second.username, password: second.password });
    expect(browser.page.text).toContain(`Signed in as ${SECOND}`);
    await browser.submit('Allow');
    expect(await isConnectedAs(deviceCode, second)).toBe(true);
  });

  it('goes straight to the sign-in in a browser that is not signed in', async () => {
    const browser = new TestBrowser(service.baseUrl);
    const { userCode } = await startDevice(service.baseUrl);
    await browser.open(`/oauth/device?user_code=${userCode}&${CHOICE}`);
    await browser.submit('Continue');
    expect(labels(browser)).toContain('Sign in');

    await browser.submit('Sign in', { username: first.username, password: first.password });

    expect(labels(browser)).toContain('Allow');
  });

  it.each([
    ['a code that is typed', ''],
    ['a code after a wrong one in the address', '&user_code=nothing'],
  ])('is kept for %s', async (_what, query) => {
    const browser = await signedIn(first);
    const { userCode } = await startDevice(service.baseUrl);
    await browser.open(`/oauth/device?${CHOICE}${query}`);
    await browser.submit('Continue', { user_code: 'BCDF-GHJK' });

    await browser.submit('Continue', { user_code: userCode });

    expect(browser.page.text).toContain('Which account?');
  });

  it.each(['', '&prompt=login', '&prompt=Select_Account', `&${CHOICE}&${CHOICE}`])(
    'is not shown for the query %s',
    async (query) => {
      const browser = await signedIn(first);
      const { userCode } = await startDevice(service.baseUrl);
      await browser.open(`/oauth/device?user_code=${userCode}${query}`);

      await browser.submit('Continue');

      expect(labels(browser)).toContain('Allow');
    },
  );

  // @threat P5
  it('refuses a forged answer and keeps the session', async () => {
    const browser = await signedIn(first);
    const { userCode } = await startDevice(service.baseUrl);
    await browser.open(`/oauth/device?user_code=${userCode}&${CHOICE}`);
    await browser.submit('Continue');
    const { url } = browser.page;

    expect((await browser.submit('Use another account', { csrf: 'forged' })).status).toBe(403);

    expect((await browser.open(url)).text).toContain(`Continue as ${FIRST}`);
  });
});
