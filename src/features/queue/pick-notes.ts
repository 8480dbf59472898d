import { numberField, parseJsonObject, textField } from '../../util/json.js';
import type { PhotoSource } from '../../host/photo-source.js';
import type { IncomingCopy, Spool } from '../../host/spool.js';
import type { RecordStore } from '../../host/storage.js';
import { inParts, removeRecords } from './in-parts.js';
import { readContext, type PhotoContext } from './photo-record.js';

export interface PickNotesOptions {
  readonly records: RecordStore;
  readonly spool: Spool;
  readonly newId: () => string;
}

/** A photo before it is copied. */
export interface PickedPhoto {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly context?: PhotoContext;
  /** Set for a photo that was queued without the user. */
  readonly isUnattended?: boolean;
  /** Its owner, see `PhotoRecord`. Without one the user decides about a copy that was found. */
  readonly notedOwner?: string;
  /** Set for a photo that is certainly no version of another one. */
  readonly isNew?: boolean;
}

/** A picked photo as it is noted until it is on the list. */
export interface NotedPick extends PickedPhoto {
  /** Opens the file again after a restart; null while there is none. */
  readonly token: string | null;
  /** Bytes of the file; null while they are not known. */
  readonly bytes: number | null;
  /** Set for a photo that the host has written itself: its copy was complete before it was noted. */
  readonly isWritten?: true;
}

/** A photo to be copied. */
export type PhotoToCopy = PickedPhoto & { readonly photo: PhotoSource };

/** The key of a picked photo that is not on the list yet, before its id. */
const PICKED = 'picked-';
/** Files are described, and notes written, so many at a time. */
const DESCRIBED_AT_ONCE = 50;

/**
 * Notes in storage about photos that are not on the list yet.
 *
 * A picked photo is noted before it is copied, and its note is removed in the same step in which its record is written. So
 * after a kill each picked photo is on the list, has a copy that is found, or has a note: its file is copied again by its
 * token, or the user learns its name. While records cannot be written, the note is beside the copy.
 */
export class PickNotes {
  /** Photos that this run is adding, by their ids. */
  private readonly adding = new Map<string, NotedPick>();
  /** Those whose notes could not be written. */
  private readonly unsaved = new Set<string>();
  /** Those whose notes are beside their copies, because the records refused them. */
  private readonly besideCopies = new Set<string>();
  /** Photos that earlier runs could not add, by their ids. */
  private readonly leftover = new Map<string, NotedPick>();
  /** Photos on the list whose notes a crash has left. */
  private readonly stray = new Set<string>();
  /** Copies that were complete, but not moved into the spool. */
  private readonly whole = new Set<string>();

  constructor(private readonly options: PickNotesOptions) {}

  /**
   * Reads which photos earlier runs were adding.
   * @param stored  all records by their keys
   * @param known  photos that have a record, by their ids
   */
  restore(stored: ReadonlyMap<string, string>, known: ReadonlySet<string>): void {
    this.leftover.clear();
    for (const [key, text] of stored) {
      const pick = isPickKey(key) ? readPick(key.slice(PICKED.length), text) : null;
      if (pick && known.has(pick.id)) {
        this.stray.add(pick.id);
      } else if (pick && !this.adding.has(pick.id)) {
        this.leftover.set(pick.id, pick);
      }
    }
  }

  /** Removes the notes of photos that are on the list. @throws {CwError} CW-702 to CW-704; then some are left */
  async clearStray(): Promise<void> {
    const stray = [...this.stray];
    await removeRecords(this.options.records, stray.map(keyOfPick));
    for (const id of stray) {
      this.stray.delete(id);
    }
  }

  /** The keys of notes of photos that are on the list, among these. */
  strayKeys(ids: readonly string[]): readonly string[] {
    return ids.filter((id) => this.stray.has(id)).map(keyOfPick);
  }

  /** Photos that earlier runs were adding, and of which there is no copy. Call after the store has found copies. */
  get left(): readonly NotedPick[] {
    return [...this.leftover.values()];
  }

  /**
   * Takes photos over that an earlier run was adding. They have other ids then: an older instance of the plugin may still
   * be copying them.
   * @throws {CwError} CW-702 to CW-704; then the next start does it
   */
  async takeOver(
    found: readonly { readonly pick: NotedPick; readonly photo: PhotoSource }[],
  ): Promise<readonly PhotoToCopy[]> {
    const { records, newId } = this.options;
    const taken = found.map(({ pick, photo }) => ({
      former: pick.id,
      pick: { ...pick, id: newId() },
      photo,
    }));
    const notes = taken.map(({ pick }) => [keyOfPick(pick.id), writePick(pick)] as const);
    await records.putAll(new Map(notes), ...taken.map(({ former }) => keyOfPick(former)));
    await this.removeBesideCopies(taken.map(({ former }) => former));
    return taken.map(({ former, pick, photo }) => {
      this.leftover.delete(former);
      this.adding.set(pick.id, pick);
      return { ...pick, photo };
    });
  }

  /** Forgets photos that are not added. A note that cannot be removed now is found at the next start. */
  async forget(ids: readonly string[]): Promise<void> {
    const noted = ids.filter((id) => this.adding.delete(id) || this.leftover.delete(id));
    if (noted.length > 0) {
      await removeRecords(this.options.records, noted.map(keyOfPick)).catch(() => undefined);
    }
    await this.removeBesideCopies(ids);
  }

  /** Removes notes beside copies of photos that are not added, with what there is of the copies. */
  private async removeBesideCopies(ids: readonly string[]): Promise<void> {
    const beside = ids.filter((id) => !this.whole.has(id) && this.besideCopies.delete(id));
    if (beside.length > 0) {
      await this.options.spool.removeIncoming(...beside);
    }
  }

  /**
   * Notes photos before they are copied. Copying continues if storage refuses that; {@link saveUnsaved} tries again.
   */
  async add(photos: readonly PhotoToCopy[]): Promise<void> {
    for (const { photo, ...picked } of photos) {
      this.adding.set(picked.id, {
        ...picked,
        token: null,
        bytes: null,
        ...(photo.id !== undefined && { isWritten: true }),
      });
    }
    await this.save(photos.map(({ id }) => id));
    await this.writeBesideCopies();
  }

  /** Writes the notes that the records have refused beside the copies. Storage that refuses one is not tried for others. */
  private async writeBesideCopies(): Promise<void> {
    for (const id of this.unsaved) {
      const pick = this.adding.get(id);
      if (pick && !this.besideCopies.has(id)) {
        try {
          await this.options.spool.noteIncoming(id, writePick(pick));
          this.besideCopies.add(id);
        } catch {
          return;
        }
      }
    }
  }

  /** Adds to the notes what opens the files again. Settles when all are described. Never rejects. */
  async describe(photos: readonly PhotoToCopy[]): Promise<void> {
    for (let start = 0; start < photos.length; start += DESCRIBED_AT_ONCE) {
      const described: string[] = [];
      for (const { id, photo } of photos.slice(start, start + DESCRIBED_AT_ONCE)) {
        if (!this.adding.has(id) || !photo.describe) {
          continue;
        }
        const { token, size } = await photo.describe();
        const pick = this.adding.get(id);
        if (pick) {
          this.adding.set(id, { ...pick, token, bytes: size });
          described.push(id);
        }
      }
      await this.save(described);
    }
  }

  /** Writes the notes that storage has refused so far. */
  async saveUnsaved(): Promise<void> {
    await this.save([...this.unsaved]);
  }

  /** Writes notes of photos that are still being added. */
  private async save(ids: readonly string[]): Promise<void> {
    for (const some of inParts(ids)) {
      const notes = new Map<string, string>();
      for (const id of some) {
        const pick = this.adding.get(id);
        if (pick) {
          notes.set(keyOfPick(id), writePick(pick));
        }
        this.unsaved.delete(id);
      }
      if (notes.size > 0) {
        await this.options.records.putAll(notes).catch(() => {
          for (const id of some) {
            this.unsaved.add(id);
          }
        });
      }
    }
  }

  /** Moves the note beside a copy into the records. It stays where it is while they refuse it. */
  private async readNoteBeside(id: string, copy: IncomingCopy | null): Promise<void> {
    const pick = copy?.note == null || this.leftover.has(id) ? null : readPick(id, copy.note);
    if (pick) {
      this.leftover.set(id, pick);
      await this.options.records.put(keyOfPick(id), writePick(pick)).catch(() => {
        this.besideCopies.add(id);
      });
    }
  }

  /** Whether a copy that was not moved has to be kept. */
  private isWhole(id: string, copy: IncomingCopy): boolean {
    const pick = this.leftover.get(id);
    if (copy.size === null || copy.isComplete || !pick) {
      return copy.isComplete;
    }
    if (pick.isWritten) {
      return true;
    }
    // It has all bytes, but perhaps not the right ones: hosts may set the length first. A file that can be copied again is.
    const isLong = pick.token === null && copy.size === pick.bytes;
    if (isLong) {
      const unowned = { ...pick };
      delete unowned.notedOwner;
      this.leftover.set(id, unowned);
    }
    return isLong;
  }

  /**
   * Whether a copy that was not moved into the spool stays there, with its note. Such a copy is then one of
   * {@link unmoved}, if it is whole.
   */
  async keeps(id: string, copy: IncomingCopy | null): Promise<boolean> {
    await this.readNoteBeside(id, copy);
    if (copy && this.isWhole(id, copy)) {
      this.whole.add(id);
      return true;
    }
    return this.besideCopies.has(id);
  }

  /** Copies that were complete, but not moved into the spool. */
  get unmoved(): ReadonlySet<string> {
    return this.whole;
  }

  /** Goes on with a photo of which an earlier run has left a copy. @returns its note; null without one */
  resume(id: string): NotedPick | null {
    const pick = this.leftover.get(id);
    if (!pick) {
      return null;
    }
    this.leftover.delete(id);
    this.adding.set(id, pick);
    return pick;
  }

  /**
   * Ends the note of a photo in the step in which its record is written.
   * @param write  writes the record and removes these keys
   * @throws {CwError} those of `write`; then the note stays
   */
  async replace(id: string, write: (gone: readonly string[]) => Promise<void>): Promise<void> {
    const pick = this.adding.get(id);
    // Before its record is written: a note that is written later would outlive it.
    this.adding.delete(id);
    try {
      await write(pick ? [keyOfPick(id)] : []);
      this.besideCopies.delete(id);
    } catch (error) {
      if (pick) {
        this.adding.set(id, pick);
      }
      throw error;
    }
  }

  /** Forgets a photo that this run was adding. @returns the keys to remove */
  drop(id: string): readonly string[] {
    return this.adding.delete(id) ? [keyOfPick(id)] : [];
  }
}

/** Whether a record is a note about a picked photo. */
export function isPickKey(key: string): boolean {
  return key.startsWith(PICKED);
}

function keyOfPick(id: string): string {
  return PICKED + id;
}

function writePick({ context, notedOwner, ...pick }: NotedPick): string {
  return JSON.stringify({
    version: 1,
    ...pick,
    ...context,
    ...(notedOwner !== undefined && { owner: notedOwner }),
  });
}

/** Reads a note about a picked photo; null for anything else. */
function readPick(id: string, text: string): NotedPick | null {
  const body = parseJsonObject(text);
  const name = body && textField(body, 'name');
  const type = body && textField(body, 'type');
  if (body?.['version'] !== 1 || name === null || type === null) {
    return null;
  }
  const owner = textField(body, 'owner');
  return {
    id,
    name,
    type,
    context: readContext(body),
    token: textField(body, 'token'),
    bytes: numberField(body, 'bytes'),
    ...(owner !== null && { notedOwner: owner }),
    ...(body['isNew'] === true && { isNew: true }),
    ...(body['isWritten'] === true && { isWritten: true }),
  };
}
