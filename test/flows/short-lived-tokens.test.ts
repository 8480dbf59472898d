import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import type { Xhr } from '../../src/host/http.js';
import { createPlugin } from '../../src/plugin.js';
import { createClient } from '../../src/config.js';
import { approveDevice } from '../service/support/browser-client.js';
import { listUploads } from '../service/support/oauth-client.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { FakeClock } from '../support/fake-clock.js';
import { asJpeg } from '../support/jpeg.js';
import { IS_LONG } from '../support/long-runs.js';
import { createMemoryHost, memoryPhoto } from '../support/memory-host.js';
import { NodeXhr } from '../support/node-xhr.js';
import { arrivals } from './arrivals.js';
import { sha256 } from './files.js';

const LIFETIME_S = 5;
const PHOTOS = IS_LONG ? 40 : 16;
/** Between two photos: all of them are spread over several lifetimes. */
const PAUSE_MS = 14_000 / PHOTOS;

/** The time of the plugin and of the service alike. */
const clock = new FakeClock();
let service: TestService;

beforeEach(async () => {
  jest.spyOn(Date, 'now').mockImplementation(() => clock.now());
  service = await startTestService({
    now: () => new Date(clock.now()),
    lifetimes: { accessTokenSeconds: LIFETIME_S, pollIntervalSeconds: 1 },
  });
});

afterEach(() => service.close());

/** The requests, as the client saw them. */
class Wire {
  readonly statuses: number[] = [];
  /** Requests that have not been answered. */
  open = 0;
  refreshes = 0;
  refreshesOpen = 0;
  mostRefreshesOpen = 0;
  /** Milliseconds that each bearer token had been in use when it was sent. */
  readonly tokenAges: number[] = [];
  private readonly firstSeen = new Map<string, number>();
  /** Tokens that were used to request the account. */
  readonly toldWhose = new Set<string>();

  /** The first access token that was sent. */
  get firstToken(): string {
    const [header = ''] = this.firstSeen.keys();
    return header.replace('Bearer ', '');
  }

  createXhr(): Xhr {
    const xhr = new NodeXhr();
    const open = xhr.open.bind(xhr);
    const setHeader = xhr.setRequestHeader.bind(xhr);
    const send = xhr.send.bind(xhr);
    let address = '';
    xhr.open = (method, url, isAsync) => {
      address = url;
      open(method, url, isAsync);
    };
    xhr.setRequestHeader = (name, value) => {
      if (name === 'Authorization') {
        if (address.endsWith('/api/v1/me')) this.toldWhose.add(value);
        const seen = this.firstSeen.get(value) ?? clock.now();
        this.firstSeen.set(value, seen);
        this.tokenAges.push(clock.now() - seen);
      }
      setHeader(name, value);
    };
    xhr.send = (body) => {
      const isRefresh = typeof body === 'string' && body.includes('grant_type=refresh_token');
      if (isRefresh) {
        this.refreshes += 1;
        this.refreshesOpen += 1;
        this.mostRefreshesOpen = Math.max(this.mostRefreshesOpen, this.refreshesOpen);
      }
      this.open += 1;
      const { onload, onerror, onabort } = xhr;
      xhr.onerror = () => {
        this.open -= 1;
        onerror?.();
      };
      xhr.onabort = () => {
        this.open -= 1;
        onabort?.();
      };
      xhr.onload = () => {
        this.open -= 1;
        if (isRefresh) this.refreshesOpen -= 1;
        this.statuses.push(xhr.status);
        onload?.();
      };
      send(body);
    };
    return xhr;
  }
}

describe('access tokens that live five seconds', () => {
  it('completes uploads in a row without sending an expired token or overlapping refreshes', async () => {
    const wire = new Wire();
    const host = createMemoryHost({ clock, createXhr: () => wire.createXhr() });
    const plugin = createPlugin(host, {
      client: createClient(service.baseUrl, 'creative-workspace-plugin', 'uploads:write'),
      pluginVersion: '0.0.0',
      concurrency: 3,
      smallConcurrency: 3,
      chunkBytes: 64 * 1024,
    });
    await plugin.restore();
    plugin.signIn.start();
    const pass = (ms: number): Promise<void> => clock.advanceWhenIdle(ms, () => wire.open > 0);
    const until = async <T>(ask: () => T | null): Promise<T> => {
      for (let seconds = 0; seconds < 30; seconds += 0.1) {
        const answer = ask();
        if (answer !== null) return answer;
        await pass(100);
      }
      throw new Error('it did not come about within 30 s');
    };
    const shown = await until(() => {
      const state = plugin.panel.state.signIn.get();
      return state.kind === 'code' ? state : null;
    });
    await approveDevice(service.baseUrl, shown.userCode, service.demo);
    await until(() => plugin.panel.state.session.get().kind === 'signed-in' || null);

    const expected: string[] = [];
    for (let number = 0; number < PHOTOS; number += 1) {
      const bytes = asJpeg(
        Uint8Array.from({ length: 100_000 + number }, (_, i) => (i * (number + 7)) % 251),
      );
      const name = `photo ${String(number).padStart(2, '0')}.jpg`;
      expected.push(`${name} ${sha256(bytes)}`);
      host.picks = [memoryPhoto(host.storage, name, bytes)];
      await plugin.panel.context.actions.addPhotos();
      await pass(PAUSE_MS);
    }
    await until(() => plugin.panel.state.summary.get().uploaded === PHOTOS || null);

    // Time passed for the service, too: its first tokens have expired.
    expect((await listUploads(service.baseUrl, wire.firstToken)).status).toBe(401);
    const { accessToken } = await service.connect();
    const arrived = await arrivals(service.baseUrl, accessToken);
    expect(arrived.map(({ name, sha256: hash }) => `${name} ${hash}`)).toEqual(expected);
    expect(wire.statuses).not.toContain(401);
    expect(Math.max(...wire.tokenAges)).toBeLessThan(LIFETIME_S * 1000);
    expect(wire.refreshes).toBeGreaterThanOrEqual(3);
    expect(wire.mostRefreshesOpen).toBe(1);
    // Right after each refresh the service sees the new token, whether or not there is anything to send.
    expect(wire.toldWhose.size).toBe(wire.refreshes + 1);
    await plugin.panel.context.actions.disconnect();
    await until(() => host.storage.secrets.size === 0 || null);
  });
});
