import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { send } from '../test/service/support/users.js';
import type { BenchOptions } from './options.js';
import type { DownloadTimes, Way } from './placing/download-process.js';
import { onLines } from './plugin-on-lines.js';
import { report } from './report.js';
import type { LineShape } from './shaping-proxy.js';
import { median } from './statistics.js';
import { writeNoise } from './uploads/files.js';

const MB = 1_000_000;
const MIB = 1024 * 1024;
const BYTES = 200 * MB;
const PROCESS = join(import.meta.dirname, 'placing', 'download-process.ts');
const SCOPE = 'uploads:write uploads:read uploads:content workspace:read';

/** The round trip is 20 ms. */
const LINES: Readonly<Record<string, LineShape>> = {
  loopback: { delayMs: 0 },
  '400 Mbit/s': { delayMs: 10, bytesPerSecond: 400_000_000 / 8 },
  '100 Mbit/s': { delayMs: 10, bytesPerSecond: 100_000_000 / 8 },
  '50 Mbit/s': { delayMs: 10, bytesPerSecond: 50_000_000 / 8 },
};

/** Placing a file of 200 MB by the plugin, from the press to the step in Photoshop, beside one request for its bytes. */
export async function placing(options: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const size = options.scale === 'small' ? BYTES / 10 : BYTES;
  const { measured, processes } = await onLines<Way, DownloadTimes>(
    options,
    { lines: LINES, ways: ['bare', 'plugin'], app: 'PS', scope: SCOPE, script: PROCESS },
    async ({ baseUrl, accessToken, folder }) => {
      const [file = ''] = await writeNoise(folder, 'noise', 1, size);
      const name = basename(file);
      return { id: await send({ baseUrl }, accessToken, name, await readFile(file)), name };
    },
  );
  const seconds = (times: readonly DownloadTimes[]): number =>
    median(times.map(({ ms }) => ms)) / 1000;
  report(
    {
      part: 'placing',
      tables: [
        {
          title: `A file of ${size / MB} MB: share of the limit reached (one bare request = 1; higher is better)`,
          columns: ['Line', 'Limit, s', 'Plugin, s', 'Plugin, MB/s', 'Share', 'Memory, MiB'],
          rows: measured.map(({ line, times: { bare, plugin } }) => [
            line,
            seconds(bare).toFixed(2),
            seconds(plugin).toFixed(2),
            (size / MB / seconds(plugin)).toFixed(1),
            median(plugin.map(({ ms }, round) => (bare[round]?.ms ?? Number.NaN) / ms)).toFixed(2),
            (Math.max(...plugin.map(({ grownBytes }) => grownBytes)) / MIB).toFixed(0),
          ]),
        },
      ],
      processes,
      measurements: measured,
      notes: [
        'The built plugin in the simulated host: from the press on Place to the step in Photoshop, with the digest. Bare: one request whose bytes go to a file.',
        'Memory: how much the resident memory of the whole process grew at most.',
        'Each download in a separate process; a share is the median over the rounds.',
      ],
    },
    startedAt,
  );
}
