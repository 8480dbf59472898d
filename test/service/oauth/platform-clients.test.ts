import { describe, expect, it } from '@jest/globals';
import { ServiceStartError } from '../../../service/kernel/errors.js';
import {
  checkPlatformClients,
  loadPlatformClients,
} from '../../../service/oauth/clients/platform-clients.js';

const GOOD = {
  client_id: 'some-plugin',
  client_name: 'Some plugin',
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
  redirect_uris: [],
  scope: 'uploads:write',
};

const CODE = { grant_types: ['authorization_code'] };

describe('the registry of platform clients', () => {
  it('contains the plugins and the desktop app as public clients', async () => {
    const clients = await loadPlatformClients();

    expect(clients.map((client) => client.client_id)).toEqual([
      'creative-workspace-plugin',
      'creative-workspace-lightroom',
      'creative-workspace-desktop',
    ]);
    for (const client of clients) {
      expect(client).toMatchObject({ token_endpoint_auth_method: 'none' });
      expect(client).not.toHaveProperty('client_secret');
    }
  });

  it('allows the plugins the device grant only', async () => {
    const [panel, lightroom] = await loadPlatformClients();

    for (const plugin of [panel, lightroom]) {
      expect(plugin).toMatchObject({
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
        redirect_uris: [],
      });
    }
  });

  it('reports an invalid operator file in one line', async () => {
    const missing = loadPlatformClients('/nowhere/clients.json');

    await expect(missing).rejects.toThrow(ServiceStartError);
    await expect(missing).rejects.toThrow(
      'Cannot use the client registry /nowhere/clients.json: ENOENT',
    );
  });

  it('accepts a valid entry', () => {
    expect(checkPlatformClients([GOOD])).toEqual([GOOD]);
  });

  it.each([
    ['something that is no list', {}, 'must be a list'],
    ['an entry that is no object', ['x'], 'entry 1: the entry must be an object'],
    ['a client id in capitals', [{ ...GOOD, client_id: 'Some' }], 'client_id must be'],
    ['a missing name', [{ ...GOOD, client_name: undefined }], 'client_name must be'],
    ['a control character in a name', [{ ...GOOD, client_name: 'a\nb' }], 'client_name must be'],
    ['a secret', [{ ...GOOD, client_secret: 'x' }], 'client_secret must be omitted'],
    [
      'an authenticated client',
      [{ ...GOOD, token_endpoint_auth_method: 'client_secret_basic' }],
      'token_endpoint_auth_method must be "none"',
    ],
    [
      'an unknown grant type',
      [{ ...GOOD, grant_types: ['password'] }],
      'grant_types must be among',
    ],
    ['an unknown scope', [{ ...GOOD, scope: 'uploads:write admin' }], 'scope must be among'],
    [
      'a redirect to another machine',
      [{ ...GOOD, ...CODE, redirect_uris: ['http://evil.example/x'] }],
      'must look like http://127.0.0.1/callback',
    ],
    [
      'a redirect to localhost (RFC 8252 section 8.3)',
      [{ ...GOOD, ...CODE, redirect_uris: ['http://localhost/x'] }],
      'must look like',
    ],
    [
      'a redirect with a fragment',
      [{ ...GOOD, ...CODE, redirect_uris: ['http://127.0.0.1/x#y'] }],
      'must not have a fragment',
    ],
    ['a code grant without a redirect', [{ ...GOOD, ...CODE }], 'redirect_uris must be given'],
    [
      'a redirect without the code grant',
      [{ ...GOOD, redirect_uris: ['http://127.0.0.1/x'] }],
      'redirect_uris must be empty',
    ],
    ['a client named twice', [GOOD, GOOD], 'names some-plugin twice'],
  ])('refuses %s', (_name, registry, message) => {
    expect(() => checkPlatformClients(registry)).toThrow(message);
  });
});
