import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newPasswordProblem } from '../../../../service/identity/passwords/password-rules.js';
import { TestBrowser } from '../../support/browser-client.js';
import { addUser, addWorkspace, connectAs, openSettings } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';

const NEW = 'heron lamp quarter';

describe("the user's own account", () => {
  let workspaceId: string;
  let user: TestUser;
  let clock = Date.now();

  const service = useService({ now: () => new Date(clock) });
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
  });
  beforeEach(async () => {
    clock += 20_000;
    await service.database.query('DELETE FROM attempts');
    user = await addUser(service, { [workspaceId]: 'member' });
  });

  const account = (of: TestUser = user): Promise<TestBrowser> =>
    openSettings(service, of, '/settings/account');
  const fields = (old: string, password = NEW): Record<string, string> => ({
    password: old,
    new_password: password,
    new_password_again: password,
  });
  const signsIn = async (password: string): Promise<boolean> => {
    const browser = new TestBrowser(service.baseUrl);
    await browser.open('/settings/account');
    const { username } = user;
    return (await browser.submit('Sign in', { username, password })).status === 200;
  };
  const isSignedIn = async (browser: TestBrowser): Promise<boolean> =>
    (await browser.open('/settings/apps')).text.includes('Sign out');
  const me = async (token: string): Promise<{ status: number; body: unknown }> => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${service.baseUrl}/api/v1/me`, { headers });
    return { status: answer.status, body: await answer.json() };
  };

  it('has a name that others see, from the next request on', async () => {
    const token = await connectAs(service, user);
    const browser = await account();

    const page = await browser.submit('Save changes', { display_name: ' Zoë O’Hara ' });

    expect(page.text).toContain('Changes saved');
    expect((await me(token)).body).toMatchObject({ account: { name: 'Zoë O’Hara' } });
    const refused = await browser.submit('Save changes', { display_name: 'Z\u202eoe' });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('must not contain characters that change the direction');
    expect((await me(token)).body).toMatchObject({ account: { name: 'Zoë O’Hara' } });
  });

  // @threat U11
  it('changes the password of a user who enters the old one', async () => {
    const browser = await account();

    const wrong = await browser.submit('Change password', fields('wrong'));
    expect([wrong.status, wrong.text]).toEqual([401, expect.stringContaining('is wrong')]);
    expect(await signsIn(NEW)).toBe(false);
    const page = await browser.submit('Change password', fields(user.password));

    expect(page.text).toContain('Password changed');
    expect([await signsIn(user.password), await signsIn(NEW)]).toEqual([false, true]);
    expect(JSON.stringify(service.logLines)).not.toContain(NEW);
    expect(JSON.stringify(service.logLines)).not.toContain(user.password);
    expect(service.logLines).toContainEqual(
      expect.objectContaining({ action: 'password_changed', by: user.accountId }),
    );
  });

  it('keeps this browser signed in under a new session identifier', async () => {
    const browser = await account();
    const thief = browser.copy();
    expect(await isSignedIn(thief)).toBe(true);

    await browser.open('/settings/account');
    await browser.submit('Change password', { ...fields(user.password), end_browsers: '' });

    expect(await isSignedIn(thief)).toBe(false);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it.each([
    ['end where that is chosen', 'yes', 'yes', [false, 401]],
    ['stay where that is chosen', '', '', [true, 200]],
    ['end by themselves: browsers', 'yes', '', [false, 200]],
    ['end by themselves: apps', '', 'yes', [true, 401]],
  ] as const)('other browsers and apps %s', async (_what, browsers, apps, expected) => {
    const other = await account();
    const token = await connectAs(service, user);
    const browser = await account();

    await browser.submit('Change password', {
      ...fields(user.password),
      end_browsers: browsers,
      end_apps: apps,
    });

    expect([await isSignedIn(other), (await me(token)).status]).toEqual(expected);
  });

  it('limits guesses of the old password in a signed-in browser', async () => {
    const browser = await account();
    const { page } = browser;
    const statuses: number[] = [];
    for (let guess = 0; guess < 12; guess += 1) {
      browser.show(page);
      statuses.push((await browser.submit('Change password', fields(`guess ${guess}`))).status);
    }

    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
    expect(Number(browser.page.headers.get('retry-after'))).toBeGreaterThan(0);
    browser.show(page);
    const right = await browser.submit('Change password', fields(user.password));
    expect(right.status).toBe(429);
  });

  it('refuses a form of another user', async () => {
    const browser = await account();
    const other = await account(await addUser(service, {}));
    const csrf = other.page.form?.fields['csrf'] ?? '';

    const forged = await browser.submit('Change password', { ...fields(user.password), csrf });

    expect(csrf).not.toBe('');
    expect(forged.status).toBe(403);
    expect(await signsIn(user.password)).toBe(true);
  });

  it('does not change the password of the demo account', async () => {
    const browser = new TestBrowser(service.baseUrl);
    await browser.open('/settings/account');
    const { username, password } = service.demo;
    const page = await browser.submit('Sign in', { username, password });

    expect(page.text).toContain('can’t be changed');
    const post = await fetch(`${service.baseUrl}/settings/account`, {
      method: 'POST',
      headers: {
        cookie: browser.sessionCookie,
      },
      body: new URLSearchParams({
        csrf: page.form?.fields['csrf'] ?? '',
        action: 'password',
        ...fields(password),
      }),
    });
    expect(post.status).toBe(400);
  });
});

describe('a new password', () => {
  const judge = (password: string, again = password): string | undefined =>
    newPasswordProblem({ password, again }, { username: 'marianne', displayName: 'Marianne Smith' })
      ?.key;

  it.each([
    ['nine char', 'passwordTooShort'],
    ['x'.repeat(1025), 'passwordTooLong'],
    ['aaaaaaaaaaaa', 'passwordTooEasy'],
    ['Password2026!', 'passwordTooEasy'],
    ['1234567890', 'passwordTooEasy'],
    ['qwertyuiop1', 'passwordTooEasy'],
    ['qwertzuiop1', 'passwordTooEasy'],
    ['azertyuiop1', 'passwordTooEasy'],
    ['asdfghjkl12', 'passwordTooEasy'],
    ['abcdefghijklmnopqrstuvwxyz', 'passwordTooEasy'],
    ['012345678901', 'passwordTooEasy'],
    ['098765432109', 'passwordTooEasy'],
    ['passwort2026', 'passwordTooEasy'],
    ['Contraseña1!', 'passwordTooEasy'],
    ['motdepasse1', 'passwordTooEasy'],
    ['senha12345', 'passwordTooEasy'],
    ['creative2026', 'passwordTooEasy'],
    ['workspace2026', 'passwordTooEasy'],
    ['marianne2026', 'passwordTooEasy'],
    ['SmithMarianne', 'passwordTooEasy'],
    ['demo-photos', 'passwordTooEasy'],
    ['heron lamp quarter', undefined],
    ['T7#kd0z!Qx', undefined],
    ['ぼくのいぬはしろくておおきい', undefined],
  ])('%j: %s', (password, expected) => {
    expect(judge(password)).toBe(expected);
  });

  it('is entered twice, in any Unicode normalization', () => {
    expect(judge('heron lamp quarter', 'heron lamp quartier')).toBe('passwordsDiffer');
    expect(judge('caf\u00e9 heron lamp', 'cafe\u0301 heron lamp')).toBeUndefined();
  });
});
