import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';

import { IMAGE_WORKER_LIMITS, ImageWorker } from '../service/library/previews/image-worker.js';
import { create, photo } from '../test/service/support/tus-client.js';
import { wantedRows, type BenchOptions } from './options.js';
import { measuredChildren, type MeasuredProcess } from './measured-process.js';
import { buildRelease, startRelease, type Release } from './release.js';
import { report, versionOf } from './report.js';
import { processorMs } from './service/processor.js';
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

/** How many photos each process gets in one round. */
const PHOTOS_OF_PROCESS = 2;

/** The uploads that are timed, how many at once, and their bytes. They are no pictures. */
const UPLOADS = 100;
const UPLOADS_AT_ONCE = 3;
const UPLOAD_BYTES = 256 * 1024;
/** How many large photos keep the image processes busy until all are sent. */
const BUSY_PHOTOS = 30;

const BARE_PROGRAM = join(import.meta.dirname, 'previews/bare-process.js');

/** The row of the uploads that are timed. */
const UPLOAD_ROW = 'uploads';

/** Makes the pictures of a file. */
type MakePictures = (file: string, size: number) => Promise<void>;

/** How much one photo takes, in milliseconds. */
interface Cost {
  readonly processor: number;
  /** With all processes at work. */
  readonly elapsed: number;
}

/** What thumbnails and previews cost, beside a bare pipeline with as many processes, and what they cost uploads. */
export async function previews({ rounds, scale, only }: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const wanted = wantedRows([...Object.keys(FORMATS), UPLOAD_ROW], only);
  const [width, height] = scale === 'small' ? [1200, 800] : [6000, 4000];
  const processors = availableParallelism();
  const folder = await mkdtemp(join(tmpdir(), 'bench-previews-'));
  const release = buildRelease();
  const program = 'dist-service/library/previews/image-worker-process.js';
  const worker = new ImageWorker(IMAGE_WORKER_LIMITS, join(release.folder, program));
  const ours: MakePictures = (file, size) => makePreview(worker, file, size);
  const bareProcesses = await Promise.all(Array.from({ length: processors }, startBare));
  const bare = inTurnOf(bareProcesses);
  const processes: MeasuredProcess[] = [];
  const create = { width, height, channels: 3, background: '#808080', noise: GRAIN } as const;
  const drawn = async (
    save: (picture: Sharp) => Sharp,
    file: string,
  ): Promise<{ readonly file: string; readonly size: number }> => {
    await save(sharp({ create }).blur(1.2)).toFile(file);
    return { file, size: (await stat(file)).size };
  };
  const rows: string[][] = [];
  const uploadRows: string[][] = [];
  const measurements: object[] = [];
  try {
    for (const [format, save] of Object.entries(FORMATS)) {
      if (!wanted.has(format)) {
        continue;
      }
      const { file, size } = await drawn(save, join(folder, format));
      const costs: { readonly ours: Cost; readonly bare: Cost }[] = [];
      // The first round waits for the processes to start.
      for (let round = 0; round <= rounds; round += 1) {
        const measure = (make: MakePictures): Promise<Cost> =>
          costOf(processors * PHOTOS_OF_PROCESS, () => make(file, size));
        const cost = { ours: await measure(ours), bare: await measure(bare) };
        costs.push(...(round === 0 ? [] : [cost]));
      }
      if (processes.length === 0) {
        processes.push(...measuredChildren('image process', process.pid));
      }
      measurements.push({ format, size, costs });
      const of = (value: (cost: (typeof costs)[number]) => number): number =>
        median(costs.map(value));
      rows.push([
        format,
        (size / 1e6).toFixed(1),
        of((cost) => cost.ours.processor).toFixed(0),
        of((cost) => cost.bare.processor).toFixed(0),
        of(({ ours: one, bare: other }) => other.processor / one.processor).toFixed(2),
        of((cost) => 1000 / cost.ours.elapsed).toFixed(1),
        of(({ ours: one, bare: other }) => other.elapsed / one.elapsed).toFixed(2),
      ]);
    }
    if (wanted.has(UPLOAD_ROW)) {
      const { file } = await drawn(
        (picture) => picture.jpeg({ quality: 92 }),
        join(folder, 'large'),
      );
      const times = await uploadTimes({ release, folder, large: file, rounds }, processes);
      measurements.push({ uploads: times });
      const [idle, busy] = [times.map((one) => one.idle), times.map((one) => one.busy)];
      uploadRows.push([
        (median(idle) / 1000).toFixed(2),
        (median(busy) / 1000).toFixed(2),
        median(times.map((one) => one.idle / one.busy)).toFixed(2),
      ]);
    }
  } finally {
    worker.end();
    bareProcesses.forEach((one) => one.kill());
    await rm(folder, { recursive: true, force: true });
  }
  report(
    {
      part: 'previews',
      tables: [
        {
          title: 'Thumbnail and preview of one photo',
          columns: [
            ...['Format', 'MB', 'Processor, ms', 'Bare, ms', 'Share of bare', 'Per second'],
            'Share of bare',
          ],
          rows,
        },
        {
          title: `${String(UPLOADS)} uploads of 256 KiB`,
          columns: ['Idle, s', 'While previews are made, s', 'Share of idle'],
          rows: uploadRows,
        },
      ],
      processes,
      measurements,
      notes: [
        `${width} × ${height} pixels, ${rounds} rounds, ${processors} image processes, as many of the bare pipeline in turn.`,
        'Processor time includes that of the process that sends the jobs and receives the pictures. A share is the median of bare ÷ own in the same round.',
        'The bare pipeline is sharp with the same sizes, quality and effort: one decode with shrink-on-load, both pictures from it, no metadata, no search for a location.',
      ],
      versions: { sharp: versionOf('sharp') },
    },
    startedAt,
  );
}

/** What one of several photos costs that are made at the same time. */
async function costOf(count: number, make: () => Promise<void>): Promise<Cost> {
  const before = await processorMs(process.pid);
  const began = performance.now();
  await Promise.all(Array.from({ length: count }, make));
  const elapsed = performance.now() - began;
  return {
    processor: ((await processorMs(process.pid)) - before) / count,
    elapsed: elapsed / count,
  };
}

async function makePreview(worker: ImageWorker, file: string, size: number): Promise<void> {
  const job = { file, size, isWhole: true, findsLocation: true, hasLocation: false };
  const result = await worker.inTurn('bench', (inspect) =>
    inspect(
      { ...job, makesPictures: true },
      {
        saveLocation: () => Promise.resolve(),
        saveFacts: () => Promise.resolve(),
        read: () => Promise.reject(new Error('the whole file is there')),
      },
    ),
  );
  if (typeof result === 'string' || result.pictures === undefined) {
    throw new Error(`no preview of ${file}`);
  }
}

async function startBare(): Promise<ChildProcess> {
  const child = fork(BARE_PROGRAM, { execArgv: [] });
  await once(child, 'message');
  return child;
}

/** Gives each process its next file when it has answered. */
function inTurnOf(processes: readonly ChildProcess[]): MakePictures {
  const lines = processes.map((child) => ({ child, last: Promise.resolve() }));
  let turn = 0;
  return (file) => {
    const line = lines[turn % lines.length];
    turn += 1;
    if (line === undefined) {
      throw new Error('there is no process');
    }
    line.last = line.last.then(async () => {
      line.child.send(file);
      const [pictures] = (await once(line.child, 'message')) as [readonly string[]];
      pictures.forEach((picture) => Buffer.from(picture, 'base64'));
    });
    return line.last;
  };
}

/** How long the same uploads take, in milliseconds, while the image processes are idle and while previews are made. */
async function uploadTimes(
  about: {
    readonly release: Release;
    readonly folder: string;
    readonly large: string;
    readonly rounds: number;
  },
  processes: MeasuredProcess[],
): Promise<{ readonly idle: number; readonly busy: number }[]> {
  const running = await startRelease(about.release, { dataDir: join(about.folder, 'data') });
  try {
    processes.push(running.measured);
    const { accessToken } = await running.connect();
    const send = async (body: Uint8Array<ArrayBuffer>): Promise<void> => {
      const answer = await create(running.ownUrl, accessToken, { length: body.length, body });
      if (answer.status !== 201) {
        throw new Error(`an upload was answered ${String(answer.status)}`);
      }
      await answer.arrayBuffer();
    };
    const small = photo(UPLOAD_BYTES);
    const timed = async (): Promise<number> => {
      const began = performance.now();
      let left = UPLOADS;
      const sender = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await send(small);
        }
      };
      await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, sender));
      return performance.now() - began;
    };
    const large = new Uint8Array(await readFile(about.large));
    const isIdle = async (): Promise<boolean> => {
      const before = await processorMs(running.processId);
      await new Promise((resolve) => setTimeout(resolve, 500));
      return (await processorMs(running.processId)) - before < 30;
    };
    const untilIdle = async (): Promise<void> => {
      while (!(await isIdle())) {
        // Previews are still made.
      }
    };
    await timed();
    const times: { idle: number; busy: number }[] = [];
    for (let round = 0; round < about.rounds; round += 1) {
      await untilIdle();
      const idle = await timed();
      for (let count = 0; count < BUSY_PHOTOS; count += 1) {
        await send(large);
      }
      times.push({ idle, busy: await timed() });
      if (await isIdle()) {
        throw new Error('no preview was made any more when the uploads ended');
      }
    }
    return times;
  } finally {
    await running.stop();
  }
}
