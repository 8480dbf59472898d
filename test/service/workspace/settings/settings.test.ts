import { beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser } from '../../support/browser-client.js';
import { listUploads, refresh } from '../../support/oauth-client.js';
import { allowRequest, authorizePath, exchangeCode, makePkce } from '../../support/code-flow.js';
import { addUser, elementText, openSettings } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { create } from '../../support/tus-client.js';
import { addWorkspaceFixture } from '../../support/workspace-fixture.js';
import { useService } from '../../support/use-service.js';

describe('Settings', () => {
  let workspaceId: string;
  let owner: TestUser;
  let member: TestUser;
  let clock = Date.now();

  const service = useService({ now: () => new Date(clock) });
  beforeAll(async () => {
    ({ workspaceId, owner, member } = await addWorkspaceFixture(service));
  });

  const status = async (token: string): Promise<number> =>
    (await listUploads(service.baseUrl, token)).status;

  describe('the sign-in', () => {
    it('precedes every page and then redirects to it', async () => {
      const browser = new TestBrowser(service.baseUrl);
      const page = await browser.open('/settings/developer');
      expect(new URL(page.url).pathname).toBe('/settings/sign-in');

      const next = await browser.submit('Sign in', {
        username: owner.username,
        password: owner.password,
      });

      expect(new URL(next.url).pathname).toBe('/settings/developer');
    });

    it.each(['https://evil.example', '//evil.example', '/settings//evil', '/oauth/device'])(
      'does not redirect to %s',
      async (to) => {
        const browser = new TestBrowser(service.baseUrl);
        await browser.open(`/settings/sign-in?to=${encodeURIComponent(to)}`);

        const { username, password } = owner;
        const page = await browser.submit('Sign in', { username, password });

        expect(page.url.replace(service.baseUrl, '')).toMatch(/^(\/photos|\/settings\/\/evil)$/);
      },
    );

    it('refuses a wrong password and a foreign form', async () => {
      const browser = new TestBrowser(service.baseUrl);
      await browser.open('/settings');
      const { username, password } = owner;

      const wrong = await browser.submit('Sign in', { username, password: 'wrong' });
      expect(wrong.status).toBe(401);
      expect(wrong.text).toContain('Wrong username or password');
      const forged = await browser.submit('Sign in', { username, password, csrf: 'forged' });
      expect(forged.status).toBe(403);
    });

    it('is also valid for connecting apps, and ends with Sign out', async () => {
      const browser = await openSettings(service, owner);
      const consent = await browser.open(authorizePath(makePkce()));
      expect(consent.text).toContain('Connect Creative Workspace desktop?');

      await browser.open('/settings');
      const out = await browser.submit('Sign out');

      expect(new URL(out.url).pathname).toBe('/settings/sign-in');
      expect((await browser.open('/settings/apps')).url).toContain('/settings/sign-in');
    });

    it('shows the menu, and Settings and Sign out under the account, on every page', async () => {
      const browser = await openSettings(service, owner, '/photos');
      const menus = ({ markup }: { markup: string }): string[] =>
        [...markup.matchAll(/<nav [\s\S]*?<\/nav>/g)].map(([nav]) =>
          [...nav.matchAll(/<a ([^>]*)>([^<]*)</g)]
            .map(
              ([, attributes = '', label = '']) =>
                label + (/aria-current="(\w+)"/.exec(attributes)?.[1]?.replace(/^/, ' ') ?? ''),
            )
            .join(', '),
        );
      expect(menus(browser.page)).toEqual(['Files page, Projects, Links, Trash']);
      expect(browser.page.text).toContain('Settings Connected apps Sign out');
      const users = await browser.open('/settings/people');
      expect(menus(users)).toEqual([
        'Files, Projects, Links, Trash',
        'Account, People page, Connected apps, Security, Activity, Developer',
      ]);
      expect(users.text).toContain('Sign out');
    });

    it('changes the session identifier at sign-in', async () => {
      const browser = new TestBrowser(service.baseUrl);
      await browser.open('/settings');
      const before = browser.cookie('cws_session');

      await browser.submit('Sign in', { username: owner.username, password: owner.password });

      expect(browser.cookie('cws_session')).not.toBe(before);
      const thief = await fetch(`${service.baseUrl}/settings/apps`, {
        headers: { cookie: `cws_session=${before}` },
        redirect: 'manual',
      });
      expect(thief.status).toBe(303);
    });
  });

  describe('Connected apps', () => {
    it('lists app, workspace, scopes and last use, and ends the access at once', async () => {
      const user = await addUser(service, { [workspaceId]: 'member' });
      const pkce = makePkce();
      const browser = new TestBrowser(service.baseUrl);
      const redirect = await allowRequest(browser, authorizePath(pkce), user);
      const code = redirect.searchParams.get('code') ?? '';
      const { body } = await exchangeCode(service.baseUrl, code, pkce.verifier);
      const accessToken = String(body['access_token']);

      const unused = await browser.open('/settings/apps');
      expect(unused.text).toContain('Creative Workspace desktop Workspace: North Studio');
      expect(unused.text).toContain('Upload files');
      expect(unused.text).toContain('not used yet');
      await status(accessToken);
      expect((await browser.open('/settings/apps')).text).toMatch(
        /last used [A-Z][a-z]{2} \d{1,2}, \d{4}, \d{2}:\d{2} UTC/,
      );

      const after = await browser.submit('Disconnect');

      expect(after.text).toContain('App disconnected');
      expect(after.text).toContain('No app is connected');
      expect(await status(accessToken)).toBe(401);
      const again = await refresh(service.baseUrl, String(body['refresh_token']));
      expect(again.body['error']).toBe('invalid_grant');
    });

    it('does not disconnect apps of another user', async () => {
      const pkce = makePkce();
      const path = authorizePath(pkce);
      const redirect = await allowRequest(new TestBrowser(service.baseUrl), path, member);
      const code = redirect.searchParams.get('code') ?? '';
      const { body } = await exchangeCode(service.baseUrl, code, pkce.verifier);
      const [row] = await service.database.query<{ grant_id: string }>(
        'SELECT grant_id FROM consents WHERE account_id = $1',
        [member.accountId],
      );
      const other = new TestBrowser(service.baseUrl);
      await allowRequest(other, authorizePath(makePkce()), owner);
      await other.open('/settings/apps');

      await other.submit('Disconnect', { grant_id: row?.grant_id ?? '' });

      expect(await status(String(body['access_token']))).toBe(200);
    });
  });

  describe('personal access tokens', () => {
    const make = async (browser: TestBrowser, values: Record<string, string> = {}) => {
      await browser.open('/settings/developer/tokens/new');
      return browser.submit('Create token', {
        name: 'Backup script',
        scope: 'uploads:read',
        days: '7',
        ...values,
      });
    };

    it('are shown once, stored hashed, and work on the data API within scope and workspace', async () => {
      const browser = await openSettings(service, member);

      const page = await make(browser);

      const token = elementText(page, 'secret');
      expect(token).toMatch(/^svc_pat_[\w-]{43}$/);
      expect(await status(token)).toBe(200);
      expect((await create(service.baseUrl, token, { length: 1 })).status).toBe(403);
      const list = await browser.open('/settings/developer');
      expect(list.text).toContain('Backup script Workspace: North Studio');
      expect(list.text).toMatch(/last used [A-Z][a-z]{2} \d{1,2}, \d{4}, \d{2}:\d{2} UTC/);
      expect(list.markup).not.toContain(token);
      const rows = await service.database.query('SELECT * FROM personal_access_tokens');
      expect(JSON.stringify(rows)).not.toContain(token.slice(8));
      expect(JSON.stringify(service.logLines)).not.toContain('svc_pat_');
    });

    it('end when they are revoked, and when they expire', async () => {
      const browser = await openSettings(
        service,
        await addUser(service, { [workspaceId]: 'member' }),
      );
      const revoked = elementText(await make(browser), 'secret');
      await browser.open('/settings/developer');
      expect((await browser.submit('Revoke')).text).toContain('Token revoked');
      expect(await status(revoked)).toBe(401);

      const token = elementText(await make(browser), 'secret');
      expect(await status(token)).toBe(200);
      clock += 7 * 24 * 3600_000;
      expect(await status(token)).toBe(401);
    });

    it('are refused at the OAuth endpoints', async () => {
      const token = elementText(await make(await openSettings(service, member)), 'secret');

      const answer = await refresh(service.baseUrl, token);

      expect(answer.status).toBe(400);
      expect(answer.body['error']).toBe('invalid_grant');
    });

    it.each([
      ['no name', { name: '' }, 'Give the token another name'],
      ['no scope', { scope: '' }, 'Choose what the token can do'],
      ['a life without end', { days: '99999' }, 'Choose when the token expires'],
      ['a foreign workspace', { workspace: 'x' }, 'Choose a workspace'],
    ])('are not created with %s', async (_name, values, words) => {
      const page = await make(await openSettings(service, member), values);

      expect(page.status).toBe(400);
      expect(page.text).toContain(words);
    });
  });

  it('refuse a form without its anti-forgery token, and one of another session', async () => {
    const browser = await openSettings(service, owner, '/settings/developer/tokens/new');
    const other = await openSettings(service, member, '/settings/developer/tokens/new');
    const values = { name: 'x', scope: 'uploads:read' };

    for (const csrf of ['', other.page.form?.fields['csrf'] ?? '']) {
      await browser.open('/settings/developer/tokens/new');
      const page = await browser.submit('Create token', { ...values, csrf });
      expect(page.status).toBe(403);
    }
  });

  it('refuse a form from another site', async () => {
    const answer = await fetch(`${service.baseUrl}/settings/apps`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams({ grant_id: 'x' }),
    });

    expect(answer.status).toBe(403);
  });
});
