import { isJsonObject, textField } from '../base/json.js';
import type { RecordStore } from '../host/host.js';
import { notesAmong, removeRecords, writeNote } from './photo-purge.js';

/** What is known of a photo before it is copied. */
export interface PickedPhoto {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

/** Keys of the notes; photos' keys are hexadecimal. */
const PREFIX = 'adding-';

/**
 * Notes in durable storage that name photos while they are being added, so that copies whose records a kill has
 * prevented keep their names.
 */
export class AddingNotes {
  /** Photos that earlier runs were adding, by their ids. */
  private readonly photos = new Map<string, PickedPhoto>();
  private earlier: readonly string[] = [];

  constructor(private readonly records: RecordStore) {}

  /** Reads what earlier runs left. @returns the keys of the notes */
  restore(stored: ReadonlyMap<string, string>): ReadonlySet<string> {
    const notes = notesAmong(stored, PREFIX);
    for (const photo of [...notes.values()].flat()) {
      const picked = readPhoto(photo);
      if (picked) {
        this.photos.set(picked.id, picked);
      }
    }
    this.earlier = [...notes.keys()];
    return new Set(this.earlier);
  }

  /** The photo that an earlier run was adding under this id; null when that is not known. */
  find(id: string): PickedPhoto | null {
    return this.photos.get(id) ?? null;
  }

  /**
   * Names photos that are about to be copied. A storage that refuses the note does not stop them.
   * @returns a function that removes the note, once all of them are queued or refused
   */
  async begin(photos: readonly PickedPhoto[], noteId: string): Promise<() => void> {
    const { records } = this;
    const key = PREFIX + noteId;
    const picked = photos.map(({ id, name, type }) => ({ id, name, type }));
    await records.put(key, writeNote(picked)).catch(() => undefined);
    return () => {
      // A note that cannot be removed now is removed at a later start.
      void records.remove(key).catch(() => undefined);
    };
  }

  /** Removes the notes of earlier runs. @throws {CwError} CW-702 to CW-704; then the next start does it */
  async clearEarlier(): Promise<void> {
    const keys = this.earlier;
    this.earlier = [];
    this.photos.clear();
    await removeRecords(this.records, keys);
  }
}

function readPhoto(photo: unknown): PickedPhoto | null {
  if (!isJsonObject(photo)) {
    return null;
  }
  const id = textField(photo, 'id');
  const name = textField(photo, 'name');
  const type = textField(photo, 'type');
  return id === null || name === null || type === null ? null : { id, name, type };
}
