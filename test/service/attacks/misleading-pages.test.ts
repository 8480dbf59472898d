import { beforeAll, describe, expect, it } from '@jest/globals';
import { sha256 } from '../../../service/kernel/hash.js';
import { TestBrowser } from '../support/browser-client.js';
import type { Page } from '../support/browser-client.js';
import { poll, startDevice } from '../support/oauth-client.js';
import { authorizePath, makePkce } from '../support/code-flow.js';
import { addUser, addWorkspace, openSettings } from '../support/users.js';
import type { TestUser } from '../support/users.js';
import { useService } from '../support/use-service.js';

const SENTENCE = 'Call 0900-123456 now: your photos are lost';

describe('pages behind a malicious link', () => {
  let anna: TestUser;

  const service = useService();
  beforeAll(async () => {
    const workspaceId = await addWorkspace(service, 'North Studio');
    anna = await addUser(service, { [workspaceId]: 'member' });
  });

  const open = (path: string): Promise<Page> => new TestBrowser(service.baseUrl).open(path);
  /** Every page is ours: it has our look, one way on, and no script that the browser would block. */
  const expectOurs = (page: Page): void => {
    expect(page.text).toMatch(/^Creative Workspace/);
    expect(page.markup).not.toContain('<script');
    expect(page.markup).toMatch(/<form|<a /);
  };

  // @threat P2
  it.each([
    ['a sentence', `user_code=${encodeURIComponent(SENTENCE)}`],
    ['a word of eight letters', 'user_code=PASSWORD'],
    ['a code with more after it', 'user_code=BCDF-GHJK-CALL-US'],
    ['two codes', 'user_code=BCDF-GHJK&user_code=BCDF-GHJL'],
    ['two sentences', `user_code=${encodeURIComponent(SENTENCE)}&user_code=x`],
    ['a very long one', `user_code=${'BCDF'.repeat(1000)}`],
  ])('do not show invalid user codes: %s', async (_what, query) => {
    const page = await open(`/oauth/device?${query}`);

    expect(page.status).toBe(400);
    expectOurs(page);
    expect(page.markup).not.toMatch(/0900|PASSWORD|CALL|BCDF/);
    expect(page.text).toContain('No app is waiting with this code');
    expect(page.form?.fields).toMatchObject({ user_code: '' });
  });

  it.each(['BCDF-GHJK', 'bcdfghjk', 'BCDF%20GHJK'])(
    'show a valid user code in its usual form: %s',
    async (code) => {
      const page = await open(`/oauth/device?user_code=${code}`);

      expect(page.status).toBe(200);
      expect(page.text).toContain('BCDF-GHJK');
      expect(page.form?.fields).toMatchObject({ user_code: 'BCDF-GHJK', confirm: 'yes' });
    },
  );

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'ignore names of Object.prototype in the URL: %s',
    async (word) => {
      const browser = await openSettings(service, anna, '/settings/apps');
      const page = await browser.open(`/settings/apps?flash=${word}`);

      expect(page.status).toBe(200);
      expect(page.text).not.toContain('native code');
      for (const path of [
        `/settings/${word}`,
        `/settings/developer/applications/${word}`,
        `/settings/developer/applications/new?workspace=${word}`,
        `/oauth/${word}`,
        `/oauth/device/${word}`,
        `/oauth/interaction/${word}`,
        `/oauth/authorize/${word}`,
        `/${word}`,
        `/oauth/authorize?client_id=${word}`,
      ]) {
        const other = await browser.open(path);
        expect([path, other.status < 500]).toEqual([path, true]);
        expect(other.text).not.toContain('native code');
      }
      for (const path of [`/api/${word}`, `/api/oauth/${word}`, `/api/v1/${word}`]) {
        expect((await fetch(service.baseUrl + path)).status).toBe(404);
      }
    },
  );

  it.each([
    'client_id=creative-workspace-desktop',
    'client_id=creative-workspace-plugin&user_code=x',
  ])('ignore parameters of a resumed request: %s', async (query) => {
    for (const path of ['/oauth/authorize/ABC', '/oauth/device/ABC']) {
      const page = await open(`${path}?${query}&redirect_uri`);

      expect([path, page.status]).toEqual([path, 400]);
      expect(page.text).toMatch(/^Creative Workspace/);
    }
  });

  it('continue when another user signed in with this browser in a second tab', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    await browser.open(`/oauth/device?user_code=${userCode}`);
    const atSignIn = await browser.submit('Continue');
    const { username, password } = service.demo;
    await browser.open('/settings/apps');
    await browser.submit('Sign in', { username, password });

    browser.show(atSignIn);
    const page = await browser.submit('Sign in', {
      username: anna.username,
      password: anna.password,
    });

    expect(page.status).toBe(409);
    expectOurs(page);
    expect(page.text).toContain('Someone else is signed in');
    // The user was not signed in or out unnoticed.
    expect((await browser.open('/settings/apps')).text).toContain('Apps that you, Demo');
  });

  it('continue when another user signed in between the form and its answer', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    await browser.open(`/oauth/device?user_code=${userCode}`);
    const atSignIn = await browser.submit('Continue');
    const uid = atSignIn.url.split('/').at(-1) ?? '';
    const { username, password } = service.demo;
    await browser.open('/settings/apps');
    await browser.submit('Sign in', { username, password });
    await service.database.query(
      `UPDATE oidc_records SET payload = jsonb_set(payload, '{result}', $2::jsonb)
        WHERE kind = 'Interaction' AND id = $1`,
      [sha256(uid), JSON.stringify({ login: { accountId: anna.accountId } })],
    );

    const page = await browser.open(`/oauth/device/${uid}`);

    expect(page.status).toBe(409);
    expectOurs(page);
    expect(page.text).toContain('Someone else is signed in');
    expect((await browser.open('/settings/apps')).text).toContain('Apps that you, Demo');
  });

  it('continue when another user signed in at the consent page', async () => {
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    const browser = await openSettings(service, anna, '/settings/apps');
    await browser.open(`/oauth/device?user_code=${userCode}`);
    const consent = await browser.submit('Continue');
    expect(consent.text).toContain('Connect Creative Workspace plugin?');
    await browser.open('/settings/sign-in');
    const { username, password } = service.demo;
    await browser.submit('Sign in', { username, password });

    browser.show(consent);
    const page = await browser.submit('Allow');

    expect(page.status).toBe(400);
    expectOurs(page);
    expect(page.text).toContain('The sign-in has changed');
    const resumed = await browser.open(consent.url.replace('/interaction/', '/device/'));
    expect(resumed.status).toBe(400);
    expectOurs(resumed);
    expect(resumed.text).toContain('The sign-in has changed');
    // The code was not lost over it.
    expect((await browser.submit('Continue')).text).toContain('Signed in as Demo');
    await browser.submit('Allow');
    expect((await poll(service.baseUrl, deviceCode)).status).toBe(200);
  });

  it.each([
    ['a form as answer', { response_mode: 'form_post' }],
    ['a form for the error', { response_mode: 'form_post', scope: 'nonsense' }],
    ['a message as answer', { response_mode: 'web_message' }],
    ['the end of a session', { prompt: 'select_account' }],
    ['an id token', { response_type: 'id_token', nonce: 'n' }],
    ['an id token as hint', { id_token_hint: 'x.y.z' }],
    ['a maximum age', { max_age: '-1' }],
  ])('are never the library’s pages, for %s', async (_what, changes) => {
    const browser = new TestBrowser(service.baseUrl);
    const answer = await browser
      .open(authorizePath(makePkce(), changes))
      .then(expectOurs, () =>
        browser.leaving(Promise.reject(new Error('left'))).catch(() => 'left'),
      );
    expect(answer === undefined || answer === 'left' || answer instanceof URL).toBe(true);
  });

  it('refuse NUL characters in text', async () => {
    const signIn = new TestBrowser(service.baseUrl);
    await signIn.open('/settings/apps');
    const nul = await signIn.submit('Sign in', { username: 'de\0mo', password: 'x' });
    expect([400, 403]).toContain(nul.status);

    await service.connect();
    const browser = await openSettings(service, service.demo, '/settings/apps');
    const disconnected = await browser.submit('Disconnect', { grant_id: 'x\0' });
    expect([400, 403]).toContain(disconnected.status);

    const { userCode } = await startDevice(service.baseUrl);
    const entry = new TestBrowser(service.baseUrl);
    await entry.open(`/oauth/device?user_code=${userCode}`);
    await entry.submit('Continue');
    const page = await entry.submit('Sign in', { username: '\0', password: '\0' });
    expect([400, 403]).toContain(page.status);
  });

  it.each([
    '/session/end',
    '/session/end/confirm',
    '/session/end/success',
    '/interaction/x',
    '/me',
  ])('are never the library’s pages, at %s', async (path) => {
    expect((await open(path)).status).toBe(404);
    const posted = await fetch(service.baseUrl + path, { method: 'POST' });
    expect(posted.status).toBe(404);
  });

  it('require a comparison of the code and accept Continue only', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    await browser.open('/oauth/device');

    const compare = await browser.submit('Continue', { user_code: userCode, confirm: '' });
    expect(compare.text).toContain('Is this the code you see?');
    const wrong = await browser.submit('Continue', { user_code: SENTENCE });

    expect(wrong.status).toBe(400);
    // The user's input is in the field only.
    expect(wrong.text).not.toContain('0900');
  });
});
