import type { ErrorCode } from '../../util/errors.js';
import { LinkedSet } from '../../util/linked-set.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { ProjectRef } from '../../api/project.js';
import {
  compareRecords,
  forOtherAccount,
  hasBegun,
  withoutBegin,
  withRetry,
  type PhotoRecord,
} from './photo-record.js';
import type { CopiedPhoto, PhotoStore } from './photo-store.js';
import {
  applyToSummary,
  EMPTY_SUMMARY,
  newItem,
  type UploadItem,
  type UploadSummary,
} from './upload-item.js';

export interface UploadQueueOptions {
  readonly photoStore: PhotoStore;
  /** Whether photos wait for {@link UploadQueue.markChecked} before their upload may begin; default false. */
  readonly checksForDuplicates?: boolean;
}

/** Returns why a copy needs confirmation, by its id and size in bytes; null when it can be sent. */
export type ValidateCopy = (id: string, size: number) => Promise<ErrorCode | null>;

/** An uploaded photo stays visible until this many newer ones are uploaded. */
const MAX_UPLOADED_SHOWN = 50;

/**
 * The photos on the list, in memory: their order and their sums. Every change that has to outlast a restart is also
 * written to the {@link PhotoStore}.
 *
 * A photo enters the list in this order: its bytes into the spool, its record into durable storage, then into this
 * queue. It leaves in the order note, spool, record. So a kill at any moment leaves a copy that is found, a whole
 * entry, or a removal that continues. A photo that the user removes only leaves this queue, and can be put back until
 * the next start.
 *
 * Waiting photos are in lines: those that may begin, those not yet checked for duplicates (duplicate-check.ts), those
 * with an open question about an earlier version, those that the session may not upload to their project, and those of
 * which an earlier version is still to be uploaded: the service takes the last one to arrive for the newest.
 *
 * Every change of one photo costs the same however long the list is.
 */
export class UploadQueue {
  private readonly items = new Map<string, UploadItem>();
  /** All photos, in the order shown. Those waiting are in the order of their turns. */
  private readonly shown = new LinkedSet<string>();
  /** The photos that wait and may begin, in the order of their turns. */
  private readonly ready = new LinkedSet<string>();
  /** The photos that wait for the duplicate check, in the order of their turns. */
  private readonly toCheck = new LinkedSet<string>();
  /** The photos with an open question about an earlier version, in the order of their turns. */
  private readonly asking = new LinkedSet<string>();
  /** The photos that go to a project, while the session lacks the scope for that, in the order of their turns. */
  private readonly refused = new LinkedSet<string>();
  /** The photos that come after an earlier version of the same document, in the order of their turns. */
  private readonly later = new LinkedSet<string>();
  private readonly lines = [this.ready, this.toCheck, this.asking, this.refused, this.later];
  /** The photos that wait or are being uploaded, by the identities of their documents. */
  private readonly versions = new Map<string, Set<string>>();
  private readonly asked = new Set<string>();
  private holdsProjects = false;
  /** Photos that need no check in this run: it was made, or their upload has begun. */
  private readonly checked = new Set<string>();
  /** The photos whose upload has begun and is not over, with the number of `beginnings` at that time. */
  private readonly startOrder = new Map<string, number>();
  private beginnings = 0;
  private readonly failed = new Set<string>();
  private readonly uploaded = new LinkedSet<string>();
  /** How many photos that are not uploaded yet each owner has. */
  private readonly unsentByOwner = new Map<string | null, number>();
  private nextPosition = 0;
  private topPriority = 0;
  private readonly photoStore: PhotoStore;
  private readonly checksForDuplicates: boolean;
  private readonly sums = new Observable<UploadSummary>(EMPTY_SUMMARY);

  /** Changes with every change of a photo. */
  readonly summary: ReadableObservable<UploadSummary> = this.sums;

  constructor({ photoStore, checksForDuplicates = false }: UploadQueueOptions) {
    this.photoStore = photoStore;
    this.checksForDuplicates = checksForDuplicates;
  }

  /**
   * Brings back what an earlier run left.
   * @returns the records that are no photos, by their keys
   * @throws {CwError} CW-702, CW-704
   */
  async load(): Promise<ReadonlyMap<string, string>> {
    const { photos, others } = await this.photoStore.load();
    this.append(photos.filter(({ id }) => !this.items.has(id)).map(newItem));
    return others;
  }

  /**
   * Puts a photo that has a copy at the end of the list.
   * @param validate  called with the copy's id and size. Its result is the record's `failure` from the
   *   beginning, so that no restart sends the photo without confirmation
   * @param owner  the record's owner
   * @throws {CwError} CW-702, CW-703: the copy stays, and this can be tried again. CW-704: the photo may be on the list of
   *   the other instance of the plugin
   */
  async add(
    copied: CopiedPhoto,
    validate: ValidateCopy = () => Promise.resolve(null),
    owner: string | null = null,
  ): Promise<void> {
    const failure = await validate(copied.id, copied.size);
    const record = this.photoStore.newRecord(copied, failure, owner, this.takePosition());
    await this.photoStore.add(record);
    this.append([newItem(record)]);
  }

  /** A photo of the list; null when none has this id. */
  get(id: string): UploadItem | null {
    return this.items.get(id) ?? null;
  }

  /** How many photos wait until the session has the scope to upload to a project. */
  get waitingForPermission(): number {
    return this.refused.size;
  }

  /** Whether no upload is under way, and none can begin without the user. */
  get isIdle(): boolean {
    return this.sums.get().uploading + this.ready.size + this.toCheck.size === 0;
  }

  /** Whether any photo on the list is not uploaded yet. */
  get hasUnsent(): boolean {
    const { waiting, uploading, failed } = this.sums.get();
    return waiting + uploading + failed > 0;
  }

  /** All photos of the list, including uploaded ones. */
  get all(): readonly string[] {
    return [...this.shown];
  }

  /** How many photos each owner still has to upload. Changes before `summary` does. */
  get owners(): ReadonlyMap<string | null, number> {
    return this.unsentByOwner;
  }

  /** Photos not uploaded yet whose owner is accepted. Reads the whole list. */
  pendingOf(accepts: (owner: string | null) => boolean): readonly string[] {
    return [...this.shown].filter((id) => {
      const item = this.items.get(id);
      return item !== undefined && item.phase !== 'uploaded' && accepts(item.record.owner);
    });
  }

  /**
   * Gives photos that are not uploaded yet another owner: in memory at once, in storage one by one.
   * @throws {CwError} CW-702 to CW-704; then some keep their owners in storage
   */
  async setOwner(ids: readonly string[], owner: string | null): Promise<void> {
    for (const id of ids) {
      const item = this.get(id);
      if (item && item.phase !== 'uploaded') {
        this.change(item, { record: { ...item.record, owner } });
      }
    }
    await this.saveAll(ids);
  }

  /** Photos that failed for this reason. */
  failedFor(failure: ErrorCode): readonly string[] {
    return [...this.failed].filter((id) => this.items.get(id)?.record.failure === failure);
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
    const id = this.ready.first;
    const item = id === null ? null : this.get(id);
    if (!item) {
      return null;
    }
    this.beginnings += 1;
    this.startOrder.set(item.record.id, this.beginnings);
    this.checked.add(item.record.id);
    return this.change(item, { phase: 'uploading' });
  }

  /** Puts a photo whose upload was interrupted back to the front of those waiting; several keep their order. */
  putBack(id: string): void {
    const item = this.get(id);
    if (item?.phase !== 'uploading') {
      return;
    }
    // `sentBytes` stays until the service reports its offset.
    this.change(item, { phase: 'waiting' });
    if (!this.ready.has(id)) {
      return;
    }
    const own = this.startOrder.get(id) ?? 0;
    let successor: string | null = null;
    for (const other of this.ready) {
      // Only other interrupted photos can come before it, never more than a handful: the loop is short.
      if (other !== id && (this.startOrder.get(other) ?? Infinity) > own) {
        successor = other;
        break;
      }
    }
    this.ready.insert(id, successor);
    this.shown.insert(id, successor);
  }

  /** Puts a photo whose upload was interrupted to the end of those waiting. */
  putLast(id: string): void {
    const item = this.get(id);
    if (item?.phase !== 'uploading') {
      return;
    }
    this.startOrder.delete(id);
    this.change(item, { phase: 'waiting' });
    this.shown.insert(id);
  }

  /** Notes how many bytes of a photo have been sent, and how many the service has confirmed. */
  progress(id: string, sentBytes: number, confirmedBytes: number): void {
    const item = this.get(id);
    if (item?.phase === 'uploading') {
      this.change(item, { sentBytes, confirmedBytes });
    }
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
        this.change(item, { record: { ...item.record, uploadUrl: before } });
      }
      throw error;
    }
  }

  /** Records that a creation may reach the service from now on. @throws {CwError} CW-702 to CW-704 */
  async begin(id: string): Promise<void> {
    await this.changeUnsent(id, { begun: true });
  }

  /** Records that the upload restarts because the service held other bytes. @throws {CwError} CW-702 to CW-704 */
  async startOver(id: string): Promise<void> {
    await this.changeUnsent(id, { uploadUrl: null, restarted: true });
  }

  /** Notes why the upload under way cannot succeed. @throws {CwError} CW-702 to CW-704 */
  async fail(id: string, failure: ErrorCode): Promise<void> {
    await this.failIf('uploading', id, failure);
  }

  /**
   * Sets a waiting photo aside as failed, for the user to decide.
   * @throws {CwError} CW-702 to CW-704
   */
  async setAside(id: string, failure: ErrorCode): Promise<void> {
    await this.failIf('waiting', id, failure);
  }

  /**
   * Puts back a photo whose upload the session may not create in its project. It waits, with all others that go to a
   * project, for {@link allowProjects}.
   */
  refuseProject(id: string): void {
    const item = this.get(id);
    if (item?.phase !== 'uploading') {
      return;
    }
    this.holdsProjects = true;
    this.startOrder.delete(id);
    this.change(item, { phase: 'waiting', sentBytes: 0, record: withoutBegin(item.record) });
    const others = [...this.ready, ...this.toCheck, ...this.asking];
    this.sortAgain(
      others.filter((other) => {
        const record = this.get(other)?.record;
        return record && this.lineOf(record) === this.refused;
      }),
    );
  }

  /** Call when the session may upload to projects, or another session has begun. */
  allowProjects(): void {
    if (this.holdsProjects) {
      this.holdsProjects = false;
      this.sortAgain([...this.refused]);
    }
  }

  /**
   * Changes the project of photos whose upload has not begun: in memory at once, in storage one by one. One that failed
   * because of its project waits again.
   * @throws {CwError} CW-702 to CW-704; then some keep their projects in storage
   */
  async setProject(ids: readonly string[], project: ProjectRef | null): Promise<void> {
    const changed = ids.filter((id) => {
      const item = this.get(id);
      return (
        item &&
        (item.phase === 'waiting' || item.phase === 'failed') &&
        !hasBegun(item.record) &&
        (item.record.project?.id !== project?.id || item.record.failure === 'CW-612')
      );
    });
    for (const id of changed) {
      if (this.get(id)?.record.failure === 'CW-612') {
        this.waitAgain(id);
      }
      const item = this.get(id);
      if (item) {
        this.checked.delete(id);
        this.asked.delete(id);
        this.startOrder.delete(id);
        this.change(item, { record: { ...item.record, project } });
      }
    }
    this.sortAgain(changed);
    await this.saveAll(changed);
  }

  /** Holds photos that wait for the check back until {@link setReplaces}. */
  askAbout(ids: readonly string[]): void {
    const unchecked = ids.filter((id) => this.toCheck.has(id));
    for (const id of unchecked) {
      this.asked.add(id);
    }
    this.sortAgain(unchecked);
  }

  /** Whether a photo waits for an answer about an earlier version. */
  isAsked(id: string): boolean {
    return this.asked.has(id);
  }

  /**
   * Stores which uploads photos replace, then lets them begin. So no restart prompts again, and the upload cannot have been created
   * with another answer.
   * @param replaces  by the ids of the photos
   * @throws {CwError} CW-702 to CW-704; they begin anyway
   */
  async setReplaces(replaces: ReadonlyMap<string, string>): Promise<void> {
    const ids = [...replaces.keys()].filter((id) => this.asked.has(id));
    for (const id of ids) {
      const item = this.get(id);
      if (item) {
        const record = { ...item.record, replaces: replaces.get(id) ?? 'none' };
        this.change(item, { record });
      }
    }
    try {
      await this.saveAll(ids);
    } finally {
      // Those that another account or another project has made undecided wait for the check.
      const decided = ids.filter(
        (id) => this.asked.has(id) && this.get(id)?.record.replaces !== null,
      );
      for (const id of decided) {
        this.asked.delete(id);
        this.checked.add(id);
      }
      this.sortAgain(decided);
    }
  }

  /**
   * Up to `count` photos that wait for {@link markChecked}, in the order of their turns.
   * @param except  photos to leave out, by their ids
   */
  unchecked(count: number, except?: ReadonlyMap<string, unknown>): readonly PhotoRecord[] {
    const found: PhotoRecord[] = [];
    for (const id of this.toCheck) {
      if (found.length >= count) {
        break;
      }
      const item = this.get(id);
      if (item && except?.has(id) !== true) {
        found.push(item.record);
      }
    }
    return found;
  }

  /** Lets photos begin that waited for the check. @param ids  in the order in which `unchecked` gave them */
  markChecked(ids: readonly string[]): void {
    const waiting: PhotoRecord[] = [];
    for (const id of ids) {
      const item = this.get(id);
      if (item && this.toCheck.has(id)) {
        waiting.push(item.record);
        this.checked.add(id);
      }
    }
    this.sortIntoLines(waiting);
  }

  /** Call when another account may be connected: photos that have not begun wait for the check again. */
  recheckAll(): void {
    this.checked.clear();
    const waiting = [...this.ready].flatMap((id) => {
      const item = this.get(id);
      return item && !this.startOrder.has(id) && this.lineOf(item.record) === this.toCheck
        ? [item.record]
        : [];
    });
    for (const id of this.startOrder.keys()) {
      this.checked.add(id);
    }
    this.asked.clear();
    this.sortIntoLines(waiting);
    this.sortAgain([...this.asking]);
  }

  /**
   * Call when another account is connected: clears the duplicates found for the previous account and the user's
   * decisions about them. All checks become invalid, even for photos that have begun. In memory at once, in storage one
   * by one.
   * @throws {CwError} CW-702 to CW-704; then the change must be made again at the next start
   */
  async forgetAnswers(): Promise<void> {
    const changed: string[] = [];
    for (const id of this.pendingOf(() => true)) {
      const item = this.get(id);
      const record = item && forOtherAccount(item.record);
      if (item && record && record !== item.record) {
        const phase = record.failure === null && item.phase === 'failed' ? 'waiting' : item.phase;
        this.change(item, { record, phase });
        changed.push(id);
      }
    }
    this.startOrder.clear();
    this.recheckAll();
    await this.saveAll(changed);
  }

  /** Puts a failed photo back to the end of those waiting. @throws {CwError} CW-702 to CW-704 */
  async retry(id: string): Promise<void> {
    if (this.waitAgain(id)) {
      await this.saveAll([id]);
    }
  }

  /**
   * Puts photos that failed for this reason back to the end of those waiting: in memory at once, in storage one by one.
   * @throws {CwError} CW-702 to CW-704
   */
  async retryFailed(failure: ErrorCode): Promise<void> {
    await this.saveAll(this.failedFor(failure).filter((id) => this.waitAgain(id)));
  }

  /**
   * Puts a photo to the front of those waiting; one that failed is tried again.
   * @throws {CwError} CW-702 to CW-704
   */
  async makeNext(id: string): Promise<void> {
    this.waitAgain(id);
    const item = this.get(id);
    if (item?.phase !== 'waiting') {
      return;
    }
    this.topPriority += 1;
    const line = this.lineOf(item.record);
    this.startOrder.delete(id);
    line.insert(id, line.first);
    this.shown.insert(id, this.firstWaiting());
    this.change(item, { record: { ...item.record, priority: this.topPriority } });
    await this.saveAll([id]);
  }

  private firstWaiting(): string | null {
    for (const id of this.shown) {
      if (this.get(id)?.phase === 'waiting') {
        return id;
      }
    }
    return null;
  }

  /**
   * Call when the service has confirmed the last byte: the next `clearUploaded` of the store deletes record and copy.
   * The photo stays on the list until enough newer ones are uploaded.
   */
  finish(id: string): void {
    const item = this.get(id);
    if (!item) {
      return;
    }
    const { size } = item.record;
    this.change(item, { phase: 'uploaded', sentBytes: size, confirmedBytes: size });
    const outdated = this.uploaded.size > MAX_UPLOADED_SHOWN ? this.uploaded.first : null;
    if (outdated !== null) {
      this.forget(outdated);
    }
    this.photoStore.noteUploaded(id);
  }

  /** Removes uploaded photos from the list and from the sums. */
  forgetUploaded(): void {
    for (const id of [...this.uploaded]) {
      this.forget(id);
    }
    this.sums.set(applyToSummary(EMPTY_SUMMARY, [...this.items.values()], 1));
  }

  /**
   * Removes photos from the list at once; `undoRemoval` puts them back, all together. Stop their uploads first. A photo
   * that was uploaded in the meantime stays.
   * @throws {CwError} CW-702 to CW-704; then a restart may bring them back
   */
  async remove(ids: readonly string[]): Promise<void> {
    const items = ids
      .flatMap((id) => this.get(id) ?? [])
      .filter(({ phase }) => phase !== 'uploaded');
    if (items.length === 0) {
      return;
    }
    for (const { record } of items) {
      this.forget(record.id);
    }
    this.sums.set(applyToSummary(this.sums.get(), items, -1));
    await this.photoStore.addRemoval({ items });
  }

  /**
   * Removes photos that the store's `findUnlisted` has found, as {@link remove} does.
   * @param owner  the owner of their records
   * @throws {CwError} CW-702 to CW-704; then they are found again at the next start
   */
  async removeFound(photos: readonly CopiedPhoto[], owner: string | null = null): Promise<void> {
    const items = photos.map((photo) =>
      newItem(this.photoStore.newRecord(photo, null, owner, this.takePosition())),
    );
    // The note goes first: without it, a record would put its photo on the list at the next start.
    await this.photoStore.addRemoval({ items });
    for (const { record } of items) {
      await this.photoStore.save(record);
    }
  }

  /**
   * Puts the photos of the newest removal back where they were.
   * @throws {CwError} CW-702 to CW-704; then it can be tried again
   */
  async undoRemoval(): Promise<void> {
    const removed = await this.photoStore.undoRemoval();
    const items = removed.map(({ record, confirmedBytes }): UploadItem => {
      const phase = record.failure === null ? 'waiting' : 'failed';
      return { record, phase, confirmedBytes, sentBytes: confirmedBytes };
    });
    items.sort((a, b) => compareRecords(a.record, b.record));
    // Goes through the list once, however many come back.
    const others = [...this.shown].filter((id) => this.get(id)?.phase === 'waiting');
    for (const item of items) {
      this.place(item);
    }
    const waiting = items.filter(({ phase }) => phase === 'waiting').map(({ record }) => record);
    this.sortIntoLines(waiting);
    const places = this.placesIn(others, waiting);
    waiting.forEach(({ id }, index) => {
      this.shown.insert(id, places[index] ?? null);
    });
    this.sums.set(applyToSummary(this.sums.get(), items, 1));
  }

  /** Gives the next position and counts on. */
  private takePosition(): number {
    this.nextPosition += 1;
    return this.nextPosition - 1;
  }

  /** Puts photos at the end of the list, in this order. */
  private append(items: readonly UploadItem[]): void {
    for (const item of items) {
      this.place(item);
    }
    this.sums.set(applyToSummary(this.sums.get(), items, 1));
  }

  /** Puts a photo at the end of everything it belongs to. The sums stay. */
  private place(item: UploadItem): void {
    const { id, position, priority } = item.record;
    this.items.set(id, item);
    this.countOwner(item, 1);
    this.updateVersions(item);
    this.shown.insert(id);
    this.enter(item);
    this.nextPosition = Math.max(this.nextPosition, position + 1);
    this.topPriority = Math.max(this.topPriority, priority);
  }

  /** Puts a failed photo back to the end of those waiting, in memory. @returns whether it had failed */
  private waitAgain(id: string): boolean {
    const item = this.get(id);
    if (item?.phase !== 'failed') {
      return false;
    }
    this.change(item, { phase: 'waiting', sentBytes: 0, record: withRetry(item.record) });
    this.shown.insert(id);
    return true;
  }

  private async failIf(phase: UploadItem['phase'], id: string, failure: ErrorCode): Promise<void> {
    const item = this.get(id);
    if (item?.phase !== phase) {
      return;
    }
    // The service has refused the creation, so no upload exists there.
    const record = failure === 'CW-612' ? withoutBegin(item.record) : item.record;
    this.change(item, { phase: 'failed', record: { ...record, failure } });
    await this.saveAll([id]);
  }

  private async changeUnsent(id: string, change: Partial<PhotoRecord>): Promise<void> {
    const item = this.get(id);
    if (!item || item.phase === 'uploaded') {
      return;
    }
    this.change(item, { record: { ...item.record, ...change } });
    await this.saveAll([id]);
  }

  /** Writes each record as it is when its write begins. Skips photos that are uploaded or removed by then. */
  private async saveAll(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const item = this.get(id);
      if (item && item.phase !== 'uploaded') {
        await this.photoStore.save(item.record);
      }
    }
  }

  /** Changes a photo in memory. @returns the changed item */
  private change(item: UploadItem, change: Partial<UploadItem>): UploadItem {
    const next = { ...item, ...change };
    const { id } = item.record;
    this.items.set(id, next);
    this.countOwner(item, -1);
    this.countOwner(next, 1);
    if (next.phase !== item.phase) {
      this.leave(id);
      if (next.phase !== 'waiting' && next.phase !== 'uploading') {
        this.startOrder.delete(id);
      }
      this.updateVersions(next);
      this.enter(next);
    }
    // By the difference, so that a change costs the same however long the list is.
    const without = applyToSummary(this.sums.get(), [item], -1);
    this.sums.set(applyToSummary(without, [next], 1));
    return next;
  }

  /** Puts a photo at the end of the photos in its phase. */
  private enter({ phase, record }: UploadItem): void {
    if (phase === 'waiting') {
      this.lineOf(record).insert(record.id);
    } else if (phase === 'failed') {
      this.failed.add(record.id);
    } else if (phase === 'uploaded') {
      this.uploaded.insert(record.id);
    }
  }

  private leave(id: string): void {
    this.leaveLines(id);
    this.failed.delete(id);
    this.uploaded.delete(id);
  }

  private leaveLines(id: string): void {
    for (const line of this.lines) {
      line.delete(id);
    }
  }

  /** Takes a photo off the list, in memory. The sums stay. */
  private forget(id: string): void {
    const item = this.items.get(id);
    if (item) {
      this.countOwner(item, -1);
    }
    this.items.delete(id);
    this.shown.delete(id);
    this.leave(id);
    this.startOrder.delete(id);
    this.checked.delete(id);
    this.asked.delete(id);
    if (item) {
      this.updateVersions(item);
    }
  }

  /** Call when a photo enters or leaves the list, or its phase changes: later versions of its document wait for it. */
  private updateVersions({ record: { id, document } }: UploadItem): void {
    if (document === null) {
      return;
    }
    const versions = this.versions.get(document) ?? new Set();
    const phase = this.get(id)?.phase;
    const isDue = phase === 'waiting' || phase === 'uploading';
    if (isDue === versions.has(id)) {
      return;
    }
    const others = [...versions].filter((other) => other !== id);
    if (isDue) {
      this.versions.set(document, versions.add(id));
    } else if (others.length > 0) {
      versions.delete(id);
    } else {
      this.versions.delete(document);
    }
    const waiting = others.flatMap((other) => {
      const item = this.get(other);
      return item?.phase === 'waiting' ? [item.record] : [];
    });
    this.sortIntoLines(waiting.sort(compareRecords));
  }

  private hasEarlierVersion({ document, position }: PhotoRecord): boolean {
    for (const id of this.versions.get(document ?? '') ?? []) {
      if ((this.get(id)?.record.position ?? position) < position) {
        return true;
      }
    }
    return false;
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

  /** The line in which a photo waits. */
  private lineOf(record: PhotoRecord): LinkedSet<string> {
    const { id, uploadUrl, sendAgain, project } = record;
    if (this.holdsProjects && project !== null && uploadUrl === null) {
      return this.refused;
    }
    if (this.asked.has(id)) {
      return this.asking;
    }
    const isDue = uploadUrl === null && sendAgain !== true && !this.checked.has(id);
    if (this.checksForDuplicates && isDue) {
      return this.toCheck;
    }
    return this.hasEarlierVersion(record) ? this.later : this.ready;
  }

  /** Moves those of these photos that wait to their places, after the lines that they belong to have changed. */
  private sortAgain(ids: readonly string[]): void {
    if (ids.length === 0) {
      return;
    }
    const items = ids.flatMap((id) => this.get(id) ?? []);
    const waiting = items.filter(({ phase }) => phase === 'waiting').map(({ record }) => record);
    this.sortIntoLines(waiting.sort(compareRecords));
    // The open prompts have changed, though no sum has.
    this.sums.set({ ...this.sums.get() });
  }

  /** Moves waiting photos to their places: goes along each line once, however many they are. */
  private sortIntoLines(records: readonly PhotoRecord[]): void {
    for (const { id } of records) {
      this.leaveLines(id);
    }
    for (const line of this.lines) {
      const own = records.filter((record) => this.lineOf(record) === line);
      const places = this.placesIn(line, own);
      own.forEach(({ id }, index) => {
        line.insert(id, places[index] ?? null);
      });
    }
  }

  /**
   * Where photos belong among others: for each the id of the photo that comes after it, or null at the end.
   * @param order  the ids of the others, in the order of their turns
   * @param records  in the order of their turns
   */
  private placesIn(
    order: Iterable<string>,
    records: readonly PhotoRecord[],
  ): readonly (string | null)[] {
    const others = order[Symbol.iterator]();
    let other = others.next();
    return records.map((record) => {
      while (other.done !== true) {
        const known = this.get(other.value)?.record;
        if (known && compareRecords(record, known) < 0) {
          return other.value;
        }
        other = others.next();
      }
      return null;
    });
  }
}
