import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { layReadyDatabase } from '../../service/support/database-templates.js';
import { seededRandom } from '../../support/seeded-random.js';
import { Disk, type Believes } from './disk.js';
import type { Fate } from './disk-file.js';
import { readJournal, type Entry } from './journal.js';
import { Ledger } from './ledger.js';
import { Load, type LoadSize } from './load.js';
import { Restored } from './restored.js';
import { start } from './started.js';

export interface PowerRunOptions {
  readonly seed: number;
  /** How often the power is lost, at instants of the one recorded run. */
  readonly losses: number;
  readonly load: LoadSize;
  /** How often the service is killed or stopped while it is recorded. */
  readonly restarts: number;
  readonly log?: (line: string) => void;
}

export interface PowerReport {
  readonly losses: number;
  /** Operations on the file system that were recorded. */
  readonly operations: number;
  readonly bytes: number;
  readonly answers: number;
  /** The number of checks of each kind. */
  readonly checked: Readonly<Record<string, number>>;
}

/** A run of the service that was recorded, from which the power can be taken at any instant. */
export class RecordedRun {
  private constructor(
    readonly folder: string,
    readonly entries: readonly Entry[],
    readonly answers: readonly number[],
    private readonly load: Load,
  ) {}

  /** Runs users and devices against a service and records every operation on its folder. */
  static async record({
    seed,
    load: size,
    restarts,
  }: Pick<PowerRunOptions, 'seed' | 'load' | 'restarts'>): Promise<RecordedRun> {
    const folder = await mkdtemp(path.join(tmpdir(), 'power-loss-'));
    const [base, data] = [path.join(folder, 'base'), path.join(folder, 'data')];
    await mkdir(base);
    await layReadyDatabase(path.join(base, 'database'));
    await cp(base, data, { recursive: true });
    const journal = path.join(folder, 'journal');
    const ledger = new Ledger(journal);
    const random = seededRandom(seed);
    const load = new Load(ledger, random, size);
    for (let count = 0; count <= restarts; count += 1) {
      const service = await start({ folder: data, journal });
      try {
        await (count === 0 ? load.begin(service.url) : load.goOn(service.url));
      } finally {
        await (random() < 0.5 ? service.kill() : service.stop());
      }
    }
    return new RecordedRun(folder, readJournal(journal), ledger.answers, load);
  }

  /** An instant at which something was just answered, or any other. */
  instant(random: () => number): number {
    const answer = this.answers[Math.floor(random() * this.answers.length)];
    const entry = this.entries[Math.floor(random() * this.entries.length)];
    const instant = random() < 0.5 ? answer : entry?.end;
    if (instant === undefined) throw new Error('nothing was recorded');
    return instant;
  }

  /**
   * Takes the power away, starts the service on what the disk may hold, and looks at all that was promised until then.
   * @returns how often each promise was looked at
   * @throws Error when the service does not start as always, or when a promise is broken
   */
  async lose(
    instant: number,
    random: () => number,
    { fate = 'some', believes }: { fate?: Fate; believes?: Believes } = {},
  ): Promise<Restored['checked']> {
    const image = await mkdtemp(path.join(this.folder, 'image-'));
    const disk = new Disk(path.join(this.folder, 'base'), believes);
    for (const entry of this.entries) {
      if (entry.end > instant) break;
      disk.apply(entry);
    }
    disk.layAfterLoss(image, random, fate);
    try {
      return await this.checkImage(image, instant);
    } finally {
      await rm(image, { recursive: true, force: true });
    }
  }

  private async checkImage(image: string, instant: number): Promise<Restored['checked']> {
    const service = await start({ folder: image });
    const restored = new Restored(service.url, instant);
    try {
      await this.load.check(restored);
    } finally {
      await service.kill();
    }
    const { stdout, stderr } = await service.command.ended;
    const complaints = stdout.split('\n').filter((line) => line.includes('"level":"error"'));
    restored.expect('it starts without a complaint', complaints.length === 0 && stderr === '', [
      ...complaints,
      stderr,
    ]);
    return restored.checked;
  }

  get bytes(): number {
    return this.entries.at(-1)?.end ?? 0;
  }

  async dispose(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/**
 * Records one run and takes the power from it many times.
 * @throws Error when anything that was promised is not so, naming seed and instant
 */
export async function powerRun(options: PowerRunOptions): Promise<PowerReport> {
  const { seed, losses, log = () => undefined } = options;
  const run = await RecordedRun.record(options);
  try {
    const random = seededRandom(seed + 1);
    const checked: Record<string, number> = {};
    for (let count = 1; count <= losses; count += 1) {
      const instant = run.instant(random);
      try {
        const found = await run.lose(instant, random);
        for (const [promise, times] of Object.entries(found))
          checked[promise] = (checked[promise] ?? 0) + times;
      } catch (error) {
        const where = `${count} of ${losses} losses of power, after ${instant} of ${run.bytes} bytes`;
        throw new Error(`power run with seed ${seed} failed at ${where}`, { cause: error });
      }
      if (count % 10 === 0) log(`${count} losses of power`);
    }
    const { entries, bytes, answers } = run;
    return { losses, operations: entries.length, bytes, answers: answers.length, checked };
  } finally {
    await run.dispose();
  }
}
