import { bytesOfLatin1, latin1, uint32, uint64 } from './byte-source.js';
import type { Region } from './search.js';

/** A box of an ISO base media file (ISO/IEC 14496-12), or an atom of QuickTime. */
export interface Box {
  readonly type: string;
  /** In hex, of a box of the type `uuid`. */
  readonly uuid: string | null;
  /** Its four bytes of type. */
  readonly name: Region;
  /** Everything behind the type and length. */
  readonly content: Region;
  /** The same without the UUID. */
  readonly data: Region;
  /** Where the next one begins. */
  readonly end: number;
}

const UUID_BYTES = 16;
const FREE = 'free';

/** The boxes of a region one after another, up to the first that is none. */
export async function* boxesIn(region: Region, start = 0): AsyncGenerator<Box> {
  for (let at = start; region.has(at, 8);) {
    region.search.step();
    const head = await region.read(at, 8);
    const type = latin1(head, 4);
    const short = uint32(head);
    // 1: the length follows, as 64 bits; 0: up to the end of the file.
    const long =
      short === 1 && region.has(at + 8, 8) ? uint64(await region.read(at + 8, 8)) : short;
    const length = short === 0 ? region.size - at : long;
    const isUuid = type === 'uuid';
    const contentAt = short === 1 ? 16 : 8;
    const headBytes = contentAt + (isUuid ? UUID_BYTES : 0);
    if (length < headBytes || !region.has(at, length)) {
      return;
    }
    const uuid = isUuid ? hex(await region.read(at + headBytes - UUID_BYTES, UUID_BYTES)) : null;
    yield {
      type,
      uuid,
      name: region.part(at + 4, 4),
      content: region.part(at + contentAt, length - contentAt),
      data: region.part(at + headBytes, length - headBytes),
      end: at + length,
    };
    at += length;
  }
}

/** Gives a box a type that every program skips, and zeros. */
export async function removeBox({ type, name, content }: Box): Promise<void> {
  if (type !== FREE) {
    name.replace(0, bytesOfLatin1(FREE));
  }
  await content.blank();
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
