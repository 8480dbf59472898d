import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PersonalTokens } from '../../../service/identity/accounts/personal-access-tokens.js';
import { TOKEN_EVENTS } from '../../../service/workspace/settings/events.js';
import { addNotice } from '../../../service/identity/notices/notices.js';
import {
  startAssertingProvider,
  type AssertingProvider,
} from '../identity/company/asserting-provider.js';
import {
  assertedByCompany,
  enterProvider,
  linkToCompany,
} from '../identity/company/company-session.js';
import { invite, membersOf } from '../identity/pages/inviting.js';
import type { TestBrowser, Page } from '../support/browser-client.js';
import { authorizePath, exchangeCode, makePkce } from '../support/code-flow.js';
import { poll, startDevice, tokensOf } from '../support/oauth-client.js';
import { useService } from '../support/use-service.js';
import {
  addUser,
  addWorkspace,
  elementText,
  openSettings,
  registerApplication,
  type TestUser,
} from '../support/users.js';

/** Pages on which a user changes how they sign in, and what their forms send. */
const SIGN_IN_CHANGES: readonly (readonly [string, string, Record<string, string>])[] = [
  ['the name', '/settings/account', { action: 'name', display_name: 'Somebody else' }],
  [
    'the password',
    '/settings/account',
    { action: 'password', password: 'x', new_password: 'four words for me' },
  ],
  ['a first password', '/settings/account', { action: 'choose-password' }],
  ['the link of the own company', '/settings/account', { action: 'unlink', workspace: '{{own}}' }],
  [
    'the link of another company',
    '/settings/account',
    { action: 'unlink', workspace: '{{other}}' },
  ],
  ['the address', '/settings/account/email', { email: 'thief@studio.example', password: 'x' }],
  ['the removal of the address', '/settings/account/email', { action: 'remove', password: 'x' }],
  ['a passkey', '/settings/account/sign-in', { passkey: '{}', name: 'Thief' }],
  ['the removal of a passkey', '/settings/account/sign-in', { passkey_id: 'theirs' }],
  ['recovery codes', '/settings/account/sign-in', { action: 'codes' }],
  [
    'the removal of an authenticator app',
    '/settings/account/sign-in',
    { action: 'remove-authenticator' },
  ],
  ['an authenticator app', '/settings/account/sign-in/authenticator', { code: '000000' }],
];

// @threat U17
describe('a session that the provider of a company opened', () => {
  const service = useService({
    allowsPrivateAddresses: true,
    mail: { smtpUrl: 'smtp://127.0.0.1:1', from: 'studio@mail.example' },
  });
  let company: AssertingProvider;
  /** The workspace of the company. */
  let own: string;
  /** Another workspace of the user, who owns both. */
  let other: string;
  let user: TestUser;
  let admin: TestUser;
  /** The browser that the provider signed in. */
  let browser: TestBrowser;

  beforeAll(async () => {
    company = await startAssertingProvider();
  });
  afterAll(() => company.close());
  beforeEach(async () => {
    await service.database.query('DELETE FROM attempts');
    own = await addWorkspace(service, 'Company Studio');
    other = await addWorkspace(service, 'Private Studio');
    user = await addUser(service, { [own]: 'member', [other]: 'owner' });
    admin = await addUser(service, { [own]: 'owner' });
    await enterProvider(service, company, { owner: admin, workspaceId: own });
    await linkToCompany(service, own, user);
    browser = await assertedByCompany(service, company, own, user);
  });

  const post = async (path: string, fields: Record<string, string>): Promise<Response> => {
    await browser.open('/settings/developer');
    return fetch(service.baseUrl + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: browser.sessionCookie },
      body: new URLSearchParams({ csrf: browser.csrf, ...fields }),
    });
  };
  /** Everything about how the user signs in. */
  const signInOf = async (): Promise<unknown[]> => {
    const tables = [
      ['accounts', 'id'],
      ['passkeys', 'account_id'],
      ['totp_secrets', 'account_id'],
      ['recovery_codes', 'account_id'],
      ['email_confirmations', 'account_id'],
      ['password_resets', 'account_id'],
      ['account_identities', 'account_id'],
    ];
    return Promise.all(
      tables.map(([table = '', column = '']) =>
        service.database.query(
          `SELECT to_jsonb(t) - 'last_used_at' AS row FROM ${table} AS t WHERE ${column} = $1`,
          [user.accountId],
        ),
      ),
    );
  };
  const tokens = (): PersonalTokens => new PersonalTokens(service.database, () => new Date());
  const statusOf = async (token: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${service.baseUrl}/api/v1/me`, { headers })).status;
  };
  const createToken = async (workspace: string): Promise<string> => {
    await browser.open('/settings/developer/tokens/new');
    const { name, scope, days } = { name: 'Script', scope: 'uploads:read', days: '30' };
    const answer = await post('/settings/developer/tokens/new', { name, workspace, scope, days });
    return elementText({ markup: await answer.text() } as Page, 'secret');
  };
  const isSignedOut = async (): Promise<boolean> =>
    (await browser.open('/settings/developer')).form?.fields['password'] !== undefined;

  it.each(SIGN_IN_CHANGES)('changes no way of signing in: %s', async (_what, path, fields) => {
    const before = await signInOf();
    const filled: Record<string, string> = {};
    for (const [name, value] of Object.entries(fields)) {
      filled[name] = value.replace('{{own}}', own).replace('{{other}}', other);
    }

    const answer = await post(path, filled);

    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      expect.stringContaining('with=own'),
    ]);
    expect(await signInOf()).toEqual(before);
  });

  it.each([
    '/photos',
    '/projects',
    '/shares',
    '/settings/apps',
    '/settings/people',
    '/settings/developer',
    '/settings/developer/tokens/new',
    '/settings/account',
    '/settings/account/browsers',
    '/settings/account/activity',
  ])('shows nothing of the other workspace at %s', async (path) => {
    await tokens().create(user.accountId, {
      ...{ name: 'Private Studio script', workspaceId: other, days: 7, scopes: ['uploads:read'] },
    });
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    const wide = await openSettings(service, user);
    await wide.open(`/oauth/device?user_code=${encodeURIComponent(userCode)}`);
    await wide.submit('Continue');
    await wide.submit('Allow', { workspace: other });
    await poll(service.baseUrl, deviceCode);

    for (const query of ['', `?workspace=${other}`]) {
      const page = await browser.open(path + query);
      expect(page.markup.replaceAll(query, '')).not.toContain(other);
      expect(page.text).not.toContain('Private Studio');
    }
    if (path.endsWith('/browsers'))
      expect(browser.page.markup.match(/<li>\s*<h2>/g)).toHaveLength(1);
  });

  it('shows the notices about its own workspace only', async () => {
    // A page shows the three newest ones, the newest first.
    for (const [name, workspace, minutesAgo] of [
      ['Script here', own, 3],
      ['Script anywhere', undefined, 2],
      ['Script there', other, 1],
    ] as const) {
      const { database } = service;
      const at = new Date(Date.now() - minutesAgo * 60_000);
      await addNotice(
        database,
        user.accountId,
        TOKEN_EVENTS.created.notice,
        { name },
        at,
        workspace,
      );
    }

    const { text } = await browser.open('/settings/developer');

    expect(text).toContain('Script here');
    expect(text).not.toMatch(/Script (there|anywhere)/);
    const wide = await openSettings(service, user);
    expect(wide.page.text).toMatch(/Script there.*Script anywhere/s);
  });

  it('ends and revokes nothing of the other workspace', async () => {
    const token = await tokens().create(user.accountId, {
      ...{ name: 'Script', workspaceId: other, days: 7, scopes: ['uploads:read'] },
    });
    const wide = await openSettings(service, user);
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    await wide.open(`/oauth/device?user_code=${encodeURIComponent(userCode)}`);
    await wide.submit('Continue');
    await wide.submit('Allow', { workspace: other });
    const { accessToken } = tokensOf(await poll(service.baseUrl, deviceCode));
    const [row] = await service.database.query<{ id: string; grant_id: string; session: string }>(
      `SELECT id, (SELECT grant_id FROM consents WHERE account_id = $1 LIMIT 1) AS grant_id,
              (SELECT session_id FROM browser_sessions JOIN oidc_records AS s ON s.id = session_id
                WHERE account_id = $1 AND NOT s.payload -> 'amr' ? $2 LIMIT 1) AS session
         FROM personal_access_tokens WHERE account_id = $1`,
      [user.accountId, `company:${own}`],
    );
    await service.database.query(
      `INSERT INTO notices (id, account_id, kind, about, created_at)
       VALUES ('quiet', $1, 'password_changed', '{}', now())`,
      [user.accountId],
    );

    await post('/settings/developer/tokens', { token_id: row?.id ?? '' });
    await post('/settings/apps', { grant_id: row?.grant_id ?? '' });
    await post('/settings/apps', {
      action: 'rename',
      grant_id: row?.grant_id ?? '',
      device_name: 'Thief',
    });
    await post('/settings/account/browsers', { session_id: row?.session ?? '' });
    await post('/settings/account/browsers', {});
    await post('/settings/notices', { ids: 'quiet', page: '/photos' });

    expect([await statusOf(token ?? ''), await statusOf(accessToken)]).toEqual([200, 200]);
    expect((await wide.open('/settings/developer')).text).toContain('Private Studio');
    const kept = await service.database.query(
      `SELECT (SELECT shown_at FROM notices WHERE id = 'quiet') AS shown,
              (SELECT count(*)::int FROM consents WHERE device_name = 'Thief') AS renamed`,
    );
    expect(kept).toEqual([{ shown: null, renamed: 0 }]);
  });

  it('creates tokens for its own workspace only, which end with the membership', async () => {
    expect(await createToken(other)).toBe('');
    const token = await createToken(own);
    expect(await statusOf(token)).toBe(200);

    const settings = await openSettings(
      service,
      admin,
      `/settings/people/${user.accountId}?workspace=${own}`,
    );
    await settings.submit('Remove from the workspace', { confirm: 'yes' });

    expect(await statusOf(token)).toBe(401);
    expect(await isSignedOut()).toBe(true);
  });

  const connect = async (workspace: Record<string, string> = {}): Promise<string> => {
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    await browser.open(`/oauth/device?user_code=${encodeURIComponent(userCode)}`);
    await browser.submit('Continue');
    expect(browser.page.text).toContain('It opens Company Studio only');
    expect(browser.page.text).not.toContain('Private Studio');
    await browser.submit('Allow', workspace);
    return tokensOf(await poll(service.baseUrl, deviceCode)).accessToken;
  };

  it.each([
    [
      'is unlinked',
      async () => {
        const wide = await openSettings(service, user, '/settings/account');
        await wide.submit('Unlink');
      },
    ],
    [
      'is turned off',
      async () => {
        const path = `/settings/security/company-account?workspace=${own}`;
        const settings = await openSettings(service, admin, path);
        await settings.submit('Remove company account', { confirm: 'yes' });
      },
    ],
    [
      'changes its issuer',
      () =>
        enterProvider(
          service,
          { issuer: `${company.issuer}/other` },
          {
            ...{ owner: admin, workspaceId: own },
          },
        ),
    ],
  ])('ends, with its apps and tokens, when the company account %s', async (_how, end) => {
    const byCompany = [await createToken(own), await connect()];
    const byUser =
      (await tokens().create(user.accountId, {
        ...{ name: 'Own', workspaceId: own, days: 7, scopes: ['uploads:read'] },
      })) ?? '';

    await end();

    expect(await Promise.all(byCompany.map(statusOf))).toEqual([401, 401]);
    expect(await isSignedOut()).toBe(true);
    expect(await statusOf(byUser)).toBe(200);
    expect(await membersOf(service, own)).toHaveProperty(user.accountId);
  });

  it('ends also if it is stored after the link has ended', async () => {
    await service.database.query('DELETE FROM account_identities WHERE workspace_id = $1', [own]);

    expect(await isSignedOut()).toBe(true);
    const page = await browser.open(authorizePath(makePkce()));
    expect(page.form?.fields).toHaveProperty('password');
  });

  it('allows apps no other workspace, also with its id in the form', async () => {
    const pkce = makePkce();
    await browser.open(authorizePath(pkce));
    const { form } = browser.page;
    const body = new URLSearchParams({ ...form?.fields, workspace: other, decision: 'allow' });
    const answer = await fetch(browser.page.url, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: browser.allCookies },
      body,
    });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('Company Studio');

    const left = await browser.leaving(browser.submit('Allow'));
    const exchanged = await exchangeCode(
      service.baseUrl,
      left.searchParams.get('code') ?? '',
      pkce.verifier,
    );
    const headers = { authorization: `Bearer ${tokensOf(exchanged).accessToken}` };
    const me = await fetch(`${service.baseUrl}/api/v1/me`, { headers });
    expect(await me.json()).toMatchObject({ workspace: { id: own } });
  });

  it('gets no grant for another workspace that was stored as the choice', async () => {
    await browser.open(authorizePath(makePkce()));
    const { form, url } = browser.page;
    const answer = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: browser.allCookies },
      body: new URLSearchParams({ ...form?.fields, workspace: own, decision: 'allow' }),
    });
    const chosen = await service.database.query(
      `UPDATE oidc_records
          SET payload = jsonb_set(payload, '{result,consent,workspaceId}', to_jsonb($2::text))
        WHERE kind = 'Interaction' AND payload -> 'result' -> 'consent' ->> 'workspaceId' = $1
        RETURNING id`,
      [own, other],
    );
    expect(chosen).toHaveLength(1);

    const page = await browser.open(answer.headers.get('location') ?? '');

    expect(page.text).toContain('It opens Company Studio only');
    const grants = await service.database.query('SELECT 1 FROM consents WHERE account_id = $1', [
      user.accountId,
    ]);
    expect(grants).toEqual([]);
  });

  it('allows no app that the other workspace registered', async () => {
    const wide = await openSettings(service, user);
    const redirectUris = 'https://app.example/back';
    const { clientId } = await registerApplication(wide, other, {
      ...{ kind: 'confidential', redirectUris },
    });
    const page = await browser.open(
      authorizePath(makePkce(), { client_id: clientId, redirect_uri: redirectUris }),
    );
    expect([page.status, page.text]).toEqual([
      403,
      expect.stringContaining('It opens Company Studio only'),
    ]);
  });

  it('joins no other workspace by an invitation', async () => {
    const third = await addWorkspace(service, 'Third Studio');
    const inviter = await addUser(service, { [third]: 'owner' });
    await browser.open(await invite(service, inviter, third, 'owner'));
    const { fields = {} } = browser.page.form ?? {};

    expect(browser.page.text).toContain('Already have an account?');
    const answer = await fetch(`${service.baseUrl}/invite`, {
      method: 'POST',
      headers: { cookie: browser.allCookies },
      body: new URLSearchParams({ csrf: fields['csrf'] ?? '', decision: 'join' }),
    });

    expect(answer.status).toBe(400);
    expect(await membersOf(service, third)).not.toHaveProperty(user.accountId);
  });

  it('is widened by the own password, which the pages explain', async () => {
    await browser.open('/settings/account/sign-in');
    expect(browser.page.text).toContain('Your company account opens Company Studio only.');
    expect(browser.page.form?.fields['username']).toBe(user.username);

    await browser.submit('Sign in', { password: user.password });

    expect(browser.page.text).toContain('Passkeys');
    expect((await browser.open('/settings/developer')).text).toContain('Private Studio');
  });

  it('refuses the forms of the own sign-in that were open before', async () => {
    const wide = await openSettings(service, user, '/settings/account');
    const page = wide.page;
    await assertedByCompany(service, company, own, user, wide);
    wide.show(page);
    const before = await signInOf();

    const answer = await wide.submit('Save changes', { display_name: 'Thief' });

    expect(answer.status).toBe(403);
    expect(await signInOf()).toEqual(before);
  });

  it('sees the workspace of the last company that signed the user in', async () => {
    const owner = await addUser(service, { [other]: 'owner' });
    await enterProvider(service, company, { owner, workspaceId: other });
    await linkToCompany(service, other, user);

    await assertedByCompany(service, company, other, user, browser);

    const page = await browser.open('/settings/account');
    expect(page.text).toContain('It opens Private Studio only');
    expect(page.text).not.toContain('Company Studio');
  });
});
