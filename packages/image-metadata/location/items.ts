import { uint32 } from '../byte-source.js';
import { isXmpItem, readItems } from '../items.js';
import { Region, Unsearchable } from './search.js';
import { searchExif } from './tiff.js';
import { searchXmp } from './xmp.js';

/** Searches the items of a `meta` box. @throws {Unsearchable} where metadata are at an unknown place */
export async function searchItems(file: Region, meta: Region): Promise<void> {
  const { search } = file;
  const { types, places, stored } = await readItems(meta);
  if (!places) {
    throw new Unsearchable('limits');
  }
  for (const [id, type] of types) {
    search.step();
    const place = places.get(id);
    if (!place || !isMetadata(type)) {
      continue;
    }
    const source = place.method === 0 ? file : place.method === 1 ? stored : null;
    if (source === null) {
      throw new Unsearchable('unsupported');
    }
    const parts = place.extents.map(({ at, length }) =>
      length === 0 ? source.part(at) : source.part(at, length),
    );
    const data = Region.join(search, parts);
    await search.ancillary(data, () => searchItem(type, data));
  }
}

/** @param type  four characters, and those of a `mime` item behind them */
function isMetadata(type: string): boolean {
  return ['Exif', 'mime', 'uri ', 'jpeg'].includes(type.slice(0, 4));
}

async function searchItem(type: string, data: Region): Promise<void> {
  const kind = type.slice(0, 4);
  if (kind === 'Exif') {
    const offset = uint32(await data.read(0, 4));
    await searchExif(data.part(4 + offset));
  } else if (kind === 'jpeg') {
    await data.search.nested(data);
  } else {
    await (isXmpItem(type) ? searchXmp(data) : data.blank());
  }
}
