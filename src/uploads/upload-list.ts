import { NEVER_CANCELLED, type CancelSignal } from '../base/cancel.js';
import { CwError, type ErrorCode } from '../base/errors.js';
import { Sequence } from '../base/sequence.js';
import { Store, type ReadableStore } from '../base/store.js';
import type { PhotoSource } from '../host/host.js';
import { PhotoStorage, type FindDoubt, type PhotoStorageOptions } from './photo-storage.js';
import { Removals, type Removal } from './removals.js';
import {
  added,
  EMPTY_SUMMARY,
  notSent,
  type UploadItem,
  type UploadSummary,
} from './upload-item.js';
import { compareRecords, readRecord, triedAgain, type PhotoRecord } from './photo-record.js';
import { placesIn, WaitingLine } from './waiting-line.js';

export interface UploadListOptions extends PhotoStorageOptions {
  /** Whether photos wait for {@link UploadList.release} before their upload may begin; they do not unless told so. */
  readonly asksFirst?: boolean;
  /** Bytes of removed photos that are kept besides those of the newest removal; 10 GB unless told otherwise. */
  readonly mostKeptBytes?: number;
}

/** Photos that arrived stay in sight until this many newer ones have. */
const MOST_UPLOADED_SHOWN = 50;
const MOST_KEPT_BYTES = 10e9;

/**
 * The durable list of photos. A photo enters it in this order: its bytes into the spool, its record
 * into durable storage, then into sight; it leaves in the order record, spool. Whatever is cut short,
 * there is a whole entry or none. One that the person removes leaves sight alone, and can be put back until the next
 * start (`removals.ts`).
 *
 * Every change of one photo costs the same however long the list is.
 */
export class UploadList {
  private readonly items = new Map<string, UploadItem>();
  /** All photos in sight, in the order shown. Those waiting stand in the order of their turns. */
  private readonly shown = new Sequence<string>();
  private readonly waiting: WaitingLine;
  private readonly failed = new Set<string>();
  private readonly uploaded = new Sequence<string>();
  private nextPosition = 0;
  private topPriority = 0;
  private readonly store = new Store<UploadSummary>(EMPTY_SUMMARY);
  private readonly storage: PhotoStorage;
  private readonly removals: Removals;

  /** Changes with every change of the list. */
  readonly summary: ReadableStore<UploadSummary> = this.store;

  constructor(private readonly options: UploadListOptions) {
    const recordOf = (id: string): PhotoRecord | null => this.items.get(id)?.record ?? null;
    this.storage = new PhotoStorage(options);
    this.waiting = new WaitingLine({ asksFirst: options.asksFirst ?? false, recordOf });
    this.removals = new Removals({
      mostKeptBytes: MOST_KEPT_BYTES,
      ...options,
      onGone: (id) => {
        this.storage.disown(id);
      },
    });
  }

  /**
   * Brings back what an earlier run left. Gives the records that are no photos, by their keys: other
   * parts keep a few there.
   * @throws {CwError} CW-702, CW-704
   */
  async load(): Promise<ReadonlyMap<string, string>> {
    const stored = await this.options.records.load();
    const notes = this.removals.restore(stored);
    const removed = new Set([...notes.values()].flat());
    const found: PhotoRecord[] = [];
    const others = new Map<string, string>();
    for (const [id, text] of stored) {
      if (notes.has(id)) {
        continue;
      }
      const record = readRecord(id, text);
      if (!record) {
        others.set(id, text);
      } else if (removed.has(id)) {
        this.removals.noteAddress(record);
      } else if (!this.items.has(id)) {
        found.push(record);
      }
      this.storage.own(id);
    }
    found.sort(compareRecords);
    const summary = { ...this.store.get() };
    for (const record of found) {
      const item = notSent(record);
      this.place(item);
      summary[item.phase] += 1;
      summary.totalBytes += record.size;
    }
    this.store.set(summary);
    return others;
  }

  /**
   * Clears away for good what earlier runs removed. Call after `load`, at any time.
   * @throws {CwError} CW-702 to CW-704; then the next start does it
   */
  clearRemoved(): Promise<void> {
    return this.removals.clearEarlier();
  }

  /** Addresses of uploads at the service that belong to photos now gone for good; each is given once. */
  takeAbandoned(): readonly string[] {
    return this.removals.takeAddresses();
  }

  /**
   * Clears away copies that belong to no photo: what a kill cut short. Call after `load`, at any time.
   * Leaves them where they are if they cannot be cleared now, or if another copy of the plugin has
   * taken the list over: they may be its own.
   */
  async clearLeftovers(): Promise<void> {
    await this.storage.clearLeftovers();
  }

  /**
   * Makes a photo safe and puts it at the end of the list.
   * @param findDoubt  asked about the copy, by its id and size: what it gives stands in the record from the beginning,
   *   so that no restart sends the photo unasked
   * @throws {CwError} CW-601 empty, CW-602 unreadable, CW-608 no size, CW-702, CW-703, CW-704; CancelledError. Then
   *   nothing of it is left
   */
  async enqueue(
    photo: PhotoSource,
    signal: CancelSignal = NEVER_CANCELLED,
    findDoubt: FindDoubt = () => Promise.resolve(null),
  ): Promise<void> {
    try {
      await this.makeSafe(photo, signal, findDoubt);
    } catch (error) {
      const isFull = error instanceof CwError && error.code === 'CW-703';
      if (!isFull || !(await this.removals.makeRoom())) {
        throw error;
      }
      await this.makeSafe(photo, signal, findDoubt);
    }
  }

  private async makeSafe(
    photo: PhotoSource,
    signal: CancelSignal,
    findDoubt: FindDoubt,
  ): Promise<void> {
    const takePosition = (): number => {
      this.nextPosition += 1;
      return this.nextPosition - 1;
    };
    const item = notSent(await this.storage.add(photo, signal, findDoubt, takePosition));
    this.place(item);
    this.count(null, item);
  }

  get(id: string): UploadItem | null {
    return this.items.get(id) ?? null;
  }

  /** Whether anything in the list has not arrived yet. */
  get hasUnsent(): boolean {
    const { waiting, uploading, failed } = this.store.get();
    return waiting + uploading + failed > 0;
  }

  /** The position that the next photo will get; all photos in the list have smaller ones. */
  get endPosition(): number {
    return this.nextPosition;
  }

  /** Gives no photo added from now on a smaller position than this. */
  continueAt(position: number): void {
    this.nextPosition = Math.max(this.nextPosition, position);
  }

  /** Photos with positions before this that have not arrived yet. Looks at the whole list. */
  unsentBefore(position: number): readonly string[] {
    return [...this.shown].filter((id) => {
      const item = this.items.get(id);
      return item !== undefined && item.phase !== 'uploaded' && item.record.position < position;
    });
  }

  /** Up to `count` photos from place `start`, in the order of the list. */
  slice(start: number, count: number): readonly UploadItem[] {
    const found: UploadItem[] = [];
    if (count <= 0) {
      return found;
    }
    let index = 0;
    for (const id of this.shown) {
      const item = this.items.get(id);
      if (index >= start && item) {
        found.push(item);
      }
      index += 1;
      if (index >= start + count) {
        break;
      }
    }
    return found;
  }

  /** Takes the next waiting photo and marks it as uploading; null when none waits. */
  takeNext(): UploadItem | null {
    const id = this.waiting.first;
    const item = id === null ? null : this.items.get(id);
    if (!item) {
      return null;
    }
    this.waiting.begin(item.record.id);
    return this.change(item, { phase: 'uploading' });
  }

  progress(id: string, sentBytes: number, confirmedBytes: number): void {
    const item = this.items.get(id);
    if (item?.phase !== 'uploading') {
      return;
    }
    this.change(item, { sentBytes, confirmedBytes });
  }

  /**
   * Keeps the upload's address, so that a restart resumes instead of starting over. Settles when it is in storage.
   * @throws {CwError} CW-702 to CW-704; then it is not known here either, so that it is told and written again
   */
  async setUploadUrl(id: string, uploadUrl: string): Promise<void> {
    const before = this.items.get(id)?.record.uploadUrl ?? null;
    if (before === uploadUrl) {
      return;
    }
    try {
      await this.changeUnsent(id, { uploadUrl });
    } catch (error) {
      const item = this.items.get(id);
      if (item?.record.uploadUrl === uploadUrl) {
        this.change(item, { record: { ...item.record, uploadUrl: before } });
      }
      throw error;
    }
  }

  /** Notes that the upload is begun anew, because the service held other bytes. @throws {CwError} CW-702 to CW-704 */
  async startOver(id: string): Promise<void> {
    await this.changeUnsent(id, { uploadUrl: null, startedOver: true });
  }

  /** Puts a photo whose upload was interrupted back to the front of those waiting; several keep their order. */
  putBack(id: string): void {
    const item = this.items.get(id);
    if (item?.phase !== 'uploading') {
      return;
    }
    // What was sent stays said until the service tells how much of it arrived.
    this.change(item, { phase: 'waiting' });
    this.shown.insert(id, this.waiting.putBack(id));
  }

  /** Notes why the upload under way cannot succeed. */
  async fail(id: string, failure: ErrorCode): Promise<void> {
    const item = this.items.get(id);
    if (item?.phase !== 'uploading') {
      return;
    }
    this.change(item, { phase: 'failed', record: { ...item.record, failure } });
    await this.save(id);
  }

  /**
   * Up to `count` photos that wait for {@link release}, those first whose turn comes first.
   * @param except  left out, by their ids
   */
  unasked(count: number, except?: ReadonlyMap<string, unknown>): readonly PhotoRecord[] {
    return this.waiting.firstUnasked(count, except);
  }

  /** Lets photos begin that were waited with. @param ids  in the order in which `unasked` gave them */
  release(ids: readonly string[]): void {
    this.waiting.release(ids);
  }

  /** Somebody else may be connected: what has not begun waits for {@link release} again. */
  askAgain(): void {
    this.waiting.askAgain();
  }

  /** Sets a photo aside that waits: the person decides what becomes of it. */
  async setAside(id: string, failure: ErrorCode): Promise<void> {
    const item = this.items.get(id);
    if (item?.phase !== 'waiting') {
      return;
    }
    this.change(item, { phase: 'failed', record: { ...item.record, failure } });
    await this.save(id);
  }

  /** Puts a failed photo back to the end of those waiting. */
  async retry(id: string): Promise<void> {
    if (this.waitAgain(id)) {
      await this.save(id);
    }
  }

  /** Photos that failed for this reason. */
  failedFor(failure: ErrorCode): readonly string[] {
    return [...this.failed].filter((id) => this.items.get(id)?.record.failure === failure);
  }

  /** All photos in sight, those that arrived included. */
  get all(): readonly string[] {
    return [...this.shown];
  }

  /** Puts those back to the end of the photos waiting: in sight at once, in storage one by one. */
  async retryFailed(failure: ErrorCode): Promise<void> {
    const ids = this.failedFor(failure).filter((id) => this.waitAgain(id));
    for (const id of ids) {
      await this.save(id);
    }
  }

  /** Puts a photo to the front of those waiting; one that failed is tried again. */
  async makeNext(id: string): Promise<void> {
    this.waitAgain(id);
    const item = this.items.get(id);
    if (item?.phase !== 'waiting') {
      return;
    }
    this.topPriority += 1;
    this.shown.insert(id, this.waiting.toFront(item.record));
    this.change(item, { record: { ...item.record, priority: this.topPriority } });
    await this.save(id);
  }

  /** The service has confirmed the last byte: record and copy may go, with the next `clearFinished`. */
  finish(id: string): void {
    const item = this.items.get(id);
    if (!item) {
      return;
    }
    const { size } = item.record;
    this.change(item, { phase: 'uploaded', sentBytes: size, confirmedBytes: size });
    const outdated = this.uploaded.size > MOST_UPLOADED_SHOWN ? this.uploaded.first : null;
    if (outdated !== null) {
      this.forget(outdated);
    }
    this.storage.noteArrived(id);
  }

  /** Clears away all photos that arrived, in one step; those of an earlier try that failed, too. */
  async clearFinished(): Promise<void> {
    await this.storage.clearArrived();
  }

  /** Takes what has arrived out of sight and out of the sums. */
  forgetArrived(): void {
    for (const id of [...this.uploaded]) {
      this.forget(id);
    }
    this.store.set(added(EMPTY_SUMMARY, [...this.items.values()], 1));
  }

  /**
   * Takes photos off the list, in sight at once; `undoRemoval` puts them back, all together. Their uploads, if any are
   * under way, must have been stopped before. One that has arrived meanwhile stays.
   * @param owner  whose photos they are, for the caller to know when they are put back
   * @throws {CwError} CW-702 to CW-704; then a restart may bring them back
   */
  async remove(ids: readonly string[], owner = 0): Promise<void> {
    const items = ids
      .flatMap((id) => this.items.get(id) ?? [])
      .filter(({ phase }) => phase !== 'uploaded');
    if (items.length === 0) {
      return;
    }
    for (const { record } of items) {
      this.forget(record.id);
    }
    this.store.set(added(this.store.get(), items, -1));
    await this.removals.add({ items, owner });
  }

  /** The removal that `undoRemoval` takes back; null when there is none. */
  get newestRemoval(): Removal | null {
    return this.removals.newest;
  }

  /** Puts the photos of the newest removal back where they were. @throws {CwError} CW-702 to CW-704; it can be tried again */
  async undoRemoval(): Promise<void> {
    const removed = await this.removals.undo();
    const items = removed.map((item): UploadItem => {
      const { record, confirmedBytes } = item;
      const phase = record.failure === null ? 'waiting' : 'failed';
      return { record, phase, confirmedBytes, sentBytes: confirmedBytes };
    });
    items.sort((a, b) => compareRecords(a.record, b.record));
    // One walk along the list, however many come back.
    const others = [...this.shown].filter((id) => this.items.get(id)?.phase === 'waiting');
    for (const item of items) {
      this.place(item);
    }
    const waiting = items.filter(({ phase }) => phase === 'waiting').map(({ record }) => record);
    this.waiting.sort(waiting);
    const places = placesIn(others, waiting, (id) => this.items.get(id)?.record ?? null);
    waiting.forEach(({ id }, index) => {
      this.shown.insert(id, places[index] ?? null);
    });
    this.store.set(added(this.store.get(), items, 1));
  }

  /** Takes those that arrived out of sight, and out of what is counted. */
  async clearArrived(): Promise<void> {
    this.forgetArrived();
    await this.clearFinished();
  }

  private async changeUnsent(id: string, change: Partial<PhotoRecord>): Promise<void> {
    const item = this.items.get(id);
    if (!item || item.phase === 'uploaded') {
      return;
    }
    this.change(item, { record: { ...item.record, ...change } });
    await this.save(id);
  }

  private waitAgain(id: string): boolean {
    const item = this.items.get(id);
    if (item?.phase !== 'failed') {
      return false;
    }
    this.change(item, {
      phase: 'waiting',
      sentBytes: 0,
      record: triedAgain(item.record),
    });
    this.shown.insert(id);
    return true;
  }

  /** Puts a photo at the end of everything it belongs to. */
  private place(item: UploadItem): void {
    const { id, position, priority } = item.record;
    this.items.set(id, item);
    this.shown.insert(id);
    this.enter(item);
    this.nextPosition = Math.max(this.nextPosition, position + 1);
    this.topPriority = Math.max(this.topPriority, priority);
  }

  private change(item: UploadItem, change: Partial<UploadItem>): UploadItem {
    const next = { ...item, ...change };
    const { id } = item.record;
    this.items.set(id, next);
    if (next.phase !== item.phase) {
      this.leave(id);
      if (next.phase !== 'waiting' && next.phase !== 'uploading') {
        this.waiting.end(id);
      }
      this.enter(next);
    }
    this.count(item, next);
    return next;
  }

  private enter({ phase, record }: UploadItem): void {
    if (phase === 'waiting') {
      this.waiting.enter(record);
    } else if (phase === 'failed') {
      this.failed.add(record.id);
    } else if (phase === 'uploaded') {
      this.uploaded.insert(record.id);
    }
  }

  private leave(id: string): void {
    this.waiting.leave(id);
    this.failed.delete(id);
    this.uploaded.delete(id);
  }

  /** Takes a photo out of sight. */
  private forget(id: string): void {
    this.items.delete(id);
    this.shown.delete(id);
    this.leave(id);
    this.waiting.forget(id);
  }

  /** Writes the record as it stands now; nothing for a photo that has left meanwhile. */
  private async save(id: string): Promise<void> {
    const item = this.items.get(id);
    if (!item || item.phase === 'uploaded') {
      return;
    }
    await this.storage.save(item.record);
  }

  /** Keeps the summary by difference, so that a change costs the same however long the list is. */
  private count(before: UploadItem | null, after: UploadItem | null): void {
    const without = before ? added(this.store.get(), [before], -1) : this.store.get();
    this.store.set(after ? added(without, [after], 1) : without);
  }
}
