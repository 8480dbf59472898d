import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  setCodeSignIn,
  type CodeSignInPolicy,
} from '../../../service/identity/access/code-sign-in.js';
import { WorkspaceClients } from '../../../service/oauth/clients/workspace-clients.js';
import { TestBrowser } from '../support/browser-client.js';
import { CLIENT_ID, DEVICE_GRANT, postForm, type Answer } from '../support/oauth-client.js';
import type { TestService } from '../support/running-service.js';
import { addPasskey } from '../support/software-passkey.js';
import { useService } from '../support/use-service.js';
import { addUser, addWorkspace, type TestUser } from '../support/users.js';

/** The networks of the victim and of the attacker. */
const VICTIM = '203.0.113.7';
const ATTACKER = '198.51.100.9';
/** A client that cannot show numbers. */
const PLAIN = 'creative-workspace-desktop';

type SignIn = CodeSignInPolicy['signIn'];
/** `tokens`: the attacker has tokens after Allow. `number`: none without a number that only the victim sees. */
type Outcome = 'tokens' | 'number' | 'refused';

interface Lure {
  readonly client: string;
  /** Whether the victim opens a link, or types a code. */
  readonly by: 'link' | 'code';
  /** Where the attacker's requests seem to come from; through a proxy they come from the victim's network. */
  readonly from: string;
}

/** The outcome of each lure, by policy. The policies promise these outcomes in Settings → Security. */
const LURES: readonly (readonly [string, Lure, Readonly<Record<SignIn, Outcome>>])[] = [
  [
    'a link of the official app',
    { client: CLIENT_ID, by: 'link', from: ATTACKER },
    { standard: 'number', number: 'number', 'same-network': 'refused', off: 'refused' },
  ],
  [
    'a link of the official app, through a proxy in the network',
    { client: CLIENT_ID, by: 'link', from: VICTIM },
    { standard: 'tokens', number: 'number', 'same-network': 'tokens', off: 'refused' },
  ],
  [
    'a code of the official app',
    { client: CLIENT_ID, by: 'code', from: ATTACKER },
    { standard: 'number', number: 'number', 'same-network': 'refused', off: 'refused' },
  ],
  [
    'a code of the official app, through a proxy in the network',
    { client: CLIENT_ID, by: 'code', from: VICTIM },
    { standard: 'number', number: 'number', 'same-network': 'number', off: 'refused' },
  ],
  [
    'a link with a false address in front',
    { client: CLIENT_ID, by: 'link', from: `${VICTIM}, ${ATTACKER}` },
    { standard: 'number', number: 'number', 'same-network': 'refused', off: 'refused' },
  ],
  [
    'a link of a plain app',
    { client: PLAIN, by: 'link', from: ATTACKER },
    { standard: 'tokens', number: 'refused', 'same-network': 'refused', off: 'refused' },
  ],
  [
    'a code of a plain app',
    { client: PLAIN, by: 'code', from: ATTACKER },
    { standard: 'tokens', number: 'refused', 'same-network': 'refused', off: 'refused' },
  ],
  [
    'a code of a plain app, through a proxy in the network',
    { client: PLAIN, by: 'code', from: VICTIM },
    { standard: 'tokens', number: 'refused', 'same-network': 'tokens', off: 'refused' },
  ],
];

/** A victim who is signed in, in one browser, and believes everything. */
interface Victim {
  readonly browser: TestBrowser;
  readonly user: TestUser;
  readonly workspace: string;
}

async function addVictim(service: TestService): Promise<Victim> {
  const workspace = await addWorkspace(service, 'North Studio');
  const user = await addUser(service, { [workspace]: 'owner' });
  const browser = new TestBrowser(service.baseUrl);
  browser.comesFrom(VICTIM);
  await browser.open('/settings/sign-in');
  await browser.submit('Sign in', { username: user.username, password: user.password });
  return { browser, user, workspace };
}

/** The attacker requests a code, and the victim follows the lure to the consent page. */
async function lure(
  service: TestService,
  { browser }: Victim,
  { client, by, from }: Lure,
): Promise<(more?: Readonly<Record<string, string>>) => Promise<Answer>> {
  const { body } = await postForm(
    `${service.baseUrl}/api/oauth/device_authorization`,
    { client_id: client, scope: 'uploads:write', device_app: 'Photoshop 27.1' },
    { 'x-forwarded-for': from },
  );
  await browser.open(by === 'link' ? String(body['verification_uri_complete']) : '/oauth/device');
  await browser.submit('Continue', by === 'link' ? {} : { user_code: String(body['user_code']) });
  return (more = {}) =>
    postForm(`${service.baseUrl}/api/oauth/token`, {
      client_id: client,
      grant_type: DEVICE_GRANT,
      device_code: String(body['device_code']),
      ...more,
    });
}

const has = ({ page }: TestBrowser, label: string): boolean =>
  page.forms.some(({ buttons }) => buttons.some((button) => button.label === label));

/** What the attacker gets when the victim presses whatever button goes on. */
async function rehearse(service: TestService, victim: Victim, how: Lure): Promise<Outcome> {
  const poll = await lure(service, victim, how);
  const { browser, user } = victim;
  const isForeign = how.from !== VICTIM;
  if (!has(browser, 'Allow')) {
    await browser.submit('Do not connect');
    expect((await poll()).body).toMatchObject({ error: 'access_denied', reason: 'not_allowed' });
    return 'refused';
  }
  // The victim can see it.
  expect(browser.page.text.includes('not on the same network')).toBe(isForeign);
  const decisions = browser.page.forms.find(({ buttons }) => buttons.length > 1);
  expect(decisions?.buttons[0]?.label).toBe('Deny');
  expect(browser.page.markup.includes('value="allow" class="quiet"')).toBe(isForeign);
  await browser.submit('Allow');
  const answer = await poll();
  if (answer.status === 200) return 'tokens';
  expect(answer.body).toMatchObject({ error: 'authorization_pending' });
  expect(JSON.stringify(await tokensOfUser(service, user))).not.toContain(how.client);
  return 'number';
}

async function tokensOfUser(service: TestService, { accountId }: TestUser): Promise<object[]> {
  return service.database.query(
    `SELECT payload ->> 'clientId' AS client FROM oidc_records
      WHERE kind IN ('AccessToken', 'RefreshToken') AND payload ->> 'accountId' = $1`,
    [accountId],
  );
}

/** The attacker's site, which shows the service's pages and reads what its visitors send. */
interface Relay {
  readonly origin: string;
  /** Every body that a visitor sent. */
  readonly seen: string;
  close(): Promise<void>;
}

async function startRelay(baseUrl: string): Promise<Relay> {
  let seen = '';
  const { hostname, port, host } = new URL(baseUrl);
  const server = http.createServer((request, response) => {
    const onward = http.request({
      ...{ hostname, port, path: request.url, method: request.method },
      headers: { ...request.headers, host, 'x-forwarded-for': ATTACKER },
    });
    onward.on('response', (answer) => {
      const { location, ...headers } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, {
        ...headers,
        ...(location !== undefined && { location: location.replace(baseUrl, '') }),
      });
      answer.pipe(response);
    });
    request.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
    });
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get seen() {
      return seen;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a phishing attacker', () => {
  const service = useService({ trustedProxies: 1 });
  let victim: Victim;
  const setPolicy = (workspace: string, policy: CodeSignInPolicy): Promise<void> =>
    service.database.transaction((transaction) => setCodeSignIn(transaction, workspace, policy));

  describe.each(['standard', 'number', 'same-network', 'off'] as const)(
    'of a workspace with the policy %s',
    (signIn) => {
      beforeAll(async () => {
        victim = await addVictim(service);
        await setPolicy(victim.workspace, { signIn, apps: 'all' });
      });

      // @threat C1, C3
      it.each(LURES)('gets with %s only what the policy allows', async (_what, how, outcomes) => {
        // Each lure meets a user without tokens.
        await service.database.query('DELETE FROM oidc_records WHERE payload ->> $1 = $2', [
          'clientId',
          how.client,
        ]);
        expect(await rehearse(service, victim, how)).toBe(outcomes[signIn]);
      });
    },
  );

  it('gets nothing with an app of the workspace where only official ones are allowed', async () => {
    const own = await addVictim(service);
    await setPolicy(own.workspace, { signIn: 'standard', apps: 'official' });
    const clients = new WorkspaceClients(service.database, () => new Date());
    const entry = { name: 'Own app', redirectUris: [], scopes: ['uploads:write'] as const };
    const { clientId } = await clients.create(own.workspace, false, entry, () => Promise.resolve());
    for (const by of ['link', 'code'] as const) {
      expect(await rehearse(service, own, { client: clientId, by, from: VICTIM })).toBe('refused');
    }
  });

  it('gets nothing for the strict one of two workspaces, also when it became strict on the page', async () => {
    const strict = await addWorkspace(service, 'Strict');
    const loose = await addWorkspace(service, 'Loose');
    const user = await addUser(service, { [strict]: 'owner', [loose]: 'owner' });
    const browser = new TestBrowser(service.baseUrl);
    browser.comesFrom(VICTIM);
    await browser.open('/settings/sign-in');
    await browser.submit('Sign in', { username: user.username, password: user.password });
    const both = { browser, user, workspace: strict };
    const poll = await lure(service, both, { client: CLIENT_ID, by: 'link', from: VICTIM });

    await setPolicy(strict, { signIn: 'off', apps: 'all' });

    await browser.submit('Allow', { workspace: strict });

    expect(browser.page.text).toContain('Choose the workspace');
    expect((await poll()).status).toBe(400);
    expect(await tokensOfUser(service, user)).toEqual([]);
  });

  // @threat C13
  it.each([
    ['has none', false, 'factor'],
    // The factor proves who confirms, not what: a victim who believes everything confirms.
    ['confirms with a passkey', true, 'tokens'],
  ] as const)('meets a victim who needs a second factor and %s', async (_who, hasOne, outcome) => {
    const careful = await addVictim(service);
    await service.database.query('UPDATE workspaces SET needs_second_factor = true WHERE id = $1', [
      careful.workspace,
    ]);
    const passkey = hasOne ? await addPasskey(service, careful.user.accountId) : undefined;
    const poll = await lure(service, careful, { client: PLAIN, by: 'link', from: ATTACKER });
    const { browser, user } = careful;
    await browser.submit('Allow');

    expect((await poll()).body).toMatchObject({ error: 'authorization_pending' });
    expect(await tokensOfUser(service, user)).toEqual([]);
    if (passkey === undefined) {
      expect(browser.page.status).toBe(403);
    } else {
      await browser.submit('Use a passkey', { passkey: passkey.respond(browser.page) });
    }
    expect((await poll()).status === 200 ? 'tokens' : 'factor').toBe(outcome);
  });

  // @threat C12
  it('cannot press Allow from another site, or show the pages in a frame', async () => {
    const own = await addVictim(service);
    const how = { client: CLIENT_ID, by: 'link', from: VICTIM } as const;
    const poll = await lure(service, own, how);
    const { browser, user } = own;
    const { url, headers } = browser.page;
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(headers.get('x-frame-options')).toBe('DENY');
    const session = browser.setCookies.filter((line) => line.startsWith('cws_session'));
    expect(session.length).toBeGreaterThan(0);
    for (const line of session)
      expect(line).toMatch(/; samesite=lax.*; httponly|; httponly.*; samesite=lax/i);

    // As if the browser sent the cookies: with the token of the form, or without Fetch Metadata.
    for (const [csrf, site] of [
      [browser.csrf, 'cross-site'],
      [browser.csrf, 'same-site'],
      ['', undefined],
    ] as const) {
      const { status } = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          cookie: browser.allCookies,
          ...(site !== undefined && { 'sec-fetch-site': site }),
        },
        body: new URLSearchParams({ csrf, decision: 'allow' }),
      });
      expect(status).toBe(403);
    }
    expect((await poll()).body).toMatchObject({ error: 'authorization_pending' });
    expect(await tokensOfUser(service, user)).toEqual([]);
  });

  it('gets one guess of the number', async () => {
    const guessed = await addVictim(service);
    const how = { client: CLIENT_ID, by: 'code', from: ATTACKER } as const;
    const poll = await lure(service, guessed, how);
    await guessed.browser.submit('Allow');
    const number = /class="big-number"[^>]*>(\d\d)</.exec(guessed.browser.page.markup)?.[1] ?? '';
    expect(number).not.toBe('');
    const choices = (await poll()).body['number_choices'] as string[];
    const wrong = choices.find((choice) => choice !== number) ?? '';

    const refused = { error: 'access_denied', reason: 'wrong_number' };
    expect((await poll({ number: wrong })).body).toMatchObject(refused);
    expect((await poll({ number })).body).toMatchObject(refused);

    expect(await tokensOfUser(service, guessed.user)).toEqual([]);
  });

  describe('whose site relays the pages', () => {
    let relay: Relay;
    beforeAll(async () => {
      relay = await startRelay(service.baseUrl);
    });
    afterAll(() => relay.close());

    /** The victim follows a link to the relay, and signs in there. The app and the relay are one network. */
    async function followRelay(victimOf: TestUser): Promise<[TestBrowser, () => Promise<Answer>]> {
      const { body } = await postForm(
        `${service.baseUrl}/api/oauth/device_authorization`,
        { client_id: CLIENT_ID, scope: 'uploads:write' },
        { 'x-forwarded-for': ATTACKER },
      );
      const browser = new TestBrowser(relay.origin);
      const { pathname, search } = new URL(String(body['verification_uri_complete']));
      await browser.open(pathname + search);
      await browser.submit('Continue');
      const { username, password } = victimOf;
      await browser.submit('Sign in', { username, password });
      await browser.submit('Allow');
      const poll = (): Promise<Answer> =>
        postForm(`${service.baseUrl}/api/oauth/token`, {
          client_id: CLIENT_ID,
          grant_type: DEVICE_GRANT,
          device_code: String(body['device_code']),
        });
      return [browser, poll];
    }

    // @threat C5
    it('gets password and tokens: nothing that is typed is bound to the site', async () => {
      const { user } = await addVictim(service);
      const [, poll] = await followRelay(user);

      expect(relay.seen).toContain(new URLSearchParams({ password: user.password }).toString());
      expect((await poll()).status).toBe(200);
    });

    // @threat C5
    it('gets no tokens where a passkey must confirm: it is bound to the site', async () => {
      const { user, workspace } = await addVictim(service);
      await service.database.query(
        'UPDATE workspaces SET needs_second_factor = true WHERE id = $1',
        [workspace],
      );
      const passkey = await addPasskey(service, user.accountId);
      const [browser, poll] = await followRelay(user);

      await browser.submit('Use a passkey', { passkey: passkey.respond(browser.page) });

      expect(browser.page.status).toBe(401);
      expect((await poll()).body).toMatchObject({ error: 'authorization_pending' });
      expect(await tokensOfUser(service, user)).toEqual([]);
    });
  });
});

describe.each(['number', 'same-network'] as const)(
  'a phishing attacker at a service whose operator sets %s',
  (signIn) => {
    const service = useService({ trustedProxies: 1, codeSignIn: { signIn } });
    let victim: Victim;
    beforeAll(async () => {
      victim = await addVictim(service);
    });

    it.each(LURES)('gets with %s only what the policy allows', async (_what, how, outcomes) => {
      await service.database.query('DELETE FROM oidc_records WHERE payload ->> $1 = $2', [
        'clientId',
        how.client,
      ]);
      expect(await rehearse(service, victim, how)).toBe(outcomes[signIn]);
    });
  },
);

describe('a phishing attacker at a service whose operator turned the sign-in with a code off', () => {
  const service = useService({ trustedProxies: 1, codeSignIn: { signIn: 'off' } });

  // @threat C15
  it.each([CLIENT_ID, PLAIN])('gets no code for %s', async (client) => {
    expect(await requestCode(service, client)).toBe('unauthorized_client');
  });
});

describe('a phishing attacker at a service whose operator allows official apps only', () => {
  const service = useService({ trustedProxies: 1, codeSignIn: { apps: 'official' } });
  let victim: Victim;
  beforeAll(async () => {
    victim = await addVictim(service);
  });

  it('gets no code for an app of a workspace', async () => {
    const clients = new WorkspaceClients(service.database, () => new Date());
    const entry = { name: 'Own app', redirectUris: [], scopes: ['uploads:write'] as const };
    const { clientId } = await clients.create(victim.workspace, false, entry, () =>
      Promise.resolve(),
    );
    expect(await requestCode(service, clientId)).toBe('unauthorized_client');
  });

  it.each(LURES)('gets with %s what the standard policy allows', async (_what, how, outcomes) => {
    await service.database.query('DELETE FROM oidc_records WHERE payload ->> $1 = $2', [
      'clientId',
      how.client,
    ]);
    expect(await rehearse(service, victim, how)).toBe(outcomes.standard);
  });
});

/** The error of a request for a code. */
async function requestCode({ baseUrl }: TestService, client: string): Promise<unknown> {
  const { body } = await postForm(`${baseUrl}/api/oauth/device_authorization`, {
    client_id: client,
    scope: 'uploads:write',
  });
  return body['error'];
}
