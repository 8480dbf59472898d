import type { Owner } from '../../account/owner.js';
import { isJsonObject, numberField, parseJsonObject, textField } from '../../util/json.js';
import { Mutex } from '../../util/mutex.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { RecordStore } from '../../host/storage.js';
import { isServiceId } from '../../api/project.js';
import {
  type PhotoContext,
  type PhotoRecord,
  type UploadReceipt,
  readContext,
} from '../queue/index.js';

/** An uploaded photo, as the history stores it. */
export interface UploadedPhoto extends UploadReceipt, PhotoContext {
  /** The id it had on the list. */
  readonly id: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Wall-clock time in milliseconds at which its arrival was noted. */
  readonly at: number;
  /** Name of the workspace, from the account; null when the service does not report it. */
  readonly workspace: string | null;
  /** Digest of the account or session that sent it (`owner.ts`). */
  readonly owner: string;
}

export interface UploadHistoryOptions {
  readonly records: RecordStore;
  /** Wall-clock time in milliseconds. */
  readonly now: () => number;
  /** Null when no account is connected. */
  readonly owner: Pick<ReadableObservable<Owner | null>, 'get'>;
  /** Whether a browser may open the address: it is on the service's own origin. */
  readonly isOwnAddress: (address: string) => boolean;
}

/** Photos that were cleared from the list together, in one record. */
interface Page {
  readonly key: string;
  readonly photos: readonly UploadedPhoto[];
}

/** Keys of the pages; photos' keys are hexadecimal. */
const PREFIX = 'delivered-';
/** How many photos are remembered. Whole pages are dropped, so some more may be stored. */
export const MAX_REMEMBERED = 1000;
const SHA256 = /^[0-9a-f]{64}$/;

/**
 * The history of uploaded photos, so that users can check days later whether a photo was uploaded.
 *
 * Photos that are cleared from the list together form one record, a page. The page is written before the photos' own
 * records are removed. After a kill a photo is on the list, on a page, or on both. A photo on both is uploaded once
 * more, and recognised here by its id. A page is rewritten only when part of it is cleared. The oldest pages are
 * removed in the same write, once the others hold {@link MAX_REMEMBERED} photos.
 *
 * Users never see photos that another account sent from the same computer.
 */
export class UploadHistory {
  /** The oldest first. */
  private pages: readonly Page[] = [];
  /** Uploaded photos whose own records are still in storage. */
  private pending: readonly UploadedPhoto[] = [];
  private readonly ids = new Set<string>();
  private nextNumber = 1;
  private readonly turns = new Mutex();
  private readonly store = new Observable(0);

  /** Another number after each change. */
  readonly changes: ReadableObservable<number> = this.store;

  constructor(private readonly options: UploadHistoryOptions) {}

  /** Takes up what earlier runs left, from the list's other records. */
  restore(records: ReadonlyMap<string, string>): void {
    const pages: { readonly number: number; readonly page: Page }[] = [];
    for (const [key, text] of records) {
      const number = key.startsWith(PREFIX) ? Number(key.slice(PREFIX.length)) : NaN;
      if (!Number.isSafeInteger(number)) {
        continue;
      }
      const photos = readPage(text, this.options.isOwnAddress);
      pages.push({ number, page: { key, photos } });
      this.nextNumber = Math.max(this.nextNumber, number + 1);
    }
    pages.sort((a, b) => a.number - b.number);
    this.setPages(pages.map(({ page }) => page));
  }

  /** Adds an uploaded photo. The next {@link save} stores it. */
  add(
    record: PhotoRecord,
    { hasMatchingCrc, sha256, pageUrl, uploadId, version }: UploadReceipt,
  ): void {
    const { id, name, size, project, document, stateId, recipe, length } = record;
    const { now, isOwnAddress } = this.options;
    const who = this.options.owner.get();
    if (!who || this.ids.has(id)) {
      return;
    }
    const photo: UploadedPhoto = {
      id,
      name,
      size,
      at: now(),
      workspace: who.workspace,
      owner: who.keys[0],
      hasMatchingCrc,
      sha256: sha256 !== null && SHA256.test(sha256) ? sha256 : null,
      pageUrl: pageUrl !== null && isOwnAddress(pageUrl) ? pageUrl : null,
      uploadId,
      project,
      document,
      stateId,
      ...(recipe !== undefined && { recipe }),
      ...(length && { length }),
      ...(version && { version }),
    };
    this.pending = [...this.pending, photo].slice(-MAX_REMEMBERED);
    this.ids.add(id);
    this.notify();
  }

  /**
   * Stores the added photos. Call before their records are removed.
   * @throws {CwError} CW-702 to CW-704; then nothing has changed
   */
  save(): Promise<void> {
    return this.turns.run(async () => {
      const { records } = this.options;
      const photos = this.pending;
      if (photos.length === 0) {
        return;
      }
      const page = { key: `${PREFIX}${this.nextNumber}`, photos };
      const [outdated, kept] = this.splitOutdated(photos.length);
      this.nextNumber += 1;
      await records.put(page.key, writePage(photos), ...outdated.map(({ key }) => key));
      this.pending = this.pending.filter((photo) => !photos.includes(photo));
      this.setPages([...kept, page]);
    });
  }

  /** An uploaded photo of any account, by the id it had on the list; null when there is none. */
  get(id: string): UploadedPhoto | null {
    if (!this.ids.has(id)) {
      return null;
    }
    const all = [...this.pages.flatMap(({ photos }) => photos), ...this.pending];
    return all.find((photo) => photo.id === id) ?? null;
  }

  /** The photos sent by the connected account, the newest first. */
  photos(): readonly UploadedPhoto[] {
    const who = this.options.owner.get();
    if (!who) {
      return [];
    }
    const all = [...this.pages.flatMap(({ photos }) => photos), ...this.pending];
    return all
      .filter(({ owner }) => who.keys.includes(owner))
      .slice(-MAX_REMEMBERED)
      .reverse();
  }

  /**
   * Notes that an upload is no version any more, but a photo of its own.
   * @throws {CwError} CW-702 to CW-704; then a restart may show it as a version again
   */
  recordDetached(uploadId: string): Promise<void> {
    return this.turns.run(async () => {
      const change = (photo: UploadedPhoto): UploadedPhoto => {
        if (photo.uploadId !== uploadId) {
          return photo;
        }
        const detached = { ...photo };
        delete detached.version;
        return detached;
      };
      const before = this.pages;
      this.pending = this.pending.map(change);
      this.setPages(before.map(({ key, photos }) => ({ key, photos: photos.map(change) })));
      for (const { key, photos } of before) {
        if (photos.some((photo) => photo.uploadId === uploadId)) {
          await this.options.records.put(key, writePage(photos.map(change)));
        }
      }
    });
  }

  /** Forgets all that {@link photos} gives. @throws {CwError} CW-702 to CW-704; then some of it may be left */
  clear(): Promise<void> {
    // Read now: another account may be connected once the mutex is free.
    const gone = new Set(this.photos());
    return this.turns.run(async () => {
      const { records } = this.options;
      const rest = (photos: readonly UploadedPhoto[]): readonly UploadedPhoto[] =>
        photos.filter((photo) => !gone.has(photo));
      const left = this.pages.map(({ key, photos }): Page => ({ key, photos: rest(photos) }));
      const changed = left.filter(
        ({ photos }, index) => photos.length !== this.pages[index]?.photos.length,
      );
      const whole = changed.filter(({ photos }) => photos.length === 0);
      if (whole.length > 0) {
        await records.remove(...whole.map(({ key }) => key));
      }
      for (const { key, photos } of changed) {
        if (photos.length > 0) {
          await records.put(key, writePage(photos));
        }
      }
      this.pending = rest(this.pending);
      this.setPages(left.filter(({ photos }) => photos.length > 0));
    });
  }

  /** Splits the pages into those to drop when `more` photos are added, and those to keep. */
  private splitOutdated(more: number): readonly [readonly Page[], readonly Page[]] {
    let left = this.pages.reduce((sum, { photos }) => sum + photos.length, more);
    const count = this.pages.findIndex(({ photos }) => {
      left -= photos.length;
      return left < MAX_REMEMBERED;
    });
    const end = count < 0 ? this.pages.length : count;
    return [this.pages.slice(0, end), this.pages.slice(end)];
  }

  private setPages(pages: readonly Page[]): void {
    this.pages = pages;
    this.ids.clear();
    for (const { id } of [...pages.flatMap(({ photos }) => photos), ...this.pending]) {
      this.ids.add(id);
    }
    this.notify();
  }

  private notify(): void {
    this.store.set(this.store.get() + 1);
  }
}

function writePage(photos: readonly UploadedPhoto[]): string {
  const delivered = photos.map(({ hasMatchingCrc, ...photo }) => ({
    ...photo,
    checked: hasMatchingCrc,
  }));
  return JSON.stringify({ version: 1, delivered });
}

/** Reads the photos of a page; entries that cannot be read are left out. */
function readPage(
  text: string,
  isOwnAddress: (address: string) => boolean,
): readonly UploadedPhoto[] {
  const body = parseJsonObject(text);
  const entries: unknown = body?.['delivered'];
  if (body?.['version'] !== 1 || !Array.isArray(entries)) {
    return [];
  }
  return entries.flatMap((entry: unknown) => readPhoto(entry, isOwnAddress) ?? []);
}

function readVersion(value: unknown): Pick<UploadedPhoto, 'version'> {
  const number = isJsonObject(value) ? numberField(value, 'number') : null;
  const of = isJsonObject(value) ? textField(value, 'of') : null;
  return number !== null && of !== null ? { version: { number, of } } : {};
}

function readPhoto(
  entry: unknown,
  isOwnAddress: (address: string) => boolean,
): UploadedPhoto | null {
  if (!isJsonObject(entry)) {
    return null;
  }
  const id = textField(entry, 'id');
  const name = textField(entry, 'name');
  const size = numberField(entry, 'size');
  const at = numberField(entry, 'at');
  const owner = textField(entry, 'owner');
  if (id === null || name === null || size === null || at === null || owner === null) {
    return null;
  }
  const sha256 = textField(entry, 'sha256');
  const pageUrl = textField(entry, 'pageUrl');
  const uploadId = textField(entry, 'uploadId');
  return {
    id,
    name,
    size,
    at,
    workspace: textField(entry, 'workspace'),
    owner,
    hasMatchingCrc: entry['checked'] === true,
    sha256: sha256 !== null && SHA256.test(sha256) ? sha256 : null,
    pageUrl: pageUrl !== null && isOwnAddress(pageUrl) ? pageUrl : null,
    uploadId: uploadId !== null && isServiceId(uploadId) ? uploadId : null,
    ...readContext(entry),
    ...readVersion(entry['version']),
  };
}
