import type { Clock } from '../../util/clock.js';
import { CwError } from '../../util/errors.js';
import { randomId, type RandomBytes } from '../../util/random-id.js';
import type { FileStat, FolderTree, OpenFile } from '../folders.js';
import { StorageTimeoutError, type StorageRetry } from '../storage-retry.js';
import { dataSubfolder, getEntry, isDiskFull, listEntries, removeTree } from './data-folder.js';
import { type FileEntry, type FolderEntry, isFileEntry, type Files } from './files.js';

/** Folders inside each other that are listed. */
const MAX_DEPTH = 8;
/** After this time no app makes a move any more. Milliseconds. */
const LATE_MS = 60 * 60_000;
/** How much is written at a time. Bytes. */
const CHUNK_BYTES = 1024 * 1024;
/** The folder in the data folder with a folder for each file that is read, and the name of the copy there. */
const READING = 'reading';
const COPY = 'file';

/** What is under way in all folders. */
export interface TreeChanges {
  /**
   * Changes that the app has not answered, and may still make: the native path of each file, with the name of the file beside it
   * that is moved there; null for a deletion.
   */
  readonly unanswered: Map<string, string | null>;
  /** Native paths of files beside others that this run has begun. */
  readonly begun: Set<string>;
  /** Folders in the data folder with the copies of files that are read. */
  readonly reading: Set<string>;
}

/**
 * Files of a picked folder. Only entries reach them, because `fs` would need the permission `fullAccess` (fs page). An entry is
 * read whole, so a long file is copied into the data folder and read there by `fs`. No page has a way to flush a file.
 */
export class UxpFolderTree implements FolderTree {
  constructor(
    private readonly folder: FolderEntry,
    private readonly files: Files,
    private readonly retry: StorageRetry,
    private readonly randomBytes: RandomBytes,
    private readonly clock: Clock,
    private readonly changes: TreeChanges,
  ) {}

  async list(most: number): Promise<readonly string[]> {
    const paths: string[] = [];
    const visit = async (folder: FolderEntry, prefix: string, depth: number): Promise<void> => {
      const entries = await folder.getEntries();
      await this.removeOld(folder, entries);
      const shown = entries.filter(({ name }) => !/^[.~]/.test(name));
      paths.push(...shown.filter(isFileEntry).map(({ name }) => prefix + name));
      for (const entry of shown) {
        if (!isFileEntry(entry) && depth < MAX_DEPTH && paths.length < most) {
          await visit(entry, `${prefix}${entry.name}/`, depth + 1);
        }
      }
    };
    try {
      await visit(this.folder, '', 1);
    } catch (cause) {
      throw new CwError('CW-705', 'the chosen folder cannot be read', { cause });
    }
    return paths.slice(0, most);
  }

  async stat(path: string): Promise<FileStat | null> {
    try {
      const file = await this.find(path);
      return file && (await this.statOf(file));
    } catch {
      return null;
    }
  }

  async read(path: string, most: number): Promise<Uint8Array | null> {
    try {
      const file = await this.find(path);
      if (!file) {
        return null;
      }
      if ((await this.statOf(file)).size > most) {
        throw new Error('the file is too long');
      }
      const format = this.files.formats.binary;
      const bytes = await this.retry.run(() => file.read({ format }));
      if (typeof bytes === 'string') {
        throw new Error('the host gave text');
      }
      return new Uint8Array(bytes);
    } catch (cause) {
      throw unreadable(cause);
    }
  }

  async open(path: string): Promise<OpenFile> {
    const { retry } = this;
    const { fs, fileSystem } = this.files;
    // Never used before: a copy that comes late is another one.
    const id = randomId(this.randomBytes);
    this.changes.reading.add(id);
    let own: FolderEntry;
    let size: number;
    let fd: number;
    try {
      const file = await this.find(path);
      if (!file) {
        throw new Error('the file is gone');
      }
      const reading = await dataSubfolder(fileSystem, READING, retry);
      for (const left of await listEntries(reading, retry)) {
        if (!this.changes.reading.has(left.name)) {
          await removeTree(left, retry).catch(() => undefined);
        }
      }
      own = await retry.run(() => reading.createFolder(id));
      const copy = await retry.run(() => file.copyTo(own, { overwrite: true }));
      await retry.run(() => copy.moveTo(own, { overwrite: true, newName: COPY }));
      ({ size } = await retry.run(() => copy.getMetadata()));
      fd = await retry.run(() => fs.open(`plugin-data:/${READING}/${id}/${COPY}`, 'r'));
    } catch (cause) {
      this.changes.reading.delete(id);
      throw isDiskFull(cause) ? diskFull(cause) : unreadable(cause);
    }
    return {
      size,
      read: (start, end) => this.slice(fd, start, end),
      close: async () => {
        await fs.close(fd).catch(() => undefined);
        await removeTree(own, retry).catch(() => undefined);
        this.changes.reading.delete(id);
      },
    };
  }

  async replace(
    path: string,
    before: FileStat | null,
    parts: AsyncIterable<Uint8Array>,
  ): Promise<'replaced' | 'changed' | 'unknown'> {
    const { retry } = this;
    const { formats, modes } = this.files;
    const [folder, name] = await this.placeOf(path).catch((cause: unknown) => {
      throw unwritable(cause);
    });
    if (!folder) {
      throw unwritable(new Error('the folder is gone'));
    }
    // Each try has its own: what an earlier one has begun may still be written.
    const beside = besideOf(name, this.clock.now());
    this.changes.begun.add(nativePathIn(folder, beside));
    let isMoving = false;
    try {
      const present = await this.find(path);
      if (present?.mode === modes.readOnly) {
        throw new Error('the file is read-only');
      }
      const file = await retry.run(() => folder.createFile(beside, { overwrite: true }));
      // Nothing is on the disk before the first write.
      await retry.run(() => file.write(new ArrayBuffer(0), { format: formats.binary }));
      let size = 0;
      for await (const part of parts) {
        for (let at = 0; at < part.length; at += CHUNK_BYTES) {
          const bytes = part.slice(at, at + CHUNK_BYTES);
          const options = { format: formats.binary, append: true };
          await file.write(bytes.buffer, options);
          size += bytes.length;
        }
      }
      if ((await this.statOf(file)).size !== size) {
        throw new Error('the file was not written whole');
      }
      const now = await this.stat(path);
      if (now?.size !== before?.size || now?.modified !== before?.modified) {
        await retry.run(() => file.delete()).catch(() => undefined);
        return 'changed';
      }
      isMoving = true;
      await this.change(folder, name, beside, () =>
        file.moveTo(folder, { overwrite: before !== null, newName: name }),
      );
      this.changes.begun.delete(nativePathIn(folder, beside));
      return 'replaced';
    } catch (cause) {
      const outcome = isMoving
        ? await this.moved(folder, name, beside, before)
        : await this.discarded(folder, beside);
      if (!isMoving && cause instanceof StorageTimeoutError) {
        void cause.later.catch(() => undefined).then(() => this.discarded(folder, beside));
      }
      if (outcome === 'replaced' || outcome === 'unknown' || cause instanceof StorageTimeoutError) {
        return outcome === 'replaced' ? outcome : 'unknown';
      }
      throw cause instanceof CwError
        ? cause
        : isDiskFull(cause)
          ? diskFull(cause)
          : unwritable(cause);
    }
  }

  async remove(path: string): Promise<void> {
    try {
      const [folder, name] = await this.placeOf(path);
      const file = await this.find(path);
      await (folder && file && this.change(folder, name, null, () => file.delete()));
    } catch (cause) {
      throw unwritable(cause);
    }
  }

  async recover(
    files: readonly { readonly path: string; readonly hadFile: boolean }[],
  ): Promise<ReadonlySet<string>> {
    const unsure = new Set<string>();
    const byFolder = new Map<string, Map<string, boolean>>();
    for (const { path, hadFile } of files) {
      const slash = path.lastIndexOf('/') + 1;
      const names = byFolder.get(path.slice(0, slash)) ?? new Map<string, boolean>();
      byFolder.set(path.slice(0, slash), names.set(path.slice(slash), hadFile));
    }
    for (const [prefix, names] of byFolder) {
      try {
        const [folder] = await this.placeOf(prefix);
        for (const name of folder ? await this.recoverIn(folder, names) : []) {
          unsure.add(prefix + name);
        }
      } catch {
        // Nothing is certain in a folder that cannot be read. The next call tries again.
        for (const name of names.keys()) {
          unsure.add(prefix + name);
        }
      }
    }
    return unsure;
  }

  /** @param names  of files, and whether there was one before @returns those that may still change */
  private async recoverIn(
    folder: FolderEntry,
    names: ReadonlyMap<string, boolean>,
  ): Promise<readonly string[]> {
    const entries = await listEntries(folder, this.retry);
    const present = new Set(entries.map(({ name }) => name));
    for (const name of names.keys()) {
      const native = nativePathIn(folder, name);
      const beside = this.changes.unanswered.get(native);
      if (beside !== undefined && !present.has(beside ?? name)) {
        this.changes.unanswered.delete(native);
      }
    }
    const unsure = new Set<string>();
    // The last try alone can have taken the old file away: each of them begins with one that is there.
    const left = entries.filter(isFileEntry).sort((one, other) => timeOf(other) - timeOf(one));
    for (const file of left) {
      const name = BESIDE.exec(file.name)?.[1];
      const hadFile = name === undefined ? undefined : names.get(name);
      if (name === undefined || hadFile === undefined) {
        continue;
      }
      try {
        if (hadFile && !present.has(name)) {
          await this.finishMove(folder, name, file);
          present.add(name);
        } else if (
          !this.changes.unanswered.has(nativePathIn(folder, name)) &&
          !(hadFile && this.mayBeMoved(folder, file))
        ) {
          await this.retry.run(() => file.delete());
        }
      } catch {
        unsure.add(name);
      }
    }
    const waiting = [...names.keys()].filter((name) =>
      this.changes.unanswered.has(nativePathIn(folder, name)),
    );
    return [...unsure, ...waiting];
  }

  /**
   * Whether an earlier run, in the same app, may have requested that a file is moved over another one. Without it, a move that
   * comes now could take the other one away.
   */
  private mayBeMoved(folder: FolderEntry, file: FileEntry): boolean {
    const isOfThisRun = this.changes.begun.has(nativePathIn(folder, file.name));
    return !isOfThisRun && this.clock.now() - timeOf(file) < LATE_MS;
  }

  /** Deletes what {@link recover} has left beside files. */
  private async removeOld(
    folder: FolderEntry,
    entries: readonly (FileEntry | FolderEntry)[],
  ): Promise<void> {
    const names = new Set(entries.map(({ name }) => name));
    for (const file of entries.filter(isFileEntry)) {
      const [, name = '', at = ''] = BESIDE.exec(file.name) ?? [];
      const isWaiting = this.changes.unanswered.has(nativePathIn(folder, name));
      // Other programs do not write the time in milliseconds.
      if (at.length === 13 && names.has(name) && !isWaiting && !this.mayBeMoved(folder, file)) {
        await file.delete().catch(() => undefined);
      }
    }
  }

  /** Makes a change, unless an earlier one to the same file has not been answered. */
  private async change(
    folder: FolderEntry,
    name: string,
    beside: string | null,
    make: () => Promise<void>,
  ): Promise<void> {
    const native = nativePathIn(folder, name);
    if (this.changes.unanswered.has(native)) {
      throw new Error('the app has not answered yet');
    }
    const over = (): void => {
      this.changes.unanswered.delete(native);
    };
    this.changes.unanswered.set(native, beside);
    try {
      await this.retry.run(make);
    } catch (error) {
      if (error instanceof StorageTimeoutError) {
        error.later.then(over, over);
      } else {
        over();
      }
      throw error;
    }
    over();
  }

  /** What became of a move that failed, or was not answered. */
  private async moved(
    folder: FolderEntry,
    name: string,
    beside: string,
    before: FileStat | null,
  ): Promise<'replaced' | 'unknown' | 'refused'> {
    try {
      const entries = await listEntries(folder, this.retry);
      const file = entries.filter(isFileEntry).find((one) => one.name === beside);
      const isThere = entries.some((one) => one.name === name);
      if (!file) {
        this.changes.unanswered.delete(nativePathIn(folder, name));
        return isThere ? 'replaced' : 'unknown';
      }
      if (before !== null && !isThere) {
        await this.finishMove(folder, name, file);
        return 'replaced';
      }
      // Without the new file, a move that comes now could still take the old one away.
      return this.changes.unanswered.has(nativePathIn(folder, name))
        ? 'unknown'
        : await this.discarded(folder, beside);
    } catch {
      return 'unknown';
    }
  }

  /** For a move that took the old file away, and no more. */
  private async finishMove(folder: FolderEntry, name: string, file: FileEntry): Promise<void> {
    await this.retry.run(() => file.moveTo(folder, { overwrite: false, newName: name }));
    this.changes.unanswered.delete(nativePathIn(folder, name));
  }

  /** Deletes a file beside another one. */
  private async discarded(folder: FolderEntry, beside: string): Promise<'refused'> {
    try {
      const file = await getEntry(folder, beside);
      await (file && this.retry.run(() => file.delete()));
    } catch {
      // `recover` deletes it.
    }
    return 'refused';
  }

  /** The file of a path; null when there is none. @throws {StorageTimeoutError} */
  private async find(path: string): Promise<FileEntry | null> {
    const [folder, name] = await this.placeOf(path);
    const entry = folder && (await getEntry(folder, name));
    return entry && isFileEntry(entry) ? entry : null;
  }

  /** The folder of a path, null when it is gone, and the name of the file. @throws {StorageTimeoutError} */
  private async placeOf(path: string): Promise<readonly [FolderEntry | null, string]> {
    const names = path.split('/');
    const last = names.pop() ?? '';
    let folder: FolderEntry = this.folder;
    for (const name of names) {
      const entry = await getEntry(folder, name);
      if (!entry || isFileEntry(entry)) {
        return [null, last];
      }
      folder = entry;
    }
    return [folder, last];
  }

  private async statOf(file: FileEntry): Promise<FileStat> {
    const { size, dateModified } = await file.getMetadata();
    return { size, modified: dateModified.getTime() };
  }

  private async slice(fd: number, start: number, end: number): Promise<Uint8Array> {
    const buffer = new ArrayBuffer(end - start);
    for (let filled = 0; filled < buffer.byteLength;) {
      const at = filled;
      const { bytesRead } = await this.retry
        .run(() => this.files.fs.read(fd, buffer, at, buffer.byteLength - at, start + at))
        .catch((cause: unknown) => {
          throw unreadable(cause);
        });
      if (bytesRead <= 0) {
        throw unreadable(new Error('the copy is shorter'));
      }
      filled += bytesRead;
    }
    return new Uint8Array(buffer);
  }
}

/** A file that is written beside another one. Lists leave it out, and the watched folder takes none of these. */
const BESIDE = /^~(.+)\.(\d+)\.tmp$/;

/** @param at  wall-clock time in milliseconds at which it is begun */
function besideOf(name: string, at: number): string {
  return `~${name}.${at}.tmp`;
}

/** When a file beside another one was begun. */
function timeOf({ name }: FileEntry): number {
  return Number(BESIDE.exec(name)?.[2] ?? 0);
}

function nativePathIn(folder: FolderEntry, name: string): string {
  return `${folder.nativePath}/${name}`;
}

function unreadable(cause: unknown): CwError {
  return new CwError('CW-602', 'a file of the chosen folder cannot be read', { cause });
}

function unwritable(cause: unknown): CwError {
  return new CwError('CW-811', 'a file of the chosen folder cannot be written', { cause });
}

function diskFull(cause: unknown): CwError {
  return new CwError('CW-703', 'the disk is full', { cause });
}
