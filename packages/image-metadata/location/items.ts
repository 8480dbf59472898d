import { boxesIn } from '../box.js';
import { uint16, uint32 } from '../byte-source.js';
import { Region, Unsearchable } from './search.js';
import { searchExif } from './tiff.js';
import { searchXmp } from './xmp.js';

/**
 * Items of HEIC and AVIF files (ISO/IEC 14496-12, 23008-12).
 * @packageDocumentation
 */

const FULL_BOX_BYTES = 4;
/** The largest list of places that is read, in bytes. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;
const MAX_HEAD_BYTES = 256;

interface ItemPlace {
  /** 0: in the file; 1: in the `idat` box; 2: in another item. */
  readonly method: number;
  readonly extents: readonly { readonly at: number; readonly length: number }[];
}

/** Searches the items of a `meta` box. @throws {Unsearchable} where metadata are at an unknown place */
export async function searchItems(file: Region, meta: Region): Promise<void> {
  const { search } = file;
  let types = new Map<number, string>();
  let places = new Map<number, ItemPlace>();
  let stored: Region | null = null;
  for await (const { type, data } of boxesIn(meta, FULL_BOX_BYTES)) {
    if (type === 'iinf') {
      types = await typesIn(data);
    } else if (type === 'iloc') {
      places = await placesIn(data);
    } else if (type === 'idat') {
      stored = data;
    }
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
    const [contentType = '', encoding = ''] = type.slice(4).split('\0').slice(1);
    const isXmp = kind === 'mime' && contentType === 'application/rdf+xml' && encoding === '';
    await (isXmp ? searchXmp(data) : data.blank());
  }
}

async function typesIn(list: Region): Promise<Map<number, string>> {
  const types = new Map<number, string>();
  const [version = 0] = await list.read(0, 1);
  for await (const { type, data } of boxesIn(list, version === 0 ? 6 : 8)) {
    const head = await data.readUpTo(0, MAX_HEAD_BYTES);
    const isLong = head[0] === 3;
    const typeAt = isLong ? 10 : 8;
    if (type === 'infe' && head.length >= typeAt + 4) {
      const id = isLong ? uint32(head, 4) : uint16(head, 4);
      types.set(id, await data.text(typeAt, MAX_HEAD_BYTES));
    }
  }
  return types;
}

async function placesIn(list: Region): Promise<Map<number, ItemPlace>> {
  const { search } = list;
  if (list.size > MAX_LIST_BYTES) {
    throw new Unsearchable('limits');
  }
  const fields = new Fields(await list.read(0, list.size));
  const version = fields.next(1);
  fields.next(3);
  const [first, second] = [fields.next(1), fields.next(1)];
  const [offsetBytes, lengthBytes] = [first >> 4, first & 15];
  const [baseBytes, indexBytes] = [second >> 4, version === 0 ? 0 : second & 15];
  const idBytes = version < 2 ? 2 : 4;
  const count = fields.next(idBytes);
  const places = new Map<number, ItemPlace>();
  for (let item = 0; item < count && !fields.isAtEnd(); item += 1) {
    search.step();
    const id = fields.next(idBytes);
    const method = version === 0 ? 0 : fields.next(2) & 15;
    fields.next(2);
    const base = fields.next(baseBytes);
    const extentCount = fields.next(2);
    const extents: { readonly at: number; readonly length: number }[] = [];
    for (let extent = 0; extent < extentCount && !fields.isAtEnd(); extent += 1) {
      search.step();
      fields.next(indexBytes);
      const at = base + fields.next(offsetBytes);
      extents.push({ at, length: fields.next(lengthBytes) });
    }
    places.set(id, { method, extents });
  }
  return places;
}

/** Numbers that follow one another. Behind the end they are 0. */
class Fields {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  next(width: number): number {
    const field = this.bytes.subarray(this.at, this.at + width);
    this.at += width;
    return field.reduce((number, byte) => number * 256 + byte, 0);
  }
}
