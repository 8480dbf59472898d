/**
 * Copies of queued photos in the plugin's data folder. A picked file can only be read whole and paths
 * outside the sandbox need a permission this plugin does not ask for (File and fs pages), so the host
 * copies the file for us; the copy is then read slice by slice through `fs`.
 *
 * A copy is made in `incoming/<id>/` and moved to `spool/<id>` when it is whole: what stands in the
 * spool is always complete.
 * @packageDocumentation
 */
import { CwError } from '../../base/errors.js';
import { randomId, type RandomBytes } from '../../base/random-id.js';
import type { PhotoSource, Spool } from '../host.js';
import { mediaTypeOf } from '../media-type.js';
import { readPieces } from '../pieces.js';
import { dataSubfolder, findEntry, isDiskFull } from './data-folder.js';
import { isUxpFile, type UxpFile, type UxpFolder, type UxpModules } from './modules.js';

const SPOOL = 'spool';
const INCOMING = 'incoming';

export interface UxpSpool extends Spool {
  /** A picked file as something that can be copied into the spool. */
  photoOf(file: UxpFile): PhotoSource;
  /**
   * A photo that the host itself is about to write: `write` is given an empty folder in the data folder, has the
   * host write there, and gives the file.
   * @throws {unknown} what `write` throws; then nothing is left
   */
  photoWrittenBy(
    name: string,
    write: (folder: UxpFolder) => Promise<UxpFile>,
  ): Promise<PhotoSource>;
}

export function createUxpSpool(
  { uxp, fs }: Pick<UxpModules, 'uxp' | 'fs'>,
  randomBytes: RandomBytes,
): UxpSpool {
  const files = uxp.storage.localFileSystem;
  /** Folders below `incoming` with files that the host wrote and that are yet to be queued. */
  const written = new Set<string>();

  const keep = async (file: UxpFile, id: string): Promise<number> => {
    const { size } = await file.getMetadata();
    await file.moveTo(await dataSubfolder(files, SPOOL), { overwrite: true, newName: id });
    return size;
  };

  const newIncoming = async (name: string): Promise<UxpFolder> =>
    (await dataSubfolder(files, INCOMING)).createFolder(name);

  return {
    async open(id) {
      let fd: number;
      try {
        fd = await fs.open(`plugin-data:/${SPOOL}/${id}`, 'r');
      } catch (error) {
        throw new CwError('CW-607', 'the kept copy of a photo cannot be opened', { cause: error });
      }
      const read = (start: number, end: number): Promise<ArrayBuffer> =>
        readSlice(fs, fd, start, end);
      return {
        read,
        pieces: (start, end) => readPieces(read, start, end),
        close: async () => {
          await fs.close(fd).catch(() => undefined);
        },
      };
    },

    async remove(...ids) {
      for (const name of [SPOOL, INCOMING]) {
        const folder = await dataSubfolder(files, name);
        for (const id of ids) {
          const entry = await findEntry(folder, id);
          // One that another program holds must not keep the others there.
          if (entry) {
            await removeTree(entry).catch(() => undefined);
          }
        }
      }
    },

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
      async copyToSpool(id) {
        try {
          const own = await newIncoming(id);
          try {
            const copy = await file.copyTo(own, { overwrite: true });
            if (!isUxpFile(copy)) {
              throw new Error('the copy is not a file');
            }
            return await keep(copy, id);
          } finally {
            await removeTree(own).catch(() => undefined);
          }
        } catch (error) {
          throw copyError(error);
        }
      },
    }),

    async photoWrittenBy(name, write) {
      const folderName = randomId(randomBytes);
      written.add(folderName);
      const folder = await newIncoming(folderName);
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
        async copyToSpool(id) {
          try {
            return await keep(file, id);
          } catch (error) {
            throw copyError(error);
          } finally {
            await cleanUp();
          }
        },
      };
    },
  };
}

function copyError(cause: unknown): CwError {
  return isDiskFull(cause)
    ? new CwError('CW-703', 'no space left to keep a copy of the photo', { cause })
    : new CwError('CW-602', 'the photo cannot be copied', { cause });
}

async function readSlice(
  fs: UxpModules['fs'],
  fd: number,
  start: number,
  end: number,
): Promise<ArrayBuffer> {
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

/** Deletes an entry; a folder must be emptied first (Entry.delete). */
async function removeTree(entry: UxpFile | UxpFolder): Promise<void> {
  if (!isUxpFile(entry)) {
    for (const child of await entry.getEntries()) {
      await removeTree(child);
    }
  }
  await entry.delete();
}
