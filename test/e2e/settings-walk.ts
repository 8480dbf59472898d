import { expect } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'puppeteer-core';
import { setMember } from '../../service/identity/accounts/accounts.js';
import { ACCOUNT_EVENTS, NEW_BROWSER_NOTICE } from '../../service/identity/accounts/events.js';
import { addNotice } from '../../service/identity/notices/notices.js';
import type { EventAbout, NoticeDeclaration } from '../../service/kernel/events/event.js';
import { APP_EVENTS } from '../../service/oauth/events.js';
import { setCodeSignIn } from '../../service/identity/access/code-sign-in.js';
import type { Language } from '../../service/kernel/i18n/locale-negotiation.js';
import { SECRETS } from '../../service/identity/module.js';
import { sealSecret, secretKeys } from '../../service/kernel/secret-box.js';
import { loadSecrets } from '../../service/oauth/provider/service-secrets.js';
import { linkIn, type MailServer } from '../service/support/mail-server.js';
import { CLIENT_ID, DEVICE_GRANT, poll, postForm } from '../service/support/oauth-client.js';
import { approveDevice } from '../service/support/browser-client.js';
import type { TestService } from '../service/support/running-service.js';
import { addUser, addWorkspace, type TestUser } from '../service/support/users.js';

/** Networks as a proxy names them. */
const STUDIO_NETWORK = '203.0.113.7';
const OTHER_NETWORK = '198.51.100.9';

const STUDIO = 'Lindström & Bergqvist Hochzeitsfotografie';

const COMPUTERS = [
  ['Photoshop 27.1.0', 'macOS 15.1', 'Studio laptop'],
  ['InDesign 21.0', 'macOS 15.1', 'Studio laptop'],
  ['Premiere Pro 26.2', 'Windows 11', 'Schnittplatz-Nachbearbeitung-Erdgeschoss-links-am-Fenster'],
] as const;

/** A computer that no app has described. */
const PLAIN = ['', '', ''] as const;

const USER_AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:131.0) Gecko/20100101 Firefox/131.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  'curl/8.9.1',
];

/** Called with the name of a page that has been opened. */
export type Look = (name: string) => Promise<void>;

/**
 * Visits the pages about security, activity and connections as a user with a long name and many entries does. It needs
 * a service with mail that trusts one proxy.
 */
export class SettingsWalk {
  private readonly page: Page;
  private readonly service: TestService;
  private readonly mail: MailServer;
  private readonly language: Language;
  private readonly look: Look;
  private user: TestUser | undefined;
  private workspaceId = '';
  private secret = '';

  constructor(page: Page, service: TestService, mail: MailServer, language: Language, look: Look) {
    this.page = page;
    this.service = service;
    this.mail = mail;
    this.language = language;
    this.look = look;
  }

  async walk(): Promise<void> {
    await this.page.setExtraHTTPHeaders({
      'accept-language': this.language,
      'x-forwarded-for': STUDIO_NETWORK,
    });
    await this.service.database.query('DELETE FROM attempts');
    await this.addStudio();
    await this.walkSignIn();
    await this.walkAccount();
    await this.walkWorkspace();
    await this.walkDeveloper();
    await this.walkSecondFactor();
    await this.walkCodeSignIn();
    await this.walkMail();
  }

  private get owner(): TestUser {
    if (this.user === undefined) throw new Error('there is no user yet');
    return this.user;
  }

  /** A workspace with people, connected apps, and a history. */
  private async addStudio(): Promise<void> {
    const { service } = this;
    const { database } = service;
    this.workspaceId = await addWorkspace(service, STUDIO);
    const name = `annika-${randomUUID().slice(0, 8)}`;
    this.user = await addUser(
      service,
      { [this.workspaceId]: 'owner' },
      { username: name, password: 'password of Annika', displayName: 'Annika Lindström-Bergqvist' },
    );
    const member = await addUser(
      service,
      { [this.workspaceId]: 'member' },
      { displayName: 'Maximiliane Freifrau von Hohenfels-Wolkenstein' },
    );
    const owner = this.owner.accountId;
    const event = (
      action: string,
      about: Record<string, string>,
      [accountId, by]: readonly [string | null, string | null],
    ): Promise<unknown> =>
      database.query(
        `INSERT INTO audit_events (happened_at, action, workspace_id, account_id, by, about)
         VALUES (now() - interval '1 hour', $1, $2, $3, $4, $5)`,
        [action, this.workspaceId, accountId, by, JSON.stringify(about)],
      );
    const own = [owner, owner] as const;
    const network = STUDIO_NETWORK;
    await event('invited', { role: 'member', network }, [null, owner]);
    await event('joined', { role: 'member', network }, [member.accountId, member.accountId]);
    await event('link_opened', { network: '2001:db8:abcd:8' }, [null, null]);
    await event('policy_changed', { setting: 'code_sign_in', value: 'number', network }, own);
    await event('webhook_made', { name: 'automation.long-name-of-a-company.example' }, own);
    await event('app_connected', { app: 'Premiere Pro 26.2', name: COMPUTERS[2][2], network }, own);
    await event('role_changed', { role: 'owner', network }, [member.accountId, owner]);
    for (let count = 0; count < 60; count += 1)
      await event('signed_in', { method: 'password', network }, own);
    for (const userAgent of USER_AGENTS) await this.addBrowser(userAgent);
    await database.query(
      `INSERT INTO passkeys (id, account_id, public_key, counter, transports, name, created_at, last_used_at)
       VALUES ($2, $1, '', 0, '[]', 'iCloud-Schlüsselbund auf dem MacBook Pro im Studio', now(), NULL),
              ($3, $1, '', 0, '["usb"]', 'YubiKey', now() - interval '90 days', now())`,
      [owner, randomUUID(), randomUUID()],
    );
    await database.query(
      `UPDATE accounts SET email = $2, email_confirmed_at = now(), email_locale = 'de' WHERE id = $1`,
      [owner, `annika.lindstroem-bergqvist@${name}.example`],
    );
  }

  private async addBrowser(userAgent: string): Promise<void> {
    const id = randomUUID();
    const { database } = this.service;
    await database.query(
      `INSERT INTO oidc_records (kind, id, payload, expires_at)
       VALUES ('Session', $1, jsonb_build_object('accountId', $2::text), now() + interval '1 day')`,
      [id, this.owner.accountId],
    );
    await database.query(
      `INSERT INTO browser_sessions (session_id, account_id, user_agent, network, created_at, last_used_at)
       VALUES ($1, $2, $3, '2001:db8:abcd:8', now() - interval '20 days', now() - interval '2 days')`,
      [id, this.owner.accountId, userAgent],
    );
  }

  /** Requests a code from a computer, as the plugin does. */
  private async requestCode(
    network: string | undefined,
    [app, os, name]: readonly [string, string, string] = COMPUTERS[0],
  ): Promise<{ deviceCode: string; userCode: string; address: string }> {
    const { body } = await postForm(
      `${this.service.baseUrl}/api/oauth/device_authorization`,
      {
        ...{ client_id: CLIENT_ID, scope: 'uploads:write' },
        ...(app !== '' && { device_app: app, device_os: os, device_name: name }),
        ...(app !== '' && { device_id: `${name.slice(0, 10)}-0123456789`.replaceAll(' ', '-') }),
      },
      network === undefined ? {} : { 'x-forwarded-for': network },
    );
    return {
      deviceCode: String(body['device_code']),
      userCode: String(body['user_code']),
      address: String(body['verification_uri_complete']).replace(this.service.baseUrl, ''),
    };
  }

  private async open(path: string, name?: string): Promise<void> {
    const response = await this.page.goto(this.service.baseUrl + path);
    expect([path, (response?.status() ?? 0) < 500]).toEqual([path, true]);
    if (name !== undefined) await this.look(name);
  }

  private async press(selector: string, name?: string): Promise<void> {
    await Promise.all([
      this.page.waitForNavigation(),
      this.page.$eval(selector, (button) => {
        (button as HTMLElement).click();
      }),
    ]);
    if (name !== undefined) await this.look(name);
  }

  private async type(field: string, text: string): Promise<void> {
    await this.page.$eval(
      `[name=${field}]:not([hidden])`,
      (input, value) => {
        (input as HTMLInputElement).value = value;
      },
      text,
    );
  }

  private async signIn(): Promise<void> {
    await this.type('username', this.owner.username);
    await this.type('password', this.owner.password);
    await this.press('form:has([name=password]) button');
  }

  private codeOfApp(stepsLater: number): string {
    return new TOTP({ secret: Secret.fromBase32(this.secret) }).generate({
      timestamp: Date.now() + stepsLater * 30_000,
    });
  }

  /** The sign-in, with the ways for users who forgot their password or have a company account. */
  private async walkSignIn(): Promise<void> {
    await this.addCompany();
    await this.open('/settings/account', 'sign-in');
    await this.open('/sign-in/company?to=/settings/account', 'company-find');
    await this.type('company', 'nobody@elsewhere.example');
    await this.press('main form button', 'company-unknown');
    await this.open(`/sign-in/company/${this.workspaceId}/callback?error=no`, 'company-problem');
    await this.open('/forgot-password', 'forgot');
    await this.type('login', this.owner.username);
    await this.press('main form button', 'forgot-sent');
    const reset = await this.mail.next(({ source }) => source.includes('/new-password'));
    await this.open(linkIn(reset, this.service.baseUrl), 'reset');
    await this.type('new_password', 'short');
    await this.type('new_password_again', 'shorter');
    await this.press('main form button', 'reset-problem');
    await this.open('/settings/account');
    await this.signIn();
  }

  private get domain(): string {
    return `studio-${this.owner.username}.example`;
  }

  private async addCompany(): Promise<void> {
    const domains = [
      { name: this.domain, isConfirmed: true },
      { name: `fotografie-und-film.${this.domain}`, isConfirmed: false },
    ];
    const { boxKey } = await loadSecrets(this.service.database);
    const sealed = sealSecret(secretKeys(boxKey, SECRETS)['identity-provider'], 'a client secret');
    const clientSecret = sealed.toString('base64');
    await this.service.database.query(
      `INSERT INTO identity_providers (workspace_id, issuer, client_id, client_secret, domains, admits, created_at)
       VALUES ($1, 'https://login.microsoftonline.example/00000000-1111-2222-3333-444444444444/v2.0',
               '6f1c8a52-7f0e-4d55-9d57-2f4b7e2a91c0', decode($3, 'base64'), $2, 'domain', now())`,
      [this.workspaceId, JSON.stringify(domains), clientSecret],
    );
  }

  private async walkAccount(): Promise<void> {
    const { database } = this.service;
    const { accountId } = this.owner;
    await database.query(
      `INSERT INTO account_identities (workspace_id, subject, account_id, created_at)
       VALUES ($1, $2, $3, now())`,
      [this.workspaceId, randomUUID(), accountId],
    );
    await this.open('/settings/account', 'account');
    await this.open('/settings/account/email', 'email');
    await this.type('email', `a.lindstroem-bergqvist@fotografie.${this.domain}`);
    await this.type('password', this.owner.password);
    await this.press('main form .actions button', 'email-pending');
    await this.open('/settings/account/browsers', 'browsers');
    await this.open('/settings/account/activity', 'own-activity');
    await this.open('/settings/account/sign-in', 'second-factors');
    for (const device of COMPUTERS) await this.connect(device);
    await this.connect(PLAIN);
    await this.dismissAll();
    const connected = { app: 'Premiere Pro 26.2', name: COMPUTERS[2][2] };
    await this.addNotice(APP_EVENTS.connected.notice, connected);
    await this.open('/settings/apps', 'apps-notice');
    await this.addNotice(NEW_BROWSER_NOTICE, {});
    await this.addNotice(ACCOUNT_EVENTS.passwordChanged.notice, {});
    await this.open('/settings/account', 'notices');
    await this.press('.notice button', 'notices-dismissed');
    await this.open('/settings/apps');
    await this.page.$eval('main details', (details) => {
      details.open = true;
    });
    await this.look('apps-rename');
    await setMember(
      this.service.database,
      await addWorkspace(this.service, 'Archive'),
      accountId,
      'owner',
    );
  }

  private async dismissAll(): Promise<void> {
    await this.service.database.query('UPDATE notices SET shown_at = now() WHERE account_id = $1', [
      this.owner.accountId,
    ]);
  }

  private addNotice(notice: NoticeDeclaration, about: EventAbout): Promise<void> {
    const { database } = this.service;
    return addNotice(database, this.owner.accountId, notice, about, new Date());
  }

  /** Connects an app, as its user does in another browser. */
  private async connect(device: readonly [string, string, string]): Promise<void> {
    const { deviceCode, userCode } = await this.requestCode(undefined, device);
    await approveDevice(this.service.baseUrl, userCode, this.owner);
    await poll(this.service.baseUrl, deviceCode);
  }

  private async walkWorkspace(): Promise<void> {
    const workspace = `workspace=${this.workspaceId}`;
    await this.open(`/settings/security?${workspace}`, 'security');
    await this.open(`/settings/security/company-account?${workspace}`, 'company-settings');
    await this.service.database.query('DELETE FROM identity_providers WHERE workspace_id = $1', [
      this.workspaceId,
    ]);
    await this.open(`/settings/security/company-account?${workspace}`, 'company-settings-new');
    await this.open(`/settings/activity?${workspace}`, 'activity');
    await this.open(`/settings/activity?${workspace}&kind=link`, 'activity-filtered');
    await this.open(`/settings/activity?${workspace}&kind=app&user=nobody`, 'activity-none');
  }

  private async walkDeveloper(): Promise<void> {
    const { database } = this.service;
    await this.open('/settings/developer', 'developer-empty');
    const create = `/settings/developer/webhooks/new?workspace=${this.workspaceId}`;
    await this.open(create, 'new-webhook');
    await this.type('url', 'http://automation.example/hook');
    await this.press('main form button', 'new-webhook-problem');
    for (const url of [
      'https://hooks.example/photos',
      'https://automation.long-name-of-a-company-for-photography.example/api/webhooks/incoming/9f8e7d',
    ]) {
      await this.open(create);
      await this.type('url', url);
      await this.page.$$eval('[name=events]', (boxes) => {
        for (const box of boxes) (box as HTMLInputElement).checked = true;
      });
      await this.press('main form button');
    }
    await this.look('webhook-secret');
    await this.press('main p > a.button', 'webhook-no-deliveries');
    const id = new URL(this.page.url()).pathname.split('/').at(-1) ?? '';
    for (const [event, attempts, due, delivered, status, failure] of [
      ['app.connected', 0, true, false, null, null],
      ['upload.finished', 1, false, true, 204, null],
      ['workspace.identity_provider_changed', 3, true, false, 503, null],
      ['member.joined', 8, false, false, null, 'timeout'],
      ['account.authenticator_removed', 1, true, false, null, 'unknown_host'],
    ] as const)
      await database.query(
        `INSERT INTO webhook_deliveries (id, webhook_id, event, payload, created_at, attempts, due_at, delivered_at, status, failure)
         VALUES ($1, $2, $3, '{}', now() - interval '1 hour', $4, CASE WHEN $5 THEN now() + interval '2 hours' END,
                 CASE WHEN $6 THEN now() END, $7, $8)`,
        [randomUUID(), id, event, attempts, due, delivered, status, failure],
      );
    await database.query(`UPDATE webhooks SET failing_since = now() WHERE id = $1`, [id]);
    await this.open(`/settings/developer/webhooks/${id}`, 'webhook');
    await database.query(`UPDATE webhooks SET disabled_at = now() WHERE id = $1`, [id]);
    await this.open(`/settings/developer/webhooks/${id}`, 'webhook-off');
    await this.open('/settings/developer', 'developer-webhooks');
    await database.query(`DELETE FROM webhooks`);
  }

  private async walkSecondFactor(): Promise<void> {
    await this.open('/settings/account/sign-in/authenticator', 'authenticator');
    this.secret = await this.page.$eval('#secret', ({ textContent }) => textContent);
    await this.type('code', '000000');
    await this.press('form:has(#code) button', 'authenticator-problem');
    await this.type('code', this.codeOfApp(-1));
    await this.press('form:has(#code) button', 'recovery-codes');
    await this.open('/settings/account/sign-in', 'second-factors-on');
    await this.signOut();
    await this.open('/settings/account');
    await this.signIn();
    await this.look('enter-code');
    await this.type('code', '000000');
    await this.press('form:has(#code) button');
    await this.page.$eval('details.recovery', (details) => {
      details.open = true;
    });
    await this.look('enter-code-problem');
    await this.type('code', this.codeOfApp(0));
    await this.press('form:has(#code) button');
  }

  private async signOut(): Promise<void> {
    const context = this.page.browserContext();
    const cookies = await context.cookies();
    await context.deleteCookie(...cookies.filter(({ name }) => name.includes('session')));
  }

  private async walkCodeSignIn(): Promise<void> {
    const { database } = this.service;
    const begin = async (network: string, look?: string): Promise<string> => {
      const { deviceCode, address } = await this.requestCode(network);
      await this.open(address);
      await this.press('main form button[type=submit]', look);
      return deviceCode;
    };
    await begin(STUDIO_NETWORK, 'consent');
    const deviceCode = await begin(OTHER_NETWORK, 'consent-elsewhere');
    await this.page.$eval('[name=workspace]', (radio) => {
      (radio as HTMLElement).click();
    });
    await this.press('button[value=allow]', 'number');
    await this.chooseNumber(deviceCode);
    await database.query(
      `DELETE FROM workspace_members WHERE account_id = $1 AND workspace_id <> $2`,
      [this.owner.accountId, this.workspaceId],
    );
    await database.query(`UPDATE workspaces SET needs_second_factor = true WHERE id = $1`, [
      this.workspaceId,
    ]);
    await database.query(
      `UPDATE oidc_records SET payload = payload || '{"amr": ["pwd"]}'
        WHERE kind = 'Session' AND payload ->> 'accountId' = $1`,
      [this.owner.accountId],
    );
    await begin(STUDIO_NETWORK);
    await this.press('button[value=allow]', 'confirm-it-is-you');
    await database.query(`DELETE FROM totp_secrets WHERE account_id = $1`, [this.owner.accountId]);
    await begin(STUDIO_NETWORK);
    await this.press('button[value=allow]', 'confirm-by-passkey');
    await database.query(`DELETE FROM passkeys WHERE account_id = $1`, [this.owner.accountId]);
    await begin(STUDIO_NETWORK);
    await this.press('button[value=allow]', 'factor-missing');
    for (const signIn of ['same-network', 'off'] as const) {
      await database.transaction((transaction) =>
        setCodeSignIn(transaction, this.workspaceId, { signIn, apps: 'all' }),
      );
      await begin(OTHER_NETWORK, `not-allowed-${signIn}`);
    }
  }

  /** Chooses the number in the app. The page shows the outcome then; without scripts, once its user reloads it. */
  private async chooseNumber(deviceCode: string): Promise<void> {
    const { page, service } = this;
    const number = await page.$eval('.big-number', ({ textContent }) => textContent);
    const form = {
      client_id: CLIENT_ID,
      grant_type: DEVICE_GRANT,
      device_code: deviceCode,
      number,
    };
    await poll(service.baseUrl, deviceCode);
    const shown = page.waitForFunction("document.querySelector('.big-number') === null");
    await postForm(`${service.baseUrl}/api/oauth/token`, form);
    if (!page.isJavaScriptEnabled()) await this.press('noscript a.button');
    await shown;
    await this.look('number-chosen');
  }

  /** The pages of links in mails. */
  private async walkMail(): Promise<void> {
    const { received } = this.mail;
    const confirm = received.findLast(({ source }) => source.includes('/confirm-email'));
    if (confirm === undefined) throw new Error('no link to confirm an address came');
    await this.open(linkIn(confirm, this.service.baseUrl), 'confirm-email');
    await this.press('main form button', 'email-confirmed');
    await this.open(linkIn(confirm, this.service.baseUrl), 'link-gone');
  }
}
