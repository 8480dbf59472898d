import { ByteReader, type ByteSource } from './formats/byte-reader.js';
import {
  MAX_PATCHES,
  toSentLocation,
  type FileLocation,
  type Patch,
  type SentLocation,
} from './file-location.js';
import { locationOf } from './location.js';

/** How much of a file is read to find its location. The reader reads 64 KiB at least. */
const READ_LIMITS = { reads: 1000, bytes: 128 * 1024 * 1024 } as const;

/**
 * Finds what to replace in a file to remove its location. A hostile file may take long or much memory: call this only in a
 * process that can be killed.
 */
export async function findLocation(source: ByteSource): Promise<SentLocation> {
  const reader = ByteReader.over(source, READ_LIMITS);
  const { hasLocation, patches } = await locationOf(reader);
  if (reader.isExhausted) {
    return { kind: 'unsearchable', reason: 'too much to read' };
  }
  const merged = merge(patches.map(({ by = 0, ...place }) => ({ ...place, by })));
  return merged === undefined || merged.length > MAX_PATCHES
    ? { kind: 'unsearchable', reason: 'too many places' }
    : toSentLocation({ kind: 'searched', hasLocation, patches: merged } satisfies FileLocation);
}

/** Joins patches that overlap or follow each other; undefined when they contradict each other. */
function merge(patches: readonly Patch[]): Patch[] | undefined {
  const merged: Patch[] = [];
  for (const patch of patches.filter(({ length }) => length > 0)) {
    const last = merged.at(-1);
    const end = last === undefined ? -1 : last.at + last.length;
    if (last === undefined || patch.at > end || (patch.at === end && patch.by !== last.by)) {
      merged.push(patch);
    } else if (patch.by === last.by) {
      const until = Math.max(end, patch.at + patch.length);
      merged[merged.length - 1] = { ...last, length: until - last.at };
    } else {
      return undefined;
    }
  }
  return merged;
}
