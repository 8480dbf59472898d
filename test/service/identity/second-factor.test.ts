import { describe, expect, it } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { PasswordChanges } from '../../../service/identity/passwords/password-changes.js';
import { approveDevice, TestBrowser, type Page } from '../support/browser-client.js';
import { poll, startDevice } from '../support/oauth-client.js';
import {
  addUser,
  addWorkspace,
  elementText,
  openSettings,
  type TestUser,
} from '../support/users.js';
import { addPasskey } from '../support/software-passkey.js';
import { useService } from '../support/use-service.js';

describe('second factors', () => {
  const service = useService();

  const codeOf = (secret: string, stepsLater = 0): string =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({
      timestamp: Date.now() + stepsLater * 30_000,
    });

  /** A user with an authenticator app, its secret and recovery codes, and the browser that set it up. */
  async function withAuthenticator(): Promise<{
    user: TestUser;
    workspace: string;
    secret: string;
    codes: string[];
    browser: TestBrowser;
  }> {
    const workspace = await addWorkspace(service, 'Studio');
    const user = await addUser(service, { [workspace]: 'owner' });
    const browser = await openSettings(service, user, '/settings/account/sign-in');
    const page = await browser.open('/settings/account/sign-in/authenticator');
    const secret = elementText(page, 'secret');
    const turnOn = async (): Promise<string[]> => {
      const shown = await browser.submit('Turn on', { code: codeOf(secret, -1) });
      const codes = shown.markup.matchAll(/<li>((?:\w{4}-){3}\w{4})<\/li>/g);
      return [...codes].map(([, code = '']) => code);
    };
    let codes = await turnOn();
    // A code of the step before is refused when the next step has begun.
    if (codes.length === 0) codes = await turnOn();
    expect(codes).toHaveLength(10);
    return { user, workspace, secret, codes, browser };
  }

  async function enterPassword({ username, password }: TestUser): Promise<TestBrowser> {
    const browser = new TestBrowser(service.baseUrl);
    await browser.open('/settings/account');
    await browser.submit('Sign in', { username, password });
    return browser;
  }

  // @threat U9
  it('a password leads to the code, which is accepted once', async () => {
    const { user, secret } = await withAuthenticator();
    const browser = await enterPassword(user);
    expect(browser.page.text).toContain('Enter a code');
    expect((await browser.copy().open('/settings/account')).text).toContain('Username');

    expect((await browser.submit('Continue', { code: '000000' })).status).toBe(401);
    const code = codeOf(secret);
    expect((await browser.submit('Continue', { code })).url).toMatch(/\/settings\/account$/);
    const again = await enterPassword(user);
    expect((await again.submit('Continue', { code })).status).toBe(401);
  });

  // @threat U9
  it('a recovery code works once, is audited and noticed', async () => {
    const { user, codes } = await withAuthenticator();
    expect(codes).toHaveLength(10);
    const recover = async (): Promise<number> => {
      const browser = await enterPassword(user);
      const form = browser.page.forms.find(({ fields }) => 'recovery_code' in fields);
      browser.show({ ...browser.page, forms: form === undefined ? [] : [form] });
      return (await browser.submit('Continue', { recovery_code: codes[0] ?? '' })).status;
    };
    expect(await recover()).toBe(200);
    expect(await recover()).toBe(401);
    const notices = await service.database.query(
      `SELECT kind FROM notices WHERE account_id = $1 AND kind = 'recovery_code_used'`,
      [user.accountId],
    );
    expect(notices).toHaveLength(1);
  });

  it('each change of it is audited and noticed, and each sign-in names what was used', async () => {
    const { user, secret, codes, browser } = await withAuthenticator();
    const entered = await enterPassword(user);
    await entered.submit('Continue', { code: codeOf(secret) });
    const recovering = await enterPassword(user);
    const form = recovering.page.forms.find(({ fields }) => 'recovery_code' in fields);
    recovering.show({ ...recovering.page, forms: form === undefined ? [] : [form] });
    await recovering.submit('Continue', { recovery_code: codes[0] ?? '' });
    await browser.open('/settings/account/sign-in');
    await browser.submit('Create new codes');
    await browser.open('/settings/account/sign-in');
    await browser.submit('Remove authenticator app');

    const kinds = async (sql: string): Promise<string[]> =>
      (await service.database.query<{ kind: string }>(sql, [user.accountId])).map(
        ({ kind }) => kind,
      );
    expect(
      await kinds('SELECT kind FROM notices WHERE account_id = $1 ORDER BY created_at, id'),
    ).toEqual([
      ...['authenticator_added', 'recovery_code_used'],
      ...['recovery_codes_made', 'authenticator_removed'],
    ]);
    expect(
      await kinds(
        `SELECT COALESCE(about ->> 'method', action) AS kind FROM audit_events
          WHERE account_id = $1 AND workspace_id IS NULL ORDER BY id`,
      ),
    ).toEqual([
      ...['password', 'authenticator_added', 'password_and_code', 'recovery_code_used'],
      ...['password_and_recovery_code', 'recovery_codes_made', 'authenticator_removed'],
    ]);
  });

  it('a reset link leads a user with an authenticator app to the second step', async () => {
    const { user, secret } = await withAuthenticator();
    const { database } = service;
    const changes = new PasswordChanges(
      database,
      () => new Date(),
      () => Promise.resolve(),
    );
    const browser = new TestBrowser(service.baseUrl);
    await browser.open(`/new-password?token=${await changes.makeReset(user.accountId)}`);
    const password = 'heron lamp quarter';
    await browser.submit('Save and sign in', {
      ...{ new_password: password, new_password_again: password },
    });

    expect((await browser.open('/settings/account')).text).not.toContain('Sign out');
    await browser.submit('Sign in', { username: user.username, password });
    expect(browser.page.text).toContain('Enter a code');
    await browser.submit('Continue', { code: codeOf(secret) });
    expect((await browser.open('/settings/account')).text).toContain('Your password was changed');
  });

  // @threat U9
  it('refuses further codes after five wrong ones', async () => {
    const { user, secret } = await withAuthenticator();
    const browser = await enterPassword(user);
    for (let i = 0; i < 5; i += 1) await browser.submit('Continue', { code: '000000' });
    expect((await browser.submit('Continue', { code: codeOf(secret) })).status).toBe(429);
  });

  // @threat U12
  it('the proof of a password is worth nothing in another browser', async () => {
    const { user, secret } = await withAuthenticator();
    const victim = await enterPassword(user);
    const proof = victim.page.form?.fields['proof'] ?? '';
    const other = new TestBrowser(service.baseUrl);
    const page = await other.open('/settings/sign-in');
    const form = page.forms.find(({ fields }) => 'username' in fields);
    if (form === undefined) throw new Error('no form');
    const fields = { csrf: form.fields['csrf'] ?? '', proof, code: codeOf(secret) };
    other.show({ ...page, forms: [{ ...form, fields }] });
    expect((await other.submit('Sign in')).status).toBe(401);
  });

  // @threat U11
  it('an old sign-in must be repeated before the sign-in is changed', async () => {
    const { user, browser } = await withAuthenticator();
    await service.database.query(
      `UPDATE oidc_records SET payload = payload || '{"loginTs": 1000}'
        WHERE kind = 'Session' AND payload ->> 'accountId' = $1`,
      [user.accountId],
    );
    expect((await browser.open('/settings/account/sign-in')).url).toContain('/settings/sign-in');
  });

  it('an app is connected only with a second factor where the workspace requires it', async () => {
    const workspace = await addWorkspace(service, 'Careful studio');
    const user = await addUser(service, { [workspace]: 'owner' });
    const browser = await openSettings(service, user, `/settings/security?workspace=${workspace}`);
    const form = browser.page.forms.find(({ action }) => action.endsWith('/second-factor'));
    browser.show({ ...browser.page, forms: form === undefined ? [] : [form] });
    await browser.submit('Save changes', { second_factor: 'yes' });

    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    await approveDevice(service.baseUrl, userCode, user).catch(() => undefined);
    expect((await poll(service.baseUrl, deviceCode)).status).toBe(400);
  });

  describe('Allow in a workspace that requires a second factor', () => {
    const setRule = (workspace: string, isNeeded: boolean): Promise<unknown> =>
      service.database.query('UPDATE workspaces SET needs_second_factor = $2 WHERE id = $1', [
        workspace,
        isNeeded,
      ]);

    /** Signs in with the password. The link of the app needs no number on one network. */
    async function openConsent(user: TestUser, workspace: string) {
      await setRule(workspace, true);
      const { deviceCode, body } = await startDevice(service.baseUrl);
      const browser = new TestBrowser(service.baseUrl);
      await browser.open(String(body['verification_uri_complete']));
      await browser.submit('Continue');
      const { username, password } = user;
      await browser.submit('Sign in', { username, password });
      const isPending = async (): Promise<boolean> =>
        (await poll(service.baseUrl, deviceCode)).status === 400;
      return { browser, isPending };
    }

    // @threat C13
    it('is confirmed with a code of the authenticator app, once it is the right one', async () => {
      const { user, workspace, secret } = await withAuthenticator();
      const { browser, isPending } = await openConsent(user, workspace);
      await browser.submit('Continue', { code: codeOf(secret) });
      // The sign-in with the code is long ago.
      await service.database.query(
        `UPDATE oidc_records SET payload = payload || '{"loginTs": 1000}'
          WHERE kind = 'Session' AND payload ->> 'accountId' = $1`,
        [user.accountId],
      );
      await browser.submit('Allow');
      expect(browser.page.form?.fields).toHaveProperty('code');

      expect((await browser.submit('Continue', { code: '000000' })).status).toBe(401);
      expect(await isPending()).toBe(true);

      await browser.submit('Continue', { code: codeOf(secret, 1) });
      expect(browser.page.text).toContain('You are connected');
      expect(await isPending()).toBe(false);
    });

    it('is refused when the workspace begins to ask for one before the grant', async () => {
      const workspace = await addWorkspace(service, 'Studio');
      const user = await addUser(service, { [workspace]: 'owner' });
      const { browser, isPending } = await openConsent(user, workspace);
      await setRule(workspace, false);
      const next = await browser.redirectOf(() => browser.submit('Allow'));
      await setRule(workspace, true);

      await browser.open(next);

      expect(browser.page.text).not.toContain('You are connected');
      expect(await isPending()).toBe(true);
    });

    it('needs no second confirmation right after a sign-in with a code', async () => {
      const { user, workspace, secret } = await withAuthenticator();
      const { browser } = await openConsent(user, workspace);
      await browser.submit('Continue', { code: codeOf(secret) });
      expect((await browser.submit('Allow')).text).toContain('You are connected');
    });

    // @threat U10
    it('is confirmed with a passkey of this user, used on this site', async () => {
      const workspace = await addWorkspace(service, 'Studio');
      const user = await addUser(service, { [workspace]: 'owner' });
      const own = await addPasskey(service, user.accountId);
      const { accountId } = await addUser(service, { [workspace]: 'member' });
      const colleague = await addPasskey(service, accountId);
      const { browser, isPending } = await openConsent(user, workspace);
      const confirm = async (respond: (page: Page) => string): Promise<number> =>
        (await browser.submit('Use a passkey', { passkey: respond(browser.page) })).status;
      await browser.submit('Allow');

      const [, options = ''] = /data-options="([^"]*)"/.exec(browser.page.markup) ?? [];
      expect(JSON.parse(options.replaceAll('&quot;', '"'))).toMatchObject({
        userVerification: 'required',
        allowCredentials: [{ type: 'public-key' }],
      });
      expect(await confirm((page) => colleague.respond(page))).toBe(401);
      expect(await confirm((page) => own.respond(page, 'https://relay.example'))).toBe(401);
      expect(await isPending()).toBe(true);

      expect(await confirm((page) => own.respond(page))).toBe(200);
      expect(browser.page.text).toContain('You are connected');
      expect(await isPending()).toBe(false);
    });

    it.each([
      ['accepts a synced passkey', true, [5, 3, 0], [200, 200, 200]],
      ['refuses another passkey', false, [5, 5, 3], [200, 401, 401]],
    ])('%s whose signature count does not grow', async (_what, isSynced, counts, statuses) => {
      const workspace = await addWorkspace(service, 'Studio');
      const user = await addUser(service, { [workspace]: 'owner' });
      const passkey = await addPasskey(service, user.accountId, isSynced);
      const seen: number[] = [];
      for (const count of counts) {
        const { browser } = await openConsent(user, workspace);
        await browser.submit('Allow');
        const response = passkey.respond(browser.page, undefined, count);
        const page = await browser.submit('Use a passkey', { passkey: response });
        seen.push(page.status);
        if (page.status === 401) expect(page.text).toContain('This passkey may be a copy');
      }
      expect(seen).toEqual(statuses);
      const lines = service.logLines.filter((line) => line.event === 'sign_in_failed');
      expect(lines.filter((line) => line.user === user.accountId).length).toBe(isSynced ? 0 : 2);
    });
  });
});
