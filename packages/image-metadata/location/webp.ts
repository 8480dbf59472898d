import { uint32 } from '../byte-source.js';
import { riffChunksIn } from '../riff.js';
import type { Region } from './search.js';
import { searchExif } from './tiff.js';
import { searchXmp } from './xmp.js';

const HARMLESS = ['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP'];

/**
 * Searches a [WebP file](https://www.rfc-editor.org/rfc/rfc9649). Unknown chunks become zeros.
 * @returns where it ends
 */
export async function searchWebp(file: Region): Promise<number> {
  const { search } = file;
  const size = uint32(await file.read(4, 4), 0, true);
  // A program that could not go back to the start left the length empty.
  const end = size === 0 ? file.size : Math.min(file.size, 8 + size);
  let rest = end;
  for await (const { type, at, end: next, data } of riffChunksIn(file, end)) {
    if (!data) {
      return HARMLESS.includes(type) ? file.size : at;
    }
    if (type === 'EXIF') {
      await search.ancillary(data, () => searchExif(data));
    } else if (type === 'XMP ') {
      await searchXmp(data);
    } else if (!HARMLESS.includes(type)) {
      await data.blank();
    }
    rest = Math.max(end, next);
  }
  return Math.min(rest, file.size);
}
