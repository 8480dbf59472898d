import type { Owner } from '../../account/owner.js';
import type { ChosenFolder, FolderPort } from '../../host/folders.js';
import type { RecordStore } from '../../host/storage.js';
import type { Spool } from '../../host/spool.js';
import { mediaTypeOf } from '../../host/media-type.js';
import { NEVER_CANCELLED } from '../../util/cancel.js';
import type { Clock } from '../../util/clock.js';
import { CwError, toCwError, type ErrorCode } from '../../util/errors.js';
import { Mutex } from '../../util/mutex.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { ProjectRef } from '../../api/project.js';
import type { UploadHistory } from '../history/index.js';
import type { PhotoImporter } from '../import/index.js';
import {
  type CopiedPhoto,
  type OrphanPhoto,
  type PhotoStore,
  type UploadQueue,
  identityOfFormat,
} from '../queue/index.js';
import { contentMark } from './content-mark.js';
import { isExportName } from './export-name.js';
import { isHalfFile } from './half-file.js';
import { FileRecords } from './file-records.js';
import { ReadyFiles, type ReadyFile } from './ready-files.js';
import {
  fileFromBefore,
  formerOf,
  isSameStat,
  photoIdOf,
  readChoice,
  writeChoice,
  type FolderChoice,
  type KnownFile,
  type SettledFile,
  type TakingFile,
} from './known-file.js';

/** The watched folder, for the panel. */
export interface WatchedFolder {
  readonly name: string;
  /** Where its files go; null for no project. */
  readonly project: ProjectRef | null;
  readonly movesUploaded: boolean;
  /** Files taken since midnight. */
  readonly takenToday: number;
  /** The file that was taken last, with its wall-clock time in milliseconds; null when there is none. */
  readonly last: { readonly name: string; readonly at: number } | null;
  /** A file whose rest has not come yet; null when there is none. */
  readonly waitsFor: string | null;
  /** The last file that was taken although its rest did not come; null when there is none. */
  readonly half: string | null;
  /** Why files cannot be taken now; null when they can. */
  readonly error: CwError | null;
  /** Whether another account has chosen it: it is not watched now. */
  readonly isForeign: boolean;
}

export interface FolderState {
  /** Null when none is chosen. */
  readonly folder: WatchedFolder | null;
  /** Whether the files of a folder that was just chosen are being read. */
  readonly isChoosing: boolean;
}

export interface FolderWatchOptions {
  readonly port: FolderPort | null;
  readonly records: Pick<RecordStore, 'put' | 'remove'>;
  readonly spool: Spool;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly queue: Pick<UploadQueue, 'get'>;
  readonly photoStore: Pick<PhotoStore, 'pick' | 'copy' | 'takeBack' | 'isSuperseded'>;
  readonly history: Pick<UploadHistory, 'get'>;
  readonly importer: Pick<PhotoImporter, 'addCopied'>;
  /** The owner of photos that are queued now; null when it is not known yet. */
  readonly photoOwner: () => string | null;
  /** The identity of the document in a copy; null when it has none. Never rejects. */
  readonly identify: (id: string, size: number) => Promise<string | null>;
  /** The connected account; null when there is none. */
  readonly owner: Pick<ReadableObservable<Owner | null>, 'get'>;
  /** The present destination, which a folder has at first. */
  readonly project: () => ProjectRef | null;
}

const CHOICE_KEY = 'folder';
/** The beginning of identities that this watch makes. */
const OWN_IDENTITY = 'folder:';
/** The subfolder for uploaded files. */
export const UPLOADED_FOLDER = 'Uploaded';
/** Milliseconds between two looks while files come. */
const BUSY_MS = 2_000;
/** Milliseconds between two looks while nothing comes. */
const REST_MS = 10_000;
/** Milliseconds between two looks at a folder that cannot be read. */
const LOST_MS = 30_000;
/** After a look that took long, the next one waits so many times its duration, up to a limit: a look may cost CPU time. */
const REST_PER_LOOK = 200;
const BUSY_PER_LOOK = 150;
const MAX_REST_MS = 120_000;
const MAX_BUSY_MS = 30_000;

/**
 * Uploads what appears in a folder from the moment it is chosen. Hosts have no event for that, so the folder is polled.
 *
 * A file is taken when its size and date stayed the same for some seconds. Its record is written before it is copied and
 * again when its photo is on the list. The photo's id follows from the file, so that neither a kill in between nor a
 * lost record doubles it. What comes while the plugin is not running is taken at the next start.
 *
 * A file with the name of an earlier one becomes its new version, in the project of the earlier one. A file that was only
 * renamed is not uploaded again, nor is one of which only the date has changed: its content decides.
 */
export class FolderWatch {
  private readonly store = new Observable<FolderState>({ folder: null, isChoosing: false });
  private readonly turns = new Mutex();
  private choice: FolderChoice | null = null;
  private folder: ChosenFolder | null = null;
  private readonly files: FileRecords;
  private readonly readyFiles: ReadyFiles;
  private half: string | null = null;
  /** Copies of an earlier run that are not on the list yet, by their ids. */
  private readonly claimed = new Map<string, OrphanPhoto>();
  private error: CwError | null = null;
  private lastError: CwError | null = null;
  /** The owner of the photos of this look. It stays, even if another account connects before they are on the list. */
  private photoOwner: string | null = null;
  private isStarted = false;
  private isStopping = false;
  private moveAfter = 0;
  /** Files that could not be moved. The others come first. */
  private readonly unmoved = new Set<string>();
  private stopTimer: () => void = () => undefined;

  readonly state: ReadableObservable<FolderState> = this.store;

  constructor(private readonly options: FolderWatchOptions) {
    this.files = new FileRecords(options.records);
    this.readyFiles = new ReadyFiles(this.files, options.clock);
  }

  /** Whether this host has folders. */
  get isOffered(): boolean {
    return this.options.port !== null;
  }

  /** Takes up what an earlier run left, from the list's other records. */
  restore(records: ReadonlyMap<string, string>): void {
    this.choice = readChoice(records.get(CHOICE_KEY) ?? '');
    this.files.restore(records, this.choice !== null);
    this.update();
  }

  /** Claims the copies of files that an earlier run was taking. @returns the others */
  claimOrphans(orphans: readonly OrphanPhoto[]): readonly OrphanPhoto[] {
    const ids = new Set(this.files.unfinished().map(({ id }) => id));
    for (const photo of orphans) {
      if (ids.has(photo.id)) {
        this.claimed.set(photo.id, photo);
      }
    }
    return orphans.filter(({ id }) => !ids.has(id));
  }

  /** Begins to watch. Call after {@link claimOrphans}. */
  start(): void {
    this.isStarted = true;
    this.scheduleScan();
  }

  /** Looks now: the account has changed, or the computer has woken. */
  scheduleScan(): void {
    this.update();
    if (this.isStarted && this.choice) {
      this.lookIn(0);
    }
  }

  /**
   * Lets the user choose a folder. The same one continues, if it was lost.
   * @throws {CwError} CW-802, CW-705, CW-201 without an account, CW-702 to CW-704
   */
  async choose(): Promise<void> {
    const folder = (await this.options.port?.pickFolder()) ?? null;
    if (!folder) {
      return;
    }
    this.isStopping = true;
    this.store.set({ ...this.store.get(), isChoosing: true });
    try {
      await this.turns.run(() => this.use(folder));
    } finally {
      this.isStopping = false;
      this.store.set({ ...this.store.get(), isChoosing: false });
    }
    this.scheduleScan();
  }

  /** Changes where files go that are new from now on. @throws {CwError} CW-702 to CW-704 */
  async setProject(project: ProjectRef | null): Promise<void> {
    await this.changeChoice({ project: project && { id: project.id, name: project.name } });
  }

  /** @throws {CwError} CW-702 to CW-704 */
  async setMovesUploaded(movesUploaded: boolean): Promise<void> {
    await this.changeChoice({ movesUploaded });
    this.scheduleScan();
  }

  /** Ends it. Files that were taken are still uploaded. @throws {CwError} CW-702 to CW-704 */
  async stop(): Promise<void> {
    this.isStopping = true;
    try {
      await this.turns.run(() => this.forget());
    } finally {
      this.isStopping = false;
    }
    this.update();
  }

  private lookIn(delayMs: number): void {
    this.stopTimer();
    this.stopTimer = this.options.clock.startTimer(delayMs, () => {
      this.readyFiles.wait(delayMs);
      void this.turns
        .run(() => this.look())
        .catch(() => LOST_MS)
        .then((nextMs) => {
          if (this.choice) {
            this.lookIn(nextMs);
          }
        });
    });
  }

  /** One look at the folder, with all that follows from it. @returns milliseconds until the next one */
  private async look(): Promise<number> {
    const { photoStore, clock, port } = this.options;
    const { choice } = this;
    if (!choice || !port || !this.isOwn(choice) || photoStore.isSuperseded) {
      return REST_MS;
    }
    this.photoOwner = this.options.photoOwner();
    await this.recordAccount(choice);
    const began = clock.now();
    let names: readonly string[];
    try {
      this.folder ??= await port.openFolder(choice.token);
      names = await this.folder.list();
    } catch (thrown) {
      this.folder = null;
      this.setError(thrown, 'CW-705', 'the watched folder cannot be read');
      // Its files count as present: none of them was renamed.
      await this.finishClaimed(this.files.names(), null);
      this.update();
      return LOST_MS;
    }
    const { folder } = this;
    const listed = new Set(names);
    this.error = null;
    await this.finishClaimed(listed, folder);
    try {
      await this.files.followSpelling(names, listed);
    } catch (thrown) {
      this.setError(thrown, 'CW-702', 'a file’s record was not written');
    }
    const ready = await this.readyFiles.find(folder, names);
    let tookMs = Math.max(0, clock.now() - began);
    for (const file of ready) {
      if (this.isStopping || !(await this.take(folder, file, listed))) {
        break;
      }
      this.update();
    }
    if (ready.every(({ isTouched }) => isTouched)) {
      tookMs = Math.max(0, clock.now() - began);
    }
    await this.moveUploaded(folder, listed);
    this.update();
    return this.nextDelay(ready.length > 0, tookMs);
  }

  /** @param tookMs  how long the last look took */
  private nextDelay(hasTaken: boolean, tookMs: number): number {
    if (this.error) {
      return LOST_MS;
    }
    return hasTaken || this.readyFiles.isBusy()
      ? Math.min(MAX_BUSY_MS, Math.max(BUSY_MS, tookMs * BUSY_PER_LOOK))
      : Math.min(MAX_REST_MS, Math.max(REST_MS, tookMs * REST_PER_LOOK));
  }

  /** Takes a file. @returns whether others may be taken now */
  private async take(
    folder: ChosenFolder,
    { name, size, modified }: ReadyFile,
    listed: ReadonlySet<string>,
  ): Promise<boolean> {
    const { choice } = this;
    const { clock, photoStore } = this.options;
    if (!choice) {
      return false;
    }
    const stat = { size, modified };
    const earlier = this.files.get(name);
    const document = earlier?.document ?? null;
    const was = earlier && formerOf(earlier, stat);
    const file: TakingFile = {
      name,
      ...stat,
      state: 'taking',
      id: photoIdOf(choice.id, name, stat),
      at: clock.now(),
      document,
      mark: null,
      project: document === null ? choice.project : (earlier?.project ?? null),
      ...(was && { was }),
    };
    try {
      await this.files.save(file);
      if (this.isOnList(file)) {
        await this.recordTaken(file, {});
      } else {
        const source = { ...folder.photo(name), id: file.id };
        const copied = await photoStore.copy(
          photoStore.pick(source, file.project),
          NEVER_CANCELLED,
        );
        const after = await folder.stat(name);
        if (copied.size !== file.size || (after && !isSameStat(after, file))) {
          // It was written to in the meantime.
          await photoStore.takeBack(file.id);
          return true;
        }
        if (!(await this.finish(file, copied, listed, true))) {
          return true;
        }
      }
      this.readyFiles.forget(name);
      return true;
    } catch (thrown) {
      // One that cannot be read now does not keep the others waiting.
      if (thrown instanceof CwError && (thrown.code === 'CW-602' || thrown.code === 'CW-601')) {
        return true;
      }
      this.setError(thrown, 'CW-901', 'a file of the folder was not taken');
      return false;
    }
  }

  /**
   * Puts the copy of a file on the list, unless the file was only renamed, or touched.
   * @param mayWait  whether the file can be taken again
   * @returns false when it is only the first part of a file, and is taken again later
   * @throws {CwError}
   */
  private async finish(
    file: TakingFile,
    copied: CopiedPhoto,
    listed: ReadonlySet<string>,
    mayWait: boolean,
  ): Promise<boolean> {
    const { spool, identify, photoStore, importer } = this.options;
    const { id, size, type } = copied;
    const mark = await contentMark(spool, id, size);
    const { was } = file;
    // Without a mark the size decides: what lay there when the folder was chosen was never read.
    if (was && (was.mark === null || was.mark === mark)) {
      await photoStore.takeBack(id);
      await this.files.save({ ...was, size: file.size, modified: file.modified, mark });
      return true;
    }
    if (await isHalfFile(spool, id, size)) {
      if (mayWait && this.readyFiles.waitForRest(file)) {
        await photoStore.takeBack(id);
        return false;
      }
      this.half = file.name;
    } else if (this.half === file.name) {
      this.half = null;
    }
    const found = { mark, document: file.document, project: file.project };
    let isNew = false;
    if (file.document === null) {
      const renamed = this.files.renamedFrom(file, mark, listed);
      if (renamed) {
        await photoStore.takeBack(id);
        await this.files.rename({ ...renamed, mark }, file.name);
        return true;
      }
      const own = identityOfFormat(await identify(id, size), type);
      // Two files of one document are two photos, such as one for print and one for the web.
      isNew = own === null || this.files.others(file).some(({ document }) => document === own);
      found.document = isNew ? identityOfFormat(`${OWN_IDENTITY}${id}`, type) : own;
    }
    const { document, project } = found;
    // An identity that this watch has made belongs to one file, also after it was renamed.
    const byDocument = document?.startsWith(OWN_IDENTITY) === true && { byDocument: true as const };
    const context = { project, document, stateId: null, ...byDocument };
    await importer.addCopied(
      { ...copied, context, isNew, isUnattended: true },
      type.startsWith('image/'),
      this.photoOwner,
    );
    await this.recordTaken(file, found);
    return true;
  }

  /**
   * Finishes the copies that an earlier run left, and the records of files that it has put on the list.
   * @param folder  null when it cannot be read
   */
  private async finishClaimed(
    listed: ReadonlySet<string>,
    folder: ChosenFolder | null,
  ): Promise<void> {
    try {
      await this.files.saveRest();
      for (const file of this.files.unfinished()) {
        const { id, name, project } = file;
        const copy = this.claimed.get(id);
        const now = copy && folder ? await folder.stat(name) : null;
        if (this.isOnList(file)) {
          await this.recordTaken(file, {});
        } else if (copy && now && !isSameStat(now, file)) {
          // It may have been written to while it was copied, and is taken again.
          await this.options.photoStore.takeBack(id);
        } else if (copy) {
          const context = { project, document: null, stateId: null };
          const type = mediaTypeOf(name);
          await this.finish(
            file,
            { id, name, type, size: copy.size, crc32c: null, context },
            listed,
            folder !== null,
          );
        }
        this.claimed.delete(id);
      }
    } catch (thrown) {
      this.setError(thrown, 'CW-901', 'a file of the folder was not taken');
    }
  }

  private isOnList({ id }: KnownFile): boolean {
    return this.options.queue.get(id) !== null || this.options.history.get(id) !== null;
  }

  private isUploaded({ id }: KnownFile): boolean {
    const { queue, history } = this.options;
    return queue.get(id)?.phase === 'uploaded' || history.get(id) !== null;
  }

  /** Records that the photo of a file is on the list. A failure is made up for at the next look. */
  private async recordTaken(
    file: TakingFile,
    found: Partial<Pick<TakingFile, 'document' | 'project' | 'mark'>>,
  ): Promise<void> {
    const { queue, history } = this.options;
    const known = queue.get(file.id)?.record ?? history.get(file.id);
    const rest = { ...file };
    delete rest.was;
    const taken: SettledFile = {
      ...rest,
      ...(known && { document: known.document, project: known.project }),
      ...found,
      state: 'taken',
    };
    try {
      await this.files.settle(taken);
    } catch (thrown) {
      this.setError(thrown, 'CW-702', 'a file’s record was not written');
    }
  }

  /** Moves uploaded files into the subfolder, unless they have changed. */
  private async moveUploaded(folder: ChosenFolder, listed: ReadonlySet<string>): Promise<void> {
    const { clock } = this.options;
    if (this.choice?.movesUploaded !== true || clock.now() < this.moveAfter) {
      return;
    }
    for (const file of this.files.all()) {
      const { name, state } = file;
      const isDue = state === 'moved' || (state === 'taken' && this.isUploaded(file));
      const isReady = listed.has(name) && !this.readyFiles.has(name) && !this.unmoved.has(name);
      if (!isDue || !isReady || this.isStopping) {
        continue;
      }
      try {
        const stat = await folder.stat(name);
        if (stat && isSameStat(stat, file)) {
          // Recorded first: a file that is gone without that was removed or renamed by the user.
          await this.files.save({ ...file, state: 'moved' });
          await folder.moveInto(UPLOADED_FOLDER, name);
        }
      } catch {
        // Another program may have it open.
        this.unmoved.add(name);
        this.moveAfter = clock.now() + LOST_MS;
        return;
      }
    }
    this.unmoved.clear();
  }

  /** Watches a folder from now on. @throws {CwError} */
  private async use(folder: ChosenFolder): Promise<void> {
    const { owner, records, newId, project } = this.options;
    const [ownKey] = owner.get()?.keys ?? [];
    if (ownKey === undefined) {
      throw new CwError('CW-201', 'no account is connected');
    }
    const before: KnownFile[] = [];
    for (const name of (await folder.list()).filter(isExportName)) {
      const stat = await folder.stat(name);
      if (stat) {
        before.push(fileFromBefore(name, stat));
      }
    }
    const { choice } = this;
    const place = { token: folder.token, name: folder.name, path: folder.path };
    if (choice && this.isOwn(choice) && this.isSameFolder(choice, folder, before)) {
      await this.changeChoice(place);
    } else {
      await this.forget();
      const next: FolderChoice = {
        ...place,
        id: newId(),
        owner: ownKey,
        project: choice ? choice.project : project(),
        movesUploaded: choice?.movesUploaded ?? false,
      };
      await this.files.begin(before);
      await records.put(CHOICE_KEY, writeChoice(next));
      this.choice = next;
    }
    this.folder = folder;
    this.error = null;
  }

  private isSameFolder(
    { path }: FolderChoice,
    folder: ChosenFolder,
    present: readonly KnownFile[],
  ): boolean {
    const isKnown = (file: KnownFile): boolean => {
      const known = this.files.get(file.name);
      return known !== null && isSameStat(known, file);
    };
    return path === folder.path || present.some(isKnown);
  }

  /** @throws {CwError} CW-702 to CW-704; then it may be chosen still, or only its files are remembered */
  private async forget(): Promise<void> {
    const { records } = this.options;
    if (this.choice) {
      if (this.isOwn(this.choice)) {
        this.photoOwner = this.options.photoOwner();
        await this.finishClaimed(this.files.names(), null);
      }
      await records.remove(CHOICE_KEY);
    }
    this.choice = null;
    this.folder = null;
    this.error = null;
    this.readyFiles.clear();
    this.half = null;
    this.stopTimer();
    await this.files.clear();
  }

  private async changeChoice(change: Partial<FolderChoice>): Promise<void> {
    if (!this.choice) {
      return;
    }
    const next = { ...this.choice, ...change };
    this.choice = next;
    this.update();
    await this.options.records.put(CHOICE_KEY, writeChoice(next));
  }

  /** The same error at the next look is no other error. */
  private setError(thrown: unknown, code: ErrorCode, reason: string): void {
    const error = toCwError(thrown, code, reason);
    this.lastError = this.lastError?.code === error.code ? this.lastError : error;
    this.error = this.lastError;
  }

  private isOwn({ owner }: FolderChoice): boolean {
    return this.options.owner.get()?.keys.includes(owner) ?? false;
  }

  /** Once the service reports the account, the folder belongs to it and no longer to the session. */
  private async recordAccount({ owner }: FolderChoice): Promise<void> {
    const [key] = this.options.owner.get()?.keys ?? [];
    if (key !== undefined && key !== owner) {
      await this.changeChoice({ owner: key }).catch(() => undefined);
    }
  }

  private update(): void {
    const before = this.store.get();
    const folder = this.choice && this.describe(this.choice);
    if (JSON.stringify(folder) !== JSON.stringify(before.folder)) {
      this.store.set({ ...before, folder });
    }
  }

  private describe(choice: FolderChoice): WatchedFolder {
    const { name, project, movesUploaded } = choice;
    const midnight = new Date(this.options.clock.now());
    midnight.setHours(0, 0, 0, 0);
    const taken = this.files.settled().filter(({ at }) => at > 0);
    const last = taken[taken.length - 1];
    return {
      name,
      project,
      movesUploaded,
      takenToday: taken.filter(({ at }) => at >= midnight.getTime()).length,
      last: last ? { name: last.name, at: last.at } : null,
      waitsFor: this.readyFiles.waitsFor,
      half: this.half,
      error: this.error,
      isForeign: this.options.owner.get() !== null && !this.isOwn(choice),
    };
  }
}
