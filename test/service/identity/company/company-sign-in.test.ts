import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { issueCertificate } from '../../../../service/kernel/tls/issue-certificate.js';
import { TestBrowser, type Page } from '../../support/browser-client.js';
import { poll, startDevice, tokensOf } from '../../support/oauth-client.js';
import { useService } from '../../support/use-service.js';
import {
  addUser,
  addWorkspace,
  elementText,
  openSettings,
  type TestUser,
} from '../../support/users.js';
import { invite, membersOf } from '../pages/inviting.js';
import {
  COMPANY_CLIENT,
  REFUSAL,
  startCompanyProvider,
  type Behaviour,
  type CompanyProvider,
  type CompanyUsers,
} from './company-provider.js';

const DOMAIN = 'studio.example';
const SETTINGS_PATH = '/settings/security/company-account';

describe('the sign-in with a company account', () => {
  const published = new Map<string, string>();
  let company: CompanyProvider;
  let workspaceId: string;
  let owner: TestUser;
  let count = 0;

  const service = useService({
    allowsPrivateAddresses: true,
    resolveTxt: (name) => Promise.resolve([[published.get(name) ?? 'unrelated']]),
  });
  beforeAll(async () => {
    company = await startCompanyProvider();
  });
  afterAll(() => company.close());
  beforeEach(async () => {
    await service.database.query('DELETE FROM attempts');
    company.behaviour = {};
    workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
  });

  /** Signs a user of the company in there from now on. */
  const arrive = (more: Partial<(typeof company.users)[string]> = {}): string => {
    count += 1;
    const email = `mia${count}@${DOMAIN}`;
    company.subject = `user-${count}`;
    company.users[company.subject] = { email, email_verified: true, name: 'Mia Weber', ...more };
    return email;
  };

  /** Enters the provider as the owner; returns the browser of the owner. */
  const setUp = async (values: Record<string, string> = {}): Promise<TestBrowser> => {
    const browser = await openSettings(service, owner, SETTINGS_PATH);
    await browser.submit('Save changes', {
      issuer: company.issuer,
      client_id: COMPANY_CLIENT.client_id,
      client_secret: COMPANY_CLIENT.client_secret,
      domains: `${DOMAIN}\nother.example`,
      ...values,
    });
    return browser;
  };

  /** Adds the record of the domain to the DNS and presses the button of the owner's page. */
  const confirmDomain = async (browser: TestBrowser): Promise<Page> => {
    const [name = '', value = ''] = [
      ...browser.page.markup.matchAll(
        /<code class="secret"[^>]* id="record_\w+">([^<]*)<\/code\s*>/g,
      ),
    ].map(([, text = '']) => text);
    published.set(name, value);
    return browser.submit('Check domain');
  };

  /** Goes through the pages of the company and returns. */
  const through = async (browser: TestBrowser, leaving: Promise<Page>): Promise<Page> =>
    browser.open(await company.visit((await browser.leaving(leaving)).href));

  const begin = (browser: TestBrowser, to = ''): Promise<Page> =>
    through(browser, browser.open(`/sign-in/company/${workspaceId}${to}`));

  const size = async (): Promise<number> =>
    Object.keys(await membersOf(service, workspaceId)).length;

  it('admits everyone of a confirmed domain and opens the same account again', async () => {
    const settings = await setUp({ admits: 'domain' });
    arrive();
    const early = await begin(new TestBrowser(service.baseUrl));
    expect(early.text).toContain('you need an invitation');
    expect((await confirmDomain(settings)).text).toContain('Confirmed');

    const browser = new TestBrowser(service.baseUrl);
    expect((await begin(browser)).text).toContain('Welcome to North Studio');
    const page = await browser.submit('Create a new account');

    expect(page.text).toContain('You have joined the workspace');
    expect(await size()).toBe(2);
    const again = new TestBrowser(service.baseUrl);
    expect((await begin(again, '?to=/settings/account')).text).toMatch(/Username: mia\d+-\d{4}/);
    expect(await size()).toBe(2);
    expect(service.logLines).toContainEqual(expect.objectContaining({ action: 'signed_in' }));
  });

  it('is found by a confirmed domain only, also when another workspace claims it', async () => {
    // A domain that no other case confirms.
    const domain = 'found.example';
    await setUp({ domains: domain });
    owner = await addUser(service, { [await addWorkspace(service, 'South Studio')]: 'owner' });
    const settings = await setUp({ domains: domain });
    arrive();
    const browser = new TestBrowser(service.baseUrl);
    await browser.open('/settings/account');
    expect(browser.page.text).toContain('Use your company account');
    const find = async (entry: string): Promise<Page> => {
      await browser.open('/sign-in/company?to=/settings/account');
      return browser.submit('Continue', { company: entry });
    };

    expect((await find(`nobody@${domain}`)).status).toBe(404);
    expect((await find('nonsense')).status).toBe(400);
    await confirmDomain(settings);
    const found = await find(`nobody@${domain.toUpperCase()}`);
    expect(found.text).toContain(new URL(company.issuer).host);
    expect((await find('elsewhere.example')).text).toContain('No company account is set up');
  });

  it('admits a new user with an invitation, in the role of the invitation', async () => {
    await setUp();
    const link = await invite(service, owner, workspaceId, 'owner');
    arrive();
    const browser = new TestBrowser(service.baseUrl);
    await browser.open(link);
    expect(browser.page.text).toContain('Use your company account');

    await through(browser, browser.open('/invite?with=company'));
    const page = await browser.submit('Create a new account');

    expect(page.text).toContain('You have joined the workspace');
    expect(Object.values(await membersOf(service, workspaceId))).toEqual(['owner', 'owner']);
  });

  // @threat U13
  it('opens an existing account only after its user has signed in to it once', async () => {
    await setUp();
    const member = await addUser(service, { [workspaceId]: 'member' });
    const email = arrive();
    await service.database.query(
      'UPDATE accounts SET email = $2, email_confirmed_at = now() WHERE id = $1',
      [member.accountId, email],
    );
    const browser = await openSettings(service, member, '/settings/account');

    const first = await begin(browser);
    expect(first.text).toContain('Already have an account?');
    expect(first.text).not.toContain('Link accounts');
    await browser.open('/settings/sign-in?to=/sign-in/link');
    expect(browser.page.text).toContain('to link your company account');
    await browser.submit('Sign in', { username: member.username, password: member.password });
    expect(browser.page.text).toContain('The people who manage your company’s accounts');
    expect((await browser.submit('Link accounts')).text).toContain('opens this account');

    const elsewhere = new TestBrowser(service.baseUrl);
    const account = await begin(elsewhere, '?to=/settings/account');
    expect(account.text).toContain(`Username: ${member.username}`);
    await elsewhere.open(ownSignInLinkOf(elsewhere.page));
    expect(elsewhere.page.text).toContain('Your company account opens North Studio only.');
    expect(elsewhere.page.text).not.toContain('Use your company account');
    await elsewhere.submit('Sign in', { password: member.password });
    await elsewhere.submit('Unlink');
    expect((await begin(new TestBrowser(service.baseUrl))).text).toContain('Welcome to');
  });

  // @threat U13
  it('links no account of a user who is no member and has no invitation', async () => {
    await setUp();
    const stranger = await addUser(service, {});
    arrive();
    const browser = new TestBrowser(service.baseUrl);
    await begin(browser);
    await browser.open('/settings/sign-in?to=/sign-in/link');
    await browser.submit('Sign in', { username: stranger.username, password: stranger.password });

    const page = await browser.submit('Link accounts');

    expect([page.status, page.text]).toEqual([403, expect.stringContaining('not a member')]);
    expect(await size()).toBe(1);
  });

  it.each([
    ['an unverified address', { email_verified: false }, 'has not confirmed your email'],
    ['another domain', { email: 'mia@elsewhere.example' }, 'not an address of the company'],
  ])('refuses %s', async (_what, claims, words) => {
    await setUp();
    arrive(claims);
    const page = await begin(new TestBrowser(service.baseUrl));
    expect([page.status, page.text]).toEqual([403, expect.stringContaining(words)]);
  });

  // @threat U14
  it('refuses answers that another browser began, and those of a user who declined', async () => {
    await setUp();
    arrive();
    const browser = new TestBrowser(service.baseUrl);
    const left = await browser.leaving(browser.open(`/sign-in/company/${workspaceId}`));
    const answer = await company.visit(left.href);
    expect((await new TestBrowser(service.baseUrl).open(answer)).status).toBe(400);
    const changed = new URL(answer);
    changed.searchParams.set('state', 'another');
    expect((await browser.open(changed.href)).status).toBe(400);
    const late = new TestBrowser(service.baseUrl);
    expect((await browser.open(answer)).text).toContain('Welcome to North Studio');
    expect((await browser.open(answer)).status).toBe(400);
    expect((await late.open(answer)).status).toBe(400);

    company.subject = undefined;
    const declined = await begin(browser);
    expect([declined.status, declined.text]).toEqual([
      403,
      expect.stringContaining('did not confirm the sign-in'),
    ]);
  });

  const signed = (idToken?: Behaviour['idToken']): Behaviour => ({
    alg: 'ES256',
    ...(idToken && { idToken }),
  });
  const AUTH_METHODS = 'token_endpoint_auth_methods_supported';

  // Ways of providers in the field. The domain is confirmed.
  it.each<readonly [string, Behaviour, Partial<CompanyUsers[string]>]>([
    ['leaves out email_verified', {}, { email_verified: undefined }],
    ['sends email_verified as text', {}, { email_verified: 'true' }],
    ['is two minutes ahead', signed((at) => ({ iat: at + 120, nbf: at + 120 })), {}],
    ['is two minutes behind', signed((at) => ({ iat: at - 180, exp: at - 120 })), {}],
    ['names several audiences', signed(() => ({ aud: ['workspace', 'x'], azp: 'workspace' })), {}],
    ['signs with PS256 and no key id', { alg: 'PS256' }, {}],
    ['reads Basic without decoding', { readsPlainBasic: true }, {}],
    [
      'reads Basic without decoding and accepts nothing else',
      { readsPlainBasic: true, document: { [AUTH_METHODS]: ['client_secret_basic'] } },
      {},
    ],
    ['names no way to send the secret', { document: { [AUTH_METHODS]: undefined } }, {}],
  ])('admits a new user when the provider %s', async (_what, behaviour, claims) => {
    await confirmDomain(await setUp());
    arrive(claims);
    company.behaviour = behaviour;
    const page = await begin(new TestBrowser(service.baseUrl));
    expect(page.text).toContain('Welcome to North Studio');
  });

  it.each<[string, Behaviour, Partial<CompanyUsers[string]>, number, string]>([
    ['an unverified address, as text', {}, { email_verified: 'false' }, 403, 'no verified email'],
    ['a wrong domain', {}, { email: 'mia@elsewhere.example' }, 403, 'another domain'],
    ['a clock too far ahead', signed((at) => ({ nbf: at + 600 })), {}, 422, 'clocks'],
    ['another nonce', signed(() => ({ nonce: 'x' })), {}, 422, 'not as OpenID Connect requires'],
    ['a missing subject', signed(() => ({ sub: '' })), {}, 422, 'not as OpenID Connect requires'],
    [
      'a page instead of userinfo',
      { userinfo: { status: 200, type: 'text/html', body: '<!DOCTYPE html>' } },
      {},
      422,
      'not as OpenID Connect requires',
    ],
  ])('names %s to owner and operator', async (_what, behaviour, claims, status, words) => {
    const settings = await setUp();
    arrive(claims);
    company.behaviour = behaviour;

    const page = await begin(new TestBrowser(service.baseUrl));

    expect(page.status).toBe(status);
    expect((await settings.open(SETTINGS_PATH)).text).toContain(words);
    expect(service.logLines).toContainEqual(
      expect.objectContaining({
        event: 'sign_in_failed',
        workspace: workspaceId,
        requestId: page.headers.get('x-request-id'),
      }),
    );
  });

  it.each([
    ['certificate', 'The certificate of the server is not valid'],
    ['tls', 'The server did not agree on an encrypted connection'],
  ])('names the %s to the owner; users see that nothing responds', async (kind, words) => {
    const { key, server: cert } = await issueCertificate(new Date(), {
      hosts: ['localhost'],
      addresses: [],
    });
    const other = kind === 'tls' ? createServer() : createSecureServer({ key, cert });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = other.address() as AddressInfo;
      const settings = await setUp({ issuer: `https://localhost:${port}` });
      const page = await new TestBrowser(service.baseUrl).open(`/sign-in/company/${workspaceId}`);
      expect(page.text).toContain('does not respond');
      expect(page.text).not.toContain(words);
      expect((await settings.open(SETTINGS_PATH)).text).toContain(words);
    } finally {
      other.close();
    }
  });

  it('names the proxy of the service to the owner', async () => {
    const settings = await setUp();
    await service.database.query('UPDATE identity_providers SET last_failure = $1', [
      JSON.stringify({ reason: 'proxy', details: '', at: Date.now() }),
    ]);
    expect((await settings.open(SETTINGS_PATH)).text).toContain('The proxy of this service');
  });

  it('names the words of the provider to owner and operator, without code and state', async () => {
    const settings = await setUp();
    company.subject = undefined;
    await begin(new TestBrowser(service.baseUrl));

    const message = `refused (access_denied: ${REFUSAL})`;
    expect(service.logLines).toContainEqual(expect.objectContaining({ message }));
    expect((await settings.open(SETTINGS_PATH)).text).toContain(REFUSAL);
    await settings.submit('Save changes');
    expect((await settings.open(SETTINGS_PATH)).text).not.toContain(REFUSAL);

    await settings.submit('Save changes', { client_secret: 'wrong' });
    expect((await settings.submit('Test connection')).text).toContain('invalid_client');
  });

  it('requires a confirmed domain or an invitation without email_verified', async () => {
    await setUp();
    arrive({ email_verified: undefined });
    const refused = await begin(new TestBrowser(service.baseUrl));
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining(`to confirm ${DOMAIN}`),
    ]);

    const browser = new TestBrowser(service.baseUrl);
    await browser.open(await invite(service, owner, workspaceId, 'member'));
    const page = await through(browser, browser.open('/invite?with=company'));
    expect(page.text).toContain('Welcome to North Studio');
  });

  it('signs a linked user in by the ID token, without userinfo', async () => {
    await confirmDomain(await setUp({ admits: 'domain' }));
    arrive();
    const browser = new TestBrowser(service.baseUrl);
    await begin(browser);
    await browser.submit('Create a new account');

    company.behaviour = { userinfo: { status: 503, type: 'text/plain', body: 'away' } };
    const again = await begin(new TestBrowser(service.baseUrl), '?to=/settings/account');
    expect(again.text).toContain('Username: ');
  });

  it('finishes the sign-ins of several tabs, of the latest five', async () => {
    await setUp();
    arrive();
    const browser = new TestBrowser(service.baseUrl);
    const answers: string[] = [];
    for (let tab = 0; tab < 6; tab += 1) {
      const left = await browser.leaving(browser.open(`/sign-in/company/${workspaceId}`));
      answers.push(await company.visit(left.href));
    }
    const statuses: number[] = [];
    for (const answer of answers) statuses.push((await browser.open(answer)).status);
    expect(statuses).toEqual([400, 200, 200, 200, 200, 200]);
    await browser.open(answers[0] ?? '');
    expect(browser.page.markup).toContain(`href="/sign-in/company/${workspaceId}?`);
  });

  it('lets a refused user choose another account', async () => {
    await setUp();
    arrive({ email: 'mia@elsewhere.example' });
    const browser = new TestBrowser(service.baseUrl);
    const promptOf = async (path: string): Promise<string | null> =>
      (await browser.leaving(browser.open(path))).searchParams.get('prompt');
    await begin(browser);
    company.behaviour = { document: { prompt_values_supported: ['none', 'login'] } };
    const [, again = ''] = /href="(\/sign-in\/company\/[^"]*)"/.exec(browser.page.markup) ?? [];
    expect(await promptOf(again)).toBe('login');
    expect(await promptOf(again)).toBeNull();

    company.behaviour = { document: { prompt_values_supported: undefined } };
    await begin(browser);
    expect(await promptOf(again)).toBe('select_account');
  });

  it('passes on the address that the user typed', async () => {
    const domain = 'hint.example';
    await confirmDomain(await setUp({ domains: domain }));
    const browser = new TestBrowser(service.baseUrl);
    await browser.open('/sign-in/company');
    const page = await browser.submit('Continue', { company: `Mia@${domain}` });
    const [, start = ''] = /href="(\/sign-in\/company\/[^"]*)"/.exec(page.markup) ?? [];
    const left = await browser.leaving(browser.open(start.replaceAll('&amp;', '&')));
    expect(left.searchParams.get('login_hint')).toBe(`Mia@${domain}`);
  });

  it.each([
    ['/o/app/', '/o/app'],
    ['/o/app', '/o/app/'],
  ])('finds the issuer %s that was entered as %s', async (named, entered) => {
    const other = await startCompanyProvider(named);
    try {
      const issuer = new URL(entered, other.issuer).href;
      const settings = await setUp({ issuer, admits: 'domain' });
      expect((await settings.submit('Test connection')).text).toContain('accepts the client');
      await settings.open(SETTINGS_PATH);
      await confirmDomain(settings);
      arrive();
      other.subject = company.subject;
      Object.assign(other.users, company.users);
      const browser = new TestBrowser(service.baseUrl);
      const left = await browser.leaving(browser.open(`/sign-in/company/${workspaceId}`));
      await browser.open(await other.visit(left.href));
      await browser.submit('Create a new account');
      expect(browser.page.text).toContain('You have joined');

      await settings.open(SETTINGS_PATH);
      await settings.submit('Save changes', { issuer: other.issuer });
      expect((await browser.open('/settings/account')).text).toContain('Username: ');
    } finally {
      await other.close();
    }
  });

  it('continues the connection of an app', async () => {
    const settings = await setUp({ admits: 'domain' });
    await confirmDomain(settings);
    arrive();
    const member = new TestBrowser(service.baseUrl);
    await begin(member);
    await member.submit('Create a new account');
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    await browser.open(`/oauth/device?user_code=${encodeURIComponent(userCode)}`);
    await browser.submit('Continue');
    const [, find = ''] = /href="(\/sign-in\/company\?[^"]*)"/.exec(browser.page.markup) ?? [];
    await browser.open(find);
    await browser.submit('Continue', { company: DOMAIN });
    const [, start = ''] = /href="(\/sign-in\/company\/[^"]*)"/.exec(browser.page.markup) ?? [];

    // The oldest workspace with the domain is found; this test is about another one.
    const own = start.replace(/company\/[^?]*/, `company/${workspaceId}`);
    const page = await through(browser, browser.open(own));
    expect(page.text).toContain('Connect ');
    await browser.submit('Allow');

    const { accessToken } = tokensOf(await poll(service.baseUrl, deviceCode));
    const headers = { authorization: `Bearer ${accessToken}` };
    const me = await fetch(`${service.baseUrl}/api/v1/me`, { headers });
    expect(await me.json()).toMatchObject({ workspace: { id: workspaceId } });
  });

  it('opens no account after the issuer has changed', async () => {
    const settings = await setUp({ admits: 'domain' });
    await confirmDomain(settings);
    arrive();
    const { subject = '' } = company;
    const browser = new TestBrowser(service.baseUrl);
    await begin(browser);
    await browser.submit('Create a new account');

    const other = await startCompanyProvider();
    try {
      Object.assign(other.users, company.users);
      other.subject = subject;
      await settings.open(SETTINGS_PATH);
      await settings.submit('Save changes', {
        ...{ issuer: other.issuer, client_secret: COMPANY_CLIENT.client_secret },
      });

      expect((await browser.open('/settings/account')).text).toContain('Sign in');
      const left = await browser.leaving(browser.open(`/sign-in/company/${workspaceId}`));
      const page = await browser.open(await other.visit(left.href));
      expect(page.text).toContain('Welcome to North Studio');
    } finally {
      await other.close();
    }
  });

  it('ends with the provider: sessions and links', async () => {
    const settings = await setUp({ admits: 'domain' });
    await confirmDomain(settings);
    arrive();
    const browser = new TestBrowser(service.baseUrl);
    await begin(browser);
    await browser.submit('Create a new account');
    expect((await browser.open('/settings/account')).text).toContain('It opens North Studio only');

    await settings.submit('Remove company account', { confirm: 'yes' });

    expect(settings.page.text).toContain('Company account removed');
    expect((await browser.open('/settings/account')).text).toContain('Sign in');
    const late = await browser.open(`/sign-in/company/${workspaceId}`);
    expect(late.status).toBe(404);
    const links = await service.database.query(
      'SELECT 1 FROM account_identities WHERE workspace_id = $1',
      [workspaceId],
    );
    expect(links).toEqual([]);
  });

  it('ends for a user whose membership ends', async () => {
    const settings = await setUp({ admits: 'domain' });
    await confirmDomain(settings);
    arrive();
    const browser = new TestBrowser(service.baseUrl);
    await begin(browser);
    await browser.submit('Create a new account');
    const id = Object.keys(await membersOf(service, workspaceId)).find(
      (one) => one !== owner.accountId,
    );

    await settings.open(`/settings/people/${id ?? ''}?workspace=${workspaceId}`);
    await settings.submit('Remove from the workspace', { confirm: 'yes' });

    expect((await browser.open('/settings/account')).text).toContain('Sign in');
  });

  // @threat U17
  it('gives a user without another sign-in none', async () => {
    const settings = await setUp({ admits: 'domain' });
    await confirmDomain(settings);
    arrive();
    const browser = new TestBrowser(service.baseUrl);
    await begin(browser);
    await browser.submit('Create a new account');
    const page = await browser.open('/settings/account');
    expect(page.text).toContain('It opens North Studio only');
    expect(page.text).not.toMatch(/Choose a password|Use your own sign-in/);

    const csrf = browser.csrf;
    const answer = await fetch(`${service.baseUrl}/settings/account`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: browser.sessionCookie },
      body: new URLSearchParams({ csrf, action: 'choose-password' }),
    });

    expect(answer.headers.get('location')).toContain('with=own');
    const [, username = ''] = /Username: (\S+)/.exec(page.text) ?? [];
    const resets = await service.database.query(
      `SELECT 1 FROM password_resets JOIN accounts ON accounts.id = account_id WHERE username = $1`,
      [username],
    );
    expect(resets).toEqual([]);
    const refused = new TestBrowser(service.baseUrl);
    await refused.open('/settings/account');
    expect((await refused.submit('Sign in', { username, password: 'none' })).status).toBe(401);
  });

  it('is no hindrance to a first password after the own sign-in', async () => {
    const member = await addUser(service, { [workspaceId]: 'member' });
    const browser = await openSettings(service, member);
    await service.database.query(`UPDATE accounts SET password_hash = 'none' WHERE id = $1`, [
      member.accountId,
    ]);
    const { username } = member;
    const password = 'four words for Mia';

    await browser.open('/settings/account');
    await browser.submit('Choose a password');
    await browser.submit('Save and sign in', {
      new_password: password,
      new_password_again: password,
    });

    const elsewhere = await openSettings(service, { username, password }, '/settings/account');
    expect(elsewhere.page.text).toContain(username);
  });

  it('is tested by the owner, with the reason of a failure', async () => {
    const settings = await setUp();
    expect((await settings.submit('Test connection')).text).toContain('accepts the client');
    expect(elementText(settings.page, 'direct_link')).toBe(
      `${service.baseUrl}/sign-in/company/${workspaceId}`,
    );
    expect(settings.page.markup).not.toContain(COMPANY_CLIENT.client_secret);

    await settings.open(SETTINGS_PATH);
    await settings.submit('Save changes', { client_secret: 'wrong' });
    expect((await settings.submit('Test connection')).text).toContain('does not accept the client');

    await settings.open(SETTINGS_PATH);
    await settings.submit('Save changes', { issuer: `${service.baseUrl}/nowhere` });
    expect((await settings.submit('Test connection')).text).toContain('no OpenID provider');
  });

  it.each([
    [{ issuer: 'ftp://studio.example' }, 'must begin with https'],
    [{ domains: 'nonsense' }, 'domains, such as studio.example'],
    [{ client_secret: '' }, 'the client ID and the client secret'],
  ])('refuses %j in the settings', async (values, words) => {
    const settings = await setUp(values);
    expect([settings.page.status, settings.page.text]).toEqual([
      400,
      expect.stringContaining(words),
    ]);
  });

  it('is set up by owners only', async () => {
    const member = await addUser(service, { [workspaceId]: 'member' });
    const browser = await openSettings(service, member, SETTINGS_PATH);
    expect(browser.page.status).toBe(403);
  });
});

/** The address behind "Use your own sign-in". */
function ownSignInLinkOf({ markup }: Page): string {
  const [, link = ''] = /href="([^"]*with=own)"/.exec(markup) ?? [];
  return link.replaceAll('&amp;', '&');
}

describe('a company account at a service without private addresses', () => {
  const service = useService();

  it.each([
    ['http://provider.example', 'must begin with https'],
    ['https://127.0.0.1:8443', 'private network'],
    ['https://[fd00::1]/', 'private network'],
  ])('refuses the issuer %s', async (issuer, words) => {
    const workspaceId = await addWorkspace(service, 'North Studio');
    const owner = await addUser(service, { [workspaceId]: 'owner' });
    const browser = await openSettings(service, owner, SETTINGS_PATH);
    const page = await browser.submit('Save changes', {
      ...{ issuer, client_id: 'workspace', client_secret: 'secret', domains: DOMAIN },
    });
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(words)]);
  });
});
