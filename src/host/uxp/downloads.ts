/**
 * Files on their way from the service into a folder of the user. They grow in the plugin's data folder, where `fs` writes
 * and reads slices: outside of it that would need a permission that this plugin does not request (fs page). The host moves
 * a complete file into the folder that the user chose (Entry page).
 * @packageDocumentation
 */
import type { Clock } from '../../util/clock.js';
import { CwError } from '../../util/errors.js';
import { readChunks } from '../chunks.js';
import type { ChosenFolder } from '../folders.js';
import type { DownloadedFile, Downloads, FilePart } from '../downloads.js';
import { randomId, type RandomBytes } from '../../util/random-id.js';
import { StorageTimeoutError, type StorageRetry } from '../storage-retry.js';
import {
  createFileRetry,
  dataSubfolder,
  getEntry,
  isDiskFull,
  listEntries,
} from './data-folder.js';
import { UxpChosenFolder } from './folders.js';
import {
  type FileEntry,
  type FolderEntry,
  type PluginFs,
  isFileEntry,
  type Files,
} from './files.js';

const PARTS = 'placing';
/** What a kill has left in a folder of the user is deleted after this time. Milliseconds. */
const KEEP_LEFT_MS = 24 * 60 * 60_000;

/** A file that an app can place. Photoshop needs its entry for a token. */
interface UxpDownloadedFile extends DownloadedFile {
  readonly entry: FileEntry;
}

/** Whether a file came from this host. */
export function hasEntry(file: DownloadedFile): file is UxpDownloadedFile {
  return 'entry' in file;
}

export function createUxpDownloads(
  { fileSystem, fs }: Files,
  randomBytes: RandomBytes,
  clock: Clock,
): Downloads {
  const retry = createFileRetry(clock);
  /** Names of parts that the app may still change. */
  const unsure = new Set<string>();
  const parts = (): Promise<FolderEntry> => dataSubfolder(fileSystem, PARTS, retry);
  const open = async (id: string): Promise<FilePart> => {
    const entries = (await listEntries(await parts(), retry)).filter(isFileEntry);
    const file = entries.find(({ name }) => PART.exec(name)?.[1] === id && !unsure.has(name));
    // A new part has a name that was never used: what an app does late is about another one.
    const name = file?.name ?? partName(id, randomId(randomBytes));
    try {
      const size = file ? (await retry.run(() => file.getMetadata())).size : 0;
      const path = `plugin-data:/${PARTS}/${name}`;
      const fd = await retry.run(() => fs.open(path, file ? 'r+' : 'w+'));
      return new UxpFilePart(name, fd, size, fs, parts, unsure, retry, clock);
    } catch (error) {
      unsure.add(name);
      throw error;
    }
  };
  return {
    openPart: (id) => open(id).catch(refuse),

    async removeParts(before) {
      try {
        await removeOld(await parts(), before, () => true, retry);
      } catch {
        // The next call removes what is left.
      }
    },

    async file(folder, name) {
      try {
        const entry = await retry.run(() => fileIn(entryOf(folder), name));
        const file: UxpDownloadedFile = { name: entry.name, path: entry.nativePath, entry };
        return file;
      } catch (error) {
        return refuse(error);
      }
    },
  };
}

/**
 * A part: its id, and the random id that makes its name the only one. Other programs also write `~….tmp`, but no such id. Lists
 * and the watched folder leave such names out.
 */
const PART = /^~([\dA-Za-z-]+)\.[\da-f]{32}\.tmp$/;

function partName(id: string, only: string): string {
  return `~${id}.${only}.tmp`;
}

/** Deletes parts that were last changed before a wall-clock time. @throws {unknown} what the host throws last */
async function removeOld(
  folder: FolderEntry,
  before: number,
  isPart: (name: string) => boolean,
  retry: StorageRetry,
): Promise<void> {
  for (const file of (await listEntries(folder, retry)).filter(isFileEntry)) {
    if (isPart(file.name) && (await file.getMetadata()).dateModified.getTime() < before) {
      await file.delete();
    }
  }
}

class UxpFilePart implements FilePart {
  /** The folder of the user that it was moved into; null while it is in the data folder. */
  private place: FolderEntry | null = null;

  /** @param unsure  gets the name when the app may still change the part */
  constructor(
    private readonly name: string,
    private readonly fd: number,
    readonly size: number,
    private readonly fs: PluginFs,
    private readonly parts: () => Promise<FolderEntry>,
    private readonly unsure: Set<string>,
    private readonly retry: StorageRetry,
    private readonly clock: Clock,
  ) {}

  async write(bytes: ArrayBuffer, at: number): Promise<void> {
    try {
      for (let done = 0; done < bytes.byteLength;) {
        const from = done;
        const { bytesWritten } = await this.retry.run(() =>
          this.fs.write(this.fd, bytes, from, bytes.byteLength - from, at + from),
        );
        if (bytesWritten <= 0) {
          throw new Error('nothing was written');
        }
        done += bytesWritten;
      }
    } catch (error) {
      this.refuse(error);
    }
  }

  chunks(): AsyncIterable<Uint8Array, void> {
    const read = async (start: number, end: number): Promise<ArrayBuffer> => {
      const buffer = new ArrayBuffer(end - start);
      for (let done = 0; done < end - start;) {
        const from = done;
        const { bytesRead } = await this.retry
          .run(() => this.fs.read(this.fd, buffer, from, end - start - from, start + from))
          .catch((error: unknown) => this.refuse(error));
        if (bytesRead <= 0) {
          throw new CwError('CW-706', 'a part is shorter than it was');
        }
        done += bytesRead;
      }
      return buffer;
    };
    return readChunks(read, 0, this.size);
  }

  async close(): Promise<void> {
    await this.fs.close(this.fd).catch(this.note);
  }

  async moveTo(folder: ChosenFolder, name: string): Promise<boolean> {
    try {
      const to = entryOf(folder);
      if (await getEntry(to, name)) {
        return false;
      }
      const file = await this.bringTo(to);
      try {
        await this.retry.run(() => file.moveTo(to, { overwrite: false, newName: name }));
      } catch (error) {
        // Another app may have taken the name in the meantime, or the file has it although the move failed.
        if (await getEntry(to, name)) {
          return false;
        }
        throw error;
      }
      return true;
    } catch (error) {
      return this.refuse(error);
    }
  }

  async remove(): Promise<void> {
    await this.close();
    await this.retry.run(async () => (await this.file()).delete()).catch(this.note);
  }

  private async file(): Promise<FileEntry> {
    return fileIn(this.place ?? (await this.parts()), this.name);
  }

  /**
   * The part in the folder of the user. It keeps its name until it is whole there: the folder may be on another drive, to which
   * the host copies the bytes, or to which it does not move.
   */
  private async bringTo(folder: FolderEntry): Promise<FileEntry> {
    if (this.place) {
      return this.file();
    }
    const before = this.clock.now() - KEEP_LEFT_MS;
    await removeOld(folder, before, (name) => PART.test(name), this.retry).catch(() => undefined);
    const part = await this.retry.run(() => this.file());
    const { size } = await this.retry.run(() => part.getMetadata());
    try {
      await this.retry.run(() => part.moveTo(folder, { overwrite: false, newName: this.name }));
    } catch (error) {
      if (error instanceof StorageTimeoutError) {
        this.removeLate(folder, error);
      }
      if (error instanceof StorageTimeoutError || isDiskFull(error)) {
        throw error;
      }
      await this.copyTo(folder, part);
    }
    this.place = folder;
    const moved = await this.retry.run(() => this.file());
    if ((await this.retry.run(() => moved.getMetadata())).size !== size) {
      throw new Error('the file is not complete');
    }
    return moved;
  }

  private async copyTo(folder: FolderEntry, part: FileEntry): Promise<void> {
    try {
      await part.copyTo(folder, { overwrite: true });
    } catch (error) {
      if (error instanceof StorageTimeoutError) {
        this.removeLate(folder, error);
      } else {
        await this.removeFrom(folder);
      }
      throw error;
    }
    await part.delete().catch(this.note);
  }

  /** For what comes into a folder after this was given up. */
  private removeLate(folder: FolderEntry, { later }: StorageTimeoutError): void {
    void later.catch(() => undefined).then(() => this.removeFrom(folder));
  }

  private async removeFrom(folder: FolderEntry): Promise<void> {
    await this.retry.run(async () => (await fileIn(folder, this.name)).delete()).catch(this.note);
  }

  private readonly note = (error: unknown): void => {
    if (error instanceof StorageTimeoutError) {
      this.unsure.add(this.name);
    }
  };

  /** @throws {CwError} CW-706, CW-707 */
  private refuse(error: unknown): never {
    this.note(error);
    return refuse(error);
  }
}

/** @throws {Error} for a folder of another host */
function entryOf(folder: ChosenFolder): FolderEntry {
  if (folder instanceof UxpChosenFolder) {
    return folder.folder;
  }
  throw new Error('the folder is not one of this host');
}

/** @throws {Error} when there is none */
async function fileIn(folder: FolderEntry, name: string): Promise<FileEntry> {
  const entry = await folder.getEntry(name);
  if (!isFileEntry(entry)) {
    throw new Error('there is a folder with this name');
  }
  return entry;
}

/** @throws {CwError} CW-706, CW-707 */
function refuse(cause: unknown): never {
  if (cause instanceof CwError) {
    throw cause;
  }
  throw isDiskFull(cause)
    ? new CwError('CW-707', 'no space left for a download', { cause })
    : new CwError('CW-706', 'a download could not be stored', { cause });
}
