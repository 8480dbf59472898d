import { uint32 } from '../byte-source.js';
import { Unsearchable, type Region } from './search.js';
import { isPlaceKeyword, isPlaceProperty } from './words.js';
import { searchXmp } from './xmp.js';

const MAX_NAME = 256;
const MULTIPART = 0x1000;
const SPACE = 0x20;
const MAX_TEXT_BYTES = 64 * 1024;

/** Searches the attributes of an [OpenEXR file](https://openexr.com/en/latest/OpenEXRFileLayout.html). @throws {Unsearchable} */
export async function searchExr(file: Region): Promise<number> {
  const { search } = file;
  const isMultipart = (uint32(await file.read(4, 4), 0, true) & MULTIPART) !== 0;
  let isHeaderEmpty = true;
  for (let at = 8; ;) {
    search.step();
    const head = await file.text(at, 2 * MAX_NAME);
    const [name = '', type = ''] = head.split('\0');
    if (name === '') {
      // Parts have headers one after another. An empty one is the last.
      if (!isMultipart || isHeaderEmpty) {
        return file.size;
      }
      isHeaderEmpty = true;
      at += 1;
      continue;
    }
    isHeaderEmpty = false;
    const valueAt = at + name.length + 1 + type.length + 1;
    const length = uint32(await file.read(valueAt, 4), 0, true);
    if (name.length >= MAX_NAME || type.length >= MAX_NAME || !file.has(valueAt + 4, length)) {
      throw new Unsearchable('damaged');
    }
    const value = file.part(valueAt + 4, length);
    if (type === 'string' && name.toLowerCase() === 'xmp') {
      await searchXmp(value);
    } else if (isPlaceProperty(name)) {
      search.hasLocation = (await value.blank()) || search.hasLocation;
    } else if (type === 'string' && isPlaceKeyword(await value.text(0, MAX_TEXT_BYTES))) {
      search.hasLocation = (await value.blank(SPACE)) || search.hasLocation;
    }
    at = valueAt + 4 + length;
  }
}
