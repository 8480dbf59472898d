import type { ByteReader } from '../byte-reader.js';
import { latin1, uint16, uint32 } from '../byte-source.js';
import type { Size } from './raw.js';

/** The content of a Sigma raw file. */
export interface X3fContent {
  /** As the picture is shown; null where the header has no size. */
  readonly sides: Size | null;
  /** The pictures as the camera developed them, in the order of the file. */
  readonly jpegs: readonly ByteReader[];
}

/** From this version on the size is not in the header. */
const FIRST_WITHOUT_SIZE = 4;
const MAX_SECTIONS = 64;
const ENTRY_BYTES = 12;
/** The header of a section with an image, in bytes, and the kind of data that is a JPEG. */
const IMAGE_HEADER_BYTES = 28;
const JPEG = 18;

/**
 * Reads an X3F file: a header, and sections that a directory at the end lists.
 * @returns null when it is no such file
 */
export async function readX3f(reader: ByteReader): Promise<X3fContent | null> {
  const head = await reader.read(0, 40);
  if (!head || latin1(head, 0, 4) !== 'FOVb') {
    return null;
  }
  const [width, height] = [uint32(head, 28, true), uint32(head, 32, true)];
  const isSideways = uint32(head, 36, true) % 180 !== 0;
  const sides = isSideways ? { width: height, height: width } : { width, height };
  const hasSize = uint16(head, 6, true) < FIRST_WITHOUT_SIZE;
  return { sides: hasSize ? sides : null, jpegs: await jpegsIn(reader) };
}

async function jpegsIn(reader: ByteReader): Promise<ByteReader[]> {
  const directory = (await reader.uint32(reader.size - 4, true)) ?? reader.size;
  const head = await reader.read(directory, 12);
  const count = head && latin1(head, 0, 4) === 'SECd' ? uint32(head, 8, true) : 0;
  const jpegs: ByteReader[] = [];
  for (let index = 0; index < Math.min(count, MAX_SECTIONS); index += 1) {
    const entry = await reader.read(directory + 12 + index * ENTRY_BYTES, ENTRY_BYTES);
    const section = entry && reader.part(uint32(entry, 0, true), uint32(entry, 4, true));
    const image = await section?.read(0, IMAGE_HEADER_BYTES);
    if (image && latin1(image, 0, 4) === 'SECi' && uint32(image, 12, true) === JPEG) {
      const jpeg = section?.part(IMAGE_HEADER_BYTES);
      jpegs.push(...(jpeg ? [jpeg] : []));
    }
  }
  return jpegs;
}
