import type { ByteReader } from './byte-reader.js';

/** A box of an ISO base media file (ISO/IEC 14496-12). */
export interface Box {
  readonly type: string;
  /** In hex, of a box of the type `uuid`. */
  readonly uuid: string | undefined;
  readonly data: ByteReader;
}

/** A piece of metadata that is stored as an item of a HEIC or AVIF. */
export interface MetadataItem {
  readonly kind: 'exif' | 'xmp';
  readonly data: ByteReader;
}

const MAX_BOXES = 256;
const MAX_ITEMS = 4096;
const UUID_BYTES = 16;
/** The largest `iinf` and `iloc` that are read, in bytes. */
const MAX_LIST_BYTES = 256 * 1024;

/** The boxes that a file or another box consists of. */
export async function boxesIn(reader: ByteReader, start = 0): Promise<Box[]> {
  const boxes: Box[] = [];
  let at = start;
  while (boxes.length < MAX_BOXES) {
    const head = await reader.read(at, 8);
    if (head === undefined) {
      break;
    }
    const type = head.toString('latin1', 4);
    const short = head.readUInt32BE(0);
    // 1: the length follows, as 64 bits; 0: up to the end of the file.
    const long = short === 1 ? (await reader.read(at + 8, 8))?.readBigUInt64BE(0) : undefined;
    const length = short === 0 ? reader.size - at : Number(long ?? short);
    const headLength = (short === 1 ? 16 : 8) + (type === 'uuid' ? UUID_BYTES : 0);
    const data = reader.part(at + headLength, length - headLength);
    if (data === undefined) {
      break;
    }
    const uuid =
      type === 'uuid'
        ? (await reader.read(at + headLength - UUID_BYTES, UUID_BYTES))?.toString('hex')
        : undefined;
    boxes.push({ type, uuid, data });
    at += length;
  }
  return boxes;
}

/** The items of a `meta` box (ISO/IEC 23008-12) with EXIF data or XMP; one that is stored in pieces is several. */
export async function itemsIn(file: ByteReader, meta: ByteReader): Promise<MetadataItem[]> {
  const boxes = await boxesIn(meta, 4);
  const list = boxes.find(({ type }) => type === 'iinf');
  const kinds =
    list === undefined ? new Map<number, MetadataItem['kind']>() : await kindsOf(list.data);
  const places = await placesIn(boxes.find(({ type }) => type === 'iloc')?.data);
  const stored = boxes.find(({ type }) => type === 'idat')?.data;
  return places.flatMap(({ id, method, at, length }) => {
    const kind = kinds.get(id);
    const source = method === 1 ? stored : file;
    const data = kind === undefined || method > 1 ? undefined : source?.part(at, length);
    return kind === undefined || data === undefined ? [] : [{ kind, data }];
  });
}

async function kindsOf(list: ByteReader): Promise<Map<number, MetadataItem['kind']>> {
  const kinds = new Map<number, MetadataItem['kind']>();
  const version = (await list.read(0, 1))?.[0] ?? 0;
  for (const { type, data } of await boxesIn(list, version === 0 ? 6 : 8)) {
    const head = await data.read(0, Math.min(64, data.size));
    const isLong = head?.[0] === 3;
    const typeAt = isLong ? 10 : 8;
    if (type !== 'infe' || head === undefined || head.length < typeAt + 4) {
      continue;
    }
    const id = isLong ? head.readUInt32BE(4) : head.readUInt16BE(4);
    const text = head.toString('latin1', typeAt);
    if (text.startsWith('Exif')) {
      kinds.set(id, 'exif');
    } else if (/^mime[^\0]*\0application\/rdf\+xml/.test(text)) {
      kinds.set(id, 'xmp');
    }
  }
  return kinds;
}

interface ItemPlace {
  readonly id: number;
  /** 0: in the file; 1: in the `idat` box; 2: in another item. */
  readonly method: number;
  readonly at: number;
  readonly length: number;
}

async function placesIn(list: ByteReader | undefined): Promise<ItemPlace[]> {
  const bytes = await list?.read(0, Math.min(list.size, MAX_LIST_BYTES));
  return bytes === undefined ? [] : readPlaces(new Fields(bytes));
}

function readPlaces(fields: Fields): ItemPlace[] {
  const version = fields.next(1);
  fields.next(3);
  const [first, second] = [fields.next(1), fields.next(1)];
  const [offsetBytes, lengthBytes] = [first >> 4, first & 15];
  const [baseBytes, indexBytes] = [second >> 4, version === 0 ? 0 : second & 15];
  const idBytes = version < 2 ? 2 : 4;
  const count = Math.min(fields.next(idBytes), MAX_ITEMS);
  const places: ItemPlace[] = [];
  for (let item = 0; item < count && places.length < MAX_ITEMS; item += 1) {
    const id = fields.next(idBytes);
    const method = version === 0 ? 0 : fields.next(2) & 15;
    fields.next(2);
    const base = fields.next(baseBytes);
    const extents = fields.next(2);
    for (let extent = 0; extent < extents && places.length < MAX_ITEMS; extent += 1) {
      fields.next(indexBytes);
      const at = base + fields.next(offsetBytes);
      const length = fields.next(lengthBytes);
      places.push({ id, method, at, length });
    }
  }
  return places;
}

/** Numbers that follow one another. Behind the end they are 0. */
class Fields {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  next(width: number): number {
    const field = this.bytes.subarray(this.at, this.at + width);
    this.at += width;
    return field.reduce((number, byte) => number * 256 + byte, 0);
  }
}
