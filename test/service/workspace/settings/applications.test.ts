import { beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser } from '../../support/browser-client.js';
import { listUploads, postForm } from '../../support/oauth-client.js';
import { allowRequest, authorizePath, basic, makePkce } from '../../support/code-flow.js';
import {
  addUser,
  addWorkspace,
  elementText,
  openSettings,
  registerApplication,
} from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { addWorkspaceFixture } from '../../support/workspace-fixture.js';
import { useService } from '../../support/use-service.js';

const WEB_REDIRECT = 'https://print-shop.example/callback';

describe('Settings', () => {
  let workspaceId: string;
  let owner: TestUser;
  let member: TestUser;

  const service = useService();
  beforeAll(async () => {
    ({ workspaceId, owner, member } = await addWorkspaceFixture(service));
  });

  const status = async (token: string): Promise<number> =>
    (await listUploads(service.baseUrl, token)).status;

  describe('OAuth applications', () => {
    it('confidential ones get a secret, shown once and stored as a hash', async () => {
      const browser = await openSettings(service, owner);

      const { clientId, secret, page } = await registerApplication(browser, workspaceId, {
        kind: 'confidential',
        redirectUris: WEB_REDIRECT,
      });

      expect(page.status).toBe(201);
      expect(page.headers.get('cache-control')).toContain('no-store');
      expect(secret).toMatch(/^svc_cs_[\w-]{43}$/);
      const later = await browser.open(`/settings/developer/applications/${clientId}`);
      expect(later.markup).not.toContain(secret);
      const rows = await service.database.query('SELECT * FROM oauth_clients');
      expect(JSON.stringify(rows)).not.toContain(secret.slice(7));
    });

    it('are in the Activity of their workspace when they are created, changed and deleted', async () => {
      const browser = await openSettings(service, owner);
      const { clientId } = await registerApplication(browser, workspaceId, {
        kind: 'confidential',
        redirectUris: WEB_REDIRECT,
        name: 'Print shop',
      });
      const page = `/settings/developer/applications/${clientId}`;
      await browser.open(page);
      await browser.submit('Save changes', { name: 'Print shop 2' });
      await browser.open(page);
      await browser.submit('Create new secret', { confirm: 'yes' });
      await browser.open(page);
      await browser.submit('Delete application', { confirm: 'yes' });

      const events = await service.database.query<{ action: string; about: { name: string } }>(
        `SELECT action, about FROM audit_events
          WHERE workspace_id = $1 AND action LIKE 'application_%' AND account_id = $2 ORDER BY id DESC LIMIT 4`,
        [workspaceId, owner.accountId],
      );
      expect(events.map(({ action, about }) => [action, about.name])).toEqual([
        ['application_deleted', 'Print shop 2'],
        ['application_secret_made', 'Print shop 2'],
        ['application_changed', 'Print shop 2'],
        ['application_made', 'Print shop'],
      ]);
      const shown = await browser.open(`/settings/activity?workspace=${workspaceId}`);
      expect(shown.text).toContain('deleted the application Print shop 2');
    });

    const authorize = async (
      clientId: string,
      redirectUri: string,
      user: TestUser,
    ): Promise<{ code: string; verifier: string }> => {
      const pkce = makePkce();
      const path = authorizePath(pkce, { client_id: clientId, redirect_uri: redirectUri });
      const redirect = await allowRequest(new TestBrowser(service.baseUrl), path, user);
      return { code: redirect.searchParams.get('code') ?? '', verifier: pkce.verifier };
    };
    const exchange = async (
      clientId: string,
      authentication: { secret?: string; header?: string },
      redirectUri = WEB_REDIRECT,
    ) => {
      const { code, verifier } = await authorize(clientId, redirectUri, owner);
      const { secret, header } = authentication;
      return postForm(
        `${service.baseUrl}/api/oauth/token`,
        {
          grant_type: 'authorization_code',
          code,
          code_verifier: verifier,
          redirect_uri: redirectUri,
          ...(header === undefined && { client_id: clientId }),
          ...(secret !== undefined && { client_secret: secret }),
        },
        header === undefined ? {} : basic(clientId, header),
      );
    };

    it('authenticate only with client_secret_basic or client_secret_post', async () => {
      const browser = await openSettings(service, owner);
      const { clientId, secret } = await registerApplication(browser, workspaceId, {
        kind: 'confidential',
        redirectUris: WEB_REDIRECT,
      });

      expect((await exchange(clientId, { header: secret })).status).toBe(200);
      expect((await exchange(clientId, { secret })).status).toBe(200);
      for (const wrong of [{}, { secret: 'wrong' }, { header: `${secret}x` }]) {
        const answer = await exchange(clientId, wrong);
        expect(answer.status).toBe(401);
        expect(answer.body['error']).toBe('invalid_client');
      }
    });

    it('get a new secret, which ends the old one at once', async () => {
      const browser = await openSettings(service, owner);
      const { clientId, secret } = await registerApplication(browser, workspaceId, {
        kind: 'confidential',
        redirectUris: WEB_REDIRECT,
      });
      await browser.open(`/settings/developer/applications/${clientId}`);
      const unconfirmed = await browser.submit('Create new secret');
      expect(unconfirmed.text).toContain('Select the box');
      expect((await exchange(clientId, { secret })).status).toBe(200);

      const page = await browser.submit('Create new secret', { confirm: 'yes' });

      const renewed = elementText(page, 'secret');
      expect((await exchange(clientId, { secret })).status).toBe(401);
      expect((await exchange(clientId, { secret: renewed })).status).toBe(200);
    });

    it('public ones have no secret and use the loopback redirect and the device grant', async () => {
      const browser = await openSettings(service, owner);
      const { clientId, secret } = await registerApplication(browser, workspaceId, {
        kind: 'public',
        redirectUris: 'http://127.0.0.1/back',
      });
      expect(secret).toBe('');

      const redirectUri = 'http://127.0.0.1:50123/back';
      expect((await exchange(clientId, {}, redirectUri)).status).toBe(200);
      const refused = await exchange(clientId, { secret: 'x' }, redirectUri);
      expect(refused.body['error']).toBe('invalid_client');
      const device = await postForm(`${service.baseUrl}/api/oauth/device_authorization`, {
        client_id: clientId,
        scope: 'uploads:write',
      });
      expect(device.status).toBe(200);
    });

    it('match the redirect URIs of a server exactly', async () => {
      const browser = await openSettings(service, owner);
      const { clientId } = await registerApplication(browser, workspaceId, {
        kind: 'confidential',
        redirectUris: `${WEB_REDIRECT}\nhttp://localhost:3000/callback`,
      });

      for (const redirect of [`${WEB_REDIRECT}/`, 'http://localhost:3001/callback']) {
        const path = authorizePath(makePkce(), { client_id: clientId, redirect_uri: redirect });
        const page = await new TestBrowser(service.baseUrl).open(path);
        expect(page.status).toBe(400);
      }
    });

    it('can be edited', async () => {
      const browser = await openSettings(service, owner);
      const { clientId, secret } = await registerApplication(browser, workspaceId, {
        kind: 'confidential',
        redirectUris: WEB_REDIRECT,
      });
      const moved = 'https://moved.example/callback';
      await browser.open(`/settings/developer/applications/${clientId}`);

      const page = await browser.submit('Save changes', { name: 'Renamed', redirect_uris: moved });

      expect(page.text).toContain('Changes saved');
      expect(page.text).toContain('Renamed');
      expect((await exchange(clientId, { secret }, moved)).status).toBe(200);
      const bad = await browser.submit('Save changes', { redirect_uris: 'http://evil.example' });
      expect(bad.status).toBe(400);
      expect(bad.text).toContain('must begin with https://');
    });

    it('lose all grants when they are deleted', async () => {
      const browser = await openSettings(service, owner);
      const { clientId, secret } = await registerApplication(browser, workspaceId, {
        kind: 'confidential',
        redirectUris: WEB_REDIRECT,
      });
      const { body } = await exchange(clientId, { secret });
      const accessToken = String(body['access_token']);
      expect(await status(accessToken)).toBe(200);
      await browser.open(`/settings/developer/applications/${clientId}`);

      const page = await browser.submit('Delete application', { confirm: 'yes' });

      expect(page.text).toContain('Application deleted');
      expect(await status(accessToken)).toBe(401);
      const answer = await postForm(`${service.baseUrl}/api/oauth/token`, {
        grant_type: 'refresh_token',
        client_id: clientId,
        client_secret: secret,
        refresh_token: String(body['refresh_token']),
      });
      expect(answer.body['error']).toBe('invalid_client');
    });

    it('are visible to owners only', async () => {
      const owners = await openSettings(service, owner);
      const { clientId } = await registerApplication(owners, workspaceId, {
        kind: 'confidential',
        redirectUris: WEB_REDIRECT,
      });
      const browser = await openSettings(service, member);
      expect(browser.page.text).toContain('only owners of this workspace');
      expect(browser.page.text).not.toContain(clientId);

      const list = await browser.open(
        `/settings/developer/applications/new?workspace=${workspaceId}`,
      );
      expect(list.status).toBe(403);
      const one = await browser.open(`/settings/developer/applications/${clientId}`);
      expect(one.status).toBe(404);
    });

    it('belong to the user’s only workspace, or to the chosen one', async () => {
      const form = '/settings/developer/applications/new';
      const browser = await openSettings(service, owner);
      expect((await browser.open(form)).text).toContain('In the workspace North Studio');

      const other = await addWorkspace(service, 'Elsewhere');
      const both = await addUser(service, { [other]: 'owner', [workspaceId]: 'owner' });
      const chooser = await openSettings(service, both);
      const page = await chooser.open(form);
      expect(new URL(page.url, service.baseUrl).pathname).toBe('/settings/developer');
      expect(page.text).toContain('Elsewhere');
      expect((await chooser.open(`${form}?workspace=`)).status).toBe(403);
    });

    it('stay inside their workspace', async () => {
      const browser = await openSettings(service, owner);
      const { clientId } = await registerApplication(browser, workspaceId, {
        kind: 'confidential',
        redirectUris: WEB_REDIRECT,
      });
      const other = await addWorkspace(service, 'Elsewhere');
      const outsider = await addUser(service, { [other]: 'owner' });
      const both = await addUser(service, { [other]: 'owner', [workspaceId]: 'member' });
      const path = authorizePath(makePkce(), { client_id: clientId, redirect_uri: WEB_REDIRECT });
      const consentOf = async ({ username, password }: TestUser) => {
        const browserUser = new TestBrowser(service.baseUrl);
        await browserUser.open(path);
        return browserUser.submit('Sign in', { username, password });
      };

      expect((await consentOf(outsider)).text).toContain('you are not a member of');
      const page = await consentOf(both);
      expect(page.text).toContain('North Studio');
      expect(page.text).not.toContain('Elsewhere');
    });

    it.each([
      ['no name', { name: ' ' }, 'Give the application another name'],
      ['no scope', { scope: '' }, 'Choose what the application can ask for'],
      ['an http redirect', { redirect_uris: 'http://shop.example/x' }, 'must begin with https://'],
      ['a fragment', { redirect_uris: 'https://shop.example/#x' }, 'must not have a fragment'],
      ['a password', { redirect_uris: 'https://u:p@shop.example/' }, 'must not contain a password'],
      ['no address', { redirect_uris: 'shop' }, 'is not a web address'],
      ['a script', { redirect_uris: 'javascript:alert(1)' }, 'must begin with https://'],
      ['too many', { redirect_uris: 'https://a.example/ '.repeat(11) }, 'at most 10'],
      [
        'a web redirect for people’s machines',
        { kind: 'public', redirect_uris: 'https://shop.example/x' },
        'must look like http://127.0.0.1',
      ],
    ])('are not created with %s', async (_name, values, words) => {
      const browser = await openSettings(service, owner);
      await browser.open(`/settings/developer/applications/new?workspace=${workspaceId}`);

      const page = await browser.submit('Create application', {
        name: 'Print shop',
        kind: 'confidential',
        redirect_uris: WEB_REDIRECT,
        scope: 'uploads:write',
        ...values,
      });

      expect(page.status).toBe(400);
      expect(page.text).toContain(words);
    });
  });
});
