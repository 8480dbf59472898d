import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestBrowser } from '../support/browser-client.js';
import type { SignIn } from '../support/browser-client.js';
import { poll, startDevice } from '../support/oauth-client.js';
import { allowRequest, authorizePath, exchangeCode, makePkce } from '../support/code-flow.js';
import { addUser, addWorkspace, openSettings } from '../support/users.js';
import type { TestUser } from '../support/users.js';
import { useService } from '../support/use-service.js';

const DECISIONS = ['Allow', 'Deny'] as const;

describe('concurrent decisions on one code', () => {
  let anna: TestUser;
  let bert: TestUser;

  const service = useService();
  beforeAll(async () => {
    const workspaceId = await addWorkspace(service, 'North Studio');
    anna = await addUser(service, { [workspaceId]: 'member' });
    bert = await addUser(service, { [workspaceId]: 'member' });
  });
  beforeEach(() => service.database.query("DELETE FROM oidc_records WHERE kind <> 'Session'"));

  /** A browser at the consent page for this code. */
  const atConsent = async (
    userCode: string,
    user: SignIn,
    browser = new TestBrowser(service.baseUrl),
  ): Promise<TestBrowser> => {
    await browser.open(`/oauth/device?user_code=${userCode}`);
    const next = await browser.submit('Continue');
    const { username, password } = user;
    if (next.form !== undefined && 'password' in next.form.fields) {
      await browser.submit('Sign in', { username, password });
    }
    return browser;
  };
  /** The connections that a user sees, and the grants and consents in the database. */
  const connections = async (
    user: SignIn,
  ): Promise<{ seen: number; grants: number; consents: number }> => {
    const { page } = await openSettings(service, user, '/settings/apps');
    const count = async (sql: string): Promise<number> =>
      Number((await service.database.query<{ n: unknown }>(sql))[0]?.n);
    return {
      seen: new Set(page.forms.flatMap(({ fields }) => fields['grant_id'] ?? [])).size,
      grants: await count(`SELECT count(*) AS n FROM oidc_records WHERE kind = 'Grant'`),
      consents: await count(
        `SELECT count(*) AS n FROM consents JOIN oidc_records ON id = consents.grant_id AND kind = 'Grant'`,
      ),
    };
  };

  // @threat P9
  it.each(DECISIONS)(
    'leave one connection when a user allows in one tab and presses %s in another',
    async (second) => {
      const { userCode, deviceCode } = await startDevice(service.baseUrl);
      const browser = await atConsent(userCode, anna);
      const first = browser.page;
      await atConsent(userCode, anna, browser);
      const other = browser.page;

      browser.show(first);
      const allowed = await browser.submit('Allow');
      browser.show(other);
      const late = await browser.submit(second);

      expect(allowed.text).toContain('You are connected');
      expect(late.text).toContain('already been used');
      expect((await poll(service.baseUrl, deviceCode)).status).toBe(200);
      expect(await connections(anna)).toEqual({ seen: 1, grants: 1, consents: 1 });
    },
  );

  it('leave no connection when the user denied first in another tab', async () => {
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    const browser = await atConsent(userCode, anna);
    const first = browser.page;
    await atConsent(userCode, anna, browser);

    await browser.submit('Deny');
    browser.show(first);
    await browser.submit('Allow');

    expect((await poll(service.baseUrl, deviceCode)).body['error']).toBe('access_denied');
    expect(await connections(anna)).toEqual({ seen: 0, grants: 0, consents: 0 });
  });

  // @threat C10
  it('leave one connection with tokens when five users and tabs allow at once', async () => {
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    const users = [anna, bert, anna, bert, anna];
    const browsers: TestBrowser[] = [];
    for (const user of users) browsers.push(await atConsent(userCode, user));

    const pages = await Promise.all(browsers.map((browser) => browser.submit('Allow')));

    expect(pages.filter(({ status }) => status >= 500)).toEqual([]);
    expect(pages.filter(({ text }) => text.includes('You are connected'))).toHaveLength(1);
    expect(pages.filter(({ text }) => text.includes('already been used'))).toHaveLength(4);
    expect((await poll(service.baseUrl, deviceCode)).status).toBe(200);
    const [ofAnna, ofBert] = [await connections(anna), await connections(bert)];
    expect(ofAnna.seen + ofBert.seen).toBe(1);
    expect(ofAnna).toMatchObject({ grants: 1, consents: 1 });
    // The loser is still signed in and can continue.
    for (const browser of browsers) {
      expect((await browser.open('/settings/apps')).text).toContain('Connected apps');
    }
  });

  it('leave no rows when Allow comes after the code has expired', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = await atConsent(userCode, anna);
    await service.database.query(
      `UPDATE oidc_records SET payload = jsonb_set(payload, '{exp}', '1000')
        WHERE user_code = $1`,
      [userCode.replace('-', '')],
    );

    const page = await browser.submit('Allow');

    expect(page.text).toContain('expired');
    expect(await connections(anna)).toEqual({ seen: 0, grants: 0, consents: 0 });
  });

  it('leave no rows when the code was deleted before Allow', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = await atConsent(userCode, anna);
    await service.database.query("DELETE FROM oidc_records WHERE kind = 'DeviceCode'");

    const page = await browser.submit('Allow');

    expect(page.status).toBe(400);
    expect(page.text).toContain('No app is waiting');
    expect(await connections(anna)).toEqual({ seen: 0, grants: 0, consents: 0 });
  });

  it('leave no rows when the user is removed from the workspace before the decision is stored', async () => {
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    const workspace = await addWorkspace(service, 'South Agency');
    const guest = await addUser(service, { [workspace]: 'member' });
    const browser = await atConsent(userCode, guest);
    await service.database.query('DELETE FROM workspace_members WHERE account_id = $1', [
      guest.accountId,
    ]);

    const page = await browser.submit('Allow');

    expect(page.status).toBe(403);
    expect((await poll(service.baseUrl, deviceCode)).body['error']).toBe('authorization_pending');
    expect(await connections(guest)).toEqual({ seen: 0, grants: 0, consents: 0 });
  });

  it('leave one connection when Allow is pressed in two tabs of the browser flow', async () => {
    const pkce = makePkce();
    const browser = new TestBrowser(service.baseUrl);
    await allowRequest(browser, authorizePath(pkce), anna);
    await service.database.query("DELETE FROM oidc_records WHERE kind = 'Grant'");
    await browser.open(authorizePath(pkce));
    const { page } = browser;

    const redirect = await browser.leaving(browser.submit('Allow'));
    browser.show(page);
    const again = await browser.submit('Allow');

    expect(again.status).toBe(400);
    const code = redirect.searchParams.get('code') ?? '';
    expect((await exchangeCode(service.baseUrl, code, pkce.verifier)).status).toBe(200);
    expect(await connections(anna)).toEqual({ seen: 1, grants: 1, consents: 1 });
  });

  it('are not listed as connections once they are void', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = await atConsent(userCode, anna);
    await browser.submit('Allow');
    // The app may still fetch its tokens, so the user must be able to end this.
    expect((await connections(anna)).seen).toBe(1);

    await service.database.query(
      `UPDATE oidc_records SET expires_at = now() - interval '1 second' WHERE kind = 'DeviceCode'`,
    );

    expect((await connections(anna)).seen).toBe(0);
  });
});
