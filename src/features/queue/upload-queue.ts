import type { ErrorCode, NoSpaceCode } from '../../util/errors.js';
import { LinkedSet } from '../../util/linked-set.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { ProjectRef } from '../../api/project.js';
import {
  compareRecords,
  forOtherAccount,
  hasBegun,
  withoutBegin,
  withoutNoSpace,
  withRetry,
  type PhotoRecord,
} from './photo-record.js';
import type { CopiedPhoto, PhotoStore } from './photo-store.js';
import {
  nextState,
  phaseOf,
  PHOTO_STATES,
  type PhotoEvent,
  type PhotoState,
} from './photo-state.js';
import {
  applyToSummary,
  EMPTY_SUMMARY,
  type UploadItem,
  type UploadSummary,
} from './upload-item.js';

/** A photo on the list. `phase` follows from `state`. */
export interface QueuedPhoto extends UploadItem {
  readonly state: PhotoState;
  /**
   * The number of uploads of this run that had begun when its own did; Infinity for one that was put last. Null unless its
   * upload is under way or interrupted: so long its duplicate check counts.
   */
  readonly startOrder: number | null;
}

export interface UploadQueueOptions {
  readonly photoStore: PhotoStore;
  /** Whether photos wait for {@link UploadQueue.pass} before their upload may begin; default false. */
  readonly checksForDuplicates?: boolean;
}

/** Returns why a copy needs confirmation, by its id and size in bytes; null when it can be sent. */
export type ValidateCopy = (id: string, size: number) => Promise<ErrorCode | null>;

/** Events after which an interrupted upload is still one. */
const KEEP_START: readonly PhotoEvent[] = ['interrupt', 'hold', 'release'];

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
 * Every photo has one state (`photo-state.ts`), and every state has a line. Those of waiting photos are in the order of
 * their turns. A change of one photo costs the same however long the list is.
 */
export class UploadQueue {
  private readonly items = new Map<string, QueuedPhoto>();
  /** All photos, in the order shown. Those waiting are in the order of their turns. */
  private readonly shown = new LinkedSet<string>();
  private readonly lines = newLines();
  /** The ids of all photos, by their names: a new photo is compared with those of its name only. */
  private readonly byName = new Map<string, readonly string[]>();
  /** The photos that wait or are being uploaded, by the identities of their documents. */
  private readonly versions = new Map<string, Set<string>>();
  private holdsProjects = false;
  private beginnings = 0;
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
    this.append(photos.filter(({ id }) => !this.items.has(id)).map((record) => newPhoto(record)));
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
    this.append([newPhoto(record)]);
  }

  /** A photo of the list; null when none has this id. */
  get(id: string): QueuedPhoto | null {
    return this.items.get(id) ?? null;
  }

  /** How many photos wait until the session has the scope to upload to a project. */
  get waitingForPermission(): number {
    return this.lines.refused.size;
  }

  /** Whether no upload is under way, and none can begin without the user. */
  get isIdle(): boolean {
    const { uploading, ready, unchecked } = this.lines;
    return uploading.size + ready.size + unchecked.size === 0;
  }

  /** Whether any photo on the list is not uploaded yet. */
  get hasUnsent(): boolean {
    const { waiting, uploading, failed } = this.sums.get();
    return waiting + uploading + failed > 0;
  }

  /** The photos of the list that have this name. */
  named(name: string): readonly QueuedPhoto[] {
    return (this.byName.get(name) ?? []).flatMap((id) => this.get(id) ?? []);
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
      return item !== undefined && item.state !== 'uploaded' && accepts(item.record.owner);
    });
  }

  /**
   * Gives photos that are not uploaded yet another owner: in memory at once, in storage one by one.
   * @throws {CwError} CW-702 to CW-704; then some keep their owners in storage
   */
  async setOwner(ids: readonly string[], owner: string | null): Promise<void> {
    for (const id of ids) {
      const item = this.get(id);
      if (item && item.state !== 'uploaded') {
        this.change(item, { record: { ...item.record, owner } });
      }
    }
    await this.saveAll(ids);
  }

  /** Photos that failed for this reason. */
  failedFor(failure: ErrorCode): readonly string[] {
    return [...this.lines.failed].filter((id) => this.items.get(id)?.record.failure === failure);
  }

  /** Up to `count` photos from place `start`, in the order of the list. */
  slice(start: number, count: number): readonly QueuedPhoto[] {
    const found: QueuedPhoto[] = [];
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
  takeNext(): QueuedPhoto | null {
    const id = this.lines.ready.first;
    const item = id === null ? null : this.get(id);
    if (!item) {
      return null;
    }
    this.beginnings += 1;
    return this.apply(item, 'take', { startOrder: this.beginnings });
  }

  /** Puts a photo whose upload was interrupted back to the front of those waiting; several keep their order. */
  putBack(id: string): void {
    const item = this.get(id);
    if (!item) {
      return;
    }
    const { startOrder } = item;
    // `sentBytes` stays until the service reports its offset.
    const { state } = this.apply(item, 'interrupt');
    if (state !== 'ready') {
      return;
    }
    let successor: string | null = null;
    for (const other of this.lines.ready) {
      // Only other interrupted photos can come before it, never more than a handful: the loop is short.
      if (other !== id && (this.get(other)?.startOrder ?? Infinity) > (startOrder ?? 0)) {
        successor = other;
        break;
      }
    }
    this.lines.ready.insert(id, successor);
    this.shown.insert(id, successor);
  }

  /** Puts a photo whose upload was interrupted to the end of those waiting. */
  putLast(id: string): void {
    const item = this.get(id);
    if (item) {
      this.apply(item, 'interrupt', { startOrder: item.startOrder === null ? null : Infinity });
      this.shown.insert(id);
    }
  }

  /** Notes how many bytes of a photo have been sent, and how many the service has confirmed. */
  progress(id: string, sentBytes: number, confirmedBytes: number): void {
    const item = this.get(id);
    if (item?.state === 'uploading') {
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

  /**
   * Notes why an upload cannot succeed, or why a photo that waits for its check is not sent. The user decides.
   * @throws {CwError} CW-702 to CW-704
   */
  async fail(id: string, failure: ErrorCode): Promise<void> {
    const item = this.get(id);
    if (!item) {
      return;
    }
    // The service has refused the creation, so no upload exists there.
    const record = failure === 'CW-612' ? withoutBegin(item.record) : item.record;
    this.apply(item, 'fail', { record: { ...record, failure } });
    await this.saveAll([id]);
  }

  /** Why there was no space at the service when that was last noted; null after {@link forgetNoSpace}. */
  get noSpace(): NoSpaceCode | null {
    return this.lackingSpace()[0]?.record.noSpace ?? null;
  }

  /**
   * Stores that the service has no space, in the record of a photo that it refused. One photo is enough for all.
   * @throws {CwError} CW-702 to CW-704
   */
  async noteNoSpace(id: string, noSpace: NoSpaceCode): Promise<void> {
    const [noted] = this.lackingSpace();
    await this.changeUnsent(noted?.record.id ?? id, { noSpace });
  }

  /** Stores that the service has space. @throws {CwError} CW-702 to CW-704 */
  async forgetNoSpace(): Promise<void> {
    const noted = this.lackingSpace();
    for (const item of noted) {
      this.change(item, { record: withoutNoSpace(item.record) });
    }
    await this.saveAll(noted.map(({ record }) => record.id));
  }

  /** The photos that note a lack of space. Reads the whole list. */
  private lackingSpace(): readonly QueuedPhoto[] {
    return [...this.items.values()].filter(
      ({ state, record }) => state !== 'uploaded' && record.noSpace !== undefined,
    );
  }

  /**
   * Puts back a photo whose upload the session may not create in its project. It waits, with all others that go to a
   * project, for {@link allowProjects}.
   */
  refuseProject(id: string): void {
    const item = this.get(id);
    if (!item) {
      return;
    }
    this.holdsProjects = true;
    this.apply(item, 'refuse', { sentBytes: 0, record: withoutBegin(item.record) });
    const { unchecked, ready } = this.lines;
    const others = [...unchecked, ...ready, ...this.lines['after-version']];
    this.applyToAll(
      this.byTurn(others.filter((other) => this.isRefused(this.get(other)))),
      'refuse',
    );
    this.notify();
  }

  /** Call when the session may upload to projects, or another session has begun. */
  allowProjects(): void {
    if (this.holdsProjects) {
      this.holdsProjects = false;
      this.applyToAll([...this.lines.refused], 'permit');
      this.notify();
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
        (item.phase === 'waiting' || item.state === 'failed') &&
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
        this.change(item, { record: { ...item.record, project } });
      }
    }
    const waiting = changed.filter((id) => this.get(id)?.state !== 'failed');
    this.applyToAll(this.byTurn(waiting), 'redirect');
    this.notify();
    await this.saveAll(changed);
  }

  /** Lets photos wait for {@link setReplaces} after their check. */
  askAbout(ids: readonly string[]): void {
    this.applyToAll(this.of('unchecked', ids), 'ask');
    this.notify();
  }

  /**
   * Stores which uploads photos replace, then lets them begin. So no restart prompts again, and the upload cannot have been created
   * with another answer.
   * @param replaces  by the ids of the photos
   * @throws {CwError} CW-702 to CW-704; they begin anyway
   */
  async setReplaces(replaces: ReadonlyMap<string, string>): Promise<void> {
    const ids = this.of('asking', [...replaces.keys()]);
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
      const decided = this.of('asking', ids).filter((id) => this.get(id)?.record.replaces !== null);
      this.applyToAll(this.byTurn(decided), 'answer');
      this.notify();
    }
  }

  /**
   * Up to `count` photos that wait for {@link pass}, in the order of their turns.
   * @param except  photos to leave out, by their ids
   */
  unchecked(count: number, except?: ReadonlyMap<string, unknown>): readonly PhotoRecord[] {
    const found: PhotoRecord[] = [];
    for (const id of this.lines.unchecked) {
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
  pass(ids: readonly string[]): void {
    this.applyToAll(this.of('unchecked', ids), 'pass');
  }

  /** Call when another account may be connected: photos that have not begun wait for the check again. */
  recheckAll(): void {
    const { ready, asking } = this.lines;
    const passed = [...ready, ...this.lines['after-version'], ...asking];
    const outdated = passed.filter((id) => {
      const item = this.get(id);
      return item && this.needsCheck(item);
    });
    this.applyToAll(this.byTurn(outdated), 'recheck');
    this.notify();
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
      if (!item) {
        continue;
      }
      const record = forOtherAccount(item.record);
      if (record !== item.record) {
        changed.push(id);
      }
      if (item.state === 'failed' && record.failure === null) {
        this.apply(item, 'retry', { record });
      } else if (record !== item.record || item.startOrder !== null) {
        this.change(item, { record, startOrder: null });
      }
    }
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
    const line = this.lines[item.state];
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
    this.apply(item, 'finish', { sentBytes: size, confirmedBytes: size });
    const { uploaded } = this.lines;
    const outdated = uploaded.size > MAX_UPLOADED_SHOWN ? uploaded.first : null;
    if (outdated !== null) {
      this.forget(outdated);
    }
    this.photoStore.markUploaded(id);
  }

  /** Removes uploaded photos from the list and from the sums. */
  forgetUploaded(): void {
    for (const id of [...this.lines.uploaded]) {
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
      .filter(({ state }) => state !== 'uploaded');
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
   * Removes photos that the store's `findOrphans` has found, as {@link remove} does.
   * @param owner  the owner of their records
   * @throws {CwError} CW-702 to CW-704; then they are found again at the next start
   */
  async removeOrphans(photos: readonly CopiedPhoto[], owner: string | null = null): Promise<void> {
    const items = photos.map((photo) =>
      newPhoto(this.photoStore.newRecord(photo, null, owner, this.takePosition())),
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
    const items = removed
      .map(({ record, confirmedBytes }) => newPhoto(record, confirmedBytes))
      .sort((a, b) => compareRecords(a.record, b.record));
    // Goes through the list once, however many come back.
    const others = [...this.shown].filter((id) => this.get(id)?.phase === 'waiting');
    for (const item of items) {
      this.place(item);
    }
    const waiting = items
      .flatMap(({ record: { id } }) => this.get(id) ?? [])
      .filter(({ phase }) => phase === 'waiting');
    this.sortIntoLines(waiting);
    const places = this.placesIn(others, waiting);
    waiting.forEach(({ record: { id } }, index) => {
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
  private append(items: readonly QueuedPhoto[]): void {
    for (const item of items) {
      this.place(item);
    }
    this.sums.set(applyToSummary(this.sums.get(), items, 1));
  }

  /** Puts a photo at the end of everything it belongs to. The sums stay. */
  private place(item: QueuedPhoto): void {
    const { id, name, position, priority } = item.record;
    const settled = this.settle(item);
    this.items.set(id, settled);
    this.byName.set(name, [...(this.byName.get(name) ?? []), id]);
    this.lines[settled.state].insert(id);
    this.countOwner(settled, 1);
    this.updateVersions(settled);
    this.shown.insert(id);
    this.nextPosition = Math.max(this.nextPosition, position + 1);
    this.topPriority = Math.max(this.topPriority, priority);
  }

  /** Puts a failed photo back to the end of those waiting, in memory. @returns whether it had failed */
  private waitAgain(id: string): boolean {
    const item = this.get(id);
    if (item?.state !== 'failed') {
      return false;
    }
    this.apply(item, 'retry', { sentBytes: 0, record: withRetry(item.record) });
    this.shown.insert(id);
    return true;
  }

  private async changeUnsent(id: string, change: Partial<PhotoRecord>): Promise<void> {
    const item = this.get(id);
    if (!item || item.state === 'uploaded') {
      return;
    }
    this.change(item, { record: { ...item.record, ...change } });
    await this.saveAll([id]);
  }

  /** Writes each record as it is when its write begins. Skips photos that are uploaded or removed by then. */
  private async saveAll(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const item = this.get(id);
      if (item && item.state !== 'uploaded') {
        await this.photoStore.save(item.record);
      }
    }
  }

  /**
   * Applies an event to a photo in memory: it goes to the end of the line of its next state.
   * @throws {Error} when its state does not accept the event
   */
  private apply(
    item: QueuedPhoto,
    event: PhotoEvent,
    change: Partial<QueuedPhoto> = {},
  ): QueuedPhoto {
    return this.change(item, { ...follow(item, event), ...change });
  }

  /** Applies an event to waiting photos that go on waiting, in the order of their turns. The sums stay. */
  private applyToAll(ids: readonly string[], event: PhotoEvent): void {
    const moved = ids.flatMap((id) => {
      const item = this.get(id);
      if (!item) {
        return [];
      }
      this.lines[item.state].delete(id);
      const next = this.settle({ ...item, ...follow(item, event) });
      this.items.set(id, next);
      return [next];
    });
    this.sortIntoLines(moved);
  }

  /** Changes a photo in memory. @returns the changed item */
  private change(item: QueuedPhoto, change: Partial<QueuedPhoto>): QueuedPhoto {
    const changed = { ...item, ...change };
    const next = changed.state === item.state ? changed : this.settle(changed);
    const { id } = item.record;
    this.items.set(id, next);
    this.countOwner(item, -1);
    this.countOwner(next, 1);
    if (next.state !== item.state) {
      this.lines[item.state].delete(id);
      this.lines[next.state].insert(id);
      this.updateVersions(next);
    }
    // By the difference, so that a change costs the same however long the list is.
    const without = applyToSummary(this.sums.get(), [item], -1);
    this.sums.set(applyToSummary(without, [next], 1));
    return next;
  }

  /** Moves a waiting photo on past what does not apply to it. */
  private settle(item: QueuedPhoto): QueuedPhoto {
    let { state } = item;
    if (state === 'unchecked' && !this.needsCheck(item)) {
      state = nextState(state, 'pass');
    }
    if ((state === 'unchecked' || state === 'ready') && this.isRefused(item)) {
      state = nextState(state, 'refuse');
    }
    if (state === 'ready' && this.hasEarlierVersion(item.record)) {
      state = nextState(state, 'hold');
    }
    return { ...item, state, phase: phaseOf(state) };
  }

  private needsCheck({ startOrder, record: { uploadUrl, sendAgain } }: QueuedPhoto): boolean {
    const isDue = uploadUrl === null && sendAgain !== true && startOrder === null;
    return this.checksForDuplicates && isDue;
  }

  private isRefused(item: QueuedPhoto | null): boolean {
    const hasProject = item !== null && item.record.project !== null;
    return this.holdsProjects && hasProject && item.record.uploadUrl === null;
  }

  /** Those of these photos that are in this state. */
  private of(state: PhotoState, ids: readonly string[]): readonly string[] {
    return ids.filter((id) => this.lines[state].has(id));
  }

  /** Reports a change that no sum shows, such as that of the open prompts. */
  private notify(): void {
    this.sums.set({ ...this.sums.get() });
  }

  /** Takes a photo off the list, in memory. The sums stay. */
  private forget(id: string): void {
    const item = this.get(id);
    if (item) {
      this.countOwner(item, -1);
      this.items.delete(id);
      this.forgetName(item.record);
      this.shown.delete(id);
      this.lines[item.state].delete(id);
      this.updateVersions(item);
    }
  }

  private forgetName({ id, name }: PhotoRecord): void {
    const others = (this.byName.get(name) ?? []).filter((other) => other !== id);
    if (others.length > 0) {
      this.byName.set(name, others);
    } else {
      this.byName.delete(name);
    }
  }

  /** Call when a photo enters or leaves the list, or its phase changes: later versions of its document wait for it. */
  private updateVersions({ record: { id, document } }: QueuedPhoto): void {
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
    const follows = (other: string): boolean => {
      const item = this.get(other);
      return item !== null && this.hasEarlierVersion(item.record);
    };
    const held = this.of('ready', others).filter(follows);
    const released = this.of('after-version', others).filter((other) => !follows(other));
    this.applyToAll(this.byTurn(held), 'hold');
    this.applyToAll(this.byTurn(released), 'release');
  }

  private hasEarlierVersion({ document, position }: PhotoRecord): boolean {
    for (const id of this.versions.get(document ?? '') ?? []) {
      if ((this.get(id)?.record.position ?? position) < position) {
        return true;
      }
    }
    return false;
  }

  private countOwner({ state, record: { owner } }: QueuedPhoto, sign: 1 | -1): void {
    if (state === 'uploaded') {
      return;
    }
    const count = (this.unsentByOwner.get(owner) ?? 0) + sign;
    if (count === 0) {
      this.unsentByOwner.delete(owner);
    } else {
      this.unsentByOwner.set(owner, count);
    }
  }

  private byTurn(ids: readonly string[]): readonly string[] {
    return ids
      .flatMap((id) => this.get(id)?.record ?? [])
      .sort(compareRecords)
      .map(({ id }) => id);
  }

  /** Moves photos to their places in their lines: goes along each line once, however many they are. */
  private sortIntoLines(items: readonly QueuedPhoto[]): void {
    for (const { state, record } of items) {
      this.lines[state].delete(record.id);
    }
    for (const state of new Set(items.map((item) => item.state))) {
      const own = items.filter((item) => item.state === state);
      const places = this.placesIn(this.lines[state], own);
      own.forEach(({ record: { id } }, index) => {
        this.lines[state].insert(id, places[index] ?? null);
      });
    }
  }

  /**
   * Where photos belong among others: for each the id of the photo that comes after it, or null at the end.
   * @param order  the ids of the others, in the order of their turns
   * @param items  in the order of their turns
   */
  private placesIn(
    order: Iterable<string>,
    items: readonly QueuedPhoto[],
  ): readonly (string | null)[] {
    const others = order[Symbol.iterator]();
    let other = others.next();
    return items.map(({ record }) => {
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

function follow({ state, startOrder }: QueuedPhoto, event: PhotoEvent) {
  return {
    state: nextState(state, event),
    startOrder: KEEP_START.includes(event) ? startOrder : null,
  };
}

/** An empty line for each state. */
function newLines(): Readonly<Record<PhotoState, LinkedSet<string>>> {
  const lines = PHOTO_STATES.map((state) => [state, new LinkedSet<string>()]);
  return Object.fromEntries(lines) as Record<PhotoState, LinkedSet<string>>;
}

/** A photo that has just come onto the list. @param confirmedBytes  those that the service has already */
function newPhoto(record: PhotoRecord, confirmedBytes = 0): QueuedPhoto {
  const state = record.failure === null ? 'unchecked' : 'failed';
  const sentBytes = confirmedBytes;
  return { record, state, phase: phaseOf(state), startOrder: null, sentBytes, confirmedBytes };
}
