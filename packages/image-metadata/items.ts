import { boxesIn } from './box.js';
import { latin1, uint16, uint32 } from './byte-source.js';
import type { Slice } from './slice.js';

/**
 * Items of HEIC and AVIF files (ISO/IEC 14496-12, 23008-12).
 * @packageDocumentation
 */

/** Version and flags. */
const FULL_BOX_BYTES = 4;
/** The largest list of places that is read, in bytes. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;
const MAX_HEAD_BYTES = 256;

export interface ItemPlace {
  /** 0: in the file; 1: in the `idat` box; 2: in another item. */
  readonly method: number;
  readonly extents: readonly { readonly at: number; readonly length: number }[];
}

/** The items of a `meta` box. */
export interface Items<S> {
  /** Four characters of each item, and those of a `mime` item behind them. */
  readonly types: ReadonlyMap<number, string>;
  /** Null where the list is too long to be read. */
  readonly places: ReadonlyMap<number, ItemPlace> | null;
  /** The `idat` box. */
  readonly stored: S | null;
}

export async function readItems<S extends Slice<S>>(meta: S): Promise<Items<S>> {
  let types: ReadonlyMap<number, string> = new Map();
  let places: ReadonlyMap<number, ItemPlace> | null = new Map();
  let stored: S | null = null;
  for await (const { type, data } of boxesIn(meta, FULL_BOX_BYTES)) {
    if (type === 'iinf') {
      types = await typesIn(data);
    } else if (type === 'iloc') {
      places = await placesIn(data);
    } else if (type === 'idat') {
      stored = data;
    }
  }
  return { types, places, stored };
}

/** Whether an item is an XMP packet that is not compressed. */
export function isXmpItem(type: string): boolean {
  const [contentType = '', encoding = ''] = type.slice(4).split('\0').slice(1);
  return type.startsWith('mime') && contentType === 'application/rdf+xml' && encoding === '';
}

async function typesIn<S extends Slice<S>>(list: S): Promise<Map<number, string>> {
  const types = new Map<number, string>();
  const version = (list.has(0, 1) ? await list.read(0, 1) : null)?.[0] ?? 0;
  for await (const { type, data } of boxesIn(list, version === 0 ? 6 : 8)) {
    const head = await data.read(0, Math.min(MAX_HEAD_BYTES, data.size));
    const isLong = head?.[0] === 3;
    const typeAt = isLong ? 10 : 8;
    if (head && type === 'infe' && head.length >= typeAt + 4) {
      types.set(isLong ? uint32(head, 4) : uint16(head, 4), latin1(head, typeAt));
    }
  }
  return types;
}

async function placesIn<S extends Slice<S>>(list: S): Promise<Map<number, ItemPlace> | null> {
  const bytes = list.size > MAX_LIST_BYTES ? null : await list.read(0, list.size);
  if (!bytes) {
    return null;
  }
  const fields = new Fields(bytes);
  const version = fields.next(1);
  fields.next(3);
  const [first, second] = [fields.next(1), fields.next(1)];
  const [offsetBytes, lengthBytes] = [first >> 4, first & 15];
  const [baseBytes, indexBytes] = [second >> 4, version === 0 ? 0 : second & 15];
  const idBytes = version < 2 ? 2 : 4;
  const count = fields.next(idBytes);
  const places = new Map<number, ItemPlace>();
  for (let item = 0; item < count && !fields.isAtEnd(); item += 1) {
    list.step();
    const id = fields.next(idBytes);
    const method = version === 0 ? 0 : fields.next(2) & 15;
    fields.next(2);
    const base = fields.next(baseBytes);
    const extentCount = fields.next(2);
    const extents: { readonly at: number; readonly length: number }[] = [];
    for (let extent = 0; extent < extentCount && !fields.isAtEnd(); extent += 1) {
      list.step();
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
