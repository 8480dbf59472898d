import { CwError } from '../../util/errors.js';
import type { FileStat, FolderTree, OpenFile } from '../host.js';
import type { StorageRetry } from '../storage-retry.js';
import {
  dataSubfolder,
  findEntry,
  getEntry,
  isDiskFull,
  listEntries,
  removeTree,
} from './data-folder.js';
import { isUxpFile, type UxpFile, type UxpFolder, type UxpModules } from './modules.js';

/** Folders inside each other that are listed. */
const MAX_DEPTH = 8;
/** How much is written at a time. Bytes. */
const CHUNK_BYTES = 1024 * 1024;
/** The folder in the data folder with the copy of the file that is read, and its name. */
const READING = 'reading';
const COPY = 'file';

type Modules = Pick<UxpModules, 'uxp' | 'fs'>;

/**
 * Files of a picked folder. Only entries reach them, because `fs` would need the permission `fullAccess` (fs page). An entry is
 * read whole, so a long file is copied into the data folder and read there by `fs`. No page has a way to flush a file.
 */
export class UxpFolderTree implements FolderTree {
  constructor(
    private readonly folder: UxpFolder,
    private readonly modules: Modules,
    private readonly retry: StorageRetry,
  ) {}

  async list(most: number): Promise<readonly string[]> {
    const paths: string[] = [];
    const visit = async (folder: UxpFolder, prefix: string, depth: number): Promise<void> => {
      const entries = await this.retry.limit(folder.getEntries());
      const shown = entries.filter(({ name }) => !/^[.~]/.test(name));
      paths.push(...shown.filter(isUxpFile).map(({ name }) => prefix + name));
      for (const entry of shown) {
        if (!isUxpFile(entry) && depth < MAX_DEPTH && paths.length < most) {
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
    const file = await this.find(path);
    if (!file) {
      return null;
    }
    try {
      if ((await this.statOf(file)).size > most) {
        throw new Error('the file is too long');
      }
      const format = this.modules.uxp.storage.formats.binary;
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
    const { fs, uxp } = this.modules;
    let own: UxpFolder;
    let size: number;
    let fd: number;
    try {
      const file = await this.find(path);
      if (!file) {
        throw new Error('the file is gone');
      }
      own = await dataSubfolder(uxp.storage.localFileSystem, READING, retry);
      for (const left of await listEntries(own, retry)) {
        await removeTree(left, retry);
      }
      const copy = await retry.unlimited(() => file.copyTo(own, { overwrite: true }));
      if (!isUxpFile(copy)) {
        throw new Error('the copy is not a file');
      }
      await retry.run(() => copy.moveTo(own, { overwrite: true, newName: COPY }));
      ({ size } = await retry.run(() => copy.getMetadata()));
      fd = await retry.run(() => fs.open(`plugin-data:/${READING}/${COPY}`, 'r'));
    } catch (cause) {
      throw isDiskFull(cause) ? diskFull(cause) : unreadable(cause);
    }
    return {
      size,
      read: (start, end) => this.slice(fd, start, end),
      close: async () => {
        await retry.limit(fs.close(fd)).catch(() => undefined);
        const copy = await getEntry(own, COPY);
        await copy?.delete().catch(() => undefined);
      },
    };
  }

  async replace(path: string, parts: AsyncIterable<Uint8Array>): Promise<void> {
    const { retry } = this;
    const { formats, modes } = this.modules.uxp.storage;
    const [folder, name] = await this.placeOf(path);
    if (!folder) {
      throw unwritable(new Error('the folder is gone'));
    }
    let isWhole = false;
    try {
      const present = await this.find(path);
      if (present?.mode === modes.readOnly) {
        throw new Error('the file is read-only');
      }
      const file = await retry.run(() => folder.createFile(besideOf(name), { overwrite: true }));
      // Nothing is on the disk before the first write.
      await retry.run(() => file.write(new ArrayBuffer(0), { format: formats.binary }));
      let size = 0;
      for await (const part of parts) {
        for (let at = 0; at < part.length; at += CHUNK_BYTES) {
          const bytes = part.slice(at, at + CHUNK_BYTES);
          await retry.limit(file.write(bytes.buffer, { format: formats.binary, append: true }));
          size += bytes.length;
        }
      }
      if ((await this.statOf(file)).size !== size) {
        throw new Error('the file was not written whole');
      }
      isWhole = present !== null;
      await retry.run(() => file.moveTo(folder, { overwrite: true, newName: name }));
    } catch (cause) {
      await this.recover(path, isWhole);
      throw cause instanceof CwError
        ? cause
        : isDiskFull(cause)
          ? diskFull(cause)
          : unwritable(cause);
    }
  }

  async remove(path: string): Promise<void> {
    try {
      const file = await this.find(path);
      await (file && this.retry.run(() => file.delete()));
    } catch (cause) {
      throw unwritable(cause);
    }
  }

  async recover(path: string, hadFile: boolean): Promise<void> {
    try {
      const [folder, name] = await this.placeOf(path);
      const beside = folder && (await getEntry(folder, besideOf(name)));
      if (!folder || !beside || !isUxpFile(beside)) {
        return;
      }
      // Only the move of a complete file can have taken the old one away.
      if (hadFile && !(await findEntry(folder, name, this.retry))) {
        await this.retry.run(() => beside.moveTo(folder, { overwrite: false, newName: name }));
      } else {
        await this.retry.run(() => beside.delete());
      }
    } catch {
      // The next call tries again.
    }
  }

  /** The file of a path; null when there is none. */
  private async find(path: string): Promise<UxpFile | null> {
    const [folder, name] = await this.placeOf(path);
    const entry = folder && (await getEntry(folder, name));
    return entry && isUxpFile(entry) ? entry : null;
  }

  /** The folder of a path, null when it is gone, and the name of the file. */
  private async placeOf(path: string): Promise<readonly [UxpFolder | null, string]> {
    const names = path.split('/');
    const last = names.pop() ?? '';
    let folder: UxpFolder = this.folder;
    for (const name of names) {
      const entry = await getEntry(folder, name);
      if (!entry || isUxpFile(entry)) {
        return [null, last];
      }
      folder = entry;
    }
    return [folder, last];
  }

  private async statOf(file: UxpFile): Promise<FileStat> {
    const { size, dateModified } = await this.retry.limit(file.getMetadata());
    return { size, modified: dateModified.getTime() };
  }

  private async slice(fd: number, start: number, end: number): Promise<Uint8Array> {
    const buffer = new ArrayBuffer(end - start);
    for (let filled = 0; filled < buffer.byteLength;) {
      const at = filled;
      const { bytesRead } = await this.retry
        .run(() => this.modules.fs.read(fd, buffer, at, buffer.byteLength - at, start + at))
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

/** The name of the file that is written beside another one. Lists leave it out, and the watched folder takes none of these. */
function besideOf(name: string): string {
  return `~${name}.tmp`;
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
