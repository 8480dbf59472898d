import { throwIfCancelled, type CancelSignal } from '../base/cancel.js';
import { CwError, type ErrorCode } from '../base/errors.js';
import { isSuperseded } from '../base/superseded.js';
import type { PhotoSource, RecordStore, Spool } from '../host/host.js';
import { writeRecord, type PhotoRecord } from './photo-record.js';

export interface PhotoStorageOptions {
  readonly records: RecordStore;
  readonly spool: Spool;
  readonly now: () => number;
  readonly newId: () => string;
  /**
   * Removes the records of photos that have arrived and stores what is remembered of them, in one step. Without it the
   * records are only removed.
   * @throws {CwError} CW-702 to CW-704
   */
  readonly clearRecords?: (ids: readonly string[]) => Promise<void>;
}

export interface PhotoStorageParts extends PhotoStorageOptions {
  /**
   * Called when the disk is full. Gives whether there may be room now.
   * @throws {CwError} CW-704
   */
  readonly makeRoom: () => Promise<boolean>;
}

/** Says, given a copy's id and size in bytes, why it should not be sent unasked; null when it may be sent. */
export type FindDoubt = (id: string, size: number) => Promise<ErrorCode | null>;

/**
 * The photos of the list in durable storage: each has a copy in the spool and a record. The copy comes
 * first and leaves last, so that a kill at any moment leaves a whole entry or none.
 */
export class PhotoStorage {
  /** Photos whose copies are no leftovers: this run has made the copy, is making it, or has found its record. */
  private readonly known = new Set<string>();
  /** Photos that have arrived and are still in storage. */
  private readonly toClear = new Set<string>();

  constructor(private readonly options: PhotoStorageParts) {}

  /** Notes that the copy of this photo is no leftover. */
  own(id: string): void {
    this.known.add(id);
  }

  /** Notes that nothing is left of this photo. */
  disown(id: string): void {
    this.known.delete(id);
  }

  /**
   * Copies a photo and writes its record.
   * @param findDoubt  asked about the copy; its answer is the record's `failure` from the beginning
   * @param takePosition  gives the photo its place in the order of queuing
   * @throws {CwError} CW-601 empty, CW-602 unreadable, CW-608 no size, CW-702, CW-703, CW-704; CancelledError. Then
   *   nothing of it is left
   */
  async add(
    photo: PhotoSource,
    signal: CancelSignal,
    findDoubt: FindDoubt,
    takePosition: () => number,
  ): Promise<PhotoRecord> {
    const { spool, now, newId } = this.options;
    throwIfCancelled(signal);
    const id = newId();
    this.own(id);
    let isWriting = false;
    try {
      const { size, crc32c } = await this.withRoom(() => photo.copyToSpool(id));
      throwIfCancelled(signal);
      checkSize(size);
      const failure = await findDoubt(id, size);
      throwIfCancelled(signal);
      const record: PhotoRecord = {
        id,
        name: photo.name,
        type: photo.type,
        size,
        position: takePosition(),
        priority: 0,
        queuedAt: now(),
        uploadUrl: null,
        failure,
        ...(crc32c !== null && { crc32c }),
      };
      isWriting = true;
      await this.withRoom(() => this.save(record));
      return record;
    } catch (error) {
      if (!isWriting || (await this.takeRecordBack(id, error))) {
        await spool.remove(id).catch(() => undefined);
        this.disown(id);
      }
      throw error;
    }
  }

  /** Does what needs room on the disk; when there is none, makes room and does it once more. */
  private async withRoom<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const isFull = error instanceof CwError && error.code === 'CW-703';
      if (!isFull || !(await this.options.makeRoom())) {
        throw error;
      }
      return work();
    }
  }

  /** Writes a record as it stands now. @throws {CwError} CW-702 to CW-704 */
  async save(record: PhotoRecord): Promise<void> {
    await this.options.records.put(record.id, writeRecord(record));
  }

  /** Notes that this photo has arrived: the next `clearArrived` clears away its record and copy. */
  noteArrived(id: string): void {
    this.toClear.add(id);
  }

  /**
   * Clears away all photos that arrived, in one step, including those that an earlier try failed to clear.
   * @throws {CwError} CW-702 to CW-704; then it can be tried again
   */
  async clearArrived(): Promise<void> {
    const ids = [...this.toClear];
    if (ids.length === 0) {
      return;
    }
    // In this order: a copy without a record is cleared away later, but a record without its copy is a lost photo.
    const { records, clearRecords } = this.options;
    await (clearRecords ? clearRecords(ids) : records.remove(...ids));
    for (const id of ids) {
      this.toClear.delete(id);
    }
    await this.options.spool.remove(...ids).catch(() => undefined);
    for (const id of ids) {
      this.disown(id);
    }
  }

  /**
   * Clears away copies that belong to no photo; none if another copy of the plugin owns the list: they may be its own.
   */
  async clearLeftovers(): Promise<void> {
    const { records, spool } = this.options;
    const copies = await spool.list();
    if (!(await records.isOurs())) {
      return;
    }
    for (const id of copies) {
      if (!this.known.has(id)) {
        await spool.remove(id).catch(() => undefined);
      }
    }
  }

  /** For a record whose write failed and may still be there: removes it. Gives whether the photo's copy may go, too. */
  private async takeRecordBack(id: string, error: unknown): Promise<boolean> {
    // Another copy of the plugin owns the list, and may have this photo on it.
    if (isSuperseded(error)) {
      return false;
    }
    await this.options.records.remove(id).catch(() => undefined);
    return true;
  }
}

function checkSize(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new CwError('CW-608', 'the size is no number of bytes');
  }
  if (size === 0) {
    throw new CwError('CW-601', 'the photo is empty');
  }
}
