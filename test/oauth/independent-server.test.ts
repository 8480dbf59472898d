import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Provider from 'oidc-provider';
import { hostClock } from '../../src/host/system.js';
import { createPlugin, type Plugin } from '../../src/plugin.js';
import { createClient } from '../../src/config.js';
import { accessTokenModel } from '../../service/oauth/provider/provider-models.js';
import { asJpeg } from '../support/jpeg.js';
import { createMemoryHost, memoryPhoto, type MemoryHost } from '../support/memory-host.js';
import { TestUser } from './device-flow/device-approver.js';
import { NodeXhr } from '../support/node-xhr.js';

/**
 * A server that is not ours: oidc-provider as its authors ship it, in-memory storage, its own pages, its
 * own user code, no `interval` in its answers. Only two things are set: its routes, so that they are the
 * interface's, and the prefix of access tokens, which the interface demands of any service.
 */
class PrefixingProvider extends Provider {
  override readonly AccessToken = accessTokenModel(this);
}

let server: Server;
let baseUrl: string;
let host: MemoryHost;
let plugin: Plugin;
/** How far the plugin's wall clock is ahead, in milliseconds: its tokens expire when the test moves it. */
let ahead = 0;

// It recommends changing nearly every default, once each.
function silence(): void {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  jest.spyOn(console, 'info').mockImplementation(() => undefined);
}

beforeEach(silence);

beforeAll(async () => {
  silence();
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://localhost:${(server.address() as AddressInfo).port}`;
  const provider = new PrefixingProvider(baseUrl, {
    clients: [
      {
        client_id: 'some-plugin',
        token_endpoint_auth_method: 'none',
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
        response_types: [],
        redirect_uris: [],
      },
    ],
    features: { deviceFlow: { enabled: true }, revocation: { enabled: true } },
    routes: {
      code_verification: '/oauth/device',
      device_authorization: '/api/oauth/device_authorization',
      token: '/api/oauth/token',
      revocation: '/api/oauth/revoke',
    },
  });
  const handle = provider.callback();
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/api/v1/') === true) {
      response.writeHead(404, { 'Content-Type': 'application/json' });
      response.end('{"error":"not_found"}');
      return;
    }
    void handle(request, response);
  });
  host = createMemoryHost({
    clock: { ...hostClock, now: () => Date.now() + ahead },
    createXhr: () => new NodeXhr(),
    info: { uiLocale: 'pt_PT' },
  });
  plugin = createPlugin(host, {
    client: createClient(baseUrl, 'some-plugin', 'openid offline_access'),
    pluginVersion: '0.0.0',
    concurrency: 3,
    smallConcurrency: 3,
    chunkBytes: 1024,
  });
  await plugin.restore();
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('a plain oidc-provider', () => {
  it('signs the plugin in, refreshes with rotation, and revokes', async () => {
    plugin.signIn.start();
    const { userCode, verificationUri, addressToOpen } = await until(() => {
      const state = plugin.panel.state.signIn.get();
      return state.kind === 'code' ? state : null;
    });
    // The shown URL is the server's; the opened URL also has the panel's language.
    expect([verificationUri, addressToOpen]).toEqual([
      `${baseUrl}/oauth/device`,
      `${baseUrl}/oauth/device?user_code=${userCode}`,
    ]);
    const opened = await until(() => host.opened[0] ?? null);
    expect(opened).toBe(`${addressToOpen}&ui_locales=pt-BR`);
    // The server ignores it.
    const user = new TestUser();
    await user.open(opened);
    await user.press('Continue', { user_code: userCode });
    await user.press('Continue');
    await user.press('Sign-in', { login: 'ann', password: 'anything' });
    await user.press('Continue');
    expect(user.text).toContain('successful');
    await until(() => plugin.panel.state.session.get().kind === 'signed-in' || null);
    const used = [tokens().refreshToken];

    for (const name of ['one.jpg', 'two.jpg', 'three.jpg']) {
      ahead += 3_600_000;
      host.picks = [memoryPhoto(host.storage, name, asJpeg(new Uint8Array(10)))];
      await plugin.panel.context.actions.addPhotos();
      // This server takes no uploads; the request that finds out needs a fresh token first.
      await until(() => plugin.panel.state.summary.get().failed === used.length || null);
      used.push(tokens().refreshToken);
    }
    expect(new Set(used).size).toBe(4);
    expect(plugin.panel.state.session.get().kind).toBe('signed-in');

    const last = tokens().refreshToken;
    // Only for another account does the page not take the one that is signed in there.
    const address = async (begin: () => void): Promise<string | undefined> => {
      const before = host.opened.length;
      begin();
      await until(() => host.opened.length > before || null);
      const page = host.opened[before]?.replace(/^.*user_code=[^&]*/, '');
      plugin.signIn.cancel();
      return page;
    };
    expect(await address(() => plugin.signIn.start())).toBe(
      '&ui_locales=pt-BR&prompt=select_account',
    );
    expect(await address(() => plugin.signIn.startForScope('offline_access'))).toBe(
      '&ui_locales=pt-BR',
    );

    await plugin.panel.context.actions.disconnect();
    expect(plugin.panel.state.session.get().kind).toBe('signed-out');
    await until(() => host.storage.secrets.size === 0 || null);
    expect(await refresh(last)).toBe(400);
  });
});

function tokens(): { accessToken: string; refreshToken: string } {
  const stored = [...host.storage.secrets.values()].join();
  return JSON.parse(stored) as { accessToken: string; refreshToken: string };
}

async function refresh(refreshToken: string): Promise<number> {
  const response = await fetch(`${baseUrl}/api/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: 'some-plugin',
    }),
  });
  await response.arrayBuffer();
  return response.status;
}

async function until<T>(ask: () => T | null, limitMs = 150_000): Promise<T> {
  for (const end = Date.now() + limitMs; Date.now() < end;) {
    const answer = ask();
    if (answer !== null) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`it did not come about within ${limitMs} ms`);
}
