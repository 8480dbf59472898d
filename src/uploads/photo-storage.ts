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
   * Removes the records of photos that have arrived, in one step, and keeps what is remembered of them; without it they
   * are removed alone. @throws {CwError} CW-702 to CW-704
   */
  readonly clearRecords?: (ids: readonly string[]) => Promise<void>;
}

/** Asked about a copy, by its id and size: what speaks against sending it unasked. */
export type FindDoubt = (id: string, size: number) => Promise<ErrorCode | null>;

/**
 * The photos of the list in durable storage: a copy in the spool and a record each. The copy comes
 * first and leaves last, so whatever is cut short, there is a whole entry or none.
 */
export class PhotoStorage {
  /** Photos whose copies are no leftovers: this run has made them, is making them, or has found their records. */
  private readonly known = new Set<string>();
  /** Photos that have arrived and still lie in storage. */
  private readonly toClear = new Set<string>();

  constructor(private readonly options: PhotoStorageOptions) {}

  /** The copy of this photo is no leftover. */
  own(id: string): void {
    this.known.add(id);
  }

  /** Nothing is left of this photo. */
  disown(id: string): void {
    this.known.delete(id);
  }

  /**
   * Copies a photo and writes its record.
   * @param findDoubt  asked about the copy: what it gives stands in the record from the beginning
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
      const { size, crc32c } = await photo.copyToSpool(id);
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
      await this.save(record);
      return record;
    } catch (error) {
      if (!isWriting || (await this.takeRecordBack(id, error))) {
        await spool.remove(id).catch(() => undefined);
        this.disown(id);
      }
      throw error;
    }
  }

  /** Writes a record as it stands now. @throws {CwError} CW-702 to CW-704 */
  async save(record: PhotoRecord): Promise<void> {
    await this.options.records.put(record.id, writeRecord(record));
  }

  /** This photo has arrived: record and copy may go, with the next `clearArrived`. */
  noteArrived(id: string): void {
    this.toClear.add(id);
  }

  /**
   * Clears away all photos that arrived, in one step; those of an earlier try that failed, too.
   * @throws {CwError} CW-702 to CW-704; then it can be tried again
   */
  async clearArrived(): Promise<void> {
    const ids = [...this.toClear];
    if (ids.length === 0) {
      return;
    }
    // In this order: a copy without a record is cleared away later, a record without its copy is a photo lost.
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

  /** Clears away copies that belong to no photo, unless the list is another copy's of the plugin: they may be its own. */
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

  /** A record could not be written, or not for certain: makes sure that none is left. Gives whether the copy may go too. */
  private async takeRecordBack(id: string, error: unknown): Promise<boolean> {
    // Another copy of the plugin has the list, and may have this photo in it.
    if (isSuperseded(error)) {
      return false;
    }
    await this.options.records.remove(id).catch(() => undefined);
    return true;
  }
}

function checkSize(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new CwError('CW-608', 'the host gave a size that is no number of bytes');
  }
  if (size === 0) {
    throw new CwError('CW-601', 'the photo is empty');
  }
}
