import type { ByteReader } from '../byte-reader.js';
import { latin1, uint16, uint32 } from '../byte-source.js';
import type { Size } from './raw.js';

/** The content of a Canon raw file of the years before 2004. */
export interface CrwContent {
  /** As the picture is shown. */
  readonly sides: Size | null;
  /** The picture as the camera developed it. */
  readonly jpeg: ByteReader | null;
  /** When it was taken: seconds since 1970, as if the camera's clock were in UTC. */
  readonly time: ByteReader | null;
}

const HEAP_NAME = 'HEAPCCDR';
const ENTRY_BYTES = 10;
const MAX_ENTRIES = 256;
const MAX_DIRECTORIES = 32;
/** Values of up to eight bytes are in the entry itself. */
const IN_ENTRY = 0x4000;
/** The bits of a tag with its type, and the two types of directories. */
const TYPE_BITS = 0x3800;
const DIRECTORIES = [0x2800, 0x3000];
const TAG = { jpeg: 0x2007, time: 0x180e, image: 0x1810 } as const;

/**
 * Reads a CRW file: a [CIFF heap](https://exiftool.org/canon_raw.html) with a directory at its end.
 * @returns null when it is no such file
 */
export async function readCrw(reader: ByteReader): Promise<CrwContent | null> {
  const head = await reader.read(0, 14);
  if (!head || latin1(head, 0, 2) !== 'II' || latin1(head, 6) !== HEAP_NAME) {
    return null;
  }
  const found = new Map<number, ByteReader>();
  const root = reader.part(uint32(head, 2, true));
  const heaps = root === null ? [] : [root];
  for (let index = 0; index < Math.min(heaps.length, MAX_DIRECTORIES); index += 1) {
    const heap = heaps[index];
    for (const [tag, data] of heap ? await entriesOf(heap) : []) {
      if (DIRECTORIES.includes(tag & TYPE_BITS)) {
        heaps.push(data);
      } else if (!found.has(tag)) {
        found.set(tag, data);
      }
    }
  }
  return {
    sides: await sidesIn(found.get(TAG.image) ?? null),
    jpeg: found.get(TAG.jpeg) ?? null,
    time: found.get(TAG.time) ?? null,
  };
}

/** The entries of a heap, whose directory its last four bytes lead to. */
async function entriesOf(heap: ByteReader): Promise<[number, ByteReader][]> {
  const directory = (await heap.uint32(heap.size - 4, true)) ?? heap.size;
  const count = (await heap.uint16(directory, true)) ?? 0;
  const entries: [number, ByteReader][] = [];
  for (let index = 0; index < Math.min(count, MAX_ENTRIES); index += 1) {
    const at = directory + 2 + index * ENTRY_BYTES;
    const entry = await heap.read(at, ENTRY_BYTES);
    if (entry === null) {
      break;
    }
    const tag = uint16(entry, 0, true);
    const isInEntry = (tag & IN_ENTRY) !== 0;
    const data = isInEntry
      ? heap.part(at + 2, ENTRY_BYTES - 2)
      : heap.part(uint32(entry, 6, true), uint32(entry, 2, true));
    if (data !== null) {
      entries.push([tag & ~IN_ENTRY, data]);
    }
  }
  return entries;
}

/** Width, height, the shape of a pixel, and by how many degrees the picture is turned. */
async function sidesIn(image: ByteReader | null): Promise<Size | null> {
  const bytes = await image?.read(0, 16);
  if (!bytes) {
    return null;
  }
  const [width, height] = [uint32(bytes, 0, true), uint32(bytes, 4, true)];
  const isSideways = uint32(bytes, 12, true) % 180 !== 0;
  return isSideways ? { width: height, height: width } : { width, height };
}
