import type { Clock } from '../../util/clock.js';
import { CwError, toCwError } from '../../util/errors.js';
import { randomId, type RandomBytes } from '../../util/random-id.js';
import { Mutex } from '../../util/mutex.js';
import { storageTakenOverError } from '../../util/storage-ownership.js';
import type { RecordStore } from '../storage.js';
import { StorageTimeoutError, type StorageRetry } from '../storage-retry.js';
import { createFileRetry, dataSubfolder, isDiskFull } from './data-folder.js';
import {
  changeLines,
  compareNames,
  fileNameOf,
  journalText,
  listJournals,
  readNewestJournal,
  type JournalFile,
  type JournalName,
  type ReadJournal,
  type WrittenRecord,
} from './journal.js';
import type { FileEntry, FolderEntry, Files } from './files.js';

const FOLDER = 'records';
/** A journal is rewritten when it has this many lines plus three for each of its records. */
const REWRITE_AFTER_LINES = 1000;

/**
 * How far the journal of a new instance is numbered after the newest one. A file that an ended instance created late, by a
 * write that the host had not finished, stays below it.
 */
const START_STEP = 10;

/** The journal that changes are appended to. */
interface OpenJournal {
  readonly file: FileEntry;
  /** A journal whose name comes after this one belongs to another instance of the plugin. */
  readonly name: JournalName;
  lines: number;
  torn: boolean;
  /** Whether a write to this file has not settled, so that nothing more may be appended to it. */
  stuck: boolean;
  /** The number of lines at which a rewrite is tried. */
  mostLines: number;
}

interface Opened {
  readonly journal: OpenJournal;
  readonly records: ReadonlyMap<string, string>;
}

/**
 * Durable records as a journal in the plugin's data folder. Every change is one write at its end, with a line for each
 * record it touches, so its cost does not grow with the number of records. A crash can at worst cut that write short;
 * reading ignores an incomplete line. A journal that has grown long is rewritten.
 *
 * Journals are numbered, and the highest owns the records. A plugin instance that loads them first reads the
 * newest journal, so that nothing changes when it cannot be read. Then it creates a journal with the next number, reads
 * the newest complete one again, and copies it. An older instance checks after each write whether such a journal has
 * appeared. If not, the write was complete before the new instance began to read. If so, it may have been too late, and
 * the caller gets CW-704. So every write that was reported as stored survives a change of instances.
 */
export function createUxpRecords(
  files: Pick<Files, 'fileSystem' | 'formats'>,
  randomBytes: RandomBytes,
  clock: Clock,
): RecordStore {
  return new UxpRecords(files, randomBytes, createFileRetry(clock));
}

class UxpRecords implements RecordStore {
  private readonly serial = new Mutex();
  private readonly utf8: symbol;
  private current: OpenJournal | null = null;
  /** File names of all journals that this instance of the plugin has made: none of them supersedes it. */
  private readonly own = new Set<string>();

  constructor(
    private readonly files: Pick<Files, 'fileSystem' | 'formats'>,
    private readonly randomBytes: RandomBytes,
    private readonly retry: StorageRetry,
  ) {
    this.utf8 = files.formats.utf8;
  }

  load(): Promise<ReadonlyMap<string, string>> {
    return this.serial.run(async () => {
      try {
        // In this order: the other instance must not be superseded by one that cannot read the list.
        await this.read(await this.list());
        const { journal, records } = await this.takeOver(null);
        this.current = journal;
        return records;
      } catch (error) {
        throw readError(error);
      }
    });
  }

  put(key: string, value: string, ...gone: readonly string[]): Promise<void> {
    return this.serial.run(() => this.append([{ key, value }], gone));
  }

  putAll(written: ReadonlyMap<string, string>, ...gone: readonly string[]): Promise<void> {
    const records = [...written].map(([key, value]) => ({ key, value }));
    return this.serial.run(() => this.append(records, gone));
  }

  remove(...keys: readonly string[]): Promise<void> {
    return this.serial.run(() => this.append([], keys));
  }

  async isOwner(): Promise<boolean> {
    try {
      return this.current !== null && !(await this.isSuperseded(this.current.name));
    } catch (error) {
      throw readError(error);
    }
  }

  private async append(written: readonly WrittenRecord[], gone: readonly string[]): Promise<void> {
    if (!this.current) {
      throw new CwError('CW-702', 'the upload list has not been read yet');
    }
    try {
      if (this.current.stuck) {
        this.current = (await this.takeOver(this.current)).journal;
      }
      await this.appendLines(this.current, written, gone);
    } catch (error) {
      if (error instanceof CwError) {
        throw error;
      }
      this.current.stuck ||= error instanceof StorageTimeoutError;
      if (await this.isSuperseded(this.current.name).catch(() => false)) {
        throw storageTakenOverError();
      }
      throw writeError(error);
    }
    if (this.current.lines >= this.current.mostLines) {
      this.current = await this.rewritten(this.current);
    }
  }

  private async appendLines(
    journal: OpenJournal,
    written: readonly WrittenRecord[],
    gone: readonly string[],
  ): Promise<void> {
    await this.retry.run(async () => {
      // A failed write may have left part of a line. `#` makes that part invalid, so that it is never read as a record.
      const text = (journal.torn ? '#\n' : '') + changeLines(written, gone);
      journal.torn = true;
      await journal.file.write(text, { format: this.utf8, append: true });
      journal.torn = false;
    });
    journal.lines += gone.length + written.length;
    if (await this.isSuperseded(journal.name)) {
      throw storageTakenOverError();
    }
  }

  /** Writes the journal again. If that fails, the old one stays in use, and the next try is when it is twice as long. */
  private async rewritten(journal: OpenJournal): Promise<OpenJournal> {
    try {
      return (await this.takeOver(journal)).journal;
    } catch (error) {
      journal.mostLines = 2 * journal.lines;
      // The file that was to replace this one may still be written: then it must not be the newest.
      journal.stuck ||= error instanceof StorageTimeoutError;
      return journal;
    }
  }

  /**
   * Makes this instance of the plugin the owner of the records.
   * @param from  the journal of this instance, if it has one: then it fails rather than supersede another
   * @throws {CwError} CW-702, CW-703 when nothing can be written; CW-704 when another instance owns the records
   * @throws {unknown} what the host throws otherwise
   */
  private async takeOver(from: OpenJournal | null): Promise<Opened> {
    const folder = await this.folder();
    const [newest] = await this.list();
    if (from && (await this.isSuperseded(from.name))) {
      throw storageTakenOverError();
    }
    const name: JournalName = {
      number: (newest?.name.number ?? 0) + (from ? 1 : START_STEP),
      tag: randomId(this.randomBytes).slice(0, 8),
    };
    this.own.add(fileNameOf(name));
    const own = await this.retry.run(() =>
      folder.createFile(fileNameOf(name), { overwrite: true }),
    );
    // Written before reading: from now on other instances see that their writes may come too late.
    let trouble: unknown = await this.failureOf(() => own.write('\n', { format: this.utf8 }));
    const older = await this.olderThan(name, own);
    const base = await this.readOlder(older, own);
    const records = base?.content.records ?? new Map<string, string>();
    trouble ??= await this.failureOf(() => own.write(journalText(records), { format: this.utf8 }));
    if (trouble) {
      // The disk may be full. A journal that is not complete is not read while there is a complete one.
      const left = await this.failureOf(() => own.delete());
      if (!base || trouble instanceof StorageTimeoutError) {
        throw trouble instanceof StorageTimeoutError ? trouble : writeError(trouble);
      }
      const old = opened(from ? base : await this.renamed(base, folder, name), name);
      // The new file may be complete although its write failed: then it must not stay the newest.
      old.journal.stuck = left !== null && !isDiskFull(trouble);
      return old;
    }
    const journal = openJournal(own, name, records, records.size + 1, false);
    if (await this.isSuperseded(name)) {
      throw storageTakenOverError();
    }
    // A journal that cannot be removed now is removed at a later start.
    for (const { file } of older) {
      await file.delete().catch(() => undefined);
    }
    return { journal, records };
  }

  /**
   * For a new journal that could not be written: gives the old one its name. Renaming needs no room on the disk, and a
   * instance that still writes to the old one finds that it is superseded.
   * @returns the old journal as it is then; unchanged if it could not be renamed
   * @throws {CwError} CW-704
   */
  private async renamed(
    old: ReadJournal,
    folder: FolderEntry,
    name: JournalName,
  ): Promise<ReadJournal> {
    const newName = fileNameOf(name);
    if (await this.failureOf(() => old.file.moveTo(folder, { overwrite: false, newName }))) {
      return old;
    }
    // Read again: the other instance may have written until the file had its new name.
    const journal = await this.read(await this.list());
    if (journal?.name.tag !== name.tag) {
      throw storageTakenOverError();
    }
    return journal;
  }

  /** Journals that come before this instance's new one. Deletes that when they cannot be listed. */
  private async olderThan(name: JournalName, own: FileEntry): Promise<readonly JournalFile[]> {
    try {
      return (await this.list()).filter((other) => compareNames(other.name, name) < 0);
    } catch (error) {
      await this.failureOf(() => own.delete());
      throw error;
    }
  }

  /** Reads the newest of these journals. Deletes this instance's new one when they cannot be read. */
  private async readOlder(
    journals: readonly JournalFile[],
    own: FileEntry,
  ): Promise<ReadJournal | null> {
    try {
      return await this.read(journals);
    } catch (error) {
      await this.failureOf(() => own.delete());
      throw error;
    }
  }

  private read(journals: readonly JournalFile[]): Promise<ReadJournal | null> {
    return readNewestJournal(journals, this.utf8, this.retry);
  }

  private async list(): Promise<readonly JournalFile[]> {
    return listJournals(await this.folder(), this.retry);
  }

  /** Whether another instance of the plugin has made a journal after the one of this name. */
  private async isSuperseded(name: JournalName): Promise<boolean> {
    return (await this.list()).some(
      (other) => compareNames(other.name, name) > 0 && !this.own.has(fileNameOf(other.name)),
    );
  }

  private folder(): Promise<FolderEntry> {
    return dataSubfolder(this.files.fileSystem, FOLDER, this.retry);
  }

  /** The rejection reason of the last try of `work`; null when one succeeds. */
  private async failureOf(work: () => Promise<unknown>): Promise<unknown> {
    try {
      await this.retry.run(work);
      return null;
    } catch (error) {
      return error ?? new Error('without a reason');
    }
  }
}

/** A journal that was there already, to be appended to. */
function opened({ file, content }: ReadJournal, name: JournalName): Opened {
  const { records, lines, torn } = content;
  const journal = openJournal(file, name, records, lines, torn);
  journal.mostLines = Math.max(journal.mostLines, 2 * lines);
  return { journal, records };
}

function readError(error: unknown): CwError {
  return toCwError(error, 'CW-702', 'the upload list cannot be read');
}

function writeError(cause: unknown): CwError {
  return isDiskFull(cause)
    ? new CwError('CW-703', 'no space left for the upload list', { cause })
    : new CwError('CW-702', 'the upload list cannot be written', { cause });
}

function openJournal(
  file: FileEntry,
  name: JournalName,
  records: ReadonlyMap<string, string>,
  lines: number,
  torn: boolean,
): OpenJournal {
  return {
    file,
    name,
    lines,
    torn,
    stuck: false,
    mostLines: REWRITE_AFTER_LINES + 3 * records.size,
  };
}
