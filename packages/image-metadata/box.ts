import { latin1, uint32, uint64 } from './byte-source.js';
import type { Slice } from './slice.js';

/** A box of an ISO base media file (ISO/IEC 14496-12), or an atom of QuickTime. */
export interface Box<S> {
  readonly type: string;
  /** In hex, of a box of the type `uuid`. */
  readonly uuid: string | null;
  /** Its four bytes of type. */
  readonly name: S;
  /** Where the next one begins. */
  readonly end: number;
  /** Everything behind the type and length. */
  readonly content: S;
  /** The same without the UUID. */
  readonly data: S;
}

/** The types of boxes that several readers search for. */
export const BOX_UUID = {
  xmp: 'be7acfcb97a942e89c71999491e3afac',
  /** Canon's metadata in a CR3, and its previews. */
  canon: '85c0b687820f11e08111f4ce462b6a48',
  canonPreview: 'eaf42b5e1c984b88b9fbb7dc406e4d16',
  /** JPEG 2000: `JpgTiffExif->JP2`. */
  exif: '4a706754696666457869662d3e4a5032',
} as const;

const UUID_BYTES = 16;

/** The boxes of a file or of a box one after another, up to the first that is none. */
export async function* boxesIn<S extends Slice<S>>(file: S, start = 0): AsyncGenerator<Box<S>> {
  for (let at = start; ;) {
    file.step();
    const head = file.has(at, 8) ? await file.read(at, 8) : null;
    if (!head) {
      return;
    }
    const type = latin1(head, 4);
    const short = uint32(head);
    // 1: the length follows, as 64 bits; 0: up to the end of the file.
    const isLong = short === 1 && file.has(at + 8, 8);
    const long = isLong ? await file.read(at + 8, 8) : null;
    const length = short === 0 ? file.size - at : long ? uint64(long) : short;
    const contentAt = short === 1 ? 16 : 8;
    const isUuid = type === 'uuid';
    const dataAt = contentAt + (isUuid ? UUID_BYTES : 0);
    if (length < dataAt || !file.has(at, length)) {
      return;
    }
    const uuid = isUuid ? await file.read(at + contentAt, UUID_BYTES) : null;
    const name = file.part(at + 4, 4);
    const content = file.part(at + contentAt, length - contentAt);
    const data = file.part(at + dataAt, length - dataAt);
    if (!name || !content || !data) {
      return;
    }
    yield { type, uuid: uuid && hex(uuid), name, end: at + length, content, data };
    at += length;
  }
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
