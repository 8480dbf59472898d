import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { Xhr } from '../../src/host/http.js';
import { hostClock } from '../../src/host/timers.js';
import { createPlugin } from '../../src/plugin.js';
import { createClient } from '../../src/settings.js';
import { approveDevice } from '../service/browser.js';
import { startTestService, type TestService } from '../service/running.js';
import { asJpeg } from '../support/jpeg.js';
import { createMemoryHost, memoryPhoto } from '../support/memory-host.js';
import { NodeXhr } from '../support/node-xhr.js';
import { arrivals } from './arrivals.js';
import { sha256 } from './files.js';

const LIFETIME_S = 5;
const PHOTOS = 40;

let service: TestService;

beforeAll(async () => {
  service = await startTestService({
    lifetimes: { accessTokenSeconds: LIFETIME_S, pollIntervalSeconds: 1 },
  });
}, 60_000);

afterAll(() => service.close());

/** What went over the wire, as the client saw it. */
class Wire {
  readonly statuses: number[] = [];
  refreshes = 0;
  refreshesOpen = 0;
  mostRefreshesOpen = 0;
  /** Milliseconds that each bearer token had been in use when it was sent. */
  readonly tokenAges: number[] = [];
  private readonly firstSeen = new Map<string, number>();

  createXhr(): Xhr {
    const xhr = new NodeXhr();
    const setHeader = xhr.setRequestHeader.bind(xhr);
    const send = xhr.send.bind(xhr);
    xhr.setRequestHeader = (name, value) => {
      if (name === 'Authorization') {
        const seen = this.firstSeen.get(value) ?? Date.now();
        this.firstSeen.set(value, seen);
        this.tokenAges.push(Date.now() - seen);
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
      const onload = xhr.onload;
      xhr.onload = () => {
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
  it('40 uploads in a row arrive; no expired token is sent, and refreshes never overlap', async () => {
    const wire = new Wire();
    const host = createMemoryHost({ clock: hostClock, createXhr: () => wire.createXhr() });
    const plugin = createPlugin(host, {
      client: createClient(service.baseUrl, 'creative-workspace-plugin', 'uploads:write'),
      pluginVersion: '0.0.0',
      concurrency: 3,
      chunkBytes: 64 * 1024,
    });
    await plugin.restore();
    plugin.intents.connect();
    const shown = await until(() => {
      const state = plugin.sources.signIn.get();
      return state.kind === 'code' ? state : null;
    });
    await approveDevice(service.baseUrl, shown.userCode, service.demo);
    await until(() => plugin.sources.session.get().kind === 'signed-in' || null);

    const expected: string[] = [];
    for (let number = 0; number < PHOTOS; number += 1) {
      const bytes = asJpeg(
        Uint8Array.from({ length: 100_000 + number }, (_, i) => (i * (number + 7)) % 251),
      );
      const name = `photo ${String(number).padStart(2, '0')}.jpg`;
      expected.push(`${name} ${sha256(bytes)}`);
      host.picks = [memoryPhoto(host.storage, name, bytes)];
      await plugin.intents.addPhotos();
      // Spread over several lifetimes: 40 at once would be gone before the first token is.
      await new Promise((resolve) => setTimeout(resolve, 350));
    }
    await until(() => plugin.sources.summary.get().uploaded === PHOTOS || null);

    const { accessToken } = await service.connect();
    const arrived = await arrivals(service.baseUrl, accessToken);
    expect(arrived.map(({ name, sha256: hash }) => `${name} ${hash}`)).toEqual(expected);
    expect(wire.statuses).not.toContain(401);
    expect(Math.max(...wire.tokenAges)).toBeLessThan(LIFETIME_S * 1000);
    expect(wire.refreshes).toBeGreaterThanOrEqual(3);
    expect(wire.mostRefreshesOpen).toBe(1);
    await plugin.intents.disconnect();
    await until(() => host.storage.secrets.size === 0 || null);
  }, 180_000);
});

async function until<T>(ask: () => T | null): Promise<T> {
  for (let tries = 0; tries < 3_000; tries += 1) {
    const answer = ask();
    if (answer !== null) return answer;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('it did not come about within 30 s');
}
