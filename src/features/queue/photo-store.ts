import { throwIfCancelled, type CancelSignal } from '../../util/cancel.js';
import { CwError, toCwError, type ErrorCode } from '../../util/errors.js';
import { parseJsonObject } from '../../util/json.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import { isStorageTakenOver } from '../../util/storage-ownership.js';
import type { Spool, SpooledCopy } from '../../host/spool.js';
import type { PhotoSource } from '../../host/photo-source.js';
import type { RecordStore } from '../../host/storage.js';
import type { ProjectRef } from '../../api/project.js';
import { inParts, removeRecords } from './in-parts.js';
import { isPickKey, PickNotes, type PhotoToCopy, type PickedPhoto } from './pick-notes.js';
import {
  compareRecords,
  NO_CONTEXT,
  readSource,
  identityOfFormat,
  readRecord,
  writeRecord,
  type PhotoContext,
  type PhotoRecord,
} from './photo-record.js';
import type { UploadItem } from './upload-item.js';

export interface PhotoStoreOptions {
  readonly records: RecordStore;
  readonly spool: Spool;
  /** Wall-clock time in milliseconds. */
  readonly now: () => number;
  readonly newId: () => string;
  /**
   * Stores the history of uploaded photos. Called before their records and copies are deleted.
   * @throws {CwError} CW-702 to CW-704
   */
  readonly storeHistory?: () => Promise<void>;
  /** At most this many bytes of removed photos are kept besides those of the newest removal; default 10 GB. */
  readonly mostKeptBytes?: number;
}

/** The result of {@link PhotoStore.load}. */
export interface StoredPhotos {
  /** The photos of the list, in the order of their turns. */
  readonly photos: readonly PhotoRecord[];
  /** Records that are no photos, by their keys: other parts of the plugin store a few in the same place. */
  readonly others: ReadonlyMap<string, string>;
}

/** A photo that has a complete copy in the spool, and no record yet. */
export interface CopiedPhoto extends SpooledCopy, PickedPhoto {}

/** A complete copy of a photo that is not on the list. Name and type are null where they were lost. */
export interface OrphanPhoto {
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  readonly name: string | null;
  readonly type: string | null;
  readonly context: PhotoContext;
  readonly notedOwner?: string;
  readonly isNew?: boolean;
}

/** Photos that were removed together. */
export interface Removal {
  /** In the order of the list. */
  readonly items: readonly UploadItem[];
}

/** A removal that can still be undone. */
interface UndoableRemoval extends Removal {
  readonly key: string;
  readonly bytes: number;
  /** Whether its note is in storage; settles when that is known, and never fails. */
  readonly isNoted: Promise<boolean>;
}

const MAX_KEPT_BYTES = 10e9;
/** Prefixes of the keys of notes; photos' keys are hexadecimal. */
const NOTE = { uploaded: 'uploaded-', removal: 'removal-' } as const;

/**
 * The photos of the list in durable storage: each has a copy in the spool and a record. Call all methods that read or
 * delete copies after `load`.
 *
 * A copy is deleted for one of three reasons. The service has confirmed the photo; its removal cannot be undone any
 * more; or the user saw that it was never added. A note in storage names the photos before their copies are deleted,
 * and their records are deleted last. A copy without a record is never deleted: it is found, and the user decides.
 *
 * A removal can be undone until the next start. It is one note that names its photos, however many they are; their
 * records and copies stay. Deleting the note puts all of them back. A start that finds a note hides its photos and
 * deletes them. So after a kill at any moment, the photos of one removal are either all on the list or all removed. The
 * disk space for this is limited: at most `mostKeptBytes` of older removals are kept, and nothing when the disk is
 * full.
 */
export class PhotoStore {
  /** Photos with a record or a note in storage, or with a copy that this run has made or found. */
  private readonly known = new Set<string>();
  /** Photos that were uploaded and are still in storage. */
  private toClear: string[] = [];
  /** Removals that can be undone, the newest last. */
  private readonly removals: UndoableRemoval[] = [];
  /** Notes about removed or uploaded photos that are to be deleted, with the photos that they name. */
  private readonly toPurge = new Map<string, readonly string[]>();
  private uploadUrls: string[] = [];
  private readonly status = new Observable<CwError | null>(null);

  /** Why photos cannot be kept in storage at the moment; null when they can. See {@link track}. */
  readonly error: ReadableObservable<CwError | null> = this.status;

  /** Notes about photos that this run, or an earlier one, was adding. */
  readonly picks: PickNotes;

  constructor(private readonly options: PhotoStoreOptions) {
    this.picks = new PickNotes(options);
  }

  /**
   * Brings back what an earlier run left.
   * @throws {CwError} CW-702, CW-704
   */
  async load(): Promise<StoredPhotos> {
    const stored = await this.options.records.load();
    const removals = readNotes(stored, NOTE.removal);
    const uploads = readNotes(stored, NOTE.uploaded);
    for (const [key, ids] of removals) {
      if (!this.removals.some((removal) => removal.key === key)) {
        this.toPurge.set(key, ids);
      }
    }
    for (const [key, ids] of uploads) {
      this.toPurge.set(key, ids);
    }
    const removed = new Set([...removals.values()].flat());
    const uploaded = new Set([...uploads.values()].flat());
    const photos: PhotoRecord[] = [];
    const others = new Map<string, string>();
    for (const [id, text] of stored) {
      const record = readRecord(id, text);
      // The copy of a record that cannot be read is left alone, too: a later version of the plugin may read it.
      this.known.add(id);
      if (!record && !removals.has(id) && !uploads.has(id) && !isPickKey(id)) {
        others.set(id, text);
      }
      if (!record || uploaded.has(id)) {
        continue;
      }
      if (removed.has(id)) {
        this.collectUploadUrl(record);
      } else {
        photos.push(record);
      }
    }
    for (const id of [...removed, ...uploaded]) {
      this.known.add(id);
    }
    this.picks.restore(stored, this.known);
    photos.sort(compareRecords);
    return { photos, others };
  }

  /**
   * Deletes what earlier runs removed or uploaded.
   * @throws {CwError} CW-702 to CW-704; then the next start does it
   */
  async clearEarlier(): Promise<void> {
    await this.picks.clearStray();
    for (const [key, ids] of [...this.toPurge]) {
      await this.purge(key, ids);
      this.toPurge.delete(key);
    }
  }

  /**
   * Deletes copies that were cut short; {@link findOrphans} gives the others. A copy that cannot be deleted now stays. If
   * another instance of the plugin owns the list, all stay: they may be its own.
   * @throws {CwError} CW-702 when storage cannot be read
   */
  async clearIncoming(): Promise<void> {
    const { records, spool } = this.options;
    const incoming = (await spool.listIncoming()).filter((id) => !this.known.has(id));
    if (!(await records.isOwner())) {
      return;
    }
    for (const id of incoming) {
      const copy = await spool.incomingCopy(id);
      if (!(await this.picks.keeps(id, copy))) {
        await spool.removeIncoming(id);
      }
    }
  }

  /**
   * Finds complete copies of photos that are not on the list, because their records were lost. Each is given once.
   * @throws {CwError} CW-702 when storage cannot be read
   */
  async findOrphans(): Promise<readonly OrphanPhoto[]> {
    const { records, spool } = this.options;
    const listed = [...new Set([...(await spool.list()), ...this.picks.unmoved])];
    const ids = listed.filter((id) => !this.known.has(id));
    if (ids.length === 0 || !(await records.isOwner())) {
      return [];
    }
    const found: OrphanPhoto[] = [];
    for (const id of ids) {
      const size = await spool.size(id).catch(() => 0);
      if (size > 0) {
        this.known.add(id);
        const note: Partial<PickedPhoto> = this.picks.resume(id) ?? {};
        const { name = null, type = null, context = NO_CONTEXT, notedOwner, isNew } = note;
        const owner = notedOwner === undefined ? {} : { notedOwner };
        found.push({ id, size, name, type, context, ...owner, ...(isNew && { isNew }) });
      }
    }
    return found;
  }

  /** Gives a photo its id. @param project  where it goes @param owner  see `PhotoRecord` */
  pick(
    photo: PhotoSource,
    project: ProjectRef | null = null,
    owner: string | null = null,
  ): PhotoToCopy {
    const { name, type, id = this.options.newId(), document = null, stateId = null } = photo;
    const { recipe = null, length = null } = photo;
    const source = readSource(photo.source ?? null);
    return {
      id,
      name,
      type,
      context: {
        project,
        document: identityOfFormat(document, type),
        stateId,
        ...(document !== null && { byDocument: true as const }),
        ...(recipe !== null && { recipe }),
        ...(length && { length }),
        ...(source !== null && { source }),
      },
      ...(owner !== null && { notedOwner: owner }),
      photo,
    };
  }

  /**
   * Makes the copy of a photo.
   * @throws {CwError} CW-601 empty, CW-602 unreadable, CW-608 no size, CW-702, CW-703, CW-704; CancelledError. Then
   *   nothing of it is left
   */
  async copy({ photo, ...picked }: PhotoToCopy, signal: CancelSignal): Promise<CopiedPhoto> {
    throwIfCancelled(signal);
    const { id } = picked;
    this.known.add(id);
    try {
      const { size, crc32c } = await this.retryAfterFreeingSpace(() => photo.copyToSpool(id));
      throwIfCancelled(signal);
      checkSize(size);
      return { ...picked, size, crc32c };
    } catch (error) {
      await this.deleteCopy(id);
      throw error;
    }
  }

  /** The record of a photo that has a copy. @param failure  why it needs confirmation */
  newRecord(
    { id, name, type, size, crc32c, context = NO_CONTEXT, isNew, isUnattended }: CopiedPhoto,
    failure: ErrorCode | null,
    owner: string | null,
    position: number,
  ): PhotoRecord {
    const queuedAt = this.options.now();
    return {
      id,
      name,
      type,
      size,
      owner,
      position,
      priority: 0,
      queuedAt,
      uploadUrl: null,
      failure,
      ...context,
      replaces: isNew === true ? 'none' : null,
      ...(isUnattended === true && { unattended: true as const }),
      ...(crc32c !== null && { crc32c }),
    };
  }

  /**
   * Writes the first record of a photo that has a copy. When the disk is full, frees space and tries once more.
   * @throws {CwError} CW-702, CW-703: the copy stays, and this can be tried again. CW-704: the photo may be on the list of
   *   the other instance of the plugin
   */
  async add(record: PhotoRecord): Promise<void> {
    const { id } = record;
    await this.picks.replace(id, (gone) =>
      this.retryAfterFreeingSpace(() => this.options.records.put(id, writeRecord(record), ...gone)),
    );
  }

  /** Writes a record as it is now. @throws {CwError} CW-702 to CW-704 */
  async save(record: PhotoRecord): Promise<void> {
    await this.options.records.put(record.id, writeRecord(record));
  }

  /** Deletes a photo that was not added to the list, though its record may have been written. Never rejects. */
  async takeBack(id: string): Promise<void> {
    const noted = this.picks.drop(id);
    try {
      await this.options.records.remove(id, ...noted);
    } catch (error) {
      // The record may be there, or another instance of the plugin may have this photo on its list.
      if (!isDiskFull(error)) {
        return;
      }
    }
    await this.deleteCopy(id);
  }

  /** Notes that this photo was uploaded: the next `clearUploaded` deletes its record and copy. */
  markUploaded(id: string): void {
    this.toClear.push(id);
  }

  /**
   * Deletes all photos that were uploaded, in one step, including those that an earlier try failed to delete.
   * @throws {CwError} CW-702 to CW-704; then this, or the next start, tries again
   */
  async clearUploaded(): Promise<void> {
    const ids = this.toClear;
    if (ids.length === 0) {
      return;
    }
    const { records, newId, storeHistory } = this.options;
    const key = NOTE.uploaded + newId();
    this.toClear = [];
    try {
      await storeHistory?.();
      await records.put(key, writeNote(ids));
    } catch (error) {
      this.toClear = [...ids, ...this.toClear];
      throw error;
    }
    await this.purge(key, ids);
  }

  /** The removal that `undoRemoval` puts back; null when there is none. */
  get newestRemoval(): Removal | null {
    return this.removals[this.removals.length - 1] ?? null;
  }

  /**
   * Notes that photos have just left the list, and deletes the oldest removals beyond `mostKeptBytes`.
   * @throws {CwError} CW-702 to CW-704; then a restart may bring them back
   */
  async addRemoval({ items }: Removal): Promise<void> {
    const { records, newId, mostKeptBytes = MAX_KEPT_BYTES } = this.options;
    const key = NOTE.removal + newId();
    const written = records.put(key, writeNote(idsOf(items)));
    this.removals.push({
      key,
      items,
      bytes: items.reduce((sum, { record }) => sum + record.size, 0),
      isNoted: written.then(
        () => true,
        () => false,
      ),
    });
    await written;
    let older = this.removals.slice(0, -1).reduce((sum, { bytes }) => sum + bytes, 0);
    while (older > mostKeptBytes) {
      const oldest = this.removals.shift();
      if (!oldest) {
        return;
      }
      older -= oldest.bytes;
      await this.purgeRemoval(oldest);
    }
  }

  /**
   * Takes the newest removal back.
   * @returns its photos, to be shown again; none when there is nothing to take back
   * @throws {CwError} CW-702 to CW-704; then it can be tried again
   */
  async undoRemoval(): Promise<readonly UploadItem[]> {
    const removal = this.removals.pop();
    if (!removal) {
      return [];
    }
    try {
      await removal.isNoted;
      await this.options.records.remove(removal.key);
      return removal.items;
    } catch (error) {
      this.removals.push(removal);
      throw error;
    }
  }

  /** Addresses of uploads at the service that belong to photos now gone for good, each given once. */
  drainUploadUrls(): readonly string[] {
    const { uploadUrls } = this;
    this.uploadUrls = [];
    return uploadUrls;
  }

  /** Whether another instance of the plugin owns the list: this one must not touch it any more. */
  get isSuperseded(): boolean {
    return isStorageTakenOver(this.status.get());
  }

  /**
   * Runs a change in storage. A failure becomes `error` and is not thrown, so that it stops nothing else; a success ends
   * an earlier failure.
   */
  async track(change: () => Promise<void>): Promise<void> {
    try {
      await change();
      this.report(null);
    } catch (thrown) {
      this.report(toCwError(thrown, 'CW-702', 'the upload list could not be written'));
    }
  }

  /**
   * Reports a storage error that other work met, or that this instance of the plugin is superseded (CW-704). CW-704 is
   * final: no later success and no other failure replaces it.
   * @param error  null when that work has succeeded
   */
  report(error: CwError | null): void {
    if (isStorageTakenOver(error) || !this.isSuperseded) {
      this.status.set(error);
    }
  }

  /** Does what needs space on the disk; when there is none, frees some and does it once more. */
  private async retryAfterFreeingSpace<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isDiskFull(error) || !(await this.freeSpace())) {
        throw error;
      }
      return work();
    }
  }

  /**
   * Deletes all removed photos.
   * @returns whether there may be room now
   * @throws {CwError} CW-704
   */
  private async freeSpace(): Promise<boolean> {
    let isFreed = false;
    for (const removal of this.removals.splice(0)) {
      const isNoted = await removal.isNoted;
      try {
        // Without its note, a restart puts the photos back on the list: then their records have to go before the copies.
        if (!isNoted) {
          await removeRecords(this.options.records, idsOf(removal.items));
        }
        await this.purgeRemoval(removal);
        isFreed = true;
      } catch (error) {
        if (isStorageTakenOver(error)) {
          throw error;
        }
        // Removing a record may need disk space, too. The copies are gone, and the next start finds the note.
        isFreed ||= isNoted;
        this.toPurge.set(removal.key, idsOf(removal.items));
      }
    }
    return isFreed;
  }

  private async purgeRemoval({ key, items }: UndoableRemoval): Promise<void> {
    for (const { record } of items) {
      this.collectUploadUrl(record);
    }
    await this.purge(key, idsOf(items));
  }

  /** Remembers the address of a removed photo's upload, so that it can be deleted at the service. */
  private collectUploadUrl({ uploadUrl }: PhotoRecord): void {
    if (uploadUrl !== null) {
      this.uploadUrls.push(uploadUrl);
    }
  }

  /**
   * Deletes photos permanently: first their copies, then their records with the note that names them. The note must
   * already be in storage. So after a kill at any moment, a start that finds the note continues from there, and every
   * copy has a record. A photo whose copy cannot be deleted keeps its record, and the note stays.
   * @throws {CwError} CW-702 to CW-704; then the note stays
   */
  private async purge(noteKey: string, ids: readonly string[]): Promise<void> {
    const left = new Set<string>();
    for (const some of inParts(ids)) {
      for (const id of await this.options.spool.remove(...some)) {
        left.add(id);
      }
    }
    const gone = ids.filter((id) => !left.has(id));
    const stray = this.picks.strayKeys(gone);
    await removeRecords(this.options.records, [
      ...stray,
      ...gone,
      ...(left.size > 0 ? [] : [noteKey]),
    ]);
    for (const id of gone) {
      this.known.delete(id);
    }
  }

  private async deleteCopy(id: string): Promise<void> {
    await this.options.spool.remove(id);
    this.known.delete(id);
  }
}

function idsOf(items: readonly UploadItem[]): readonly string[] {
  return items.map(({ record }) => record.id);
}

/** The text of a note that names photos. @param photos  identifiers, such as their ids */
function writeNote(photos: readonly unknown[]): string {
  return JSON.stringify({ version: 1, photos });
}

/** The notes that name photos by their ids, by their keys. */
function readNotes(
  stored: ReadonlyMap<string, string>,
  prefix: string,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const [key, photos] of notesAmong(stored, prefix)) {
    found.set(
      key,
      photos.filter((id): id is string => typeof id === 'string'),
    );
  }
  return found;
}

/** The notes in storage, by their keys, each with its photos' identifiers. */
function notesAmong(
  stored: ReadonlyMap<string, string>,
  prefix: string,
): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, readonly unknown[]>();
  for (const [key, text] of stored) {
    const body = key.startsWith(prefix) ? parseJsonObject(text) : null;
    const photos: unknown = body?.['photos'];
    if (body?.['version'] === 1 && Array.isArray(photos)) {
      found.set(key, photos);
    }
  }
  return found;
}

function isDiskFull(error: unknown): boolean {
  return error instanceof CwError && error.code === 'CW-703';
}

function checkSize(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new CwError('CW-608', 'the size is no number of bytes');
  }
  if (size === 0) {
    throw new CwError('CW-601', 'the photo is empty');
  }
}
