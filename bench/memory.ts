/**
 * `npm run bench -- memory`: measures the memory of uploads of 2 GiB and of a list of 10,000 photos, beyond that of the
 * idle plugin. Exits with 1 when the goal is missed.
 *
 * Every row is a separate process that runs the plugin without its panel, over the simulated modules of UXP on a real
 * disk.
 */
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asJpeg } from '../test/support/jpeg.js';
import { forked } from './forked.js';
import type { MemoryReport, MemoryTask } from './memory/messages.js';
import { startThrowawayService } from './memory/throwaway-service.js';
import { report } from './report.js';

const MIB = 1024 * 1024;
const GOAL_MIB = 64;
const FILE_BYTES = 2048 * MIB;
const PHOTOS = 10_000;
const PHOTO_BYTES = 50_000;
/** Photos uploaded while the others wait. */
const UPLOADED = 300;

const PROCESS = join(import.meta.dirname, 'memory', 'plugin-process.ts');

const measure = (task: MemoryTask): ReturnType<typeof forked<MemoryReport>> =>
  forked<MemoryReport>(PROCESS, `plugin, ${task.kind}`, task, ['--expose-gc']);

/** Measures, and prints the table. */
export async function memory(): Promise<void> {
  const startedAt = new Date();
  const folder = await mkdtemp(join(tmpdir(), 'bench-memory-'));
  const service = await startThrowawayService();
  try {
    const file = join(folder, 'large.psd');
    await writeFile(file, '8BPS\0\x01');
    await truncate(file, FILE_BYTES);
    // Each has other bytes: the plugin queues no photo twice.
    const photos = Array.from({ length: PHOTOS }, (_, index) => join(folder, `${index}.jpg`));
    for (const [index, path] of photos.entries()) {
      await writeFile(path, asJpeg(Buffer.alloc(PHOTO_BYTES, `${index} `)));
    }
    const { port } = service;

    // Either without a forced collection, for resident memory, or with many, for what is really held.
    const tasks = (collects: boolean): [string, MemoryTask][] => {
      const list = join(folder, `list-${String(collects)}`);
      const common = { port, collects };
      return [
        [
          'A file of 2 GiB: queued and uploaded',
          { ...common, kind: 'file', storageDir: join(folder, `file-${String(collects)}`), file },
        ],
        [
          '10,000 photos: picked and queued',
          { ...common, kind: 'queue', storageDir: list, files: photos },
        ],
        [
          `10,000 photos: restart, ${UPLOADED} uploaded, the others wait`,
          { ...common, kind: 'wait', storageDir: list, upload: UPLOADED },
        ],
      ];
    };
    const idle = await measure({
      kind: 'idle',
      port,
      collects: false,
      storageDir: join(folder, 'idle'),
    });

    const held = tasks(true);
    const rows: string[][] = [];
    const processes = [idle.process];
    let isMissed = false;
    for (const [index, [name, task]] of tasks(false).entries()) {
      const resident = await measure(task);
      const collected = held[index];
      if (!collected) {
        throw new Error('a task is missing');
      }
      const live = await measure(collected[1]);
      const residentMib = (resident.residentBytes - idle.residentBytes) / MIB;
      const liveMib = (live.heldBytes - idle.heldBytes) / MIB;
      isMissed ||= residentMib > GOAL_MIB || liveMib > GOAL_MIB;
      rows.push([name, residentMib.toFixed(1), liveMib.toFixed(1), resident.seconds.toFixed(1)]);
      processes.push(resident.process, live.process);
      await rm(join(folder, 'file-false'), { recursive: true, force: true });
      await rm(join(folder, 'file-true'), { recursive: true, force: true });
    }
    report(
      {
        part: 'memory',
        tables: [
          {
            title: `Peaks above the idle plugin (${(idle.residentBytes / MIB).toFixed(0)} MiB resident, ${(idle.heldBytes / MIB).toFixed(0)} MiB held)`,
            columns: ['Scenario', 'Resident, MiB', 'Held, MiB', 'Seconds'],
            rows,
          },
        ],
        processes,
        measurements: rows,
        notes: [
          `Goal: at most ${GOAL_MIB} MiB.`,
          'Resident: of the whole process, every 5 ms, no collection forced.',
          'Held: heap in use and buffers outside it, each after a forced collection.',
        ],
      },
      startedAt,
    );
    if (isMissed) {
      console.log('The goal is missed.');
    }
    process.exitCode = isMissed ? 1 : 0;
  } finally {
    service.close();
    await rm(folder, { recursive: true, force: true });
  }
}
