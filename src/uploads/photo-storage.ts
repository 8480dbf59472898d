import { throwIfCancelled, type CancelSignal } from '../base/cancel.js';
import { CwError, type ErrorCode } from '../base/errors.js';
import type { PhotoSource, RecordStore, Spool, SpooledCopy } from '../host/host.js';
import { purgePhotos, readNotes, writeNote } from './photo-purge.js';
import { writeRecord, type PhotoRecord } from './photo-record.js';

export interface PhotoStorageOptions {
  readonly records: RecordStore;
  readonly spool: Spool;
  readonly now: () => number;
  readonly newId: () => string;
  /**
   * Stores what is remembered of uploaded photos. Called before anything of them is deleted.
   * @throws {CwError} CW-702 to CW-704
   */
  readonly storeHistory?: () => Promise<void>;
}

export interface PhotoStorageParts extends PhotoStorageOptions {
  /**
   * Called when the disk is full. Gives whether there may be room now.
   * @throws {CwError} CW-704
   */
  readonly makeRoom: () => Promise<boolean>;
}

/** Gives, for a copy's id and size in bytes, why it should not be sent unasked; null when it may be sent. */
export type FindDoubt = (id: string, size: number) => Promise<ErrorCode | null>;

/** A photo that has a complete copy in the spool, and no record yet. */
export interface CopiedPhoto extends SpooledCopy {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/** Keys of the notes that name uploaded photos; photos' keys are hexadecimal. */
const UPLOADED_PREFIX = 'uploaded-';

/**
 * The photos of the list in durable storage: each has a copy in the spool and a record.
 *
 * A copy is deleted for one of three reasons: the service has confirmed the photo, the person has removed it and that
 * cannot be undone any more, or it was never added to the list and the person saw that. Storage names the photos before
 * their copies are deleted, and their records go last (`photo-purge.ts`). A copy without a record is never deleted: it
 * is found, and the person decides.
 */
export class PhotoStorage {
  /** Photos with a record or a note in storage, or with a copy that this run has made or found. */
  private readonly known = new Set<string>();
  /** Photos that were uploaded and are still in storage. */
  private toClear: string[] = [];
  /** Notes of earlier runs about uploaded photos, with the photos that they name. */
  private readonly earlier = new Map<string, readonly string[]>();

  constructor(private readonly options: PhotoStorageParts) {}

  /** Notes that this id is in storage. */
  own(id: string): void {
    this.known.add(id);
  }

  /** Notes that nothing is left of this photo. */
  disown(id: string): void {
    this.known.delete(id);
  }

  /**
   * Reads the notes about uploaded photos.
   * @returns the notes by their keys, with the photos that they name; these are not to be shown
   */
  restore(stored: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
    const notes = readNotes(stored, UPLOADED_PREFIX);
    for (const [key, ids] of notes) {
      this.earlier.set(key, ids);
    }
    return notes;
  }

  /**
   * Makes the copy of a photo.
   * @throws {CwError} CW-601 empty, CW-602 unreadable, CW-608 no size, CW-702, CW-703, CW-704; CancelledError. Then
   *   nothing of it is left
   */
  async copy(photo: PhotoSource, id: string, signal: CancelSignal): Promise<CopiedPhoto> {
    throwIfCancelled(signal);
    const { name, type } = photo;
    this.own(id);
    try {
      const { size, crc32c } = await this.withRoom(() => photo.copyToSpool(id));
      throwIfCancelled(signal);
      checkSize(size);
      return { id, name, type, size, crc32c };
    } catch (error) {
      await this.drop(id);
      throw error;
    }
  }

  /**
   * Writes the record of a photo that has a copy.
   * @param findDoubt  asked about the copy; its answer is the record's `failure` from the beginning
   * @param owner  the record's owner
   * @param takePosition  gives the photo its place in the order of queuing
   * @throws {CwError} CW-702, CW-703: the copy stays, and this can be tried again. CW-704: the photo may be on the list of
   *   the other copy of the plugin
   */
  async add(
    copied: CopiedPhoto,
    findDoubt: FindDoubt,
    owner: string | null,
    takePosition: () => number,
  ): Promise<PhotoRecord> {
    const { id, size } = copied;
    const failure = await findDoubt(id, size);
    const record = this.recordOf(copied, failure, owner, takePosition());
    await this.withRoom(() => this.save(record));
    return record;
  }

  /** The record of a photo that has a copy. @param failure  why it should not be sent unasked */
  recordOf(
    { id, name, type, size, crc32c }: CopiedPhoto,
    failure: ErrorCode | null,
    owner: string | null,
    position: number,
  ): PhotoRecord {
    const queuedAt = this.options.now();
    return {
      id,
      name,
      type,
      size,
      owner,
      position,
      priority: 0,
      queuedAt,
      uploadUrl: null,
      failure,
      ...(crc32c !== null && { crc32c }),
    };
  }

  /** Deletes a photo that was not added to the list, though its record may have been written. Never rejects. */
  async takeBack(id: string): Promise<void> {
    try {
      await this.options.records.remove(id);
    } catch (error) {
      // The record may be there, or another copy of the plugin may have this photo on its list.
      if (!isDiskFull(error)) {
        return;
      }
    }
    await this.drop(id);
  }

  /** Does what needs room on the disk; when there is none, makes room and does it once more. */
  private async withRoom<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isDiskFull(error) || !(await this.options.makeRoom())) {
        throw error;
      }
      return work();
    }
  }

  /** Writes a record as it is now. @throws {CwError} CW-702 to CW-704 */
  async save(record: PhotoRecord): Promise<void> {
    await this.options.records.put(record.id, writeRecord(record));
  }

  /** Notes that this photo was uploaded: the next `clearUploaded` deletes its record and copy. */
  noteUploaded(id: string): void {
    this.toClear.push(id);
  }

  /**
   * Deletes all photos that were uploaded, including those that an earlier try failed to delete.
   * @throws {CwError} CW-702 to CW-704; then this, or the next start, tries again
   */
  async clearUploaded(): Promise<void> {
    const ids = this.toClear;
    if (ids.length === 0) {
      return;
    }
    const { records, newId, storeHistory } = this.options;
    const key = UPLOADED_PREFIX + newId();
    this.toClear = [];
    try {
      await storeHistory?.();
      await records.put(key, writeNote(ids));
    } catch (error) {
      this.toClear = [...ids, ...this.toClear];
      throw error;
    }
    await this.purge(key, ids);
  }

  /** Deletes what earlier runs uploaded. @throws {CwError} CW-702 to CW-704; then the next start tries again */
  async clearEarlier(): Promise<void> {
    for (const [key, ids] of [...this.earlier]) {
      this.earlier.delete(key);
      await this.purge(key, ids);
    }
  }

  /**
   * Deletes copies that were cut short. None if another copy of the plugin owns the list: they may be its own.
   * @throws {CwError} CW-702 when storage cannot be read
   */
  async clearIncoming(): Promise<void> {
    const { records, spool } = this.options;
    const incoming = await spool.listIncoming();
    if (await records.isOurs()) {
      await spool.removeIncoming(...incoming.filter((id) => !this.known.has(id)));
    }
  }

  /**
   * Finds complete copies of photos that are not on the list. Each is given once.
   * @throws {CwError} CW-702 when storage cannot be read
   */
  async findUnlisted(): Promise<readonly FoundCopy[]> {
    const { records, spool } = this.options;
    const ids = (await spool.list()).filter((id) => !this.known.has(id));
    if (ids.length === 0 || !(await records.isOurs())) {
      return [];
    }
    const found: FoundCopy[] = [];
    for (const id of ids) {
      const size = await spool.size(id).catch(() => 0);
      if (size > 0) {
        this.own(id);
        found.push({ id, size });
      }
    }
    return found;
  }

  private async purge(key: string, ids: readonly string[]): Promise<void> {
    for (const id of await purgePhotos(this.options, key, ids)) {
      this.disown(id);
    }
  }

  private async drop(id: string): Promise<void> {
    await this.options.spool.remove(id);
    this.disown(id);
  }
}

/** A complete copy of a photo that is not on the list. */
export interface FoundCopy {
  readonly id: string;
  /** Bytes. */
  readonly size: number;
}

function isDiskFull(error: unknown): boolean {
  return error instanceof CwError && error.code === 'CW-703';
}

function checkSize(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new CwError('CW-608', 'the size is no number of bytes');
  }
  if (size === 0) {
    throw new CwError('CW-601', 'the photo is empty');
  }
}
