import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { buildPlugin } from '../scripts/kept-build.js';
import { forked } from './forked.js';
import type { MeasuredProcess } from './measured-process.js';
import { wantedRows, type BenchOptions } from './options.js';
import type { DownloadTask, DownloadTimes } from './placing/download-process.js';
import { buildRelease, startRelease } from './release.js';
import { report } from './report.js';
import { startShapingProxy, type LineShape } from './shaping-proxy.js';
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

const WAYS = ['bare', 'plugin'] as const;
type Way = (typeof WAYS)[number];

interface Measured {
  readonly line: string;
  readonly times: Readonly<Record<Way, readonly DownloadTimes[]>>;
}

/** Placing a file of 200 MB by the plugin, from the press to the step in Photoshop, beside one request for its bytes. */
export async function placing(options: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const wanted = wantedRows(Object.keys(LINES), options.only);
  const folder = await mkdtemp(join(tmpdir(), 'bench-placing-'));
  try {
    const service = await startRelease(buildRelease(), { dataDir: join(folder, 'data') });
    try {
      const { accessToken } = await service.connect(SCOPE);
      const size = options.scale === 'small' ? BYTES / 10 : BYTES;
      const [file = ''] = await writeNoise(folder, 'noise', 1, size);
      const id = await upload(service.ownUrl, accessToken, file);
      const measured: Measured[] = [];
      const processes = [service.measured];
      for (const [line, shape] of Object.entries(LINES).filter(([name]) => wanted.has(name))) {
        const proxy = await startShapingProxy(service.port, shape);
        const baseUrl = `http://localhost:${proxy.port}`;
        const dist = join(folder, 'dist');
        await buildPlugin(baseUrl, dist);
        const times: Record<Way, DownloadTimes[]> = { bare: [], plugin: [] };
        try {
          for (let round = 0; round < options.rounds; round += 1) {
            for (const way of round % 2 === 0 ? WAYS : WAYS.toReversed()) {
              const own = join(folder, 'run');
              const name = basename(file);
              const task: DownloadTask = { way, dist, folder: own, baseUrl, accessToken, id, name };
              const { process: one, ...found } = await forked<DownloadTimes>(PROCESS, way, task);
              times[way].push(found);
              processes.push(one);
              console.log(`${line}: ${way} ${(found.ms / 1000).toFixed(2)} s`);
              await rm(own, { recursive: true, force: true });
            }
          }
        } finally {
          await proxy.close();
        }
        measured.push({ line, times });
      }
      publish(measured, size, processes, startedAt);
    } finally {
      await service.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns the id */
async function upload(baseUrl: string, accessToken: string, file: string): Promise<string> {
  const bytes = await readFile(file);
  const response = await fetch(`${baseUrl}/api/v1/uploads`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${accessToken}`,
      'tus-resumable': '1.0.0',
      'upload-length': String(bytes.length),
      'upload-metadata': `filename ${Buffer.from(basename(file)).toString('base64')}`,
      'content-type': 'application/offset+octet-stream',
    },
    body: bytes,
  });
  const location = response.headers.get('location');
  if (response.status !== 201 || location === null) {
    throw new Error(`the service answered ${response.status}`);
  }
  return basename(location);
}

function publish(
  measured: readonly Measured[],
  size: number,
  processes: readonly MeasuredProcess[],
  startedAt: Date,
): void {
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
