import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createUxpHost } from '../src/host/uxp.js';
import { FolderWatch } from '../src/uploads/folder/folder-watch.js';
import type { Clock } from '../src/util/clock.js';
import { createHostModules } from '../test/host/modules/index.js';
import type { BenchOptions } from './options.js';
import { report } from './report.js';
import { median } from './statistics.js';

const FILES = 5_000;
const LOOKS = 60;

/** A clock whose timers the benchmark fires. */
class SteppedClock implements Clock {
  private waiting: { readonly delayMs: number; readonly callback: () => void } | null = null;

  now(): number {
    return Date.now();
  }

  startTimer(delayMs: number, callback: () => void): () => void {
    const timer = { delayMs, callback };
    this.waiting = timer;
    return () => {
      this.waiting = this.waiting === timer ? null : this.waiting;
    };
  }

  /** Fires the timer, and waits until the next one is started. @returns its delay */
  async step(): Promise<number> {
    const { waiting } = this;
    if (!waiting) {
      throw new Error('no timer is waiting');
    }
    this.waiting = null;
    waiting.callback();
    for (;;) {
      const next = this.next();
      if (next) {
        return next.delayMs;
      }
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  }

  private next(): { readonly delayMs: number } | null {
    return this.waiting;
  }
}

/** CPU time of watching a folder, as a share of one core. The folder is on the real disk, behind the simulated host. */
export async function folder(options: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const count = options.scale === 'small' ? 500 : FILES;
  const place = await mkdtemp(join(tmpdir(), 'bench-folder-'));
  try {
    const rows: string[][] = [];
    const measurements: object[] = [];
    for (const what of ['at rest', 'while a file is being written'] as const) {
      const shares: number[] = [];
      const looks: number[] = [];
      for (let round = 0; round < options.rounds; round += 1) {
        const path = join(place, `${what} ${round}`);
        const { share, lookMs } = await measure(path, count, what !== 'at rest');
        shares.push(share);
        looks.push(lookMs);
      }
      measurements.push({ what, shares, looks });
      rows.push([what, `${(median(shares) * 100).toFixed(2)} %`, median(looks).toFixed(1)]);
    }
    report(
      {
        part: 'folder',
        tables: [
          {
            title: `A folder with ${count} files`,
            columns: ['State', 'Share of a core', 'CPU time of a look, ms'],
            rows,
          },
        ],
        measurements,
        notes: [
          `${options.rounds} rounds of ${LOOKS} looks. Share: CPU time of the looks ÷ the time between them.`,
          'The simulated host lists the folder and reads metadata from the real disk. The cost in a creative app is unknown.',
        ],
      },
      startedAt,
    );
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

async function measure(
  path: string,
  count: number,
  isBusy: boolean,
): Promise<{ share: number; lookMs: number }> {
  const exports = join(path, 'exports');
  await mkdir(exports, { recursive: true });
  for (let at = 0; at < count; at += 1) {
    await writeFile(join(exports, `IMG_${at}.jpg`), `${at}`);
  }
  const modules = createHostModules({ storageDir: join(path, 'storage'), uxpVersion: '9.2.0' });
  const host = createUxpHost(modules, {
    createXhr: () => {
      throw new Error('no network here');
    },
    writeClipboard: () => Promise.resolve(),
    listen: () => undefined,
  });
  await host.records.load();
  const clock = new SteppedClock();
  const watch = new FolderWatch({
    port: host.folders,
    records: host.records,
    spool: host.spool,
    clock,
    newId: () => '0'.repeat(32),
    queue: { get: () => null },
    photoStore: {
      isSuperseded: false,
      pick: () => {
        throw new Error('nothing is taken here');
      },
      copy: () => Promise.reject(new Error('nothing is taken here')),
      takeBack: () => Promise.resolve(),
    },
    history: { get: () => null },
    addCopied: () => Promise.resolve(),
    photoOwner: () => null,
    identify: () => Promise.resolve(null),
    owner: () => ({ keys: ['owner'], workspace: null }),
    project: () => null,
  });
  modules.control.pickers.answer([exports]);
  watch.start();
  await watch.choose();
  // Compiled first, as in a plugin that has run for a while.
  for (let look = 0; look < 10; look += 1) {
    await clock.step();
  }
  let waitedMs = 0;
  const before = process.cpuUsage();
  for (let look = 0; look < LOOKS; look += 1) {
    if (isBusy) {
      await writeFile(join(exports, 'new.jpg'), 'x'.repeat(look + 1));
    }
    waitedMs += await clock.step();
  }
  const { user, system } = process.cpuUsage(before);
  modules.control.end();
  const usedMs = (user + system) / 1_000;
  return { share: usedMs / waitedMs, lookMs: usedMs / LOOKS };
}
