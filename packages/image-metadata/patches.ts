/** Bytes of a file to be replaced by as many others. */
export interface Patch {
  /** Place in the file. */
  readonly at: number;
  readonly length: number;
  /** As many bytes as are replaced, or one byte that is repeated. */
  readonly by: number | Uint8Array;
}

/** The most patches of one file, and the most bytes in their `by` together. */
export const MAX_PATCHES = 4096;
export const MAX_PATCH_BYTES = 64 * 1024;

/** How many patches are collected before neighbours are merged. */
const MAX_COLLECTED = 4 * MAX_PATCHES;

/**
 * Applies patches to a part of a file.
 * @param start  where the part begins in the file
 * @param patches  sorted, without overlap
 * @returns the same bytes if none of the patches is about them, else a copy
 */
export function applyPatches<Bytes extends Uint8Array>(
  bytes: Bytes,
  start: number,
  patches: readonly Patch[],
): Bytes | Uint8Array<ArrayBuffer> {
  const end = start + bytes.length;
  let copy: Uint8Array<ArrayBuffer> | null = null;
  for (let index = firstEndingAfter(patches, start); index < patches.length; index += 1) {
    const patch = patches[index];
    if (!patch || patch.at >= end) {
      break;
    }
    copy ??= new Uint8Array(bytes);
    const from = Math.max(patch.at, start);
    const to = Math.min(patch.at + patch.length, end);
    if (typeof patch.by === 'number') {
      copy.fill(patch.by, from - start, to - start);
    } else {
      copy.set(patch.by.subarray(from - patch.at, to - patch.at), from - start);
    }
  }
  return copy ?? bytes;
}

/** The index of the first patch that ends behind a place, by binary search. */
function firstEndingAfter(patches: readonly Patch[], place: number): number {
  let low = 0;
  let high = patches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const patch = patches[middle];
    if (patch && patch.at + patch.length <= place) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** Collects patches within the limits. */
export class PatchList {
  private patches: Patch[] = [];

  /** @returns false when there are too many */
  add(patch: Patch): boolean {
    if (patch.length > 0) {
      this.patches.push(patch);
    }
    return this.patches.length < MAX_COLLECTED || this.sorted() !== null;
  }

  get isEmpty(): boolean {
    return this.patches.length === 0;
  }

  /** All patches in order, without overlap; null when there are too many. */
  sorted(): readonly Patch[] | null {
    this.patches = merge(this.patches);
    const bytes = this.patches.reduce(
      (sum, { by }) => sum + (typeof by === 'number' ? 0 : by.length),
      0,
    );
    return this.patches.length > MAX_PATCHES || bytes > MAX_PATCH_BYTES ? null : this.patches;
  }
}

/** Sorts patches, joins neighbours with the same byte, and cuts what overlaps: the first one counts. */
function merge(patches: readonly Patch[]): Patch[] {
  const merged: Patch[] = [];
  for (const next of [...patches].sort((one, other) => one.at - other.at)) {
    const last = merged[merged.length - 1];
    const end = last ? last.at + last.length : 0;
    const { at, length, by } = cutBefore(next, end);
    if (length <= 0) {
      continue;
    }
    if (last && at === end && typeof by === 'number' && last.by === by) {
      merged[merged.length - 1] = { ...last, length: last.length + length };
    } else {
      merged.push({ at, length, by });
    }
  }
  return merged;
}

function cutBefore(patch: Patch, place: number): Patch {
  const cut = place - patch.at;
  return cut <= 0
    ? patch
    : {
        at: place,
        length: patch.length - cut,
        by: typeof patch.by === 'number' ? patch.by : patch.by.subarray(cut),
      };
}
