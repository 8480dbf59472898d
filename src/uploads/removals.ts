import { isSuperseded } from '../base/superseded.js';
import {
  purgePhotos,
  readNotes,
  removeRecords,
  writeNote,
  type PurgeOptions,
} from './photo-purge.js';
import type { UploadItem } from './upload-item.js';
import type { PhotoRecord } from './photo-record.js';

/** Photos that were taken off the list together. */
export interface Removal {
  /** In the order of the list. */
  readonly items: readonly UploadItem[];
}

export interface RemovalsOptions extends PurgeOptions {
  readonly newId: () => string;
  /** At most this many bytes of copies are kept besides those of the newest removal. */
  readonly mostKeptBytes: number;
  /** Called for each photo of which nothing is left. */
  readonly onGone: (id: string) => void;
}

/** A removal that can still be undone. */
interface Kept extends Removal {
  readonly key: string;
  readonly bytes: number;
  /** Whether its note is in storage; settles when that is known, and never fails. */
  readonly isNoted: Promise<boolean>;
}

/** Keys of the notes; photos' keys are hexadecimal. */
const PREFIX = 'removal-';

/**
 * Keeps photos that were taken off the list, so that they can be put back until the plugin starts anew.
 *
 * A removal is one note in durable storage that names its photos, however many they are; their records and copies stay.
 * Deleting the note puts all of them back. A start that finds a note shows none of its photos, and clears them away.
 * So after a kill at any moment, the photos of one removal are either all on the list or all removed.
 *
 * The disk space for this is limited: at most `mostKeptBytes` of older removals are kept, and nothing when the disk is
 * full.
 */
export class Removals {
  /** Those that can be undone, the newest last. */
  private readonly kept: Kept[] = [];
  /** Notes of earlier runs, with the photos they name. */
  private readonly earlier = new Map<string, readonly string[]>();
  private addresses: string[] = [];

  constructor(private readonly options: RemovalsOptions) {}

  /** The removal that `undo` puts back; null when there is none. */
  get newest(): Removal | null {
    return this.kept[this.kept.length - 1] ?? null;
  }

  /**
   * Reads the notes among what is in storage.
   * @returns for each note's key the photos it names; they are not to be shown
   */
  restore(stored: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
    const found = readNotes(stored, PREFIX);
    for (const [key, photos] of found) {
      if (!this.kept.some((removal) => removal.key === key)) {
        this.earlier.set(key, photos);
      }
    }
    return found;
  }

  /** Remembers the address of a removed photo's upload, so that the service can be told to drop it. */
  noteAddress({ uploadUrl }: PhotoRecord): void {
    if (uploadUrl !== null) {
      this.addresses.push(uploadUrl);
    }
  }

  /** Addresses of uploads that nobody will finish, each given once. */
  takeAddresses(): readonly string[] {
    const { addresses } = this;
    this.addresses = [];
    return addresses;
  }

  /**
   * Keeps photos that have just left the list, and clears away the oldest removals beyond `mostKeptBytes`.
   * @throws {CwError} CW-702 to CW-704; then a restart may bring them back
   */
  async add({ items }: Removal): Promise<void> {
    const { records, newId, mostKeptBytes } = this.options;
    const key = PREFIX + newId();
    const written = records.put(key, writeNote(idsOf(items)));
    this.kept.push({
      key,
      items,
      bytes: items.reduce((sum, { record }) => sum + record.size, 0),
      isNoted: written.then(
        () => true,
        () => false,
      ),
    });
    await written;
    let older = this.kept.slice(0, -1).reduce((sum, { bytes }) => sum + bytes, 0);
    while (older > mostKeptBytes) {
      const oldest = this.kept.shift();
      if (!oldest) {
        return;
      }
      older -= oldest.bytes;
      await this.letGo(oldest);
    }
  }

  /**
   * Takes the newest removal back.
   * @returns its photos, to be shown again; none when there is nothing to take back
   * @throws {CwError} CW-702 to CW-704; then it can be tried again
   */
  async undo(): Promise<readonly UploadItem[]> {
    const removal = this.kept.pop();
    if (!removal) {
      return [];
    }
    try {
      await removal.isNoted;
      await this.options.records.remove(removal.key);
      return removal.items;
    } catch (error) {
      this.kept.push(removal);
      throw error;
    }
  }

  /** Clears away what earlier runs removed. @throws {CwError} CW-702 to CW-704; the next start tries again */
  async clearEarlier(): Promise<void> {
    for (const [key, photos] of [...this.earlier]) {
      await this.clear(photos, key);
      this.earlier.delete(key);
    }
  }

  /** To be called when the disk is full: clears away all removed photos. Gives whether any were. */
  async makeRoom(): Promise<boolean> {
    let isFreed = false;
    for (const removal of this.kept.splice(0)) {
      const isNoted = await removal.isNoted;
      try {
        // Without its note, a restart puts the photos back on the list: then their records have to go before the copies.
        if (!isNoted) {
          await removeRecords(this.options.records, idsOf(removal.items));
        }
        await this.letGo(removal);
        isFreed = true;
      } catch (error) {
        if (isSuperseded(error)) {
          throw error;
        }
        // Removing a record may need disk space, too. The copies are gone, and the next start finds the note.
        isFreed ||= isNoted;
        this.earlier.set(removal.key, idsOf(removal.items));
      }
    }
    return isFreed;
  }

  private async letGo({ key, items }: Kept): Promise<void> {
    for (const { record } of items) {
      this.noteAddress(record);
    }
    await this.clear(idsOf(items), key);
  }

  private async clear(ids: readonly string[], key: string): Promise<void> {
    for (const id of await purgePhotos(this.options, key, ids)) {
      this.options.onGone(id);
    }
  }
}

function idsOf(items: readonly UploadItem[]): readonly string[] {
  return items.map(({ record }) => record.id);
}
