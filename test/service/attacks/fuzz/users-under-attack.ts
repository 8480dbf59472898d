import { setMember } from '../../../../service/identity/accounts/accounts.js';
import { TestBrowser } from '../../support/browser-client.js';
import { poll, refresh, startDevice, tokensOf } from '../../support/oauth-client.js';
import type { Tokens } from '../../support/oauth-client.js';
import { authorizePath, makePkce } from '../../support/code-flow.js';
import { addUser, addWorkspace, elementText, registerApplication } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import type { TestService } from '../../support/running-service.js';
import { authorization, create, photo } from '../../support/tus-client.js';
import { ownedRecordsOf } from '../owned-records.js';
import { secretsOfService, type Secret } from './secrets.js';
import { thingsOf } from './things-of.js';

/** The redirect URI of the attacker's own app. */
export const APP_ORIGIN = 'https://app.attacker.example';
const APP_REDIRECT = `${APP_ORIGIN}/callback`;

/** The sizes identify the owner of an upload in a response. */
const DONE_BYTES = 7919;
const OPEN_BYTES = 7907;
const OPEN_RECEIVED = 100;

/** The prefix of names of the victim's records; in photos a hyphen follows. */
const VICTIM_MARK = 'quiet-harbour';

/** The victim's other records, by placeholder. Their ids are not secret. */
const KNOWN_IDS = [
  'photo',
  'second',
  'trashed',
  'project',
  'share',
  'comment',
  'sending',
  'invitation',
  'account',
] as const;

/**
 * The two users of a fuzzed service. The attacker is a stranger to nobody: they have an account, a
 * workspace and an app of their own, are a member of the victim's workspace, and know the ids of the
 * victim's uploads. The victim signs in, uploads and looks at their list all the while.
 */
export class UsersUnderAttack {
  /** The values of placeholders. */
  values: Readonly<Record<string, string>> = {};
  secrets: readonly Secret[] = [];
  private readonly service: TestService;
  private readonly victim: TestUser;
  private attacker: TestUser;
  private readonly sharedWorkspace: string;
  private readonly ownWorkspace: string;
  private victimTokens: Tokens;
  private controlAddresses = 0;
  private attackers = 0;
  private renewals = 0;
  private before = '';

  private constructor(
    service: TestService,
    users: { victim: TestUser; attacker: TestUser },
    workspaces: { shared: string; own: string },
  ) {
    this.service = service;
    this.victim = users.victim;
    this.attacker = users.attacker;
    this.sharedWorkspace = workspaces.shared;
    this.ownWorkspace = workspaces.own;
    this.victimTokens = { accessToken: '', refreshToken: '' };
  }

  static async settle(service: TestService): Promise<UsersUnderAttack> {
    const shared = await addWorkspace(service, 'Shared studio');
    const own = await addWorkspace(service, 'Attack studio');
    const victim = await addUser(service, { [shared]: 'owner' });
    const attacker = await addUser(service, { [shared]: 'member', [own]: 'owner' });
    const users = new UsersUnderAttack(service, { victim, attacker }, { shared, own });
    const { baseUrl } = service;
    users.victimTokens = await users.signIn(victim, shared);
    const { accessToken } = users.victimTokens;
    const bytes = photo(DONE_BYTES, 77);
    const metadata = { filename: 'quiet-portrait-of-the-victim.jpg', filetype: 'image/jpeg' };
    const done = await create(baseUrl, accessToken, { length: DONE_BYTES, metadata, body: bytes });
    const open = await create(baseUrl, accessToken, {
      length: OPEN_BYTES,
      metadata: { filename: 'unfinished-portrait-of-the-victim.jpg' },
      body: photo(OPEN_RECEIVED, 78),
    });
    const doneId = idOf(done);
    const openId = idOf(open);
    const theirs = await ownedRecordsOf(service, {
      ...{ user: victim, workspaceId: shared, mark: VICTIM_MARK },
      newBrowser: () => users.browser(),
    });
    users.values = {
      base: baseUrl,
      host: new URL(baseUrl).host,
      port: new URL(baseUrl).port,
      'own.username': attacker.username,
      'own.password': encodeURIComponent(attacker.password),
      'other.username': victim.username,
      'other.done': doneId,
      'other.open': openId,
      'other.offset': String(OPEN_RECEIVED),
      'workspace.own': own,
      'workspace.shared': shared,
      'app.redirect': APP_REDIRECT,
      'other.mate': theirs['mate.account'] ?? '',
      ...Object.fromEntries(
        KNOWN_IDS.map((name) => [`other.${name}`, theirs[`own.${name}`] ?? '']),
      ),
    };
    users.secrets = [
      { name: "the victim's access token", value: accessToken },
      { name: "the victim's refresh token", value: users.victimTokens.refreshToken },
      { name: "the victim's password", value: victim.password },
      { name: "the attacker's password", value: attacker.password },
      { name: "the name of the victim's photo", value: 'quiet-portrait' },
      { name: "the name of the victim's photo", value: base64('quiet-portrait-of-the-') },
      { name: "the name of the victim's photo", value: 'unfinished-portrait' },
      { name: "the name of the victim's photo", value: base64('unfinished-portrait-of') },
      { name: "the name of the victim's photo", value: `${VICTIM_MARK}-` },
      { name: "the name of somebody in the victim's workspace", value: `${VICTIM_MARK} mate` },
      ...['own.all', 'share.token', 'locked.token', 'invite.token', 'reset.token'].map((name) => ({
        name: `the victim's ${name}`,
        value: theirs[name] ?? '',
      })),
      { name: "the victim's photo", value: Buffer.from(bytes.subarray(0, 32)).toString('latin1') },
      { name: 'the data folder', value: service.dataDir },
      ...(await secretsOfService(service)),
    ];
    await users.renew();
    users.before = await users.victimsThings();
    return users;
  }

  /** An unused client address. */
  nextControlAddress(): string {
    this.controlAddresses += 1;
    const number = this.controlAddresses;
    return `192.0.${2 + (number >> 8)}.${number & 255}`;
  }

  /**
   * New codes, tokens, uploads and open pages for the attacker in place of those that the requests
   * used up. Both users sign in for it, so these are also requests of control users during an attack.
   */
  async renew(): Promise<void> {
    try {
      await this.begin();
    } catch (error) {
      // Requests with the attacker's cookies use up what the attacker may do. That is right: the
      // attack goes on with another account.
      if (!(error instanceof Error) || !error.message.includes('Too many requests')) throw error;
      await this.changeAttacker();
      await this.begin();
    }
  }

  /** Rows that come from other accounts for the attacker, not from requests. */
  get ownRows(): Readonly<Record<string, number>> {
    // Each renewal adds a colleague, a user with a forgotten password, an open invitation, and a
    // company account that may join.
    return {
      accounts: this.attackers + 4 * this.renewals,
      workspace_members: 2 * this.attackers + 3 * this.renewals,
    };
  }

  private async changeAttacker(): Promise<void> {
    const attacker = await addUser(this.service, {
      [this.sharedWorkspace]: 'member',
      [this.ownWorkspace]: 'owner',
    });
    this.attacker = attacker;
    this.attackers += 1;
    this.values = {
      ...this.values,
      'own.username': attacker.username,
      'own.password': encodeURIComponent(attacker.password),
    };
    this.secrets = [...this.secrets, { name: "the attacker's password", value: attacker.password }];
  }

  private async begin(): Promise<void> {
    const { service, attacker } = this;
    const { baseUrl } = service;
    this.renewals += 1;
    // Requests may have ended their membership or their tokens.
    await setMember(service.database, this.sharedWorkspace, attacker.accountId, 'member');
    await setMember(service.database, this.ownWorkspace, attacker.accountId, 'owner');
    // They may also have made the sign-in harder.
    await service.database.query(
      `UPDATE workspaces SET needs_second_factor = false, code_sign_in = 'standard',
              code_sign_in_apps = 'all' WHERE id = $1`,
      [this.ownWorkspace],
    );
    const tokens = await this.signIn(attacker, this.sharedWorkspace);
    const spare = await this.signIn(attacker, this.ownWorkspace);
    // A consent changes the session id, so Settings has a separate browser.
    const things = await ownedRecordsOf(service, {
      ...{ user: attacker, workspaceId: this.ownWorkspace, mark: 'Attack' },
      newBrowser: () => this.browser(),
    });
    const browser = await this.openSettings();
    const app = await this.app(browser);
    const pat = this.values['own.pat'] ?? (await this.personalToken(browser));

    const [pending, allowed] = [await this.startDevice(), await this.startDevice()];
    await this.decide(browser, allowed.userCode, this.ownWorkspace);
    const grant = await this.newestGrant();
    const pkce = makePkce();
    await browser.open(authorizePath(pkce));
    const redirect = await browser.leaving(
      browser.submit('Allow', { workspace: this.ownWorkspace }),
    );
    const consent = await browser.open(authorizePath(makePkce()));
    const consentCookie = browser.allCookies;
    const browserUser = this.browser();
    const login = await browserUser.open(authorizePath(makePkce()));
    const page = this.browser();
    await page.open('/oauth/device');

    const { accessToken } = tokens;
    const open = await create(baseUrl, accessToken, { length: 50_000 });
    const done = await create(baseUrl, accessToken, { length: 10, body: photo(10) });
    this.values = {
      ...this.values,
      ...things,
      ...app,
      'own.grant': grant,
      'own.access': accessToken,
      // Of another grant: a refresh token that is used twice ends its grant.
      'own.refresh': spare.refreshToken,
      'own.spare': spare.accessToken,
      'own.pat': pat,
      'own.open': idOf(open),
      'own.done': idOf(done),
      'device.pending': pending.deviceCode,
      'device.user': pending.userCode,
      'device.allowed': allowed.deviceCode,
      'code.code': redirect.searchParams.get('code') ?? '',
      'code.verifier': pkce.verifier,
      'code.challenge': pkce.challenge,
      'login.path': new URL(login.url).pathname,
      'login.uid': new URL(login.url).pathname.split('/').at(-1) ?? '',
      'login.cookie': browserUser.allCookies,
      'login.csrf': login.form?.fields['csrf'] ?? '',
      'consent.path': new URL(consent.url).pathname,
      'consent.uid': new URL(consent.url).pathname.split('/').at(-1) ?? '',
      'consent.cookie': consentCookie,
      'consent.csrf': consent.form?.fields['csrf'] ?? '',
      'page.cookie': page.allCookies,
      'page.xsrf': page.page.form?.fields['xsrf'] ?? '',
    };
  }

  /** The victim's most frequent request: the list of uploads. */
  async victimLooks(signal: AbortSignal): Promise<void> {
    const response = await fetch(`${this.service.baseUrl}/api/v1/uploads`, {
      headers: {
        ...authorization(this.victimTokens.accessToken),
        'x-forwarded-for': this.nextControlAddress(),
      },
      signal,
    });
    const text = await response.text();
    if (response.status !== 200 || !text.includes('quiet-portrait')) {
      throw new Error(`the victim's list was answered with ${response.status}`);
    }
  }

  /** One anonymous client opens the code page, another starts to connect a device. */
  async strangersBegin(signal: AbortSignal): Promise<void> {
    const { baseUrl } = this.service;
    const page = await fetch(`${baseUrl}/oauth/device`, {
      headers: { 'x-forwarded-for': this.nextControlAddress() },
      signal,
    });
    await page.text();
    const device = await fetch(`${baseUrl}/api/oauth/device_authorization`, {
      method: 'POST',
      headers: { 'x-forwarded-for': this.nextControlAddress() },
      body: new URLSearchParams({
        client_id: 'creative-workspace-plugin',
        scope: 'uploads:write',
      }),
      signal,
    });
    await device.text();
    if (page.status !== 200) throw new Error(`the code page was answered with ${page.status}`);
    if (device.status !== 200) throw new Error(`a device was answered with ${device.status}`);
  }

  /** Signs the victim in again and checks that all records are unchanged. */
  async problemsOfVictim(): Promise<string[]> {
    const problems: string[] = [];
    const now = await this.victimsThings();
    if (now !== this.before) problems.push(`the victim's uploads were ${this.before}, are ${now}`);
    const renewed = await refresh(this.service.baseUrl, this.victimTokens.refreshToken);
    if (renewed.status !== 200) {
      problems.push(`the victim's refresh token is answered with ${renewed.status}`);
    }
    await this.signIn(this.victim, this.sharedWorkspace);
    return problems;
  }

  /** The whole sign-in by the device flow, from a separate address. */
  private async signIn(user: TestUser, workspace: string): Promise<Tokens> {
    const { baseUrl } = this.service;
    const browser = this.browser();
    const { deviceCode, userCode } = await this.startDevice();
    await browser.open(`/oauth/device?user_code=${userCode}`);
    const next = await browser.submit('Continue');
    if (next.form === undefined || !('password' in next.form.fields)) {
      throw new Error(`instead of a sign-in page (${next.status}): ${next.text.slice(0, 200)}`);
    }
    await browser.submit('Sign in', { username: user.username, password: user.password });
    await this.allow(browser, workspace);
    return tokensOf(await poll(baseUrl, deviceCode));
  }

  /** The attacker's last consent. */
  private async newestGrant(): Promise<string> {
    const [row] = await this.service.database.query<{ grant_id: string }>(
      'SELECT grant_id FROM consents WHERE account_id = $1 ORDER BY created_at DESC LIMIT 1',
      [this.attacker.accountId],
    );
    return row?.grant_id ?? '';
  }

  private startDevice(): ReturnType<typeof startDevice> {
    return startDevice(this.service.baseUrl, undefined, {
      'x-forwarded-for': this.nextControlAddress(),
    });
  }

  private async decide(browser: TestBrowser, userCode: string, workspace: string): Promise<void> {
    await browser.open(`/oauth/device?user_code=${userCode}`);
    await browser.submit('Continue');
    await this.allow(browser, workspace);
  }

  private async allow(browser: TestBrowser, workspace: string): Promise<void> {
    const isAsked = browser.page.form !== undefined && 'workspace' in browser.page.form.fields;
    const page = await browser.submit('Allow', isAsked ? { workspace } : {});
    if (page.status !== 200) throw new Error(`Allow was answered with ${page.status}`);
  }

  private browser(): TestBrowser {
    const browser = new TestBrowser(this.service.baseUrl);
    browser.comesFrom(this.nextControlAddress());
    return browser;
  }

  /** A browser in which the attacker is signed in, on a page of Settings. */
  private async openSettings(): Promise<TestBrowser> {
    const { username, password } = this.attacker;
    const browser = this.browser();
    await browser.open('/settings/developer');
    await browser.submit('Sign in', { username, password });
    return browser;
  }

  /** The attacker's app; another one when a request has deleted it. */
  private async app(browser: TestBrowser): Promise<Record<string, string>> {
    const known = this.values['app.id'];
    if (known !== undefined) {
      const page = await browser.open(`/settings/developer/applications/${known}`);
      if (page.status === 200) return {};
    }
    const { clientId, secret } = await registerApplication(browser, this.ownWorkspace, {
      kind: 'confidential',
      redirectUris: APP_REDIRECT,
      name: 'Attack app',
    });
    return {
      'app.id': clientId,
      'app.secret': secret,
      'app.basic': base64(`${clientId}:${secret}`),
    };
  }

  private async personalToken(browser: TestBrowser): Promise<string> {
    await browser.open('/settings/developer/tokens/new');
    const page = await browser.submit('Create token', {
      name: 'Attack token',
      workspace: this.sharedWorkspace,
      scope: 'uploads:write',
    });
    return elementText(page, 'secret');
  }

  /** The victim's records as one text, for comparison. */
  private victimsThings(): Promise<string> {
    const { values } = this;
    return thingsOf(this.service, {
      accountId: this.victim.accountId,
      accessToken: this.victimTokens.accessToken,
      uploads: { done: values['other.done'] ?? '', open: values['other.open'] ?? '' },
    });
  }
}

/** Lengths that belong to the victim's uploads alone. */
export const VICTIM_LENGTHS: readonly string[] = [String(DONE_BYTES), String(OPEN_BYTES)];

function idOf(created: Response): string {
  const id = created.headers.get('location')?.split('/').at(-1);
  if (id === undefined) throw new Error(`an upload was answered with ${created.status}`);
  return id;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64').replace(/=+$/, '');
}
