import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compiled } from '../../support/compiled.js';
import { Disk, type Held } from './disk.js';
import type { Fate } from './disk-file.js';
import { FOLDER_VARIABLE, JOURNAL_VARIABLE, readJournal, type Entry } from './journal.js';

/** The content of a folder: the text of files, by name. */
export interface Content {
  [name: string]: string | Content;
}

/** A folder in which small programs work, each recorded from its beginning to its end. */
export class RecordedFolder {
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'recorded-'));
  private disk: Disk | undefined;

  constructor() {
    for (const name of ['base', 'data']) mkdirSync(path.join(this.folder, name));
  }

  /** Where the programs work. */
  get data(): string {
    return path.join(this.folder, 'data');
  }

  /** The initial content of the disk; `data` must have the same content. */
  get base(): string {
    return path.join(this.folder, 'base');
  }

  /** Runs a program, with `fs` imported, and returns what it did. */
  run(program: string): readonly Entry[] {
    rmSync(this.journal, { force: true });
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        ...['--import', compiled('test/crash/power-loss/recorder.ts')],
        ...['--input-type=module', '--eval', `import fs from 'node:fs'; ${program}`],
      ],
      {
        cwd: this.data,
        encoding: 'utf8',
        env: { ...process.env, [JOURNAL_VARIABLE]: this.journal, [FOLDER_VARIABLE]: this.data },
      },
    );
    if (status !== 0) throw new Error(`the recorded program failed: ${stderr}`);
    const entries = readJournal(this.journal);
    this.disk = diskAfter(this.base, entries);
    return entries;
  }

  /** A possible content after a power loss at its end. */
  afterLoss(random: () => number, fate: Fate): Content {
    if (this.disk === undefined) throw new Error('nothing was recorded');
    return asText(this.disk.afterLoss(random, fate));
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true });
  }

  private get journal(): string {
    return path.join(this.folder, 'journal');
  }
}

/** A disk with the content of `base`, on which these operations happened. */
export function diskAfter(base: string, entries: readonly Entry[]): Disk {
  const disk = new Disk(base);
  for (const entry of entries) disk.apply(entry);
  return disk;
}

function asText(held: Held): Content {
  return Object.fromEntries(
    Object.entries(held)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, one]) => [name, Buffer.isBuffer(one) ? one.toString() : asText(one)]),
  );
}

export function contentOf(folder: string): Content {
  return Object.fromEntries(
    readdirSync(folder, { withFileTypes: true })
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map((entry) => {
        const place = path.join(folder, entry.name);
        return [entry.name, entry.isDirectory() ? contentOf(place) : readFileSync(place, 'utf8')];
      }),
  );
}
