import { parseJsonObject } from '../base/json.js';
import type { RecordStore, Spool } from '../host/host.js';

/** At most this many photos are deleted in one step: each is an argument of one call. */
const AT_ONCE = 1000;

export interface PurgeOptions {
  readonly records: RecordStore;
  readonly spool: Spool;
}

/**
 * Deletes photos for good: first their copies, then their records with the note that names them. The note has to be in
 * storage before. So after a kill at any moment, a start that finds the note goes on from there, and no copy is ever
 * left without a record.
 * @returns the photos of which nothing is left; the others keep their records, and the note stays
 * @throws {CwError} CW-702 to CW-704; then the note stays
 */
export async function purgePhotos(
  { records, spool }: PurgeOptions,
  noteKey: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const left = new Set<string>();
  for (const some of inParts(ids)) {
    for (const id of await spool.remove(...some)) {
      left.add(id);
    }
  }
  const gone = ids.filter((id) => !left.has(id));
  await removeRecords(records, left.size > 0 ? gone : [...gone, noteKey]);
  return gone;
}

/** Removes any number of records. @throws {CwError} CW-702 to CW-704; then some of them may be left */
export async function removeRecords(records: RecordStore, keys: readonly string[]): Promise<void> {
  for (const some of inParts(keys)) {
    await records.remove(...some);
  }
}

/** The text of a note that names photos. @param photos  what stands for them, such as their ids */
export function writeNote(photos: readonly unknown[]): string {
  return JSON.stringify({ version: 1, photos });
}

/** The notes among what is in storage, by their keys, each with the photos that it names. */
export function readNotes(
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

/** The notes among what is in storage, by their keys, each with what stands for its photos. */
export function notesAmong(
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

function inParts(ids: readonly string[]): (readonly string[])[] {
  const parts: (readonly string[])[] = [];
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    parts.push(ids.slice(start, start + AT_ONCE));
  }
  return parts;
}
