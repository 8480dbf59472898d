import { ZipLength } from './zip-format.js';
import { nameInZip, ZipNames } from './zip-names.js';
import type { ListedPhoto } from '../data/photo-table.js';

/** How many photos one ZIP holds at most. */
export const MAX_IN_ZIP = 10_000;

/**
 * The state of a ZIP while it is sent: some 60 bytes for each photo. All else is read from the database when it is
 * needed.
 */
export interface ZipPlan {
  /** The photos, in their order in the ZIP. */
  readonly ids: readonly string[];
  /** For each photo the number of its name, see {@link ZipNames}. */
  readonly numbers: Uint16Array;
  /** A text behind the photos. */
  readonly note: ZipNote | undefined;
  /** The length of the whole ZIP, in bytes. */
  readonly length: number;
}

/** A text that a ZIP holds besides photos. */
export interface ZipNote {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * Plans a ZIP of photos that come in parts, and of a note.
 * @returns undefined when there are more than `most`.
 */
export async function planZip(
  parts: AsyncIterable<readonly ListedPhoto[]> | Iterable<readonly ListedPhoto[]>,
  note?: ZipNote,
  most = MAX_IN_ZIP,
): Promise<ZipPlan | undefined> {
  const names = new ZipNames();
  const ids: string[] = [];
  const numbers = new Uint16Array(most);
  const length = new ZipLength();
  for await (const part of parts) {
    if (ids.length + part.length > most) {
      return undefined;
    }
    for (const { id, name, size } of part) {
      const number = names.numberOf(name);
      numbers[ids.length] = number;
      ids.push(id);
      length.add(Buffer.byteLength(nameInZip(name, number)), size);
    }
  }
  const named = note && { ...note, name: nameInZip(note.name, names.numberOf(note.name)) };
  if (named !== undefined) {
    length.add(Buffer.byteLength(named.name), named.bytes.length);
  }
  return { ids, numbers: numbers.slice(0, ids.length), note: named, length: length.total };
}
