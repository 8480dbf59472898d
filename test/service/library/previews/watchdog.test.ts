import { afterAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  ImageWorker,
  IMAGE_WORKER_LIMITS,
  processesFor,
  type InspectedImage,
} from '../../../../service/library/previews/image-worker.js';

const PROGRAM = path.join(import.meta.dirname, 'runaway-process.ts');
const DEPS = {
  saveLocation: () => Promise.resolve(),
  saveFacts: () => Promise.resolve(),
  read: () => Promise.resolve(Buffer.alloc(0)),
};

describe('a job that never pauses', () => {
  // The parent's clock is the second line: here it is far away.
  const limits = { ...IMAGE_WORKER_LIMITS, jobMs: 600_000, startMs: 120_000 };
  const bounded = new ImageWorker(
    { ...limits, processorMs: 300, memoryBytes: 400e6, processes: 2 },
    PROGRAM,
  );
  const late = new ImageWorker({ ...limits, processorMs: 1e9, jobMs: 500 }, PROGRAM);
  afterAll(() => {
    bounded.end();
    late.end();
  });

  const inspect = (by: ImageWorker, file: string): Promise<InspectedImage | string> =>
    by.inTurn('workspace', (inspect) =>
      inspect(
        {
          ...{ file, size: 9, isWhole: true },
          ...{ findsLocation: false, hasLocation: false, makesPictures: true },
        },
        DEPS,
      ),
    );

  it.each(['loop', 'grow'])(
    'ends with its process (%s), and the next file has another',
    async (file) => {
      expect(await inspect(bounded, file)).toBe('broken');
      expect(await inspect(bounded, 'fine')).toEqual({});
    },
  );

  it('is ended by the service where the watchdog does not', async () => {
    expect(await inspect(late, 'loop')).toBe('broken');
    expect(await inspect(late, 'fine')).toEqual({});
  });

  it('leaves a process to another workspace', async () => {
    const looping = inspect(bounded, 'loop');
    const others = bounded.inTurn('other', (inspect) =>
      inspect(
        {
          ...{ file: 'fine', size: 9, isWhole: true },
          ...{ findsLocation: false, hasLocation: false, makesPictures: true },
        },
        DEPS,
      ),
    );
    expect(await others).toEqual({});
    expect(await looping).toBe('broken');
  });
});

describe('the watchdog', () => {
  it('rests between its checks', async () => {
    const program = path.join(import.meta.dirname, 'resting-process.ts');
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program]);
    const [ms = 0, switches = Infinity] = JSON.parse(stdout) as readonly number[];
    // The main thread has a few, and one check may be several.
    expect(switches).toBeLessThan(ms / 5);
  });
});

describe('the memory of all processes', () => {
  it.each([
    [1, 1e9, 2, 375e6],
    [1, 64e9, 2, 1.2e9],
    [2, 3 * 1024 ** 3, 3, 805e6],
    [8, 3 * 1024 ** 3, 3, 805e6],
    [8, 64e9, 9, 1.2e9],
  ])('fits %i processors and %i bytes', (processors, memory, processes, memoryBytes) => {
    const limits = processesFor(processors, memory);
    expect([limits.processes, Math.floor(limits.memoryBytes / 1e7)]).toEqual([
      processes,
      Math.floor(memoryBytes / 1e7),
    ]);
    expect(limits.processes * limits.memoryBytes).toBeLessThanOrEqual(0.76 * memory);
  });
});
