import { beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser } from '../support/browser-client.js';
import type { Page } from '../support/browser-client.js';
import { startDevice, postForm } from '../support/oauth-client.js';
import { authorizePath, makePkce } from '../support/code-flow.js';
import { addUser, addWorkspace, openSettings, registerApplication } from '../support/users.js';
import type { TestUser } from '../support/users.js';
import { useService } from '../support/use-service.js';

describe('a workspace app', () => {
  let workspaceId: string;
  let owner: TestUser;
  let browser: TestBrowser;

  const service = useService();
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    browser = await openSettings(service, owner);
  });

  const register = (
    redirectUris: string,
    name = 'Print shop',
    kind: 'confidential' | 'public' = 'confidential',
  ) => registerApplication(browser, workspaceId, { kind, redirectUris, name });
  const consent = async (clientId: string, redirectUri: string): Promise<Page> => {
    const browserUser = await openSettings(service, owner);
    return browserUser.open(
      authorizePath(makePkce(), { client_id: clientId, redirect_uri: redirectUri }),
    );
  };

  // @threat P7
  it.each([
    'https://*/callback',
    'https://*.example/callback',
    'https://print.example;script-src/callback',
    "https://'unsafe-inline'/callback",
    'https://a,b.example/callback',
    'https://print_shop.example/callback',
    'https://[2001:db8::1]/callback',
    'https://print.example./callback',
    'https://-/callback',
    'https://$/callback',
    'https://xn--/callback',
  ])('cannot be registered with an invalid host: %s', async (uri) => {
    const { page } = await register(uri);

    expect(page.status).toBe(400);
    expect(page.text).toMatch(/is not a web address|is not allowed|must consist of/);
  });

  it.each([
    ['confidential', "https://'unsafe-inline'/callback"],
    ['confidential', 'https://a;default-src/callback'],
    ['confidential', 'https://[2001:db8::1]/callback'],
    ['public', 'http://evil.example/callback'],
  ] as const)(
    'is not served at such a host that was stored before: %s, %s',
    async (kind, stored) => {
      const good =
        kind === 'confidential' ? 'https://print.example/callback' : 'http://127.0.0.1/callback';
      const { clientId } = await register(good, 'Print shop', kind);
      await service.database.query(
        'UPDATE oauth_clients SET redirect_uris = $2 WHERE client_id = $1',
        [clientId, JSON.stringify([stored, good])],
      );

      const refused = await consent(clientId, stored);
      expect(refused.status).toBe(400);
      expect(refused.form).toBeUndefined();
      const page = await consent(clientId, good);
      expect(page.text).toContain('Connect Print shop?');

      await service.database.query(
        'UPDATE oauth_clients SET redirect_uris = $2 WHERE client_id = $1',
        [clientId, JSON.stringify([stored])],
      );
      const none = await consent(clientId, stored);
      expect(none.status).toBe(400);
    },
  );

  it('is distinguished from official apps at the consent, with its host', async () => {
    const { clientId } = await register('https://print.example:8443/callback');

    const page = await consent(clientId, 'https://print.example:8443/callback');

    expect(page.text).toContain('Created by the owner of North Studio');
    expect(page.text).toContain('not checked by Creative Workspace');
    expect(page.text).toContain('print.example:8443');
    expect(page.text).not.toContain('official');
    expect(page.headers.get('content-security-policy')).toContain(
      "form-action 'self' https://print.example:8443;",
    );
    const signIn = await new TestBrowser(service.baseUrl).open(
      authorizePath(makePkce(), {
        client_id: clientId,
        redirect_uri: 'https://print.example:8443/callback',
      }),
    );
    expect(signIn.text).toContain('not checked by Creative Workspace');
  });

  // @threat C6
  it('is distinguished from official apps in the device flow', async () => {
    const { clientId } = await register('http://127.0.0.1/callback', 'Tethering', 'public');
    const { body } = await postForm(`${service.baseUrl}/api/oauth/device_authorization`, {
      client_id: clientId,
      scope: 'uploads:write',
    });
    const browserUser = await openSettings(service, owner);
    await browserUser.open('/oauth/device');
    const page = await browserUser.submit('Continue', { user_code: String(body['user_code']) });
    expect(page.text).toContain('Created by the owner of North Studio');

    const { userCode } = await startDevice(service.baseUrl);
    await browserUser.open(`/oauth/device?user_code=${userCode}`);
    const official = await browserUser.submit('Continue');
    expect(official.text).toContain('An official app of Creative Workspace');
    expect(official.text).not.toContain('not checked');
  });

  // @threat P7
  it.each([
    'Creative Workspace plugin',
    'creative-workspace PLUGIN',
    'Сreаtive Wоrkspаce рlugin',
    'Creative Workspace pIugin',
    'Ｃｒｅａｔｉｖｅ Workspace plugin',
    'Creative Workspace plugin (official)',
    'Creative Workspace desktop',
    'Creative Workspace',
  ])('cannot have the name of an official app: %s', async (name) => {
    const { page } = await register('https://print.example/callback', name);
    expect(page.status).toBe(400);
    expect(page.text).toContain('name');

    const { clientId } = await register('https://print.example/callback');
    await browser.open(`/settings/developer/applications/${clientId}`);
    const changed = await browser.submit('Save changes', { name });
    expect(changed.status).toBe(400);
    const [row] = await service.database.query<{ name: string }>(
      'SELECT name FROM oauth_clients WHERE client_id = $1',
      [clientId],
    );
    expect(row?.name).toBe('Print shop');
  });

  it.each([
    ['turns the text around', 'Print \u202Epohs'],
    ['is invisible', '\u200B\u2060'],
    ['hides a character', 'Print\u200Bshop'],
    ['breaks the line', 'Print\u2028shop'],
    ['controls a terminal', 'Print \u009B31mshop'],
  ])('cannot have a name that %s; neither can a token', async (_what, name) => {
    const { page } = await register('https://print.example/callback', name);
    expect(page.status).toBe(400);

    await browser.open('/settings/developer/tokens/new');
    const token = await browser.submit('Create token', { name, scope: 'uploads:read' });
    expect(token.status).toBe(400);
  });

  it('can be named after its use of the product', async () => {
    const { page } = await register(
      'https://print.example/callback',
      'Print shop for Creative Workspace',
    );
    expect(page.status).toBe(201);
  });
});
