import type { ChosenFolder, FileStat } from '../../host/folders.js';
import type { Clock } from '../../util/clock.js';
import { isExportName } from './export-name.js';
import { formerOf, isSameStat, type TakingFile } from './known-file.js';
import type { FileRecords } from './file-records.js';

/** How long size and date of a file must stay the same. Milliseconds. */
const STILL_MS = 2_000;
/** How long a file must stay the same that is only the first part of one. Then it is taken as it is. Milliseconds. */
const HALF_MS = 3 * 60_000;
/** A file that is not finished after this time is looked at less often. Milliseconds. */
const BUSY_FOR_MS = 60_000;
/** Files taken in the last so many milliseconds are compared at each look: they are often exported again. */
const RECENT_MS = 10 * 60_000;
const MAX_RECENT = 50;
/** Of the other known files, so many are compared at each look. */
const COMPARED_AT_ONCE = 50;
/**
 * Of the files whose date alone has changed, the content of so many is compared at each look, and so many wait for it: a
 * look costs the same when the dates of all files change.
 */
const CHECKED_AT_ONCE = 10;
const MAX_TO_CHECK = 50;

interface Pending extends FileStat {
  /** Running time in milliseconds since when size and date are these. */
  readonly since: number;
}

/** A file that can be taken now. */
export interface ReadyFile extends FileStat {
  readonly name: string;
  /** Whether only the date of a known file has changed. */
  readonly isTouched: boolean;
}

/** Finds the files of a folder that are new or changed, and are not written to any more. */
export class ReadyFiles {
  private readonly pending = new Map<string, Pending>();
  /** Files that were found to be only the first part of one. */
  private readonly halves = new Map<string, Pending>();
  /** Milliseconds that the watch has waited: the wall clock may jump. */
  private waitedMs = 0;
  private nextCompared = 0;

  constructor(
    private readonly files: Pick<FileRecords, 'get'>,
    private readonly clock: Clock,
  ) {}

  /** A file of which only the first part is there; null when there is none. */
  get waitsFor(): string | null {
    return [...this.halves.keys()][0] ?? null;
  }

  /** Notes that so many milliseconds have passed. */
  wait(ms: number): void {
    this.waitedMs += ms;
  }

  /** Whether a file is new or changed, and not taken. */
  has(name: string): boolean {
    return this.pending.has(name);
  }

  /** Whether files are new or changed since a short time. */
  isBusy(): boolean {
    const since = this.waitedMs - BUSY_FOR_MS;
    return [...this.pending.values()].some((file) => file.since > since);
  }

  /** For a file that was taken. */
  forget(name: string): void {
    this.pending.delete(name);
    this.halves.delete(name);
  }

  clear(): void {
    this.pending.clear();
    this.halves.clear();
  }

  /** The files whose size and date stayed the same for long enough, the oldest first. */
  async find(folder: ChosenFolder, names: readonly string[]): Promise<readonly ReadyFile[]> {
    const due = this.namesToCompare(names);
    const before = new Map(this.pending);
    for (const name of this.halves.keys()) {
      if (!due.has(name)) {
        this.halves.delete(name);
      }
    }
    this.pending.clear();
    const ready: ReadyFile[] = [];
    let toCheck = 0;
    for (const name of due) {
      const stat = await folder.stat(name);
      const known = this.files.get(name);
      const isKnown = known && known.state !== 'taking';
      if (!stat || (isKnown && isSameStat(known, stat))) {
        continue;
      }
      const seen = before.get(name);
      const isTouched = known !== null && formerOf(known, stat) !== null;
      toCheck += isTouched ? 1 : 0;
      if (isTouched && !seen && toCheck > MAX_TO_CHECK) {
        continue;
      }
      const isStill = seen && isSameStat(seen, stat);
      this.pending.set(name, isStill ? seen : { ...stat, since: this.waitedMs });
      const isDue = seen && this.waitedMs - seen.since >= STILL_MS;
      if (isStill && isDue && stat.size > 0 && !this.isWaiting(name, stat)) {
        ready.push({ name, ...stat, isTouched });
      }
    }
    ready.sort((a, b) => a.modified - b.modified || (a.name < b.name ? -1 : 1));
    const touched = ready.filter((file) => file.isTouched).slice(0, CHECKED_AT_ONCE);
    return [...ready.filter((file) => !file.isTouched), ...touched];
  }

  /** The names of files that may be new or changed. The whole folder takes several looks. */
  private namesToCompare(names: readonly string[]): ReadonlySet<string> {
    const recent = this.clock.now() - RECENT_MS;
    const due = new Set<string>();
    let recentCount = 0;
    for (const name of names) {
      const known = this.files.get(name);
      if (known && known.state !== 'taking' && !this.pending.has(name)) {
        if (known.at > recent && recentCount < MAX_RECENT) {
          recentCount += 1;
          due.add(name);
        }
      } else if (known || isExportName(name)) {
        due.add(name);
      }
    }
    const count = Math.min(COMPARED_AT_ONCE, names.length);
    for (let index = 0; index < count; index += 1) {
      const name = names[(this.nextCompared + index) % names.length] ?? '';
      if (this.files.get(name)) {
        due.add(name);
      }
    }
    this.nextCompared = names.length === 0 ? 0 : (this.nextCompared + count) % names.length;
    return due;
  }

  /** Notes that a file is only the first part of one. @returns whether its rest may still come */
  waitForRest(file: TakingFile): boolean {
    const { name, size, modified } = file;
    const half = this.halves.get(name);
    if (!half || !isSameStat(half, file)) {
      this.halves.set(name, { size, modified, since: this.waitedMs });
    }
    return this.isWaiting(name, file);
  }

  /** Whether a file is only the first part of one, and its rest may still come. */
  private isWaiting(name: string, stat: FileStat): boolean {
    const half = this.halves.get(name);
    return half !== undefined && isSameStat(half, stat) && this.waitedMs - half.since < HALF_MS;
  }
}
