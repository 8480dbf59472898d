import type { ByteReader } from './byte-reader.js';
import type { Sides } from './raw.js';

/** The content of a Canon raw file of the years before 2004. */
export interface CrwContent {
  /** As the picture is shown. */
  readonly sides: Sides | undefined;
  /** The picture as the camera developed it. */
  readonly jpeg: ByteReader | undefined;
  /** When it was taken: seconds since 1970, as if the camera's clock were in UTC. */
  readonly time: ByteReader | undefined;
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
 * @returns undefined when it is no such file
 */
export async function readCrw(reader: ByteReader): Promise<CrwContent | undefined> {
  const head = await reader.read(0, 14);
  if (head?.toString('latin1', 0, 2) !== 'II' || head.toString('latin1', 6) !== HEAP_NAME) {
    return undefined;
  }
  const found = new Map<number, ByteReader>();
  const root = reader.part(head.readUInt32LE(2));
  const heaps = root === undefined ? [] : [root];
  for (let index = 0; index < Math.min(heaps.length, MAX_DIRECTORIES); index += 1) {
    const heap = heaps[index];
    for (const [tag, data] of heap === undefined ? [] : await entriesOf(heap)) {
      if (DIRECTORIES.includes(tag & TYPE_BITS)) {
        heaps.push(data);
      } else if (!found.has(tag)) {
        found.set(tag, data);
      }
    }
  }
  return {
    sides: await sidesIn(found.get(TAG.image)),
    jpeg: found.get(TAG.jpeg),
    time: found.get(TAG.time),
  };
}

/** The entries of a heap, whose directory its last four bytes lead to. */
async function entriesOf(heap: ByteReader): Promise<[number, ByteReader][]> {
  const directory = (await heap.read(heap.size - 4, 4))?.readUInt32LE(0) ?? heap.size;
  const count = (await heap.read(directory, 2))?.readUInt16LE(0) ?? 0;
  const entries: [number, ByteReader][] = [];
  for (let index = 0; index < Math.min(count, MAX_ENTRIES); index += 1) {
    const at = directory + 2 + index * ENTRY_BYTES;
    const entry = await heap.read(at, ENTRY_BYTES);
    if (entry === undefined) {
      break;
    }
    const tag = entry.readUInt16LE(0);
    const isInEntry = (tag & IN_ENTRY) !== 0;
    const data = isInEntry
      ? heap.part(at + 2, ENTRY_BYTES - 2)
      : heap.part(entry.readUInt32LE(6), entry.readUInt32LE(2));
    if (data !== undefined) {
      entries.push([tag & ~IN_ENTRY, data]);
    }
  }
  return entries;
}

/** Width, height, the shape of a pixel, and by how many degrees the picture is turned. */
async function sidesIn(image: ByteReader | undefined): Promise<Sides | undefined> {
  const bytes = await image?.read(0, 16);
  if (bytes === undefined) {
    return undefined;
  }
  const [width, height] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
  const isSideways = bytes.readInt32LE(12) % 180 !== 0;
  return isSideways ? { width: height, height: width } : { width, height };
}
