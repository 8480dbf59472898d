import { latin1, uint32 } from './byte-source.js';
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
  let at = 12;
  while (at + 8 <= end) {
    search.step();
    const head = await file.read(at, 8);
    const length = uint32(head, 4, true);
    const type = latin1(head, 0, 4);
    if (!file.has(at + 8, length)) {
      return HARMLESS.includes(type) ? file.size : at;
    }
    const data = file.part(at + 8, length);
    if (type === 'EXIF') {
      await search.ancillary(data, () => searchExif(data));
    } else if (type === 'XMP ') {
      await searchXmp(data);
    } else if (!HARMLESS.includes(type)) {
      await data.blank();
    }
    at += 8 + length + (length % 2);
  }
  return Math.min(Math.max(at, end), file.size);
}
