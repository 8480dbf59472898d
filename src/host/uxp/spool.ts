/**
 * Copies of queued photos in the plugin's data folder. A picked file can only be read whole, and paths
 * outside the sandbox need a permission this plugin does not ask for (File and fs pages). So the host
 * copies the file, and the copy is then read slice by slice through `fs`.
 *
 * A copy is made in `incoming/<id>/` and moved to `spool/<id>` when it is whole: every file in the
 * spool is complete.
 * @packageDocumentation
 */
import { CwError } from '../../base/errors.js';
import { randomId, type RandomBytes } from '../../base/random-id.js';
import type { PhotoSource, Spool, SpooledCopy, SpoolReader } from '../host.js';
import { mediaTypeOf } from '../media-type.js';
import { readPieces } from '../pieces.js';
import { dataSubfolder, findEntry, isDiskFull } from './data-folder.js';
import {
  isUxpFile,
  type UxpFile,
  type UxpFileSystem,
  type UxpFolder,
  type UxpFs,
  type UxpModules,
} from './modules.js';

const SPOOL = 'spool';
const INCOMING = 'incoming';

export interface UxpSpool extends Spool {
  /** A picked file as something that can be copied into the spool. */
  photoOf(file: UxpFile): PhotoSource;
  /**
   * A photo that the host itself is about to write: `write` gets an empty folder in the data folder, has the host write
   * a file there, and gives that file.
   * @returns a photo whose `copyToSpool` may be called once: it moves the file and deletes the folder
   * @throws {unknown} what `write` throws; then nothing is left
   */
  photoWrittenBy(
    name: string,
    write: (folder: UxpFolder) => Promise<UxpFile>,
  ): Promise<PhotoSource>;
}

/** The spool in the plugin's data folder. @param randomBytes  for the names of folders */
export function createUxpSpool(
  { uxp, fs }: Pick<UxpModules, 'uxp' | 'fs'>,
  randomBytes: RandomBytes,
): UxpSpool {
  const files = uxp.storage.localFileSystem;
  /** Folders in `incoming` with files that the host wrote and that are not queued yet: they are no leftovers. */
  const written = new Set<string>();

  return {
    open: (id) => openCopy(fs, id),

    remove: (...ids) => removeCopies(files, ids),

    async list() {
      const found: string[] = [];
      for (const folder of [INCOMING, SPOOL]) {
        const entries = await (await dataSubfolder(files, folder)).getEntries();
        for (const { name } of entries) {
          if (!written.has(name)) {
            found.push(name);
          }
        }
      }
      return found;
    },

    photoOf: (file) => ({
      name: file.name,
      type: mediaTypeOf(file.name),
      copyToSpool: (id) => copyPicked(files, file, id),
    }),

    async photoWrittenBy(name, write) {
      const folderName = randomId(randomBytes);
      written.add(folderName);
      const folder = await newIncoming(files, folderName);
      const cleanUp = async (): Promise<void> => {
        written.delete(folderName);
        await removeTree(folder).catch(() => undefined);
      };
      let file: UxpFile;
      try {
        file = await write(folder);
      } catch (error) {
        await cleanUp();
        throw error;
      }
      return {
        name,
        type: mediaTypeOf(name),
        // oxlint-disable-next-line typescript/no-misused-promises -- `finally` waits for the promise
        copyToSpool: (id) => keep(files, file, id).finally(cleanUp),
      };
    },
  };
}

async function removeCopies(files: UxpFileSystem, ids: readonly string[]): Promise<void> {
  for (const name of [SPOOL, INCOMING]) {
    const folder = await dataSubfolder(files, name);
    for (const id of ids) {
      const entry = await findEntry(folder, id);
      // A copy that another program holds open must not keep the others from being removed.
      if (entry) {
        await removeTree(entry).catch(() => undefined);
      }
    }
  }
}

async function newIncoming(files: UxpFileSystem, name: string): Promise<UxpFolder> {
  return (await dataSubfolder(files, INCOMING)).createFolder(name);
}

/** Has the host copy a picked file into `incoming`, and moves the copy into the spool when it is whole. */
async function copyPicked(files: UxpFileSystem, file: UxpFile, id: string): Promise<SpooledCopy> {
  try {
    const own = await newIncoming(files, id);
    try {
      const copy = await file.copyTo(own, { overwrite: true });
      if (!isUxpFile(copy)) {
        throw new Error('the copy is not a file');
      }
      return await keep(files, copy, id);
    } finally {
      await removeTree(own).catch(() => undefined);
    }
  } catch (error) {
    throw copyError(error);
  }
}

/** Moves a whole file into the spool. @throws {CwError} CW-602, CW-703 */
async function keep(files: UxpFileSystem, file: UxpFile, id: string): Promise<SpooledCopy> {
  try {
    const { size } = await file.getMetadata();
    await file.moveTo(await dataSubfolder(files, SPOOL), { overwrite: true, newName: id });
    return { size, crc32c: null };
  } catch (error) {
    throw copyError(error);
  }
}

async function openCopy(fs: UxpFs, id: string): Promise<SpoolReader> {
  let fd: number;
  try {
    fd = await fs.open(`plugin-data:/${SPOOL}/${id}`, 'r');
  } catch (error) {
    throw new CwError('CW-607', 'the kept copy of a photo cannot be opened', { cause: error });
  }
  const read = (start: number, end: number): Promise<ArrayBuffer> => readSlice(fs, fd, start, end);
  return {
    read,
    pieces: (start, end) => readPieces(read, start, end),
    close: async () => {
      await fs.close(fd).catch(() => undefined);
    },
  };
}

/** Turns what copying failed with into the error for the person: CW-703 when the disk is full, else CW-602. */
function copyError(cause: unknown): CwError {
  if (cause instanceof CwError) {
    return cause;
  }
  return isDiskFull(cause)
    ? new CwError('CW-703', 'no space left to keep a copy of the photo', { cause })
    : new CwError('CW-602', 'the photo cannot be copied', { cause });
}

async function readSlice(fs: UxpFs, fd: number, start: number, end: number): Promise<ArrayBuffer> {
  const length = end - start;
  const buffer = new ArrayBuffer(length);
  let filled = 0;
  while (filled < length) {
    let bytesRead: number;
    try {
      ({ bytesRead } = await fs.read(fd, buffer, filled, length - filled, start + filled));
    } catch (error) {
      throw new CwError('CW-607', 'the kept copy of a photo cannot be read', { cause: error });
    }
    if (bytesRead <= 0) {
      throw new CwError('CW-607', 'the kept copy of a photo is shorter than it was');
    }
    filled += bytesRead;
  }
  return buffer;
}

/** Deletes an entry; a folder has to be empty before it can be deleted (Entry.delete). */
async function removeTree(entry: UxpFile | UxpFolder): Promise<void> {
  if (!isUxpFile(entry)) {
    for (const child of await entry.getEntries()) {
      await removeTree(child);
    }
  }
  await entry.delete();
}
