import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';

import { IMAGE_WORKER_LIMITS, ImageWorker } from '../service/library/previews/image-worker.js';
import type { BenchOptions } from './options.js';
import { measuredChildren, type MeasuredProcess } from './measured-process.js';
import { buildRelease } from './release.js';
import { report, versionOf } from './report.js';
import { median } from './statistics.js';

const FORMATS: Readonly<Record<string, (picture: Sharp) => Sharp>> = {
  JPEG: (picture) => picture.jpeg({ quality: 92 }),
  'progressive JPEG': (picture) => picture.jpeg({ quality: 92, progressive: true }),
  PNG: (picture) => picture.png(),
  TIFF: (picture) => picture.tiff({ compression: 'lzw' }),
  WebP: (picture) => picture.webp({ quality: 90 }),
};

/** Grain of a camera, softened as by a lens. */
const GRAIN = { type: 'gaussian', mean: 128, sigma: 40 } as const;

/** How many photos one image process turns into a thumbnail and a preview per second, by format. */
export async function previews({ rounds, scale, only }: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const [width, height] = scale === 'small' ? [1200, 800] : [6000, 4000];
  const folder = await mkdtemp(join(tmpdir(), 'bench-previews-'));
  const { folder: project } = buildRelease();
  const program = 'dist-service/library/previews/image-worker-process.js';
  const worker = new ImageWorker(IMAGE_WORKER_LIMITS, join(project, program));
  let processes: MeasuredProcess[] = [];
  const rows: string[][] = [];
  const measurements: object[] = [];
  try {
    for (const [format, save] of Object.entries(FORMATS)) {
      if (only !== undefined && !format.includes(only)) {
        continue;
      }
      const file = join(folder, format);
      const create = { width, height, channels: 3, background: '#808080', noise: GRAIN } as const;
      await save(sharp({ create }).blur(1.2)).toFile(file);
      const { size } = await stat(file);
      // The first picture waits for the process to start.
      await makePreview(worker, file, size);
      const times: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        times.push(await makePreview(worker, file, size));
      }
      measurements.push({ format, size, times });
      processes = measuredChildren('image process', process.pid);
      const ms = median(times);
      rows.push([format, (size / 1e6).toFixed(1), ms.toFixed(0), (1000 / ms).toFixed(1)]);
    }
  } finally {
    worker.end();
    await rm(folder, { recursive: true, force: true });
  }
  report(
    {
      part: 'previews',
      tables: [
        {
          title: 'Thumbnail and preview of one photo',
          columns: ['Format', 'MB', 'Median, ms', 'Per second'],
          rows,
        },
      ],
      processes,
      measurements,
      notes: [`${width} × ${height} pixels, ${rounds} rounds, one image process.`],
      versions: { sharp: versionOf('sharp') },
    },
    startedAt,
  );
}

/** @returns the duration in milliseconds */
async function makePreview(worker: ImageWorker, file: string, size: number): Promise<number> {
  const began = performance.now();
  const job = { file, size, isWhole: true, findsLocation: true, hasLocation: false };
  const result = await worker.inTurn('bench', (inspect) =>
    inspect(
      { ...job, makesPictures: true },
      {
        keepLocation: () => Promise.resolve(),
        keepFacts: () => Promise.resolve(),
        read: () => Promise.reject(new Error('the whole file is there')),
      },
    ),
  );
  if (typeof result === 'string' || result.pictures === undefined) {
    throw new Error(`no preview of ${file}`);
  }
  return performance.now() - began;
}
