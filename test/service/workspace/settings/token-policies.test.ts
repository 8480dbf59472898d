import { beforeEach, describe, expect, it } from '@jest/globals';
import { PersonalTokens } from '../../../../service/identity/accounts/personal-access-tokens.js';
import { PasswordChanges } from '../../../../service/identity/passwords/password-changes.js';
import { deleteAccount } from '../../../../service/app/delete-account.js';
import { BearerCheck } from '../../../../service/oauth/tokens/bearer.js';
import type { TestBrowser, Page } from '../../support/browser-client.js';
import { useService } from '../../support/use-service.js';
import { listUploads } from '../../support/oauth-client.js';
import { photo } from '../../support/tus-client.js';
import { openLink } from '../../identity/pages/inviting.js';
import { addWorkspaceFixture, type WorkspaceFixture } from '../../support/workspace-fixture.js';
import { connectAs, elementText, openSettings, send } from '../../support/users.js';

const NEW = '/settings/developer/tokens/new';

describe('a personal access token', () => {
  const service = useService();
  let studio: WorkspaceFixture;
  let browser: TestBrowser;

  beforeEach(async () => {
    await service.database.query('DELETE FROM attempts');
    studio = await addWorkspaceFixture(service);
    browser = await openSettings(service, studio.member, NEW);
  });

  const create = (scope = 'uploads:read'): Promise<Page> =>
    browser.submit('Create token', { name: 'Script', scope });
  const statusOf = async (token: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${service.baseUrl}/api/v1/me`, { headers })).status;
  };
  const created = async (scope?: string): Promise<string> =>
    elementText(await create(scope), 'secret');
  /** Sets a rule of the workspace as its owner. */
  const setRule = async (button: string, values: Record<string, string>): Promise<void> => {
    const settings = await openSettings(service, studio.owner, '/settings/security');
    const form = settings.page.forms.find(({ fields }) => button in fields);
    await fetch(new URL(form?.action ?? '', service.baseUrl), {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: settings.sessionCookie },
      body: new URLSearchParams({
        csrf: form?.fields['csrf'] ?? '',
        workspace: studio.workspaceId,
        ...values,
      }),
    });
  };
  const addPasskey = (): Promise<unknown> =>
    service.database.query(
      `INSERT INTO passkeys (id, account_id, public_key, counter, transports, name, created_at)
       VALUES ($1, $1, '\\x00', 0, '[]', 'Key', now())`,
      [studio.member.accountId],
    );
  /** The methods and the time of the sign-in in the browser. */
  const setSignIn = (methods: readonly string[], secondsAgo: number): Promise<unknown> =>
    service.database.query(
      `UPDATE oidc_records SET payload = payload || jsonb_build_object(
              'amr', $2::jsonb, 'loginTs', (payload ->> 'loginTs')::bigint - $3::bigint)
        WHERE kind = 'Session' AND payload ->> 'accountId' = $1`,
      [studio.member.accountId, JSON.stringify(methods), secondsAgo],
    );

  // @threat U18
  it('needs a recent sign-in', async () => {
    await setSignIn(['pwd'], 16 * 60);
    await browser.open(NEW);
    expect(browser.page.form?.fields).toHaveProperty('password');

    const { username, password } = studio.member;
    await browser.submit('Sign in', { username, password });

    expect(await statusOf(await created())).toBe(200);
  });

  // @threat U18
  it('is neither created nor valid where the workspace forbids tokens', async () => {
    const token = await created();
    await browser.open(NEW);

    await setRule('personal_tokens', {});

    expect(await statusOf(token)).toBe(401);
    const page = await create();
    expect([page.status, page.text]).toEqual([
      400,
      expect.stringContaining('does not allow personal access tokens'),
    ]);
    await setRule('personal_tokens', { personal_tokens: 'yes' });
    expect(await statusOf(token)).toBe(401);
    await browser.open(NEW);
    const later = await created();
    expect(await statusOf(later)).toBe(200);
    // The rule decides at each request, too.
    await service.database.query(
      'UPDATE workspaces SET allows_personal_tokens = false WHERE id = $1',
      [studio.workspaceId],
    );
    expect(await statusOf(later)).toBe(401);
  });

  // @threat U18
  it('works for a user with a second factor only, where the workspace requires one', async () => {
    const token = await created();
    await setRule('second_factor', { second_factor: 'yes' });
    expect(await statusOf(token)).toBe(401);

    await addPasskey();
    expect(await statusOf(token)).toBe(200);
    await browser.open(NEW);
    const refused = await create();
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('requires a second factor'),
    ]);
    await setSignIn(['pop', 'user', 'mfa'], 0);
    await browser.open(NEW);
    expect(await statusOf(await created())).toBe(200);
  });

  // @threat U18
  it('shows what its user may see now, also after they are an owner no more', async () => {
    const app = await connectAs(service, studio.owner);
    await send(service, app, 'bride.jpg', photo(1000, 1));
    const setRole = (role: string): Promise<unknown> =>
      service.database.query('UPDATE workspace_members SET role = $2 WHERE account_id = $1', [
        studio.member.accountId,
        role,
      ]);
    await setRole('owner');
    const token = await created('workspace:read');
    const seen = async (): Promise<string> =>
      JSON.stringify((await listUploads(service.baseUrl, token)).body);
    expect(await seen()).toContain('bride.jpg');

    const people = `/settings/people/${studio.member.accountId}?workspace=${studio.workspaceId}`;
    const settings = await openSettings(service, studio.owner, people);
    await settings.submit('Save changes', { role: 'member' });

    expect(await seen()).not.toContain('bride.jpg');
    expect(await statusOf(token)).toBe(200);
  });

  // @threat U18
  it('ends with the account', async () => {
    const token = await created();

    const storage = (): never => {
      throw new Error('no storage is needed');
    };
    const deps = { database: service.database, storage, settle: () => Promise.resolve() };
    await deleteAccount(deps, studio.member.accountId, false);

    expect(await statusOf(token)).toBe(401);
  });

  // @threat U18
  it.each([
    ['stays', '', 200],
    ['ends where the box is ticked', 'yes', 401],
  ])('%s with a new password: by the old one, and by a link', async (_what, ticked, status) => {
    const entry = { end_apps: ticked, new_password: 'heron lamp quarter' };
    const fields = { ...entry, new_password_again: entry.new_password };
    const byOld = await created();
    await browser.open('/settings/account');
    await browser.submit('Change password', { ...fields, password: studio.member.password });
    expect([browser.page.text, await statusOf(byOld)]).toEqual([
      expect.stringContaining('Password changed'),
      status,
    ]);

    await browser.open(NEW);
    const byLink = await created();
    const settle = (): Promise<void> => Promise.resolve();
    const changes = new PasswordChanges(service.database, () => new Date(), settle);
    const link = await changes.makeReset(studio.member.accountId);
    const other = await openLink(service, `/new-password?token=${link}`);
    await other.submit('Save and sign in', fields);
    expect([other.page.text, await statusOf(byLink)]).toEqual([
      expect.stringContaining('Password changed'),
      status,
    ]);
  });

  it('ends a long request soon after it is no longer allowed', async () => {
    const tokens = new PersonalTokens(service.database, () => new Date());
    const check = new BearerCheck(service.database, tokens, service.baseUrl, '', () => new Date());
    const authorization = `Bearer ${await created()}`;
    const credentials = { authorization, proof: undefined, method: 'GET', target: '/' };
    const result = await check.check(credentials, 'any');
    if (!('caller' in result)) throw new Error('no caller');
    expect(await check.isStillAuthorized(result.caller)).toBe(true);

    await setRule('second_factor', { second_factor: 'yes' });

    expect(await check.isStillAuthorized(result.caller)).toBe(false);
  });
});
