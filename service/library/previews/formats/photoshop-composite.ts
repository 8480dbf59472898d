import {
  layersIn,
  RESOURCE,
  uint16,
  uint32,
  type ByteReader,
  type PhotoshopFile,
} from '../../../../packages/image-metadata/index.js';
import { HEADER_BYTES, LONG, uint32s, SHORT, uint16s, tiffAround } from './tiff-writer.js';

/** How the composite is compressed: not at all, or with PackBits, each row on its own. TIFF has both. */
const RAW = 0;
const PACK_BITS = 1;
const TIFF_COMPRESSION: Readonly<Record<number, number>> = { [RAW]: 1, [PACK_BITS]: 32_773 };

/** The numbers of the ways in which colours are stored. */
const MODE = { grey: 1, rgb: 3, cmyk: 4, duotone: 8 } as const;

/** By mode: how many of the channels are colours, and the `PhotometricInterpretation` of TIFF. */
const COLOURS: Readonly<Record<number, readonly [channels: number, photometric: number]>> = {
  [MODE.grey]: [1, 1],
  [MODE.duotone]: [1, 1],
  [MODE.rgb]: [3, 2],
  [MODE.cmyk]: [4, 5],
};
const DEPTHS = [8, 16];

/** Pictures with longer sides cannot be made with Photoshop. */
const MAX_SIDE = 300_000;
const MAX_PROFILE_BYTES = 4 * 1024 * 1024;

/** How much is read at once. */
const PIECE_BYTES = 1024 * 1024;

/** The rows of a composite: where each begins, and its length in bytes, channel by channel. */
interface Rows {
  readonly at: number;
  readonly lengths: Uint32Array;
}

/**
 * The composite of a Photoshop file, which is the picture of all layers: as a TIFF file, because the image library reads
 * TIFF. The bytes of its rows stay as they are, except that CMYK has its colours inverted.
 * @param maxBytes larger composites are not read
 * @returns undefined when the file was saved without a composite, or it is of a kind that is not read
 */
export async function compositeIn(
  reader: ByteReader,
  file: PhotoshopFile,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const { width, height, channels, depth, mode, resources } = file;
  const [shown, photometric] = COLOURS[mode] ?? [0, 0];
  const areSidesValid = [width, height].every((side) => side > 0 && side <= MAX_SIDE);
  const isReadable = shown > 0 && channels >= shown && DEPTHS.includes(depth) && areSidesValid;
  if (!isReadable || (await isBlank(resources.get(RESOURCE.version)))) {
    return undefined;
  }
  const at = await compositeAt(reader, file);
  const method = at === undefined ? null : await reader.uint16(at);
  const tiffCompression = TIFF_COMPRESSION[method ?? -1];
  if (at === undefined || tiffCompression === undefined) {
    return undefined;
  }
  const rows =
    method === RAW
      ? {
          at: at + 2,
          lengths: new Uint32Array(shown * height).fill((width * depth) / 8),
        }
      : await packedRows(reader, file, at + 2, shown);
  const size = rows?.lengths.reduce((sum, length) => sum + length, 0) ?? 0;
  if (rows === undefined || size > maxBytes || rows.at + size > reader.size) {
    return undefined;
  }
  const profile = await profileIn(resources.get(RESOURCE.profile));
  const { tiff, pixels } = tiffAround(
    size,
    [
      [256, LONG, uint32s([width])],
      [257, LONG, uint32s([height])],
      [258, SHORT, uint16s(Array.from({ length: shown }, () => depth))],
      [259, SHORT, uint16s([tiffCompression])],
      [262, SHORT, uint16s([photometric])],
      [273, LONG, uint32s(offsetsOf(rows.lengths))],
      [277, SHORT, uint16s([shown])],
      // One row in each strip, one channel after the other.
      [278, LONG, uint32s([1])],
      [279, LONG, uint32s(rows.lengths)],
      [284, SHORT, uint16s([2])],
    ],
    profile,
  );
  if (!(await readInto(pixels, reader, rows.at))) {
    return undefined;
  }
  if (mode === MODE.cmyk) {
    invert(pixels, method === PACK_BITS);
  }
  return tiff;
}

/** Whether the composite is only white, because Photoshop was set not to "maximize compatibility". */
async function isBlank(version: ByteReader | undefined): Promise<boolean> {
  return (await version?.read(4, 1))?.[0] === 0;
}

async function compositeAt(reader: ByteReader, file: PhotoshopFile): Promise<number | undefined> {
  const layers = await layersIn(reader, file);
  return layers === null ? undefined : layers.at + layers.length;
}

/** The rows of a PackBits composite. Before them is the length of each. */
async function packedRows(
  reader: ByteReader,
  { height, channels, isLarge }: PhotoshopFile,
  at: number,
  shown: number,
): Promise<Rows | undefined> {
  const width = isLarge ? 4 : 2;
  const table = await reader.read(at, width * height * shown);
  return table === null
    ? undefined
    : {
        at: at + width * height * channels,
        lengths: Uint32Array.from({ length: height * shown }, (_, index) =>
          isLarge ? uint32(table, 4 * index) : uint16(table, 2 * index),
        ),
      };
}

/** Fills a buffer with the bytes from a place on. @returns whether they were there */
async function readInto(bytes: Buffer, reader: ByteReader, at: number): Promise<boolean> {
  for (let read = 0; read < bytes.length; read += PIECE_BYTES) {
    const piece = await reader.read(at + read, Math.min(PIECE_BYTES, bytes.length - read));
    if (piece === null) {
      return false;
    }
    bytes.set(piece, read);
  }
  return true;
}

/** Inverts all values. In PackBits a byte below 128 is the count of the values that follow, one above 128 repeats one value. */
function invert(bytes: Buffer, isPacked: boolean): void {
  let literal = isPacked ? 0 : bytes.length;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (literal > 0) {
      bytes[at] = 255 - byte;
      literal -= 1;
    } else if (byte !== 128) {
      literal = byte < 128 ? byte + 1 : 1;
    }
  }
}

async function profileIn(profile: ByteReader | undefined): Promise<Buffer | undefined> {
  const isRead = profile !== undefined && profile.size > 4 && profile.size <= MAX_PROFILE_BYTES;
  const bytes = isRead ? await profile.read(0, profile.size) : null;
  return bytes === null ? undefined : Buffer.from(bytes);
}

/** Where the strips of a TIFF file begin that follow one another behind its header. */
function offsetsOf(lengths: Uint32Array): Uint32Array {
  let end = HEADER_BYTES;
  return lengths.map((length) => {
    end += length;
    return end - length;
  });
}
