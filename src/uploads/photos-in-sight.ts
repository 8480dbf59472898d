import type { ErrorCode } from '../base/errors.js';
import { Sequence } from '../base/sequence.js';
import { Store, type ReadableStore } from '../base/store.js';
import { compareRecords, triedAgain } from './photo-record.js';
import { added, EMPTY_SUMMARY, type UploadItem, type UploadSummary } from './upload-item.js';
import { placesIn, WaitingLine } from './waiting-line.js';

/** A photo that has arrived stays visible until this many newer ones have arrived. */
const MOST_UPLOADED_SHOWN = 50;

/**
 * The photos that the list shows ("in sight"), in memory alone: their order, their turns and their sums.
 *
 * Every change of one photo costs the same however many there are.
 */
export class PhotosInSight {
  private readonly items = new Map<string, UploadItem>();
  /** All photos, in the order shown. Those waiting are in the order of their turns. */
  private readonly shown = new Sequence<string>();
  private readonly failed = new Set<string>();
  private readonly uploaded = new Sequence<string>();
  /** How many photos that are not uploaded yet each owner has. */
  private readonly unsentByOwner = new Map<string | null, number>();
  private nextPosition = 0;
  private topPriority = 0;
  private readonly store = new Store<UploadSummary>(EMPTY_SUMMARY);

  /** Changes with every change of a photo. */
  readonly summary: ReadableStore<UploadSummary> = this.store;
  /** The photos that wait: whose turn it is, and which are held back until the service has been asked. */
  readonly waiting: WaitingLine;

  /** @param asksFirst  whether photos wait to be released before their upload may begin */
  constructor(asksFirst: boolean) {
    this.waiting = new WaitingLine({
      asksFirst,
      recordOf: (id) => this.items.get(id)?.record ?? null,
    });
  }

  get(id: string): UploadItem | null {
    return this.items.get(id) ?? null;
  }

  /** Whether anything in the list has not arrived yet. */
  get hasUnsent(): boolean {
    const { waiting, uploading, failed } = this.store.get();
    return waiting + uploading + failed > 0;
  }

  /** Gives the next position and counts on. */
  takePosition(): number {
    this.nextPosition += 1;
    return this.nextPosition - 1;
  }

  /** Photos that are not uploaded yet and whose owner is accepted. Reads the whole list. */
  unsentOf(accepts: (owner: string | null) => boolean): readonly string[] {
    return [...this.shown].filter((id) => {
      const item = this.items.get(id);
      return item !== undefined && item.phase !== 'uploaded' && accepts(item.record.owner);
    });
  }

  /** How many photos that are not uploaded yet each owner has. Changes before `summary` does. */
  get owners(): ReadonlyMap<string | null, number> {
    return this.unsentByOwner;
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

  /** Photos that failed for this reason. */
  failedFor(failure: ErrorCode): readonly string[] {
    return [...this.failed].filter((id) => this.items.get(id)?.record.failure === failure);
  }

  /** All photos in sight, those that arrived included. */
  get all(): readonly string[] {
    return [...this.shown];
  }

  /** Puts photos at the end, in this order. */
  add(items: readonly UploadItem[]): void {
    for (const item of items) {
      this.place(item);
    }
    this.store.set(added(this.store.get(), items, 1));
  }

  /** Puts photos back where they were. */
  putIn(removed: readonly UploadItem[]): void {
    const items = [...removed];
    items.sort((a, b) => compareRecords(a.record, b.record));
    // Goes through the list once, however many come back.
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

  /** Puts a photo whose upload was interrupted back to the front of those waiting; several keep their order. */
  putBack(id: string): void {
    const item = this.items.get(id);
    if (item?.phase !== 'uploading') {
      return;
    }
    // `sentBytes` stays as it is until the service says how much of it has arrived.
    this.change(item, { phase: 'waiting' });
    this.shown.insert(id, this.waiting.putBack(id));
  }

  /** Puts a photo whose upload was interrupted to the end of those waiting. */
  putLast(id: string): void {
    const item = this.items.get(id);
    if (item?.phase !== 'uploading') {
      return;
    }
    this.waiting.end(id);
    this.change(item, { phase: 'waiting' });
    this.shown.insert(id);
  }

  /** Puts a photo that waits, or has failed, to the front of those waiting. @returns whether it was one */
  makeNext(id: string): boolean {
    this.waitAgain(id);
    const item = this.items.get(id);
    if (item?.phase !== 'waiting') {
      return false;
    }
    this.topPriority += 1;
    this.shown.insert(id, this.waiting.toFront(item.record));
    this.change(item, { record: { ...item.record, priority: this.topPriority } });
    return true;
  }

  /** Puts a failed photo back to the end of those waiting. @returns whether it had failed */
  waitAgain(id: string): boolean {
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

  /** Notes that a photo has arrived. It stays in sight until enough newer ones have. */
  finish(item: UploadItem): void {
    const { size } = item.record;
    this.change(item, { phase: 'uploaded', sentBytes: size, confirmedBytes: size });
    const outdated = this.uploaded.size > MOST_UPLOADED_SHOWN ? this.uploaded.first : null;
    if (outdated !== null) {
      this.forget(outdated);
    }
  }

  /** Takes what has arrived out of sight and out of the sums. */
  forgetArrived(): void {
    for (const id of [...this.uploaded]) {
      this.forget(id);
    }
    this.store.set(added(EMPTY_SUMMARY, [...this.items.values()], 1));
  }

  /** Takes photos out of sight and out of the sums. */
  takeOut(items: readonly UploadItem[]): void {
    for (const { record } of items) {
      this.forget(record.id);
    }
    this.store.set(added(this.store.get(), items, -1));
  }

  /** Changes what is known of a photo. @returns it as it is now */
  change(item: UploadItem, change: Partial<UploadItem>): UploadItem {
    const next = { ...item, ...change };
    const { id } = item.record;
    this.items.set(id, next);
    this.countOwner(item, -1);
    this.countOwner(next, 1);
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

  /** Puts a photo at the end of everything it belongs to. */
  private place(item: UploadItem): void {
    const { id, position, priority } = item.record;
    this.items.set(id, item);
    this.countOwner(item, 1);
    this.shown.insert(id);
    this.enter(item);
    this.nextPosition = Math.max(this.nextPosition, position + 1);
    this.topPriority = Math.max(this.topPriority, priority);
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
    const item = this.items.get(id);
    if (item) {
      this.countOwner(item, -1);
    }
    this.items.delete(id);
    this.shown.delete(id);
    this.leave(id);
    this.waiting.forget(id);
  }

  private countOwner({ phase, record: { owner } }: UploadItem, sign: 1 | -1): void {
    if (phase === 'uploaded') {
      return;
    }
    const count = (this.unsentByOwner.get(owner) ?? 0) + sign;
    if (count === 0) {
      this.unsentByOwner.delete(owner);
    } else {
      this.unsentByOwner.set(owner, count);
    }
  }

  /** Changes the summary by the difference, so that a change costs the same however long the list is. */
  private count(before: UploadItem, after: UploadItem): void {
    this.store.set(added(added(this.store.get(), [before], -1), [after], 1));
  }
}
