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
import type { StorageRetry } from '../storage-retry.js';
import {
  createFileRetry,
  dataSubfolder,
  findEntry,
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

/** A file that an app can place. Photoshop needs its entry for a token. */
interface UxpDownloadedFile extends DownloadedFile {
  readonly entry: FileEntry;
}

/** Whether a file came from this host. */
export function hasEntry(file: DownloadedFile): file is UxpDownloadedFile {
  return 'entry' in file;
}

export function createUxpDownloads({ fileSystem, fs }: Files, clock: Clock): Downloads {
  const retry = createFileRetry(clock);
  const parts = (): Promise<FolderEntry> => dataSubfolder(fileSystem, PARTS, retry);
  const open = async (id: string): Promise<FilePart> => {
    const path = `plugin-data:/${PARTS}/${id}`;
    const found = await findEntry(await parts(), id, retry);
    const file = found && isFileEntry(found) ? found : null;
    const size = file ? (await retry.run(() => file.getMetadata())).size : 0;
    const fd = await retry.run(() => fs.open(path, file ? 'r+' : 'w+'));
    return new UxpFilePart(fs, fd, size, async () => fileIn(await parts(), id), retry);
  };
  return {
    openPart: (id) => open(id).catch(refuse),

    async removeParts(before) {
      try {
        for (const file of (await listEntries(await parts(), retry)).filter(isFileEntry)) {
          const { dateModified } = await file.getMetadata();
          if (dateModified.getTime() < before) {
            await file.delete();
          }
        }
      } catch {
        // The next call removes what is left.
      }
    },

    async copyOf(folder, name, size, id) {
      try {
        const found = await getEntry(entryOf(folder), name);
        if (!found || !isFileEntry(found) || (await found.getMetadata()).size !== size) {
          return null;
        }
        const to = await parts();
        try {
          const copy = await retry.run(() => found.copyTo(to, { overwrite: true }));
          await retry.run(() => copy.moveTo(to, { overwrite: true, newName: id }));
        } catch (error) {
          await (await getEntry(to, found.name))?.delete().catch(() => undefined);
          throw error;
        }
        return await open(id);
      } catch (error) {
        return refuse(error);
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

class UxpFilePart implements FilePart {
  /** @param file  finds the part by its name: an entry may be out of date */
  constructor(
    private readonly fs: PluginFs,
    private readonly fd: number,
    readonly size: number,
    private readonly file: () => Promise<FileEntry>,
    private readonly retry: StorageRetry,
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
      refuse(error);
    }
  }

  chunks(): AsyncIterable<Uint8Array, void> {
    const read = async (start: number, end: number): Promise<ArrayBuffer> => {
      const buffer = new ArrayBuffer(end - start);
      for (let done = 0; done < end - start;) {
        const from = done;
        const { bytesRead } = await this.retry
          .run(() => this.fs.read(this.fd, buffer, from, end - start - from, start + from))
          .catch(refuse);
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
    await this.fs.close(this.fd).catch(() => undefined);
  }

  async moveTo(folder: ChosenFolder, name: string): Promise<boolean> {
    try {
      const to = entryOf(folder);
      if (await getEntry(to, name)) {
        return false;
      }
      const part = await this.retry.run(this.file);
      try {
        await this.retry.run(() => part.moveTo(to, { overwrite: false, newName: name }));
      } catch (error) {
        // Another app may have taken the name in the meantime.
        if (await getEntry(to, name)) {
          return false;
        }
        if (isDiskFull(error)) {
          throw error;
        }
        await this.copyTo(to, name);
      }
      return true;
    } catch (error) {
      return refuse(error);
    }
  }

  async remove(): Promise<void> {
    await this.close();
    await this.retry.run(async () => (await this.file()).delete()).catch(() => undefined);
  }

  /**
   * For a folder on another drive, to which a host may not move. The copy has the name of the part, which nobody else uses,
   * until it is complete.
   */
  private async copyTo(folder: FolderEntry, name: string): Promise<void> {
    const part = await this.file();
    const { size } = await part.getMetadata();
    let copy: FileEntry | null = null;
    try {
      copy = await part.copyTo(folder, { overwrite: true });
      if ((await copy.getMetadata()).size !== size) {
        throw new Error('the copy is not complete');
      }
      await copy.moveTo(folder, { overwrite: false, newName: name });
    } catch (error) {
      const rest = copy ?? (await getEntry(folder, part.name));
      await rest?.delete().catch(() => undefined);
      throw error;
    }
    await part.delete().catch(() => undefined);
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
