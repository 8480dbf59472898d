import { backoffDelay } from '../../util/backoff.js';
import {
  CancelledError,
  CancelSource,
  NEVER_CANCELLED,
  type CancelSignal,
} from '../../util/cancel.js';
import type { Clock } from '../../util/clock.js';
import { CwError, toCwError, type ErrorCode } from '../../util/errors.js';
import { nameStem } from '../../util/name-stem.js';
import { SkippableDelay } from '../../util/skippable-delay.js';
import { Mutex } from '../../util/mutex.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { PhotoSource } from '../../host/photo-source.js';
import type { Spool } from '../../host/spool.js';
import { bytesOf } from '../../host/http.js';
import {
  type CopiedPhoto,
  type OrphanPhoto,
  NO_CONTEXT,
  type PhotoRecord,
  type PhotoStore,
  type PhotoToCopy,
  type UploadQueue,
  identityOfFormat,
  spoolSha256,
} from '../queue/index.js';
import { mediaTypeOf } from '../../host/media-type.js';
import { extensionOf, HEADER_BYTES } from './file-type-check.js';
import type { ProjectRef } from '../../api/project.js';

interface RejectedPhoto {
  readonly name: string;
  readonly error: CwError;
}

/** The copy of a document is safe in the queue, the user has stopped the export in the app, or it has failed. */
export type DocumentOutcome = 'queued' | 'cancelled' | CwError;

export interface ImportState {
  /** Photos being made safe after they were picked; null when none are. */
  readonly adding: { readonly done: number; readonly total: number } | null;
  /** Photos that could not be queued, the newest last. */
  readonly rejected: readonly RejectedPhoto[];
  /** Why the open document could not be exported the last time, if it could not. */
  readonly documentError: CwError | null;
}

export interface PhotoImporterOptions {
  readonly queue: UploadQueue;
  readonly photoStore: PhotoStore;
  readonly spool: Spool;
  readonly clock: Clock;
  /** Why a file needs confirmation, by its name and its first {@link HEADER_BYTES} bytes; null if it may be. */
  readonly detectProblem: (name: string, start: Uint8Array) => ErrorCode | null;
  /** The identity of the document in a copy, by its id and size; null when it has none. Never rejects. */
  readonly identify?: (id: string, size: number) => Promise<string | null>;
  /** The owner of photos that are chosen now; null when it is not known yet. */
  readonly ownerForNewPhotos: () => string | null;
  /** The project of photos that are chosen now; null for none. */
  readonly projectForNewPhotos: () => ProjectRef | null;
  /** Called when a photo has entered the list. */
  readonly onQueued: () => void;
  /** Called when a photo could not be queued. */
  readonly onRejected: (error: CwError) => void;
}

const MAX_REJECTED_SHOWN = 20;

/** Waits between tries to put a copied photo on the list. */
const BACKOFF = { firstMs: 2_000, longestMs: 60_000 };

/**
 * Makes picked photos safe (copied and on the list), one by one in the order picked, and reports its progress. While
 * the list cannot be read or written, photos are copied, and get onto the list later.
 */
export class PhotoImporter {
  private readonly store = new Observable<ImportState>({
    adding: null,
    rejected: [],
    documentError: null,
  });
  private readonly copies = new Mutex();
  private readonly entries = new Mutex();
  private readonly pause: SkippableDelay;
  /** Whether storage does not take photos onto the list now. */
  private readonly blocked = new Observable(false);
  private cancelling = new CancelSource();
  /** Photos that an earlier run was adding, and that this run adds. */
  private readonly continued = new Set<string>();

  readonly state: ReadableObservable<ImportState> = this.store;

  constructor(private readonly options: PhotoImporterOptions) {
    this.pause = new SkippableDelay(options.clock);
  }

  /** Photos get onto the list only after `work` has ended. */
  waitFor(work: Promise<void>): void {
    this.blocked.set(true);
    void this.entries.run(async () => {
      await work;
      this.blocked.set(false);
      await this.options.photoStore.picks.saveUnsaved();
    });
  }

  /**
   * Queues photos; settles when all of them are queued, rejected or cancelled. Never fails.
   * @param isPicked  whether the user chose the files. Only these are checked, since they may be anything
   * @param owner  the owner of the photos. It stays, even if another account connects before they are on the list
   * @param project  the project of the photos. It stays, too
   * @returns what became of the last one that was not queued, or else `queued`
   */
  async add(
    photos: readonly PhotoSource[],
    isPicked: boolean,
    owner = this.options.ownerForNewPhotos(),
    project = this.options.projectForNewPhotos(),
  ): Promise<DocumentOutcome> {
    if (photos.length === 0) {
      return 'queued';
    }
    const { photoStore } = this.options;
    const repeated = isPicked ? repeatedNames(photos) : NONE;
    const picked = photos.map((photo) => ({
      ...photoStore.pick(photo, project, owner),
      ...(repeated.has(photo) && { isNew: true }),
    }));
    // Before their turn comes: others may still be copied.
    return this.copyAndEnqueue(picked, isPicked, photoStore.picks.add(picked), owner);
  }

  /** Queues photos that an earlier run has noted, but not copied. Never fails. */
  async addNoted(photos: readonly PhotoToCopy[]): Promise<void> {
    if (photos.length > 0) {
      this.markContinued(photos);
      await this.copyAndEnqueue(photos, true, Promise.resolve(), this.options.ownerForNewPhotos());
    }
  }

  /** @param noted  settles when the photos are noted in storage, or it has refused that */
  private async copyAndEnqueue(
    picked: readonly PhotoToCopy[],
    isPicked: boolean,
    noted: Promise<void>,
    defaultOwner: string | null,
  ): Promise<DocumentOutcome> {
    const { photoStore } = this.options;
    let outcome: DocumentOutcome = 'queued';
    const { signal } = this.cancelling;
    // Users who pick files again have read the list of rejected ones.
    const { adding, rejected: refused } = this.store.get();
    if (adding === null && refused.length > 0) {
      this.set({ rejected: [] });
    }
    this.addToTotal(picked.length);
    const entering: Promise<void>[] = [];
    const cancelled: string[] = [];
    await this.copies.run(async () => {
      await noted;
      void photoStore.picks.describe(picked);
      for (const photo of picked) {
        const copied = await this.copy(photo, signal);
        if (copied === 'cancelled') {
          outcome = copied;
          cancelled.push(photo.id);
          continue;
        }
        if (copied instanceof CwError) {
          outcome = copied;
          await photoStore.picks.forget([photo.id]);
          continue;
        }
        const owner = photo.notedOwner ?? defaultOwner;
        const entered = this.entries.run(async () => {
          const result = await this.enqueue({ ...copied, owner }, isPicked, signal);
          outcome = result === 'queued' ? outcome : result;
        });
        entering.push(entered);
        await this.raceBlocked(entered);
      }
      await photoStore.picks.forget(cancelled);
    });
    await Promise.all(entering);
    return outcome;
  }

  /** Queues a copy of an open document. Never fails: gives the outcome. */
  async addDocument(
    exportDocument: () => Promise<PhotoSource>,
    project = this.options.projectForNewPhotos(),
  ): Promise<DocumentOutcome> {
    const owner = this.options.ownerForNewPhotos();
    let photo: PhotoSource;
    try {
      photo = await exportDocument();
    } catch (thrown) {
      return thrown instanceof CancelledError
        ? 'cancelled'
        : toCwError(thrown, 'CW-805', 'the document was not exported');
    }
    return this.add([photo], false, owner, project);
  }

  /** Shows why the open document was not exported; null for no reason. */
  showDocumentError(documentError: CwError | null): void {
    this.set({ documentError });
  }

  /** Puts photos on the list that an earlier run has copied; settles when all are queued or refused. Never fails. */
  async addOrphans(orphans: readonly OrphanPhoto[]): Promise<void> {
    if (orphans.length > 0) {
      this.addToTotal(orphans.length);
    }
    this.markContinued(orphans);
    const own = this.options.ownerForNewPhotos();
    const photos = await this.nameOrphans(orphans);
    // Neither Cancel nor a full disk deletes them: there may be no other copy.
    await Promise.all(
      photos.map((photo) =>
        this.entries.run(() =>
          this.enqueue({ ...photo, owner: photo.notedOwner ?? own }, true, NEVER_CANCELLED, true),
        ),
      ),
    );
  }

  /**
   * Puts a copy of a file of the watched folder on the list. Waits while storage does not accept its record.
   * @throws {CwError} why it is not on the list; its copy stays
   */
  async addCopied(copied: CopiedPhoto, isPicked: boolean, owner: string | null): Promise<void> {
    const error = await this.entries.run(() =>
      this.put({ ...copied, owner }, isPicked, NEVER_CANCELLED),
    );
    if (error instanceof CwError) {
      throw error;
    }
  }

  private markContinued(photos: readonly { readonly id: string }[]): void {
    for (const { id } of photos) {
      this.continued.add(id);
    }
  }

  /** Gives names to photos whose names were lost, by their number and what their copies are. */
  async nameOrphans(orphans: readonly OrphanPhoto[]): Promise<readonly CopiedPhoto[]> {
    const photos: CopiedPhoto[] = [];
    for (const { id, size, ...known } of orphans) {
      const name = known.name ?? (await this.newName(id, size, photos.length + 1));
      const type = known.type ?? mediaTypeOf(name);
      const { context, notedOwner, isNew } = known;
      photos.push({
        ...{ id, name, type, context, size, crc32c: null },
        ...(notedOwner !== undefined && { notedOwner }),
        ...(isNew && { isNew }),
      });
    }
    return photos;
  }

  /** Ends a delay after a storage error. */
  retryNow(): void {
    this.pause.skip();
  }

  /** Stops at once, and drops photos whose turn has not come; those on the list stay. */
  cancel(): void {
    this.cancelling.cancel();
    this.cancelling = new CancelSource();
    this.set({ adding: null });
  }

  /** Clears the errors about what could not be queued or exported. */
  dismissRejected(): void {
    this.set({ rejected: [], documentError: null });
  }

  private async copy(
    photo: PhotoToCopy,
    signal: CancelSignal,
  ): Promise<CopiedPhoto | Exclude<DocumentOutcome, 'queued'>> {
    if (signal.cancelled) {
      return 'cancelled';
    }
    try {
      // A copy that never ends must not keep the next photos from being added after Cancel.
      return await orCancelled(this.options.photoStore.copy(photo, signal), signal);
    } catch (thrown) {
      if (thrown instanceof CancelledError) {
        return 'cancelled';
      }
      const error = toCwError(thrown, 'CW-901', 'a photo could not be queued');
      this.reject(photo.name, error);
      this.tick(signal);
      return error;
    }
  }

  /**
   * Puts a copied photo on the list. Retries while storage does not accept its record.
   * @param isOrphan  whether an earlier run made the copy, which must not be deleted then
   */
  private async enqueue(
    copied: CopiedPhoto & { readonly owner: string | null },
    isPicked: boolean,
    signal: CancelSignal,
    isOrphan = false,
  ): Promise<DocumentOutcome> {
    const { photoStore } = this.options;
    const { id, name, owner } = copied;
    const photo = { ...(await this.withIdentity(copied)), owner };
    const outcome = await this.put(photo, isPicked, signal);
    if (outcome === 'cancelled') {
      await photoStore.takeBack(id);
      return outcome;
    }
    if (outcome !== 'queued') {
      if (outcome.code === 'CW-703' && !isOrphan) {
        await photoStore.takeBack(id);
      }
      this.reject(name, outcome);
    }
    this.tick(signal);
    return outcome;
  }

  /** @returns `queued` when the photo is on the list, else why it is not */
  private async put(
    photo: CopiedPhoto & { readonly owner: string | null },
    isPicked: boolean,
    signal: CancelSignal,
  ): Promise<DocumentOutcome> {
    const { queue, photoStore, ownerForNewPhotos, onQueued } = this.options;
    if (await this.hasTwin(photo)) {
      await photoStore.takeBack(photo.id);
      return 'queued';
    }
    for (let tries = 1; !signal.cancelled; tries += 1) {
      try {
        await queue.add(
          photo,
          (id, size) => (isPicked ? this.validate(photo.name, id, size) : Promise.resolve(null)),
          photo.owner ?? ownerForNewPhotos(),
        );
        this.blocked.set(false);
        if (tries > 1) {
          photoStore.report(null);
        }
        onQueued();
        return 'queued';
      } catch (thrown) {
        const error = toCwError(thrown, 'CW-901', 'a photo could not be queued');
        if (error.code !== 'CW-702') {
          return error;
        }
        photoStore.report(error);
        await this.rest(tries, signal);
      }
    }
    return 'cancelled';
  }

  /**
   * Whether the list has the same photo already, because the app was killed. It may lose the identity of a document that
   * was never saved, and then an Action that is played again exports it once more. And users may pick files again that
   * the plugin copies again by itself. Only the same bytes count.
   */
  private async hasTwin(photo: CopiedPhoto & { readonly owner: string | null }): Promise<boolean> {
    const { queue, spool, clock, ownerForNewPhotos } = this.options;
    const { id, name, size, context = NO_CONTEXT } = photo;
    const owner = photo.owner ?? ownerForNewPhotos();
    const isSameExport = (record: PhotoRecord): boolean => record.recipe === context.recipe;
    const isContinuedPick = (record: PhotoRecord): boolean =>
      (this.continued.has(id) || this.continued.has(record.id)) &&
      record.owner === owner &&
      record.project?.id === context.project?.id;
    const isTwin = context.recipe === undefined ? isContinuedPick : isSameExport;
    const candidates = queue
      .named(name)
      .filter(({ record }) => record.size === size && isTwin(record));
    if (candidates.length === 0) {
      return false;
    }
    const reading = { spool, clock, signal: NEVER_CANCELLED };
    try {
      const digest = await spoolSha256(id, size, reading);
      for (const { record } of candidates) {
        if ((await spoolSha256(record.id, record.size, reading)) === digest) {
          return true;
        }
      }
    } catch {
      // A copy that cannot be read now proves nothing. The service recognizes what it has.
    }
    return false;
  }

  /** An export has its identity from the app, a picked file in its bytes. */
  private async withIdentity(copied: CopiedPhoto): Promise<CopiedPhoto> {
    const { context = NO_CONTEXT } = copied;
    const { id, size, type } = copied;
    if (context.document !== null) {
      return copied;
    }
    const identity = (await this.options.identify?.(id, size)) ?? null;
    return { ...copied, context: { ...context, document: identityOfFormat(identity, type) } };
  }

  /** Waits for a photo to get onto the list, but not while storage does not take it: the next ones are copied then. */
  private async raceBlocked(entered: Promise<void>): Promise<void> {
    let stopListening = (): void => undefined;
    const blocked = new Promise<void>((resolve) => {
      stopListening = this.blocked.subscribe((isBlocked) => {
        if (isBlocked) {
          resolve();
        }
      });
      if (this.blocked.get()) {
        resolve();
      }
    });
    await Promise.race([entered, blocked]);
    stopListening();
  }

  private async rest(tries: number, signal: CancelSignal): Promise<void> {
    this.blocked.set(true);
    const delayMs = backoffDelay(BACKOFF, tries, 1);
    await this.pause.wait(0, delayMs, signal).catch(() => undefined);
  }

  /** Checks a copy by its first bytes, which costs the same whatever its size. One that cannot be read now passes. */
  private async validate(name: string, id: string, size: number): Promise<ErrorCode | null> {
    try {
      return this.options.detectProblem(name, await this.readHeader(id, size));
    } catch (error) {
      if (error instanceof CwError && error.code === 'CW-702') {
        return null;
      }
      throw error;
    }
  }

  private async newName(id: string, size: number, number: number): Promise<string> {
    const start = await this.readHeader(id, size).catch(() => null);
    return `Recovered file ${number}.${(start && extensionOf(start)) ?? 'jpg'}`;
  }

  /** The first bytes of a copy. @throws {CwError} CW-607, CW-702 */
  private async readHeader(id: string, size: number): Promise<Uint8Array> {
    const reader = await this.options.spool.open(id);
    try {
      return new Uint8Array(await bytesOf(await reader.read(0, Math.min(size, HEADER_BYTES))));
    } finally {
      await reader.close();
    }
  }

  private reject(name: string, error: CwError): void {
    this.set({
      rejected: [...this.store.get().rejected, { name, error }].slice(-MAX_REJECTED_SHOWN),
    });
    this.options.onRejected(error);
  }

  private addToTotal(count: number): void {
    const adding = this.store.get().adding ?? { done: 0, total: 0 };
    this.set({ adding: { ...adding, total: adding.total + count } });
  }

  private tick(signal: CancelSignal): void {
    const { adding } = this.store.get();
    if (!adding || signal.cancelled) {
      return;
    }
    const done = adding.done + 1;
    this.set({ adding: done >= adding.total ? null : { ...adding, done } });
  }

  private set(change: Partial<ImportState>): void {
    this.store.set({ ...this.store.get(), ...change });
  }
}

const NONE: ReadonlySet<PhotoSource> = new Set();

/** Photos of one pick that have the name of an earlier one in it. They are no versions: one would hide the other. */
function repeatedNames(photos: readonly PhotoSource[]): ReadonlySet<PhotoSource> {
  const names = new Set<string>();
  return new Set(
    photos.filter(({ name, type }) => {
      const before = names.size;
      return names.add(`${nameStem(name)} ${type}`).size === before;
    }),
  );
}

/** Settles as `work` does, but rejects as soon as `signal` fires. @throws {CancelledError} */
function orCancelled<T>(work: Promise<T>, signal: CancelSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopListening = signal.onCancel(() => {
      reject(new CancelledError());
    });
    work.then(resolve, reject).finally(stopListening);
  });
}
