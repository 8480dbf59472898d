import { beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser } from '../support/browser-client.js';
import { authorizePath, makePkce } from '../support/code-flow.js';
import { addUser, addWorkspace, openSettings, registerApplication } from '../support/users.js';
import type { TestUser } from '../support/users.js';
import { useService } from '../support/use-service.js';

const CALLBACK = 'https://phisher.example/callback';

describe('a workspace app that misuses redirects (RFC 9700 section 4.11.2)', () => {
  let owner: TestUser;
  let outsider: TestUser;
  let clientId: string;
  const pkce = makePkce();

  const service = useService();
  beforeAll(async () => {
    const workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    outsider = await addUser(service, { [await addWorkspace(service, 'Agency')]: 'owner' });
    const browser = await openSettings(service, owner);
    ({ clientId } = await registerApplication(browser, workspaceId, {
      kind: 'confidential',
      redirectUris: CALLBACK,
    }));
  });

  const requests: [string, Record<string, string | undefined>, string][] = [
    ['an unknown scope', { scope: 'nonsense' }, 'invalid_scope'],
    ['no scope', { scope: undefined }, 'invalid_scope'],
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['no interaction', { prompt: 'none' }, 'login_required'],
    ['an unknown prompt', { prompt: 'nonsense' }, 'invalid_request'],
    ['the implicit grant', { response_type: 'token' }, 'unsupported_response_type'],
    ['another response mode', { response_mode: 'fragment' }, 'unsupported_response_mode'],
    ['another resource', { resource: 'urn:other' }, 'invalid_target'],
  ];
  const path = (changes: Record<string, string | undefined>): string =>
    authorizePath(pkce, { client_id: clientId, redirect_uri: CALLBACK, ...changes });

  // @threat P6
  it.each(requests)(
    'does not redirect a signed-out browser to the app, by %s',
    async (_what, changes) => {
      const page = await new TestBrowser(service.baseUrl).open(path(changes));

      expect(page.status).toBe(400);
      expect(page.text).toContain('phisher.example');
      expect(page.headers.get('location')).toBeNull();
      expect(page.headers.get('refresh')).toBeNull();
    },
  );

  it('shows a link to the app with its error', async () => {
    const page = await new TestBrowser(service.baseUrl).open(path({ scope: 'nonsense' }));

    const link = /<a [^>]*href="(https:[^"]+)"/.exec(page.markup)?.[1]?.replaceAll('&amp;', '&');
    const url = new URL(link ?? '');
    expect(url.origin + url.pathname).toBe(CALLBACK);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      error: 'invalid_scope',
      state: 'some-state',
      iss: service.baseUrl,
    });
  });

  it('does not redirect users of other workspaces to the app', async () => {
    const browser = await openSettings(service, outsider);

    const page = await browser.open(path({ scope: 'nonsense' }));

    expect(page.status).toBe(400);
    expect(page.text).toContain('phisher.example');
  });

  it('redirects members of its workspace to the app with the error', async () => {
    const browser = await openSettings(service, owner);

    const url = await browser.leaving(browser.open(path({ scope: 'nonsense' })));

    expect(url.searchParams.get('error')).toBe('invalid_scope');
  });

  it('gets no redirect from the resume URL either', async () => {
    const browser = new TestBrowser(service.baseUrl);
    const page = await browser.open(path({ client_id: clientId }));
    const uid = page.url.split('/').at(-1) ?? '';

    const resumed = await browser.open(`/oauth/authorize/${uid}`);

    expect(resumed.url.startsWith(service.baseUrl)).toBe(true);
    expect(resumed.status).toBeLessThan(500);
  });
});
