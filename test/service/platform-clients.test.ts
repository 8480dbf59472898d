import { describe, expect, it } from '@jest/globals';
import { checkPlatformClients, loadPlatformClients } from '../../service/oauth/platform-clients.js';

const GOOD = {
  client_id: 'some-plugin',
  client_name: 'Some plugin',
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
  redirect_uris: [],
  scope: 'uploads:write',
};

describe('the registry of platform clients', () => {
  it('holds the plugin as a public client without a secret', async () => {
    const clients = await loadPlatformClients();

    expect(clients.map((client) => client.client_id)).toEqual(['creative-workspace-plugin']);
    expect(clients[0]).toMatchObject({ token_endpoint_auth_method: 'none' });
    expect(clients[0]).not.toHaveProperty('client_secret');
  });

  it('accepts a good entry as it is', () => {
    expect(checkPlatformClients([GOOD])).toEqual([GOOD]);
  });

  it.each([
    ['something that is no list', {}, 'must be a list'],
    ['an entry that is no object', ['x'], 'entry 1: the entry must be an object'],
    ['a client id in capitals', [{ ...GOOD, client_id: 'Some' }], 'client_id must be'],
    ['a missing name', [{ ...GOOD, client_name: undefined }], 'client_name must be'],
    ['a control character in a name', [{ ...GOOD, client_name: 'a\nb' }], 'client_name must be'],
    ['a secret', [{ ...GOOD, client_secret: 'x' }], 'client_secret must be left out'],
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
    ['a client named twice', [GOOD, GOOD], 'names some-plugin twice'],
  ])('refuses %s', (_name, registry, message) => {
    expect(() => checkPlatformClients(registry)).toThrow(message);
  });
});
