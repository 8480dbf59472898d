import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import {
  SECRET_KEYS,
  writeRevocations,
  writeSession,
} from '../../src/oauth/session/session-codec.js';
import { createPlugin, type Plugin } from '../../src/plugin.js';
import { createClient } from '../../src/config.js';
import { FakeClock } from '../support/fake-clock.js';
import {
  startScriptedServer,
  type RecordedRequest,
  type ScriptedServer,
} from '../support/http-server.js';
import { asJpeg } from '../support/jpeg.js';
import {
  createMemoryHost,
  memoryPhoto,
  MemoryStorage,
  type MemoryHost,
} from '../support/memory-host.js';
import { NodeXhr } from '../support/node-xhr.js';
import { writeFiles } from './files.js';
import { addPhotos, press, usePlugins } from './fixture.js';

/** A computer that wakes: whatever waits is tried at once. */
let server: ScriptedServer;

beforeEach(async () => {
  server = await startScriptedServer();
});

afterEach(() => server.close());

const to = (path: string): readonly RecordedRequest[] =>
  server.requests.filter((request) => request.path === path);

describe('the plugin after the computer wakes', () => {
  let clock: FakeClock;
  let host: MemoryHost;
  let plugin: Plugin;

  /** Starts with what an earlier run has left; every request from then on is answered 503. */
  async function start(secrets: Readonly<Record<string, string>>): Promise<void> {
    clock = new FakeClock();
    const storage = new MemoryStorage();
    for (const [key, value] of Object.entries(secrets)) storage.secrets.set(key, value);
    host = createMemoryHost({ storage, clock, createXhr: () => new NodeXhr() });
    const client = createClient(server.origin, 'creative-workspace-plugin', 'uploads:write');
    plugin = createPlugin(host, {
      client,
      concurrency: 2,
      smallConcurrency: 2,
      chunkBytes: 65_536,
      pluginVersion: '0.0.0',
    });
    server.otherwise({ status: 503 });
    await plugin.restore();
  }

  const session = (livesForMs: number): Readonly<Record<string, string>> => ({
    [SECRET_KEYS.session]: writeSession({
      accessToken: 'svc_at_first',
      refreshToken: 'refresh-token-1',
      obtainedAt: clock.now() - 3_600_000,
      expiresAt: clock.now() + livesForMs,
    }),
  });

  /** Waits for so many requests there; after the last answer, how long the next one takes when the computer wakes. */
  async function wakesAfter(path: string, count: number): Promise<number> {
    await clock.runUntil(() => to(path).length === count && server.open === 0, { stepMs: 100 });
    await clock.settle();
    const before = clock.elapsed;
    host.awake();
    await clock.runUntil(() => to(path).length > count, { stepMs: 50 });
    return clock.elapsed - before;
  }

  beforeEach(() => {
    clock = new FakeClock();
  });

  it.each([
    ['a photo', 3_600_000, '/api/v1/uploads'],
    ['a refresh', -1, '/api/oauth/token'],
  ])('sends waiting %s', async (_what, livesForMs, path) => {
    await start(session(livesForMs));
    host.picks = [memoryPhoto(host.storage, 'coast.jpg', asJpeg(new Uint8Array(2_000)))];
    await plugin.panel.context.actions.addPhotos();
    // The next wait would be of eight seconds or more.
    expect(await wakesAfter(path, 4)).toBeLessThan(1_000);
    await plugin.panel.context.actions.disconnect();
  });

  it('retries pending revocations, and resets their delay on failure', async () => {
    await start({ [SECRET_KEYS.revocations]: writeRevocations(['an-old-refresh-token']) });
    // Delays of 40 and 5 seconds, minus random jitter.
    expect(await wakesAfter('/api/oauth/revoke', 4)).toBeLessThan(1_000);
    const before = clock.elapsed;
    await clock.runUntil(() => to('/api/oauth/revoke').length === 6, { stepMs: 100 });
    expect(clock.elapsed - before).toBeLessThan(6_000);
    server.otherwise({ status: 200 });
    await clock.runUntil(() => host.storage.secrets.size === 0, { stepMs: 100 });
    host.awake();
    await clock.advance(1_000);
    expect(to('/api/oauth/revoke')).toHaveLength(7);
  });

  it('polls the sign-in as soon as the interval allows', async () => {
    const code = {
      device_code: 'the-device-code',
      user_code: 'BCDF-GHJK',
      verification_uri: `${server.origin}/oauth/device`,
    };
    server.expect({ path: '/api/oauth/device_authorization' }, { status: 200, body: code });
    await start({});
    plugin.signIn.start();
    // The next wait would be of a quarter of a minute.
    const tookMs = await wakesAfter('/api/oauth/token', 4);
    expect(tookMs).toBeGreaterThan(4_500);
    expect(tookMs).toBeLessThan(5_500);
    plugin.signIn.cancel();
  });

  it('sends nothing when no request waits', async () => {
    await start({});
    await clock.settle();
    const { length } = host.storage.log;
    host.awake();
    await clock.advance(60_000);
    expect(server.requests).toEqual([]);
    expect(host.storage.log).toHaveLength(length);
    expect(clock.pending).toBe(0);
  });
});

describe('the built plugin in the simulated host', () => {
  const plugins = usePlugins(() => server.origin);

  it.each([
    ['9.2.0', 'tries what waits at once'],
    ['8.4.0', 'listens to nothing that never comes'],
  ])('of UXP %s %s when the computer wakes', async (uxpVersion) => {
    const begun = { device_code: 'c', user_code: 'BCDF-GHJK', interval: 1 };
    const verification = { verification_uri: `${server.origin}/oauth/device` };
    const tokens = { access_token: 'svc_at_1', token_type: 'Bearer', expires_in: 3600 };
    server.expect(
      { path: '/api/oauth/device_authorization' },
      { status: 200, body: { ...begun, ...verification } },
    );
    server.expect(
      { path: '/api/oauth/token' },
      { status: 200, body: { ...tokens, refresh_token: 'refresh-token-1' } },
    );
    server.otherwise({ status: 503, headers: { 'Retry-After': '3600' } });
    const opened = await plugins.open(uxpVersion, { uxpVersion });
    await press(opened, 'Connect');
    await opened.waitFor('Connected');
    const [photo] = await writeFiles(plugins.folder, { 'coast.jpg': 30_000 });
    await addPhotos(opened, photo?.path ?? '');
    await opened.waitFor('The service has problems');

    const before = server.requests.length;
    opened.system('sleep');
    opened.system('awake');
    if (uxpVersion === '9.2.0') {
      await opened.waitFor(() => server.requests.length > before);
    }
    expect(opened.findings.filter(({ text }) => text.includes('never comes here'))).toEqual([]);
    expect(opened.uncaught).toEqual([]);
  });
});
