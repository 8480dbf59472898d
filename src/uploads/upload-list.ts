import { CwError, type ErrorCode } from '../base/errors.js';
import { Store, type ReadableStore } from '../base/store.js';
import type { PhotoSource, RecordStore, Spool } from '../host/host.js';
import { readRecord, writeRecord, type UploadRecord } from './upload-record.js';

/** A photo in the list, as the panel shows it. */
export interface UploadItem {
  readonly record: UploadRecord;
  readonly phase: 'waiting' | 'uploading' | 'uploaded' | 'failed';
  /** Bytes handed to the network; may fall when something has to be sent again. */
  readonly sentBytes: number;
  /** Bytes the service has confirmed. */
  readonly confirmedBytes: number;
}

/** What the list amounts to. A new object for every change. */
export interface UploadSummary {
  readonly waiting: number;
  readonly uploading: number;
  readonly uploaded: number;
  readonly failed: number;
  /** Bytes of all photos in the list, and how many of them have been sent. */
  readonly totalBytes: number;
  readonly sentBytes: number;
}

export interface UploadListOptions {
  readonly records: RecordStore;
  readonly spool: Spool;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Photos that arrived stay in sight until this many newer ones have. */
const MOST_UPLOADED_SHOWN = 50;

/**
 * The durable list of photos. A photo enters it in this order: its bytes into the spool, its record
 * into durable storage, then into sight; it leaves in the order record, spool. Whatever is cut short,
 * there is a whole entry or none.
 */
export class UploadList {
  private readonly items = new Map<string, UploadItem>();
  private waitingIds: string[] = [];
  private readonly uploadedIds: string[] = [];
  private nextPosition = 0;
  private readonly store = new Store<UploadSummary>(EMPTY);

  /** Changes with every change of the list. */
  readonly summary: ReadableStore<UploadSummary> = this.store;

  constructor(private readonly options: UploadListOptions) {}

  /**
   * Brings back what an earlier run left, and clears away copies that belong to no photo.
   * @throws CwError CW-702
   */
  async load(): Promise<void> {
    const { records, spool } = this.options;
    const stored = await records.load();
    const found: UploadRecord[] = [];
    for (const [id, text] of stored) {
      const record = readRecord(id, text);
      if (record && !this.items.has(id)) found.push(record);
    }
    found.sort((a, b) => a.position - b.position);
    for (const record of found) {
      this.add({
        record,
        phase: record.failure === null ? 'waiting' : 'failed',
        sentBytes: 0,
        confirmedBytes: 0,
      });
    }
    for (const id of await spool.list()) {
      if (!stored.has(id)) await spool.remove(id).catch(() => undefined);
    }
  }

  /**
   * Makes a photo safe and puts it at the end of the list.
   * @throws CwError CW-601 empty, CW-602 unreadable, CW-702, CW-703; then nothing of it is left
   */
  async enqueue(photo: PhotoSource): Promise<void> {
    const { records, spool, now, newId } = this.options;
    const id = newId();
    try {
      const size = await photo.copyToSpool(id);
      if (size <= 0) throw new CwError('CW-601', 'the photo is empty');
      const record: UploadRecord = {
        id,
        name: photo.name,
        type: photo.type,
        size,
        position: this.nextPosition,
        queuedAt: now(),
        uploadUrl: null,
        failure: null,
      };
      await records.put(id, writeRecord(record));
      this.add({ record, phase: 'waiting', sentBytes: 0, confirmedBytes: 0 });
    } catch (error) {
      await spool.remove(id).catch(() => undefined);
      throw error;
    }
  }

  get(id: string): UploadItem | null {
    return this.items.get(id) ?? null;
  }

  /** Up to `count` photos from place `start`, in the order of the list. */
  slice(start: number, count: number): readonly UploadItem[] {
    const found: UploadItem[] = [];
    let index = 0;
    for (const item of this.items.values()) {
      if (index >= start + count) break;
      if (index >= start) found.push(item);
      index += 1;
    }
    return found;
  }

  /** Takes the next waiting photo and marks it as uploading; null when none waits. */
  takeNext(): UploadItem | null {
    const id = this.waitingIds.shift();
    const item = id === undefined ? undefined : this.items.get(id);
    if (!item) return null;
    return this.change(item, { phase: 'uploading' });
  }

  progress(id: string, sentBytes: number, confirmedBytes: number): void {
    const item = this.items.get(id);
    if (item?.phase !== 'uploading') return;
    this.change(item, {
      sentBytes,
      confirmedBytes: Math.max(confirmedBytes, item.confirmedBytes),
    });
  }

  /** Keeps the upload's address, so that a restart resumes instead of starting over. */
  async setUploadUrl(id: string, uploadUrl: string): Promise<void> {
    const item = this.items.get(id);
    if (!item || item.phase === 'uploaded' || item.record.uploadUrl === uploadUrl) return;
    await this.save(this.change(item, { record: { ...item.record, uploadUrl } }));
  }

  /** Puts a photo whose upload was interrupted back to the front of those waiting; several keep their order. */
  putBack(id: string): void {
    const item = this.items.get(id);
    if (item?.phase !== 'uploading') return;
    const { position } = item.record;
    const next = this.waitingIds.findIndex(
      (other) => (this.items.get(other)?.record.position ?? 0) > position,
    );
    if (next < 0) this.waitingIds.push(id);
    else this.waitingIds.splice(next, 0, id);
    this.change(item, { phase: 'waiting', sentBytes: item.confirmedBytes });
  }

  /** Notes why the upload under way cannot succeed. */
  async fail(id: string, failure: ErrorCode): Promise<void> {
    const item = this.items.get(id);
    if (item?.phase !== 'uploading') return;
    await this.save(this.change(item, { phase: 'failed', record: { ...item.record, failure } }));
  }

  /** Puts a failed photo back to the end of those waiting. */
  async retry(id: string): Promise<void> {
    const item = this.items.get(id);
    if (item?.phase !== 'failed') return;
    this.waitingIds.push(id);
    await this.save(
      this.change(item, {
        phase: 'waiting',
        sentBytes: 0,
        record: { ...item.record, failure: null },
      }),
    );
  }

  /** Puts a photo to the front of those waiting; one that failed is tried again. */
  async makeNext(id: string): Promise<void> {
    await this.retry(id);
    const item = this.items.get(id);
    if (item?.phase !== 'waiting') return;
    this.waitingIds = [id, ...this.waitingIds.filter((other) => other !== id)];
  }

  async retryAll(): Promise<void> {
    for (const item of [...this.items.values()]) await this.retry(item.record.id);
  }

  /** The service has confirmed the last byte: record and copy may go. */
  async finish(id: string): Promise<void> {
    const item = this.items.get(id);
    if (!item) return;
    const { size } = item.record;
    this.change(item, { phase: 'uploaded', sentBytes: size, confirmedBytes: size });
    this.uploadedIds.push(id);
    const outdated =
      this.uploadedIds.length > MOST_UPLOADED_SHOWN ? this.uploadedIds.shift() : undefined;
    if (outdated !== undefined) this.drop(outdated);
    await this.options.records.remove(id);
    await this.options.spool.remove(id).catch(() => undefined);
  }

  /** Takes a photo off the list. Its upload, if one is under way, must have been stopped before. */
  async remove(id: string): Promise<void> {
    const item = this.items.get(id);
    if (!item) return;
    this.waitingIds = this.waitingIds.filter((other) => other !== id);
    this.drop(id);
    await this.options.records.remove(id);
    await this.options.spool.remove(id).catch(() => undefined);
  }

  private add(item: UploadItem): void {
    this.items.set(item.record.id, item);
    if (item.phase === 'waiting') this.waitingIds.push(item.record.id);
    this.nextPosition = Math.max(this.nextPosition, item.record.position + 1);
    this.count(null, item);
  }

  private change(item: UploadItem, change: Partial<UploadItem>): UploadItem {
    const next = { ...item, ...change };
    this.items.set(item.record.id, next);
    this.count(item, next);
    return next;
  }

  private drop(id: string): void {
    const item = this.items.get(id);
    if (!item) return;
    this.items.delete(id);
    this.count(item, null);
  }

  private async save(item: UploadItem): Promise<void> {
    await this.options.records.put(item.record.id, writeRecord(item.record));
  }

  /** Keeps the summary by difference, so that a change costs the same however long the list is. */
  private count(before: UploadItem | null, after: UploadItem | null): void {
    const next = { ...this.store.get() };
    if (before) {
      next[before.phase] -= 1;
      next.totalBytes -= before.record.size;
      next.sentBytes -= before.sentBytes;
    }
    if (after) {
      next[after.phase] += 1;
      next.totalBytes += after.record.size;
      next.sentBytes += after.sentBytes;
    }
    this.store.set(next);
  }
}

const EMPTY: UploadSummary = {
  waiting: 0,
  uploading: 0,
  uploaded: 0,
  failed: 0,
  totalBytes: 0,
  sentBytes: 0,
};
