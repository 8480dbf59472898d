import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  setCodeSignIn,
  type CodeSignInPolicy,
} from '../../../service/oauth/device/code-sign-in.js';
import { WorkspaceClients } from '../../../service/oauth/clients/workspace-clients.js';
import { TestBrowser } from '../support/browser-client.js';
import { CLIENT_ID, DEVICE_GRANT, postForm, type Answer } from '../support/oauth-client.js';
import type { TestService } from '../support/running-service.js';
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
    const { clientId } = await clients.create(own.workspace, false, entry);
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
