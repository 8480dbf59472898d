import { NEVER_CANCELLED, type CancelSignal } from '../base/cancel.js';
import { CwError, type ErrorCode } from '../base/errors.js';
import type { ReadableStore } from '../base/store.js';
import type { PhotoSource } from '../host/host.js';
import { AddingNotes, type PickedPhoto } from './adding-notes.js';
import {
  PhotoStorage,
  type CopiedPhoto,
  type FindDoubt,
  type FoundCopy,
  type PhotoStorageOptions,
} from './photo-storage.js';
import { Removals, type Removal } from './removals.js';
import { compareRecords, forOtherAccount, readRecord, type PhotoRecord } from './photo-record.js';
import { PhotosInSight } from './photos-in-sight.js';
import { notSent, type UploadItem, type UploadSummary } from './upload-item.js';

export interface UploadListOptions extends PhotoStorageOptions {
  /** Whether photos wait for {@link UploadList.release} before their upload may begin; default false. */
  readonly asksFirst?: boolean;
  /** At most this many bytes of removed photos are kept besides those of the newest removal; default 10 GB. */
  readonly mostKeptBytes?: number;
}

/** A complete copy of a photo that is not on the list. Name and type are null where they were lost. */
export interface FoundPhoto extends FoundCopy {
  readonly name: string | null;
  readonly type: string | null;
}

const MOST_KEPT_BYTES = 10e9;

/**
 * The durable list of photos. A photo enters it in this order: its bytes into the spool, its record
 * into durable storage, then into sight. It leaves in the order note, spool, record. So a kill at any
 * moment leaves a copy that is found, a whole entry, or one whose removal goes on. A photo that the
 * person removes is only taken out of sight, and can be put back until the next start (`removals.ts`).
 *
 * Every change of one photo costs the same however long the list is.
 */
export class UploadList {
  private readonly sight: PhotosInSight;
  private readonly storage: PhotoStorage;
  private readonly removals: Removals;
  private readonly adding: AddingNotes;

  /** Changes with every change of the list. */
  readonly summary: ReadableStore<UploadSummary>;

  constructor(private readonly options: UploadListOptions) {
    this.sight = new PhotosInSight(options.asksFirst ?? false);
    this.summary = this.sight.summary;
    this.adding = new AddingNotes(options.records);
    this.storage = new PhotoStorage({ ...options, makeRoom: () => this.removals.makeRoom() });
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
   * parts of the plugin store a few in the same place.
   * @throws {CwError} CW-702, CW-704
   */
  async load(): Promise<ReadonlyMap<string, string>> {
    const stored = await this.options.records.load();
    const removals = this.removals.restore(stored);
    const uploads = this.storage.restore(stored);
    const adding = this.adding.restore(stored);
    const removed = new Set([...removals.values()].flat());
    const uploaded = new Set([...uploads.values()].flat());
    const found: PhotoRecord[] = [];
    const others = new Map<string, string>();
    for (const [id, text] of stored) {
      const record = readRecord(id, text);
      // The copy of a record that cannot be read is left alone, too: a later version of the plugin may read it.
      this.storage.own(id);
      if (!record && !removals.has(id) && !uploads.has(id) && !adding.has(id)) {
        others.set(id, text);
      }
      if (!record || uploaded.has(id)) {
        continue;
      }
      if (removed.has(id)) {
        this.removals.noteAddress(record);
      } else if (this.get(id) === null) {
        found.push(record);
      }
    }
    for (const id of [...removed, ...uploaded]) {
      this.storage.own(id);
    }
    found.sort(compareRecords);
    this.sight.add(found.map(notSent));
    return others;
  }

  /**
   * Deletes what earlier runs removed or uploaded. Call after `load`, at any time.
   * @throws {CwError} CW-702 to CW-704; then the next start does it
   */
  async clearEarlier(): Promise<void> {
    await this.removals.clearEarlier();
    await this.storage.clearEarlier();
  }

  /** Addresses of uploads at the service that belong to photos now gone for good; each is given once. */
  takeAbandoned(): readonly string[] {
    return this.removals.takeAddresses();
  }

  /**
   * Deletes copies that a kill cut short. Call after `load`, at any time. A copy that cannot be deleted now stays. If
   * another copy of the plugin has taken the list over, all stay: they may belong to its photos.
   * @throws {CwError} CW-702 when storage cannot be read
   */
  async clearIncoming(): Promise<void> {
    await this.storage.clearIncoming();
  }

  /**
   * Finds complete copies of photos that are not on the list, because their records were lost. Each is given once.
   * @throws {CwError} CW-702 when storage cannot be read
   */
  async findUnlisted(): Promise<readonly FoundPhoto[]> {
    const copies = await this.storage.findUnlisted();
    return copies.map((copy) => ({
      name: null,
      type: null,
      ...this.adding.find(copy.id),
      ...copy,
    }));
  }

  /** Call when the person has decided about the photos that were found. @throws {CwError} CW-702 to CW-704 */
  async forgetFound(): Promise<void> {
    await this.adding.clearEarlier();
  }

  /**
   * Makes a photo safe and puts it at the end of the list.
   * @throws {CwError} as {@link copy} and {@link add}
   */
  async enqueue(
    photo: PhotoSource,
    signal: CancelSignal = NEVER_CANCELLED,
    findDoubt?: FindDoubt,
  ): Promise<void> {
    const copied = await this.copy(photo, this.pick(photo).id, signal);
    try {
      await this.add(copied, findDoubt);
    } catch (error) {
      if (error instanceof CwError && error.code === 'CW-703') {
        await this.takeBack(copied.id);
      }
      throw error;
    }
  }

  /** Gives a photo its id. */
  pick(photo: PhotoSource): PickedPhoto & { readonly photo: PhotoSource } {
    const { name, type, id = this.options.newId() } = photo;
    return { id, name, type, photo };
  }

  /**
   * Names photos in storage before they are copied, so that copies keep their names whatever happens.
   * @returns a function to call when all of them are queued or refused
   */
  beginAdding(photos: readonly PickedPhoto[]): Promise<() => void> {
    return this.adding.begin(photos, this.options.newId());
  }

  /**
   * Makes the copy of a photo, before it gets onto the list.
   * @throws {CwError} CW-601 empty, CW-602 unreadable, CW-608 no size, CW-702, CW-703, CW-704; CancelledError. Then
   *   nothing of it is left
   */
  copy(photo: PhotoSource, id: string, signal: CancelSignal): Promise<CopiedPhoto> {
    return this.storage.copy(photo, id, signal);
  }

  /**
   * Puts a photo that has a copy at the end of the list.
   * @param findDoubt  asked about the copy, by its id and size. Its answer is the record's `failure` from the
   *   beginning, so that no restart sends the photo unasked
   * @param owner  the record's owner
   * @throws {CwError} CW-702, CW-703: the copy stays, and this can be tried again. CW-704: the photo may be on the list of
   *   the other copy of the plugin
   */
  async add(
    copied: CopiedPhoto,
    findDoubt: FindDoubt = () => Promise.resolve(null),
    owner: string | null = null,
  ): Promise<void> {
    const takePosition = (): number => this.sight.takePosition();
    this.sight.add([notSent(await this.storage.add(copied, findDoubt, owner, takePosition))]);
  }

  /** Deletes the copy of a photo that does not get onto the list. Never rejects. */
  takeBack(id: string): Promise<void> {
    return this.storage.takeBack(id);
  }

  /** A photo in sight; null when none has this id. */
  get(id: string): UploadItem | null {
    return this.sight.get(id);
  }

  /** Whether anything in the list has not arrived yet. */
  get hasUnsent(): boolean {
    return this.sight.hasUnsent;
  }

  /** All photos in sight, those that arrived included. */
  get all(): readonly string[] {
    return this.sight.all;
  }

  /** How many photos that have not arrived yet each owner has. Changes before `summary` does. */
  get owners(): ReadonlyMap<string | null, number> {
    return this.sight.owners;
  }

  /** Photos that have not arrived yet and whose owner is accepted. Reads the whole list. */
  unsentOf(accepts: (owner: string | null) => boolean): readonly string[] {
    return this.sight.unsentOf(accepts);
  }

  /**
   * Gives photos that have not arrived yet another owner: in memory at once, in storage one by one.
   * @throws {CwError} CW-702 to CW-704; then some keep their owners in storage
   */
  async setOwner(ids: readonly string[], owner: string | null): Promise<void> {
    for (const id of ids) {
      const item = this.get(id);
      if (item && item.phase !== 'uploaded') {
        this.sight.change(item, { record: { ...item.record, owner } });
      }
    }
    for (const id of ids) {
      await this.save(id);
    }
  }

  /** Photos that failed for this reason. */
  failedFor(failure: ErrorCode): readonly string[] {
    return this.sight.failedFor(failure);
  }

  /** Up to `count` photos from place `start`, in the order of the list. */
  slice(start: number, count: number): readonly UploadItem[] {
    return this.sight.slice(start, count);
  }

  /** Takes the next waiting photo and marks it as uploading; null when none waits. */
  takeNext(): UploadItem | null {
    return this.sight.takeNext();
  }

  /** Puts a photo whose upload was interrupted back to the front of those waiting; several keep their order. */
  putBack(id: string): void {
    this.sight.putBack(id);
  }

  /** Puts a photo whose upload was interrupted to the end of those waiting. */
  putLast(id: string): void {
    this.sight.putLast(id);
  }

  /** Takes what has arrived out of sight and out of the sums. */
  forgetArrived(): void {
    this.sight.forgetArrived();
  }

  /** Notes how many bytes of a photo have been sent, and how many the service has confirmed. */
  progress(id: string, sentBytes: number, confirmedBytes: number): void {
    const item = this.get(id);
    if (item?.phase !== 'uploading') {
      return;
    }
    this.sight.change(item, { sentBytes, confirmedBytes });
  }

  /**
   * Stores the upload's address, so that a restart resumes instead of starting over. Settles when it is in storage.
   * @throws {CwError} CW-702 to CW-704; then the list forgets it, so that the next call writes it again
   */
  async setUploadUrl(id: string, uploadUrl: string): Promise<void> {
    const before = this.get(id)?.record.uploadUrl ?? null;
    if (before === uploadUrl) {
      return;
    }
    try {
      await this.changeUnsent(id, { uploadUrl });
    } catch (error) {
      const item = this.get(id);
      if (item?.record.uploadUrl === uploadUrl) {
        this.sight.change(item, { record: { ...item.record, uploadUrl: before } });
      }
      throw error;
    }
  }

  /** Notes that the upload is begun anew because the service held other bytes. @throws {CwError} CW-702 to CW-704 */
  async startOver(id: string): Promise<void> {
    await this.changeUnsent(id, { uploadUrl: null, startedOver: true });
  }

  /** Notes why the upload under way cannot succeed. */
  async fail(id: string, failure: ErrorCode): Promise<void> {
    const item = this.get(id);
    if (item?.phase !== 'uploading') {
      return;
    }
    this.sight.change(item, { phase: 'failed', record: { ...item.record, failure } });
    await this.save(id);
  }

  /**
   * Up to `count` photos that wait for {@link release}, in the order of their turns.
   * @param except  photos to leave out, by their ids
   */
  unasked(count: number, except?: ReadonlyMap<string, unknown>): readonly PhotoRecord[] {
    return this.sight.waiting.firstUnasked(count, except);
  }

  /** Lets photos begin that were held back. @param ids  in the order in which `unasked` gave them */
  release(ids: readonly string[]): void {
    this.sight.waiting.release(ids);
  }

  /** To be called when somebody else may be connected: photos that have not begun wait for {@link release} again. */
  askAgain(): void {
    this.sight.waiting.askAgain();
  }

  /**
   * To be called when another account is connected: forgets which photos the service of the account before holds, and
   * what the person decided about those. In memory at once, in storage one by one.
   * @throws {CwError} CW-702 to CW-704; then the change must be made again at the next start
   */
  async forgetAnswers(): Promise<void> {
    const changed: string[] = [];
    for (const id of this.unsentOf(() => true)) {
      const item = this.get(id);
      const record = item && forOtherAccount(item.record);
      if (item && record && record !== item.record) {
        const phase = record.failure === null && item.phase === 'failed' ? 'waiting' : item.phase;
        this.sight.change(item, { record, phase });
        changed.push(id);
      }
    }
    this.sight.waiting.forgetAnswers();
    for (const id of changed) {
      await this.save(id);
    }
  }

  /** Sets a waiting photo aside as failed: the person decides what becomes of it. */
  async setAside(id: string, failure: ErrorCode): Promise<void> {
    const item = this.get(id);
    if (item?.phase !== 'waiting') {
      return;
    }
    this.sight.change(item, { phase: 'failed', record: { ...item.record, failure } });
    await this.save(id);
  }

  /** Puts a failed photo back to the end of those waiting. */
  async retry(id: string): Promise<void> {
    if (this.sight.waitAgain(id)) {
      await this.save(id);
    }
  }

  /**
   * Puts photos that failed for this reason back to the end of those waiting: in memory at once, in storage one by one.
   */
  async retryFailed(failure: ErrorCode): Promise<void> {
    const ids = this.failedFor(failure).filter((id) => this.sight.waitAgain(id));
    for (const id of ids) {
      await this.save(id);
    }
  }

  /** Puts a photo to the front of those waiting; one that failed is tried again. */
  async makeNext(id: string): Promise<void> {
    if (this.sight.makeNext(id)) {
      await this.save(id);
    }
  }

  /** Call when the service has confirmed the last byte: the next `clearFinished` deletes record and copy. */
  finish(id: string): void {
    const item = this.get(id);
    if (!item) {
      return;
    }
    this.sight.finish(item);
    this.storage.noteUploaded(id);
  }

  /** Clears away all photos that arrived, in one step, including those that an earlier try failed to clear. */
  async clearFinished(): Promise<void> {
    await this.storage.clearUploaded();
  }

  /**
   * Takes photos off the list, out of sight at once; `undoRemoval` puts them back, all together. Uploads of theirs must
   * have been stopped before. A photo that has arrived meanwhile stays.
   * @throws {CwError} CW-702 to CW-704; then a restart may bring them back
   */
  async remove(ids: readonly string[]): Promise<void> {
    const items = ids
      .flatMap((id) => this.get(id) ?? [])
      .filter(({ phase }) => phase !== 'uploaded');
    if (items.length === 0) {
      return;
    }
    this.sight.takeOut(items);
    await this.removals.add({ items });
  }

  /**
   * Removes photos that {@link findUnlisted} has found, as {@link remove} does.
   * @param owner  the owner of their records
   * @throws {CwError} CW-702 to CW-704; then they are found again at the next start
   */
  async removeFound(photos: readonly CopiedPhoto[], owner: string | null = null): Promise<void> {
    const items = photos.map((photo) =>
      notSent(this.storage.recordOf(photo, null, owner, this.sight.takePosition())),
    );
    // The note goes first: without it, a record would put its photo on the list at the next start.
    await this.removals.add({ items });
    for (const { record } of items) {
      await this.storage.save(record);
    }
  }

  /** The removal that `undoRemoval` takes back; null when there is none. */
  get newestRemoval(): Removal | null {
    return this.removals.newest;
  }

  /**
   * Puts the photos of the newest removal back where they were.
   * @throws {CwError} CW-702 to CW-704; then it can be tried again
   */
  async undoRemoval(): Promise<void> {
    const removed = await this.removals.undo();
    const items = removed.map(({ record, confirmedBytes }): UploadItem => {
      const phase = record.failure === null ? 'waiting' : 'failed';
      return { record, phase, confirmedBytes, sentBytes: confirmedBytes };
    });
    this.sight.putIn(items);
  }

  /** Takes photos that have arrived out of sight and out of the sums, and clears them away in storage. */
  async clearArrived(): Promise<void> {
    this.forgetArrived();
    await this.clearFinished();
  }

  private async changeUnsent(id: string, change: Partial<PhotoRecord>): Promise<void> {
    const item = this.get(id);
    if (!item || item.phase === 'uploaded') {
      return;
    }
    this.sight.change(item, { record: { ...item.record, ...change } });
    await this.save(id);
  }

  /** Writes the record as it is now; does nothing for a photo that has arrived or left the list meanwhile. */
  private async save(id: string): Promise<void> {
    const item = this.get(id);
    if (!item || item.phase === 'uploaded') {
      return;
    }
    await this.storage.save(item.record);
  }
}
