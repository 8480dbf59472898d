import { CwError } from '../../base/errors.js';
import type { PhotoSource, Spool } from '../host.js';
import { mediaTypeOf } from '../media-type.js';
import { dataSubfolder, findEntry, isDiskFull } from './data-folder.js';
import {
  isUxpFile,
  type UxpFile,
  type UxpFileSystem,
  type UxpFolder,
  type UxpModules,
} from './modules.js';

/**
 * Copies of queued photos in the plugin's data folder. A picked file can only be read whole and paths
 * outside the sandbox need a permission this plugin does not ask for (File and fs pages), so the host
 * copies the file for us; the copy is then read slice by slice through `fs`.
 *
 * A copy is made in `incoming/<id>/` and moved to `spool/<id>` when it is whole: what stands in the
 * spool is always complete.
 */
const SPOOL = 'spool';
export const INCOMING = 'incoming';

export function createUxpSpool({ uxp, fs }: UxpModules): Spool {
  const files = uxp.storage.localFileSystem;
  return {
    async open(id) {
      let fd: number;
      try {
        fd = await fs.open(`plugin-data:/${SPOOL}/${id}`, 'r');
      } catch (error) {
        throw new CwError('CW-607', 'the kept copy of a photo cannot be opened', { cause: error });
      }
      return {
        read: (start, end) => readSlice(fs, fd, start, end),
        close: async () => {
          await fs.close(fd).catch(() => undefined);
        },
      };
    },

    async remove(id) {
      const entry = await findEntry(await dataSubfolder(files, SPOOL), id);
      if (entry) await entry.delete();
    },

    async list() {
      const incoming = await dataSubfolder(files, INCOMING);
      for (const entry of await incoming.getEntries()) await removeTree(entry);
      const spool = await dataSubfolder(files, SPOOL);
      return (await spool.getEntries()).map((entry) => entry.name);
    },
  };
}

/** A picked file as something that can be copied into the spool. */
export function uxpPhotoSource({ uxp }: UxpModules, file: UxpFile): PhotoSource {
  const files = uxp.storage.localFileSystem;
  return {
    name: file.name,
    type: mediaTypeOf(file.name),
    async copyToSpool(id) {
      try {
        const incoming = await dataSubfolder(files, INCOMING);
        const own = await incoming.createFolder(id);
        try {
          const copy = await file.copyTo(own, { overwrite: true });
          if (!isUxpFile(copy)) throw new Error('the copy is not a file');
          return await moveIntoSpool(files, copy, id);
        } finally {
          await removeTree(own).catch(() => undefined);
        }
      } catch (error) {
        throw isDiskFull(error)
          ? new CwError('CW-703', 'no space left to keep a copy of the photo', { cause: error })
          : new CwError('CW-602', 'the photo cannot be copied', { cause: error });
      }
    },
  };
}

/** Moves a whole file of the data folder into the spool. Gives its size in bytes. */
export async function moveIntoSpool(
  files: UxpFileSystem,
  file: UxpFile,
  id: string,
): Promise<number> {
  const { size } = await file.getMetadata();
  await file.moveTo(await dataSubfolder(files, SPOOL), { overwrite: true, newName: id });
  return size;
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
    if (bytesRead <= 0)
      throw new CwError('CW-607', 'the kept copy of a photo is shorter than it was');
    filled += bytesRead;
  }
  return buffer;
}

/** Deletes an entry; a folder must be emptied first (Entry.delete). */
export async function removeTree(entry: UxpFile | UxpFolder): Promise<void> {
  if (!isUxpFile(entry)) {
    for (const child of await entry.getEntries()) await removeTree(child);
  }
  await entry.delete();
}
