import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { FileMemory } from './growth/one-file.js';
import type { QueueCosts } from './growth/queue.js';
import type { BenchOptions } from './options.js';
import { report } from './report.js';
import { fitLine, growthExponent, median } from './statistics.js';

const COUNTS = [10, 100, 1_000, 10_000];
const MIB = 1024 * 1024;
const FILE_SIZES = [1, 16, 256, 1024, 4096].map((mebibytes) => mebibytes * MIB);

/** How costs grow with the number of queued photos, and memory with the size of one. */
export async function growth(options: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const small = options.scale === 'small';
  const folder = await mkdtemp(join(tmpdir(), 'bench-growth-'));
  const queues: QueueCosts[] = [];
  const files: FileMemory[] = [];
  try {
    for (const count of small ? COUNTS.slice(0, 3) : COUNTS) {
      const text = await inOwnProcess('growth/queue.ts', folder, count);
      queues.push(JSON.parse(text) as QueueCosts);
      console.log(text.trim());
    }
    for (const size of small ? FILE_SIZES.slice(0, 3) : FILE_SIZES) {
      const text = await inOwnProcess('growth/one-file.ts', folder, size);
      files.push(JSON.parse(text) as FileMemory);
      console.log(text.trim());
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const per = (name: keyof QueueCosts): readonly (readonly [number, number])[] =>
    queues.map((one) => [one.count, one[name]]);
  const memorySlope = fitLine(per('heapBytes')).slope;
  const fileSlope = fitLine(files.map(({ size, peakBytes }) => [size, peakBytes])).slope;
  report(
    {
      part: 'growth',
      tables: [
        {
          title: 'Costs by queued photos (one photo’s share, microseconds; heap of all, MB)',
          columns: ['Photos', 'Enqueue', 'Restore', 'State change', 'Change on disk', 'Heap, MB'],
          rows: [
            ...queues.map((one) => [
              String(one.count),
              one.enqueueUs.toFixed(0),
              one.restoreUs.toFixed(1),
              one.changeUs.toFixed(2),
              one.durableChangeUs.toFixed(0),
              (one.heapBytes / 1e6).toFixed(2),
            ]),
            [
              'growth: cost ~ photos^',
              growthExponent(per('enqueueUs')).toFixed(2),
              growthExponent(per('restoreUs')).toFixed(2),
              growthExponent(per('changeUs')).toFixed(2),
              growthExponent(per('durableChangeUs')).toFixed(2),
              `${memorySlope.toFixed(0)} B per photo`,
            ],
          ],
        },
        {
          title: 'Peak memory above the idle plugin while one file is uploaded, MB',
          columns: ['File', 'Resident memory', 'Buffers'],
          rows: [
            ...files.map((one) => [
              `${one.size / MIB} MiB`,
              (one.peakBytes / 1e6).toFixed(1),
              (one.bufferBytes / 1e6).toFixed(1),
            ]),
            ['slope, bytes per byte of file', fileSlope.toExponential(1), ''],
          ],
        },
      ],
      charts: [
        {
          title: 'State change by queued photos',
          unit: 'µs',
          bars: queues.map(({ count, changeUs }) => ({
            label: `${count} photos`,
            value: changeUs,
            isOurs: true,
          })),
        },
        {
          title: 'Enqueue, per photo, by queued photos',
          unit: 'µs',
          bars: queues.map(({ count, enqueueUs }) => ({
            label: `${count} photos`,
            value: enqueueUs,
            isOurs: true,
          })),
        },
        {
          title: 'Peak memory above idle by file size',
          unit: 'MB',
          bars: files.map(({ size, peakBytes }) => ({
            label: `${size / MIB} MiB`,
            value: peakBytes / 1e6,
            isOurs: true,
          })),
        },
      ],
      measurements: { queues, files },
      notes: [
        'A growth of 0 means that one operation costs the same at any length, 1 that it costs in proportion to it.',
        'Restore is the whole restore divided by the photos. The ports are those of UXP over the simulated host’s disk, in a process of its own for each line.',
        `The median of the peaks is ${(median(files.map(({ peakBytes }) => peakBytes)) / 1e6).toFixed(1)} MB; files are sparse, the receiving service only counts bytes.`,
      ],
    },
    startedAt,
  );
}

async function inOwnProcess(script: string, folder: string, value: number): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', '--import', 'tsx', join(import.meta.dirname, script), folder, String(value)],
    { cwd: join(import.meta.dirname, '..') },
  );
  return stdout;
}
