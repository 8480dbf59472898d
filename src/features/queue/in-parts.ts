import type { RecordStore } from '../../host/storage.js';

/** At most this many photos are changed in one step: each is an argument of one call. */
const AT_ONCE = 1000;

export function inParts(ids: readonly string[]): (readonly string[])[] {
  const parts: (readonly string[])[] = [];
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    parts.push(ids.slice(start, start + AT_ONCE));
  }
  return parts;
}

/** Removes any number of records. @throws {CwError} CW-702 to CW-704; then some of them may be left */
export async function removeRecords(records: RecordStore, keys: readonly string[]): Promise<void> {
  for (const some of inParts(keys)) {
    await records.remove(...some);
  }
}
