import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  decideCodeSignIn,
  setCodeSignIn,
  type CodeSignInPolicy,
} from '../../../service/identity/access/code-sign-in.js';
import { newNumberMatch, wrongNumberRule } from '../../../service/oauth/device/number-match.js';
import { WorkspaceClients } from '../../../service/oauth/clients/workspace-clients.js';
import {
  displayAddress,
  networkRelation,
} from '../../../service/kernel/http/request/client-address.js';
import { RateLimiter } from '../../../service/kernel/rate-limit/rate-limiter.js';
import { TestBrowser } from '../support/browser-client.js';
import { CLIENT_ID, DEVICE_GRANT, postForm, type Answer } from '../support/oauth-client.js';
import { useService } from '../support/use-service.js';
import { addUser, addWorkspace, type TestUser } from '../support/users.js';

const OFFICE = '203.0.113.7';
const ELSEWHERE = '198.51.100.9';
const STANDARD: CodeSignInPolicy = { signIn: 'standard', apps: 'all' };

describe('the networks of app and browser', () => {
  // @threat C4
  it.each([
    [OFFICE, OFFICE, 'same'],
    ['2001:db8:0:7', '2001:db8:0:7', 'same'],
    ['127.0.0.1', '0:0:0:0', 'same'],
    [OFFICE, ELSEWHERE, 'different'],
    ['2001:db8:0:7', '2001:db8:0:8', 'different'],
    [OFFICE, '2001:db8:0:7', 'unknown'],
    ['', '', 'unknown'],
  ])('of %s and %s are %s', (one, other, relation) => {
    expect(networkRelation(one, other)).toBe(relation);
    expect(networkRelation(other, one)).toBe(relation);
  });

  it('are displayed as an address, or as a network of IPv6', () => {
    expect([OFFICE, '2001:db8:0:7'].map(displayAddress)).toEqual([OFFICE, '2001:db8:0:7::/64']);
  });
});

describe('the number to choose', () => {
  // @threat C7
  it('is at any place among three different ones', () => {
    const matches = Array.from({ length: 100 }, newNumberMatch);
    const places = matches.map(({ number, choices }) => choices.indexOf(number));
    expect(new Set(places)).toEqual(new Set([0, 1, 2]));
    expect(matches.every(({ choices }) => new Set(choices).size === 3)).toBe(true);
  });
});

describe('the decision about a sign-in with a code', () => {
  const bound = { isOfficial: true, showsNumbers: true, isByLink: true, relation: 'same' } as const;
  const plain = { ...bound, showsNumbers: false };
  const far = { relation: 'different' } as const;
  const policy = (signIn: CodeSignInPolicy['signIn'], apps: CodeSignInPolicy['apps'] = 'all') => ({
    signIn,
    apps,
  });

  // @threat C2
  it.each([
    ['standard', bound, 'allow'],
    ['standard', { ...bound, isByLink: false }, 'number'],
    ['standard', { ...bound, ...far }, 'number'],
    ['standard', { ...bound, relation: 'unknown' }, 'number'],
    ['standard', { ...plain, ...far, isByLink: false }, 'allow'],
    ['number', bound, 'number'],
    ['number', plain, 'no-number'],
    ['same-network', bound, 'allow'],
    ['same-network', { ...bound, isByLink: false }, 'number'],
    ['same-network', { ...bound, ...far }, 'other-network'],
    ['same-network', { ...bound, relation: 'unknown' }, 'other-network'],
    ['same-network', { ...plain, isByLink: false }, 'allow'],
    ['off', bound, 'off'],
  ] as const)('under %s, for %j, is %s', (signIn, request, decision) => {
    // The stricter one of two policies counts, whether it is the operator's or the workspace's.
    expect(decideCodeSignIn([policy(signIn), STANDARD], request)).toBe(decision);
    expect(decideCodeSignIn([STANDARD, policy(signIn)], request)).toBe(decision);
  });

  it('refuses apps of a workspace where only official ones are allowed', () => {
    const unofficial = { ...plain, isOfficial: false };
    expect(decideCodeSignIn([STANDARD, policy('standard', 'official')], unofficial)).toBe(
      'unofficial',
    );
    expect(decideCodeSignIn([policy('standard', 'official')], plain)).toBe('allow');
  });
});

describe('the sign-in with a code', () => {
  const service = useService({ trustedProxies: 1 });
  let workspace: string;
  let user: TestUser;

  beforeEach(async () => {
    workspace = await addWorkspace(service, 'North Studio');
    user = await addUser(service, { [workspace]: 'owner' });
  });

  const setPolicy = (policy: CodeSignInPolicy): Promise<void> =>
    service.database.transaction((transaction) => setCodeSignIn(transaction, workspace, policy));

  const COMPUTER = {
    device_id: 'a3f2-0123456789abcdef',
    device_name: 'Studio laptop',
    device_app: 'Photoshop 27.1',
    device_os: 'macOS 15.1',
    software_version: '0.1.0',
  };

  interface Attempt {
    readonly from?: string;
    readonly at?: string;
    readonly isTyped?: boolean;
    readonly clientId?: string;
    readonly computer?: Readonly<Record<string, string>>;
  }

  /** Requests a code on one computer, and opens the consent page in a browser of another. */
  async function begin(attempt: Attempt = {}) {
    const { from = OFFICE, at = OFFICE, clientId = CLIENT_ID, computer = COMPUTER } = attempt;
    const { body } = await postForm(
      `${service.baseUrl}/api/oauth/device_authorization`,
      { client_id: clientId, scope: 'uploads:write', ...computer },
      { 'x-forwarded-for': from },
    );
    const code = String(body['user_code']);
    const browser = new TestBrowser(service.baseUrl);
    browser.comesFrom(at);
    if (attempt.isTyped === true) {
      await browser.open('/oauth/device');
      await browser.submit('Continue', { user_code: code });
    } else {
      await browser.open(String(body['verification_uri_complete']));
      await browser.submit('Continue');
    }
    await browser.submit('Sign in', { username: user.username, password: user.password });
    const poll = (more: Readonly<Record<string, string>> = {}): Promise<Answer> =>
      postForm(`${service.baseUrl}/api/oauth/token`, {
        client_id: clientId,
        grant_type: DEVICE_GRANT,
        device_code: String(body['device_code']),
        ...more,
      });
    return { browser, poll };
  }

  const numberOn = ({ page }: TestBrowser): string =>
    /class="big-number"[^>]*>(\d\d)</.exec(page.markup)?.[1] ?? '';
  const grants = async (): Promise<number> =>
    (await service.database.query('SELECT 1 FROM consents WHERE account_id = $1', [user.accountId]))
      .length;

  it('needs no number on one network with the link of the app, and stores the computer', async () => {
    const { browser, poll } = await begin();
    expect(browser.page.text).toContain('Studio laptop Photoshop 27.1 · macOS 15.1');
    expect(browser.page.text).toMatch(
      /\d seconds? ago, on the same network as this browser \(203\.0\.113\.7\)/,
    );
    expect(browser.page.text).not.toContain('is not on the same network');

    expect((await browser.submit('Allow')).text).toContain('You are connected');

    expect((await poll()).status).toBe(200);
    expect(
      await service.database.query(
        'SELECT device_id, device_name, device_app, device_os FROM consents WHERE account_id = $1',
        [user.accountId],
      ),
    ).toEqual([
      {
        device_id: COMPUTER.device_id,
        device_name: 'Studio laptop',
        device_app: 'Photoshop 27.1',
        device_os: 'macOS 15.1',
      },
    ]);
  });

  // @threat C1
  it.each([
    ['typed', { isTyped: true }, undefined, 'the right number'],
    ['opened on another network', { at: ELSEWHERE }, 'The app is not on the same network', 'none'],
    ['opened over IPv6', { at: '2001:db8::1' }, 'may be on different networks', 'none'],
  ])(
    'gives tokens for a code that was %s once the number is chosen',
    async (_how, how, warning, again) => {
      const { browser, poll } = await begin(how);
      expect(browser.page.text.includes(warning ?? 'different networks')).toBe(
        warning !== undefined,
      );
      await browser.submit('Allow');
      const number = numberOn(browser);
      expect(number).toMatch(/^[1-9]\d$/);
      expect(browser.page.markup).toContain('data-awaits-outcome');

      const pending = await poll();
      expect(pending.status).toBe(400);
      expect(pending.body['error']).toBe('authorization_pending');
      const choices = pending.body['number_choices'] as string[];
      expect(new Set(choices).size).toBe(3);
      expect(choices).toContain(number);
      // The page shows the number until it is chosen.
      await browser.open(browser.page.url);
      expect(numberOn(browser)).toBe(number);

      expect((await poll({ number })).status).toBe(200);
      expect((await browser.open(browser.page.url)).text).toContain('You are connected');
      // The number works once, like the code: a second use ends the grant, also with a wrong number.
      expect((await poll({ number: again === 'none' ? again : number })).status).toBe(400);
      expect(await grants()).toBe(0);
      // Only a wrong number counts.
      const limit = new RateLimiter(service.database, () => new Date());
      const rule = wrongNumberRule(user.accountId);
      const tries = [await limit.consume([rule]), await limit.consume([rule])];
      tries.push(await limit.consume([rule]));
      expect(tries.filter((taken) => 'counted' in taken)).toHaveLength(again === 'none' ? 2 : 3);
    },
  );

  it.each(['wrong', 'none'])('ends after a number that is %s', async (kind) => {
    const { browser, poll } = await begin({ at: ELSEWHERE });
    await browser.submit('Allow');
    const number = numberOn(browser);
    const choices = (await poll()).body['number_choices'] as string[];
    const wrong = kind === 'none' ? 'none' : (choices.find((one) => one !== number) ?? '');

    const refused = { error: 'access_denied', reason: 'wrong_number' };
    expect((await poll({ number: wrong })).body).toMatchObject(refused);
    expect((await poll({ number })).body).toMatchObject(refused);
    expect((await poll()).body).toMatchObject(refused);

    expect(await grants()).toBe(0);
    expect((await browser.open(browser.page.url)).text).toContain('The number was not confirmed');
  });

  // @threat C14
  it('ends when the user sees no numbers in the app', async () => {
    const { browser, poll } = await begin({ at: ELSEWHERE });
    await browser.submit('Allow');

    expect((await browser.submit('I see no numbers')).text).toContain('Nothing was connected');

    expect((await poll()).body).toMatchObject({ error: 'access_denied', reason: 'wrong_number' });
    expect(await grants()).toBe(0);
    // It was never a connected app.
    expect(
      await service.database.query(
        `SELECT action, about ->> 'app' AS app FROM audit_events
          WHERE action LIKE 'app_%' AND account_id = $1`,
        [user.accountId],
      ),
    ).toEqual([{ action: 'app_number_refused', app: 'Photoshop 27.1' }]);
  });

  // @threat C7
  it('gives nothing to an app that tries the three numbers at once', async () => {
    const { browser, poll } = await begin({ at: ELSEWHERE });
    await browser.submit('Allow');
    const choices = (await poll()).body['number_choices'] as string[];

    await Promise.all(choices.map((number) => poll({ number })));

    expect(await grants()).toBe(0);
  });

  // @threat C6
  it('shows none of the sender’s words next to the number', async () => {
    const words = 'our support chat. Or call +1 555 0100 and read it out';
    const { browser } = await begin({
      at: ELSEWHERE,
      computer: { ...COMPUTER, device_app: words, device_name: words },
    });
    expect(browser.page.text).toContain(words);
    await browser.submit('Allow');
    expect(numberOn(browser)).not.toBe('');
    expect(browser.page.text).not.toContain('support');
    expect(browser.page.text).toContain('Choose this number in Creative Workspace plugin');
  });

  // @threat C7
  it('refuses numbers for the rest of the day after three wrong ones', async () => {
    const allowedBefore = await begin({ at: ELSEWHERE });
    await allowedBefore.browser.submit('Allow');
    const limit = new RateLimiter(service.database, () => new Date());
    for (let time = 0; time < 2; time += 1) await limit.consume([wrongNumberRule(user.accountId)]);
    const third = await begin({ at: ELSEWHERE });
    await third.browser.submit('Allow');
    await third.poll({ number: 'none' });

    const { browser } = await begin({ at: ELSEWHERE });
    expect(browser.page.text).toContain('Too many wrong numbers');
    const late = await allowedBefore.poll({ number: numberOn(allowedBefore.browser) });
    expect(late.body).toMatchObject({ error: 'access_denied', reason: 'wrong_number' });
    // The same user connects where no number is needed.
    expect((await (await begin()).browser.submit('Allow')).text).toContain('You are connected');
  });

  it.each([
    ['same-network', { at: ELSEWHERE }, 'only if the app and this browser are on the same network'],
    ['number', { clientId: 'creative-workspace-desktop' }, 'This app cannot do that'],
  ] as const)('is refused by the policy %s, then by off', async (signIn, how, words) => {
    await setPolicy({ signIn, apps: 'all' });
    const { browser, poll } = await begin(how);
    expect(browser.page.status).toBe(403);
    expect(browser.page.text).toContain(words);
    await setPolicy({ signIn: 'off', apps: 'all' });
    await browser.open(browser.page.url);
    expect(browser.page.text).toContain('does not allow sign-in with a code');

    await browser.submit('Do not connect');

    expect((await poll()).body).toMatchObject({ error: 'access_denied', reason: 'not_allowed' });
    expect(await grants()).toBe(0);
  });

  it('is refused to an app of the workspace where only official apps are allowed', async () => {
    await setPolicy({ signIn: 'standard', apps: 'official' });
    const clients = new WorkspaceClients(service.database, () => new Date());
    const entry = { name: 'Own app', redirectUris: [], scopes: ['uploads:write'] as const };
    const { clientId } = await clients.create(workspace, false, entry, () => Promise.resolve());
    const { browser } = await begin({ clientId });
    expect(browser.page.text).toContain('only for the official apps');
  });

  // @threat C8
  it.each([
    'while the consent page is open',
    'between Allow and the grant',
    'between Allow and the next poll',
  ] as const)('gives no tokens when the policy becomes stricter %s', async (when) => {
    const { browser, poll } = await begin();
    const makeStrict = (): Promise<void> => setPolicy({ signIn: 'off', apps: 'all' });
    if (when === 'between Allow and the grant') {
      const next = await browser.redirectOf(() => browser.submit('Allow'));
      await makeStrict();
      expect((await browser.open(next)).text).toContain('does not allow sign-in');
    } else if (when === 'between Allow and the next poll') {
      await browser.submit('Allow');
      await makeStrict();
    } else {
      await makeStrict();
      expect((await browser.submit('Allow')).text).toContain('does not allow sign-in');
    }

    expect((await poll()).status).toBe(400);
    expect(await grants()).toBe(0);
  });
  it('refuses malformed descriptions of a computer', async () => {
    for (const [name, value] of [
      ['device_id', 'short'],
      ['device_name', 'x'.repeat(101)],
      ['device_name', 'a\u202Eb'],
      ['device_app', ''],
    ] as const) {
      const { status, body } = await postForm(`${service.baseUrl}/api/oauth/device_authorization`, {
        client_id: CLIENT_ID,
        scope: 'uploads:write',
        [name]: value,
      });
      expect([status, body['error'], body['error_description']]).toEqual([
        400,
        'invalid_request',
        `${name} is malformed`,
      ]);
    }
  });
});
