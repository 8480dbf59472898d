/**
 * Copies of queued photos in the plugin's data folder. A picked file can only be read whole, and paths
 * outside the sandbox need a permission this plugin does not ask for (File and fs pages). So the host
 * copies the file, and the copy is then read slice by slice through `fs`.
 *
 * A copy is made in a folder in `incoming/<id>/` and moved to `spool/<id>` when it is complete: every file in the
 * spool is complete. Where the host refuses the move, a mark is written next to the copy, which stays in
 * `incoming/<id>/` and is moved when it is read. A text that the records could not take is written there, too.
 * @packageDocumentation
 */
import { changesMetadata } from '../../../packages/image-metadata/index.js';
import type { Clock } from '../../util/clock.js';
import { CwError } from '../../util/errors.js';
import { randomId, type RandomBytes } from '../../util/random-id.js';
import type { CopyMetadata } from '../document-export.js';
import type { IncomingCopy, Spool, SpooledCopy, SpoolReader } from '../spool.js';
import type { PhotoSource } from '../photo-source.js';
import { mediaTypeOf } from '../media-type.js';
import { readChunks } from '../chunks.js';
import { rewriteCopy } from './rewrite-copy.js';
import type { StorageRetry } from '../storage-retry.js';
import {
  createFileRetry,
  dataSubfolder,
  findEntry,
  getEntry,
  isDiskFull,
  listEntries,
  removeTree,
} from './data-folder.js';
import { writtenFile } from './export-file.js';
import {
  type FileEntry,
  type FileSystem,
  type FolderEntry,
  type PluginFs,
  isFileEntry,
  type Files,
} from './files.js';

const SPOOL = 'spool';
const INCOMING = 'incoming';
/** Has a folder for each copy of which the app has made a picture. It is deleted before the copy, so none is left. */
const PICTURES = 'pictures';
/** Longer pictures are not used. Bytes. */
const MAX_PICTURE_BYTES = 512 * 1024;
/** The file next to a complete copy that was not moved. No picked file has a name without a beginning. */
const COMPLETE = '.complete';
/** The file next to a copy with what the records could not take. */
const NOTE = '.note';

export interface UxpSpool extends Spool {
  /** A picked file as something that can be copied into the spool. */
  toPhotoSource(file: FileEntry): PhotoSource;
  /** The picked file of a persistent token; null when it cannot be opened any more. Never rejects. */
  reopen(token: string): Promise<PhotoSource | null>;
  /**
   * A photo that the host itself is about to write: `write` gets an empty folder in the data folder, has the host write
   * a file there, and gives that file. Its metadata are changed then, before anything else has it. `pictureFolder` makes
   * a folder for one picture of its content, a JPEG.
   * @returns a photo with an `id`, whose `copyToSpool` may be called once: it moves the file into the spool
   * @throws {CwError} CW-810 when the metadata cannot be changed, CW-702 or CW-703 when no copy can be made
   * @throws {unknown} what `write` throws; then nothing is left
   */
  importFromHost(
    name: string,
    write: (folder: FolderEntry, pictureFolder: () => Promise<FolderEntry>) => Promise<FileEntry>,
    metadata?: CopyMetadata,
  ): Promise<PhotoSource>;
}

/** The spool in the plugin's data folder. @param randomBytes  for ids of photos that the host writes */
export function createUxpSpool(files: Files, randomBytes: RandomBytes, clock: Clock): UxpSpool {
  return new DataFolderSpool(files, randomBytes, createFileRetry(clock));
}

class DataFolderSpool implements UxpSpool {
  private readonly files: FileSystem;
  private readonly fs: PluginFs;
  private readonly utf8: symbol;
  private readonly binary: symbol;
  /** Ids of copies that are being made in this run. */
  private readonly incoming = new Set<string>();

  constructor(
    { fileSystem, fs, formats }: Files,
    private readonly randomBytes: RandomBytes,
    private readonly retry: StorageRetry,
  ) {
    this.files = fileSystem;
    this.fs = fs;
    this.utf8 = formats.utf8;
    this.binary = formats.binary;
  }

  toPhotoSource(file: FileEntry): PhotoSource {
    return {
      name: file.name,
      type: mediaTypeOf(file.name),
      describe: async () => ({
        token: await this.files.createPersistentToken(file).catch(() => null),
        size: await file.getMetadata().then(
          ({ size }) => size,
          () => null,
        ),
      }),
      copyToSpool: (id) => this.whileIncoming(id, () => this.copyPicked(file, id)),
    };
  }

  async reopen(token: string): Promise<PhotoSource | null> {
    try {
      const entry = await this.files.getEntryForPersistentToken(token);
      if (!isFileEntry(entry)) {
        return null;
      }
      // A token may be taken for a file that is gone.
      await entry.getMetadata();
      return this.toPhotoSource(entry);
    } catch {
      return null;
    }
  }

  async importFromHost(
    name: string,
    write: (folder: FolderEntry, pictureFolder: () => Promise<FolderEntry>) => Promise<FileEntry>,
    metadata?: CopyMetadata,
  ): Promise<PhotoSource> {
    const id = randomId(this.randomBytes);
    this.incoming.add(id);
    const own = await this.newIncoming(id);
    let copy: { readonly file: FileEntry; readonly crc32c: number | null };
    try {
      const file = await write(own, () => this.newFolder(PICTURES, id));
      copy =
        metadata && changesMetadata(metadata)
          ? await this.rewrite(file, own, id, metadata)
          : { file, crc32c: null };
    } catch (error) {
      await this.removePictures([id]);
      await removeTree(own, this.retry).catch(() => undefined);
      this.incoming.delete(id);
      throw error;
    }
    return {
      id,
      name,
      type: mediaTypeOf(name),
      copyToSpool: () => this.whileIncoming(id, () => this.keep(copy.file, own, id, copy.crc32c)),
    };
  }

  async open(id: string): Promise<SpoolReader> {
    const fd = await this.openFile(id);
    const read = (start: number, end: number): Promise<ArrayBuffer> =>
      this.readSlice(fd, start, end);
    return {
      read,
      chunks: (start, end) => readChunks(read, start, end),
      close: async () => {
        await this.fs.close(fd).catch(() => undefined);
      },
    };
  }

  async size(id: string): Promise<number> {
    try {
      const file = await findEntry(await this.folder(SPOOL), id, this.retry);
      if (file && isFileEntry(file)) {
        return (await this.retry.run(() => file.getMetadata())).size;
      }
    } catch (error) {
      throw unreadable(error);
    }
    const size = (await this.incomingCopy(id))?.size ?? null;
    if (size === null) {
      throw goneError();
    }
    return size;
  }

  async picture(id: string): Promise<Uint8Array<ArrayBuffer> | null> {
    try {
      const own = await getEntry(await this.folder(PICTURES), id);
      const written = own && !isFileEntry(own) ? await writtenFile(own) : null;
      if (!written || written.size > MAX_PICTURE_BYTES) {
        return null;
      }
      const bytes = await written.file.read({ format: this.binary });
      return typeof bytes === 'string' ? null : new Uint8Array(bytes);
    } catch {
      return null;
    }
  }

  async remove(...ids: readonly string[]): Promise<readonly string[]> {
    const left = new Set(await this.removePictures(ids));
    for (const name of [SPOOL, INCOMING]) {
      for (const id of await this.removeFrom(name, ids)) {
        left.add(id);
      }
    }
    return [...left];
  }

  list(): Promise<readonly string[]> {
    return this.namesIn(SPOOL);
  }

  listIncoming(): Promise<readonly string[]> {
    return this.namesIn(INCOMING);
  }

  async incomingCopy(id: string): Promise<IncomingCopy | null> {
    try {
      const own = await findEntry(await this.folder(INCOMING), id, this.retry);
      if (!own || isFileEntry(own)) {
        return null;
      }
      const { copies, isComplete, note } = await this.filesIn(own);
      const [copy] = copies;
      const isOne = copy && copies.length === 1;
      return {
        size: isOne ? (await this.retry.run(() => copy.getMetadata())).size : null,
        isComplete: isOne === true && isComplete,
        note: note && (await this.retry.run(() => this.textOf(note))),
      };
    } catch (error) {
      throw unreadable(error);
    }
  }

  async noteIncoming(id: string, note: string): Promise<void> {
    const own = await this.newIncoming(id);
    try {
      await this.retry.run(() => this.writeFile(own, NOTE, note));
    } catch (error) {
      throw unwritable(error);
    }
  }

  private async textOf(file: FileEntry): Promise<string> {
    const text = await file.read({ format: this.utf8 });
    return typeof text === 'string' ? text : '';
  }

  private async filesIn(own: FolderEntry): Promise<{
    readonly copies: readonly FileEntry[];
    readonly isComplete: boolean;
    readonly note: FileEntry | null;
  }> {
    const entries = await listEntries(own, this.retry);
    const files = entries.filter(isFileEntry);
    for (const entry of entries) {
      if (!isFileEntry(entry)) {
        files.push(...(await listEntries(entry, this.retry)).filter(isFileEntry));
      }
    }
    return {
      copies: files.filter(({ name }) => name !== COMPLETE && name !== NOTE),
      isComplete: files.some(({ name }) => name === COMPLETE),
      note: files.find(({ name }) => name === NOTE) ?? null,
    };
  }

  async removeIncoming(...ids: readonly string[]): Promise<void> {
    const unused = ids.filter((id) => !this.incoming.has(id));
    // Of a copy that was moved, only an empty folder may be left here.
    const moved = await this.list().catch(() => unused);
    await this.removePictures(unused.filter((id) => !moved.includes(id)));
    await this.removeFrom(INCOMING, unused);
  }

  private async namesIn(name: string): Promise<readonly string[]> {
    try {
      return namesOf(await listEntries(await this.folder(name), this.retry));
    } catch (error) {
      throw unreadable(error);
    }
  }

  private async whileIncoming(id: string, work: () => Promise<SpooledCopy>): Promise<SpooledCopy> {
    this.incoming.add(id);
    try {
      return await work();
    } finally {
      this.incoming.delete(id);
    }
  }

  private folder(name: string): Promise<FolderEntry> {
    return dataSubfolder(this.files, name, this.retry);
  }

  private async newIncoming(id: string): Promise<FolderEntry> {
    try {
      return await this.newFolder(INCOMING, id);
    } catch (error) {
      throw unwritable(error);
    }
  }

  /** @throws {unknown} what the host throws last */
  private async newFolder(name: string, id: string): Promise<FolderEntry> {
    return this.newFolderIn(await this.folder(name), id);
  }

  /** @throws {unknown} what the host throws last */
  private newFolderIn(folder: FolderEntry, id: string): Promise<FolderEntry> {
    return this.retry.run(async () => {
      try {
        return await folder.createFolder(id);
      } catch (error) {
        // An earlier try may have created it although it failed.
        const made = await getEntry(folder, id);
        if (made && !isFileEntry(made)) {
          return made;
        }
        throw error;
      }
    });
  }

  /** @throws {CwError} CW-810, CW-702, CW-703 */
  private async rewrite(
    file: FileEntry,
    own: FolderEntry,
    id: string,
    metadata: CopyMetadata,
  ): Promise<{ readonly file: FileEntry; readonly crc32c: number }> {
    const copy = { folder: own, path: `plugin-data:/${INCOMING}/${id}`, file };
    const readSlice = (fd: number, start: number, end: number): Promise<ArrayBuffer> =>
      this.readSlice(fd, start, end);
    try {
      return await rewriteCopy(copy, metadata, this.fs, readSlice, this.retry);
    } catch (error) {
      throw error instanceof CwError ? error : unwritable(error);
    }
  }

  /** Has the host copy a picked file into `incoming`, and moves the complete copy into the spool. */
  private async copyPicked(file: FileEntry, id: string): Promise<SpooledCopy> {
    const own = await this.newIncoming(id);
    try {
      // A copy that comes late has a folder that no other try uses.
      const name = randomId(this.randomBytes);
      const tried = await this.newFolderIn(own, name).catch((cause: unknown) => {
        throw unwritable(cause);
      });
      return await this.keep(await this.copyInto(tried, file), own, id);
    } catch (error) {
      await removeTree(own, this.retry).catch(() => undefined);
      throw error;
    }
  }

  /** @throws {CwError} CW-602, CW-703 */
  private async copyInto(folder: FolderEntry, file: FileEntry): Promise<FileEntry> {
    try {
      return await this.retry.run(() => file.copyTo(folder, { overwrite: true }));
    } catch (cause) {
      throw isDiskFull(cause) ? fullError(cause) : unreadablePhoto(cause);
    }
  }

  /**
   * Moves a complete copy from `incoming/<id>/` into the spool. It may stay where it is: `open` finds it there.
   * @throws {CwError} CW-702 when its size cannot be found out
   */
  private async keep(
    copy: FileEntry,
    own: FolderEntry,
    id: string,
    crc32c: number | null = null,
  ): Promise<SpooledCopy> {
    let size: number;
    try {
      ({ size } = await this.retry.run(() => copy.getMetadata()));
    } catch (error) {
      throw unreadable(error);
    }
    await this.moveIntoSpool(copy, own, id).catch(() => undefined);
    return { size, crc32c };
  }

  private async moveIntoSpool(copy: FileEntry, own: FolderEntry, id: string): Promise<void> {
    const spool = await this.folder(SPOOL);
    const move = (): Promise<void> => copy.moveTo(spool, { overwrite: true, newName: id });
    try {
      await move();
    } catch {
      // Another program may hold the copy for longer than this run lasts: the next start has to find that it is complete.
      await this.retry.run(() => this.writeFile(own, COMPLETE, '')).catch(() => undefined);
      await this.retry.run(move);
    }
    // What is left only takes up a name. A later start deletes it if this fails.
    await removeTree(own, this.retry).catch(() => undefined);
  }

  private async writeFile(own: FolderEntry, name: string, text: string): Promise<void> {
    const file = await own.createFile(name, { overwrite: true });
    await file.write(text, { format: this.utf8 });
  }

  /** @throws {CwError} CW-607 when there is no such copy, CW-702 when it cannot be opened now */
  private async openFile(id: string): Promise<number> {
    const path = `plugin-data:/${SPOOL}/${id}`;
    try {
      return await this.retry.run(() => this.fs.open(path, 'r'));
    } catch (error) {
      if (await this.finishMove(id)) {
        return this.openFile(id);
      }
      throw (await this.isGone(id)) ? goneError(error) : unreadable(error);
    }
  }

  /** Moves a complete copy that is still in `incoming`. @returns whether there was one, and it is in the spool now */
  private async finishMove(id: string): Promise<boolean> {
    try {
      const own = await findEntry(await this.folder(INCOMING), id, this.retry);
      if (!own || isFileEntry(own) || this.incoming.has(id)) {
        return false;
      }
      const { copies } = await this.filesIn(own);
      const [copy] = copies;
      if (!copy || copies.length > 1) {
        return false;
      }
      await this.moveIntoSpool(copy, own, id);
      return true;
    } catch {
      return false;
    }
  }

  /** Whether there is certainly no copy: what cannot be listed may be there. */
  private async isGone(id: string): Promise<boolean> {
    try {
      for (const name of [SPOOL, INCOMING]) {
        if (await findEntry(await this.folder(name), id, this.retry)) {
          return false;
        }
      }
      return true;
    } catch {
      return false;
    }
  }

  private async readSlice(fd: number, start: number, end: number): Promise<ArrayBuffer> {
    const { fs, retry } = this;
    const length = end - start;
    const buffer = new ArrayBuffer(length);
    let filled = 0;
    while (filled < length) {
      const at = filled;
      let bytesRead: number;
      try {
        ({ bytesRead } = await retry.run(() => fs.read(fd, buffer, at, length - at, start + at)));
      } catch (error) {
        throw unreadable(error);
      }
      if (bytesRead <= 0) {
        throw new CwError('CW-607', 'the kept copy of a photo is shorter than it was');
      }
      filled += bytesRead;
    }
    return buffer;
  }

  /** Most copies have no picture, so one look at the folder decides. @returns as {@link removeFrom} */
  private async removePictures(ids: readonly string[]): Promise<readonly string[]> {
    try {
      const known = new Set(await this.namesIn(PICTURES));
      return await this.removeFrom(
        PICTURES,
        ids.filter((id) => known.has(id)),
      );
    } catch {
      return ids;
    }
  }

  /** @returns the ids that may still have an entry in this folder */
  private async removeFrom(name: string, ids: readonly string[]): Promise<readonly string[]> {
    let folder: FolderEntry;
    try {
      folder = await this.folder(name);
    } catch {
      return ids;
    }
    const left: string[] = [];
    for (const id of ids) {
      try {
        const entry = await findEntry(folder, id, this.retry);
        if (entry) {
          await removeTree(entry, this.retry);
        }
      } catch {
        // A copy that another program holds open must not keep the others from being removed.
        left.push(id);
      }
    }
    return left;
  }
}

function namesOf(entries: readonly (FileEntry | FolderEntry)[]): string[] {
  return entries.map(({ name }) => name);
}

function goneError(cause?: unknown): CwError {
  return new CwError('CW-607', 'the kept copy of a photo is gone', { cause });
}

function unreadable(cause: unknown): CwError {
  return new CwError('CW-702', 'the kept copies of photos cannot be read', { cause });
}

function unwritable(cause: unknown): CwError {
  return isDiskFull(cause)
    ? fullError(cause)
    : new CwError('CW-702', 'no copy of a photo can be made in the data folder', { cause });
}

function fullError(cause: unknown): CwError {
  return new CwError('CW-703', 'no space left to keep a copy of the photo', { cause });
}

function unreadablePhoto(cause: unknown): CwError {
  return new CwError('CW-602', 'the photo cannot be copied', { cause });
}
