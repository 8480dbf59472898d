import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser } from '../../support/browser-client.js';
import { startDevice } from '../../support/oauth-client.js';
import { authorizePath, makePkce } from '../../support/code-flow.js';
import { newUserForm } from '../../identity/pages/inviting.js';
import { addUser, addWorkspace, elementText, type TestUser } from '../../support/users.js';
import { startTestService, type TestService } from '../../support/running-service.js';

const PASSWORD = 'harbour at night';

/** A service behind a base URL, and an owner of a workspace there. */
class CookieFixture {
  private constructor(
    readonly service: TestService,
    private readonly owner: TestUser,
    private readonly workspace: string,
  ) {}

  static async start(baseUrl: string): Promise<CookieFixture> {
    const service = await startTestService({ baseUrl });
    const workspace = await addWorkspace(service, 'North Studio');
    return new CookieFixture(service, await addUser(service, { [workspace]: 'owner' }), workspace);
  }

  get address(): string {
    return `http://${this.service.listensOn}`;
  }

  browser(): TestBrowser {
    return new TestBrowser(this.service.baseUrl, this.address);
  }

  async opened(path: string): Promise<TestBrowser> {
    const browser = this.browser();
    await browser.open(path);
    return browser;
  }

  async signedIn(path = '/settings/account'): Promise<TestBrowser> {
    const browser = await this.opened(path);
    await this.signIn(browser);
    return browser;
  }

  async signIn(browser: TestBrowser): Promise<void> {
    const { username, password } = this.owner;
    await browser.submit('Sign in', { username, password });
  }

  /** A browser on the code page with a valid code and a language from the app. */
  async codeEntry(language: string): Promise<[TestBrowser, string]> {
    const { userCode } = await startDevice(this.address);
    return [await this.opened(`/oauth/device?ui_locales=${language}`), userCode];
  }

  async invitation(): Promise<TestBrowser> {
    const { workspace } = this;
    const browser = await this.signedIn('/settings/people/invitations/new');
    const made = await browser.submit('Create link', { workspace, role: 'member' });
    return this.opened(elementText(made, 'link'));
  }

  /** A browser in which the password of a link to a project was entered. */
  async link(): Promise<TestBrowser> {
    const owner = await this.signedIn('/projects');
    const { url } = await owner.submit('Create project', { name: 'Harbour' });
    await owner.open(`/shares/new?project=${new URL(url).pathname.split('/').at(-1) ?? ''}`);
    const made = await owner.submit('Create link', { password: PASSWORD });
    const guest = await this.opened(elementText(made, 'secret'));
    await guest.submit('Continue', { password: PASSWORD });
    return guest;
  }

  async inGerman(): Promise<TestBrowser> {
    const browser = await this.opened('/oauth/device');
    await browser.submit('Change', { language: 'de' });
    return browser;
  }
}

/** The user's actions, with all cookies that they set, in order of their names. */
const FLOWS: readonly [
  string,
  (fixture: CookieFixture) => Promise<TestBrowser>,
  readonly string[],
][] = [
  [
    'a sign-in',
    (fixture) => fixture.signedIn(),
    [
      ...['cws_form', 'cws_form.sig', 'cws_known', 'cws_language'],
      ...['cws_session', 'cws_session.sig', 'cws_user'],
    ],
  ],
  [
    'a code entry',
    async (fixture) => {
      const [browser, userCode] = await fixture.codeEntry('en');
      await browser.submit('Continue', { user_code: userCode });
      await fixture.signIn(browser);
      await browser.submit('Allow');
      return browser;
    },
    [
      ...['cws_form', 'cws_form.sig', 'cws_interaction', 'cws_interaction.sig', 'cws_language'],
      ...['cws_known', 'cws_language_asked', 'cws_resume', 'cws_resume.sig'],
      ...['cws_session', 'cws_session.sig'],
    ],
  ],
  [
    'an authorization request',
    (fixture) => fixture.opened(authorizePath(makePkce())),
    [
      ...['cws_interaction', 'cws_interaction.sig', 'cws_language'],
      ...['cws_resume', 'cws_resume.sig'],
    ],
  ],
  ['a link with a password', (fixture) => fixture.link(), ['cws_guest', 'cws_share']],
  [
    'an invitation',
    async (fixture) => {
      const browser = await fixture.invitation();
      await browser.submit('Create account and join', newUserForm());
      return browser;
    },
    [
      ...['cws_form', 'cws_form.sig', 'cws_invite', 'cws_known', 'cws_language'],
      ...['cws_session', 'cws_session.sig', 'cws_user'],
    ],
  ],
  [
    'a link for a new password',
    (fixture) => fixture.opened(`/new-password?token=svc_rst_${'x'.repeat(43)}`),
    ['cws_language', 'cws_reset'],
  ],
  [
    'a change of the language',
    (fixture) => fixture.inGerman(),
    ['cws_form', 'cws_form.sig', 'cws_language'],
  ],
];

/** The cookies that lead to one page each; with one name for all, two tabs would replace each other's. */
const OF_ONE_PATH = /^cws_(interaction|resume|invite|reset|share|guest)(\.sig)?$/;

interface SetCookie {
  readonly name: string;
  /** In lower case, in order of their names. */
  readonly attributes: readonly string[];
}

function read(line: string): SetCookie {
  const [pair = '', ...attributes] = line.split(/; */);
  const lower = attributes.map((attribute) => attribute.toLowerCase());
  return { name: pair.replace(/=.*/, ''), attributes: lower.sort() };
}

describe.each([
  ['https', 'https://service.example', { root: '__Host-', path: '__Secure-', secure: ['secure'] }],
  ['http', 'http://localhost:1', { root: '', path: '', secure: [] }],
])('over %s', (_scheme, baseUrl, { root, path, secure }) => {
  let fixture: CookieFixture;

  beforeAll(async () => {
    fixture = await CookieFixture.start(baseUrl);
  });
  afterAll(() => fixture.service.close());

  // @threat P3
  it.each(FLOWS)(
    '%s sets cookies whose prefixes fit their attributes',
    async (_what, flow, names) => {
      const { setCookies } = await flow(fixture);
      const cookies = setCookies.map(read);
      const prefixed = names.map((name) => (OF_ONE_PATH.test(name) ? path : root) + name);
      expect([...new Set(cookies.map(({ name }) => name))].sort()).toEqual(prefixed.sort());
      for (const { name, attributes } of cookies) {
        const isOfOnePath = OF_ONE_PATH.test(name.replace(/^__(Host|Secure)-/, ''));
        const kept = attributes.filter((attribute) => !/^(expires|max-age)=/.test(attribute));
        expect([name, kept]).toEqual([
          name,
          [
            'httponly',
            expect.stringMatching(isOfOnePath ? /^path=\/./ : /^path=\/$/),
            'samesite=lax',
            ...secure,
          ],
        ]);
      }
    },
  );
});

describe('a cookie without a prefix, set by another host of the domain,', () => {
  let fixture: CookieFixture;
  let key: string;

  beforeAll(async () => {
    fixture = await CookieFixture.start('https://service.example');
    const [secret] = await fixture.service.database.query<{ value: string }>(
      `SELECT value FROM service_secrets WHERE name = 'cookie_key'`,
    );
    key = secret?.value ?? '';
  });
  afterAll(() => fixture.service.close());

  /** The same cookies without their prefixes; signatures fit the new names. */
  function withoutPrefixes(cookies: string): string {
    return cookies
      .split('; ')
      .filter((pair) => !pair.includes('.sig='))
      .map((pair) => pair.replace(/^__(Host|Secure)-/, ''))
      .flatMap((pair) => {
        const mac = createHmac('sha1', key).update(pair).digest('base64url');
        return [pair, `${pair.replace('=', '.sig=').replace(/=.*/, '')}=${mac}`];
      })
      .join('; ');
  }

  /** The effect of each cookie: the response to a request with it, and words that are unique to this response. */
  const USES: readonly [
    string,
    string,
    () => Promise<{ browser: TestBrowser; path: string; form?: Record<string, string> }>,
  ][] = [
    [
      'does not sign in',
      'Change password',
      async () => ({ browser: await fixture.signedIn(), path: '/settings/account' }),
    ],
    [
      'accepts no form with a code',
      'Redirecting to /oauth/interaction',
      async () => {
        const [browser, user_code] = await fixture.codeEntry('en');
        const form = { ...browser.page.form?.fields, user_code };
        return { browser, path: '/oauth/device', form };
      },
    ],
    [
      'opens no page of a sign-in',
      'name="password"',
      async () => {
        const browser = await fixture.opened(authorizePath(makePkce()));
        return { browser, path: new URL(browser.page.url).pathname };
      },
    ],
    [
      'opens no link that has a password',
      'Harbour',
      async () => {
        const browser = await fixture.link();
        return { browser, path: new URL(browser.page.url).pathname };
      },
    ],
    [
      'opens no invitation',
      'North Studio',
      async () => ({ browser: await fixture.invitation(), path: '/invite' }),
    ],
    [
      'chooses no language',
      'App verbinden',
      async () => ({ browser: await fixture.inGerman(), path: '/oauth/device' }),
    ],
    [
      'requests no language',
      'App verbinden',
      async () => ({ browser: (await fixture.codeEntry('de'))[0], path: '/oauth/device' }),
    ],
  ];

  it.each(USES)('%s', async (_what, words, prepare) => {
    const { browser, path, form } = await prepare();
    const answerTo = async (cookie: string): Promise<string> => {
      const answer = await fetch(fixture.address + path, {
        redirect: 'manual',
        headers: { cookie },
        ...(form !== undefined && { method: 'POST', body: new URLSearchParams(form) }),
      });
      return answer.text();
    };
    expect(await answerTo(withoutPrefixes(browser.allCookies))).not.toContain(words);
    expect(await answerTo(browser.allCookies)).toContain(words);
  });
});
