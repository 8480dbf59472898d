import { performance } from 'node:perf_hooks';

import { hostClock } from '../src/host/system.js';
import { createPlugin } from '../src/plugin.js';
import { createClient } from '../src/config.js';
import { approveDevice } from '../test/service/support/browser-client.js';
import { startTestService } from '../test/service/support/running-service.js';
import { createMemoryHost } from '../test/support/memory-host.js';
import { NodeXhr } from '../test/support/node-xhr.js';
import type { BenchOptions } from './options.js';
import { report } from './report.js';
import { median, quantile } from './statistics.js';

const APART_MS = 700;

interface Measured {
  readonly intervalSeconds: number;
  readonly seconds: readonly number[];
}

/** Time from the user's approval to "connected", against the polling interval that the service sets. */
export async function signIn(options: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const count = options.scale === 'small' ? 3 : 20;
  const measured: Measured[] = [];
  for (const intervalSeconds of [1, 5]) {
    const service = await startTestService({
      lifetimes: { pollIntervalSeconds: intervalSeconds },
    });
    try {
      // They overlap, but not so many at once that checking passwords is what is measured.
      const seconds = await Promise.all(
        Array.from({ length: count }, async (_, index) => {
          await sleep(index * APART_MS);
          const phase = index / count;
          return signInOnce(
            service.baseUrl,
            service.demo,
            (1 + phase) * intervalSeconds * 1000,
            index,
          );
        }),
      );
      measured.push({ intervalSeconds, seconds });
    } finally {
      await service.close();
    }
  }
  report(
    {
      part: 'sign-in',
      tables: [
        {
          title: `From the approval to "connected", ${count} sign-ins each`,
          columns: [
            'Polling interval, s',
            'Median, s',
            'Shortest, s',
            'Longest, s',
            'Longest ÷ interval',
          ],
          rows: measured.map(({ intervalSeconds, seconds }) => [
            String(intervalSeconds),
            median(seconds).toFixed(2),
            quantile(seconds, 0).toFixed(2),
            quantile(seconds, 1).toFixed(2),
            (quantile(seconds, 1) / intervalSeconds).toFixed(2),
          ]),
        },
      ],
      measurements: measured,
      notes: [
        'A plugin learns of an approval at its next poll: half an interval later on average, a whole one at most (RFC 8628 section 3.5).',
        'Approvals come at moments spread over the interval.',
      ],
    },
    startedAt,
  );
}

async function signInOnce(
  baseUrl: string,
  user: { readonly username: string; readonly password: string },
  waitMs: number,
  seed: number,
): Promise<number> {
  const host = createMemoryHost({
    clock: hostClock,
    createXhr: () => new NodeXhr(),
    seed: seed + 1,
  });
  const plugin = createPlugin(host, {
    client: createClient(baseUrl, 'creative-workspace-plugin', 'uploads:write'),
    pluginVersion: '0.0.0',
    concurrency: 3,
    chunkBytes: 1024,
  });
  await plugin.restore();
  const { signIn: state, session } = plugin.stores;
  const shown = new Promise<string>((resolve) => {
    state.subscribe((now) => {
      if (now.kind === 'code') {
        resolve(now.userCode);
      }
    });
  });
  plugin.signIn.start();
  const userCode = await shown;
  await sleep(waitMs);
  const connected = new Promise<number>((resolve) => {
    session.subscribe((now) => {
      if (now.kind === 'signed-in') {
        resolve(performance.now());
      }
    });
  });
  await approveDevice(baseUrl, userCode, user);
  const approvedAt = performance.now();
  // A poll may find the approval while its page is still on the way to the user.
  return Math.max(0, (await connected) - approvedAt) / 1000;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
