import type { ByteReader } from './byte-reader.js';
import type { Sides } from './raw.js';

/** The content of a Sigma raw file. */
export interface X3fContent {
  /** As the picture is shown; undefined where the header has no size. */
  readonly sides: Sides | undefined;
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
 * @returns undefined when it is no such file
 */
export async function readX3f(reader: ByteReader): Promise<X3fContent | undefined> {
  const head = await reader.read(0, 40);
  if (head?.toString('latin1', 0, 4) !== 'FOVb') {
    return undefined;
  }
  const [width, height] = [head.readUInt32LE(28), head.readUInt32LE(32)];
  const isSideways = head.readUInt32LE(36) % 180 !== 0;
  const sides = isSideways ? { width: height, height: width } : { width, height };
  const hasSize = head.readUInt16LE(6) < FIRST_WITHOUT_SIZE;
  return { sides: hasSize ? sides : undefined, jpegs: await jpegsIn(reader) };
}

async function jpegsIn(reader: ByteReader): Promise<ByteReader[]> {
  const directory = (await reader.read(reader.size - 4, 4))?.readUInt32LE(0) ?? reader.size;
  const head = await reader.read(directory, 12);
  const count = head?.toString('latin1', 0, 4) === 'SECd' ? head.readUInt32LE(8) : 0;
  const jpegs: ByteReader[] = [];
  for (let index = 0; index < Math.min(count, MAX_SECTIONS); index += 1) {
    const entry = await reader.read(directory + 12 + index * ENTRY_BYTES, ENTRY_BYTES);
    const section = entry && reader.part(entry.readUInt32LE(0), entry.readUInt32LE(4));
    const image = await section?.read(0, IMAGE_HEADER_BYTES);
    if (image?.toString('latin1', 0, 4) === 'SECi' && image.readUInt32LE(12) === JPEG) {
      const jpeg = section?.part(IMAGE_HEADER_BYTES);
      jpegs.push(...(jpeg === undefined ? [] : [jpeg]));
    }
  }
  return jpegs;
}
