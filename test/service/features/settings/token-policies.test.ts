import { beforeEach, describe, expect, it } from '@jest/globals';
import { PersonalTokens } from '../../../../service/auth/accounts/personal-access-tokens.js';
import { BearerCheck } from '../../../../service/oauth/tokens/bearer.js';
import type { TestBrowser, Page } from '../../support/browser-client.js';
import { useService } from '../../support/use-service.js';
import { addWorkspaceFixture, type WorkspaceFixture } from '../../support/workspace-fixture.js';
import { elementText, openSettings } from '../../support/users.js';

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

  const create = (): Promise<Page> =>
    browser.submit('Create token', { name: 'Script', scope: 'uploads:read' });
  const statusOf = async (token: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${service.baseUrl}/api/v1/me`, { headers })).status;
  };
  const created = async (): Promise<string> => elementText(await create(), 'secret');
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
    expect(await statusOf(await created())).toBe(200);
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
