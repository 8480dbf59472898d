import type { ByteReader } from '../byte-reader.js';
import { uint32 } from '../byte-source.js';

export const RAF_START = 'FUJIFILMCCD-RAW';
/** Where RAF files note where their JPEG is: its offset, then its length. */
export const RAF_JPEG = 84;

/** The JPEG in a [RAF file](https://libopenraw.freedesktop.org/formats/raf/); null for another file. */
export async function jpegInRaf(reader: ByteReader): Promise<ByteReader | null> {
  const isRaf = (await reader.text(0, RAF_START.length)) === RAF_START;
  const place = isRaf ? await reader.read(RAF_JPEG, 8) : null;
  return place && reader.part(uint32(place), uint32(place, 4));
}
