import type { ByteReader } from './byte-reader.js';
import { TAG, Tiff } from './tiff.js';

/** The metadata in the segments before the picture of a JPEG. */
export interface JpegHead {
  /** In pixels, as stored. */
  readonly width: number;
  readonly height: number;
  /** The EXIF data, a TIFF file. */
  readonly exif: ByteReader | undefined;
}

const MAX_SEGMENTS = 256;

/** Frame headers of pictures that browsers decode: baseline, extended and progressive. The others are lossless. */
const FRAMES = [0xc0, 0xc1, 0xc2];
const START_OF_SCAN = 0xda;
const APP1 = 0xe1;

/**
 * Reads the segments of a JPEG ([ITU-T T.81](https://www.w3.org/Graphics/JPEG/itu-t81.pdf), B.1) up to its picture.
 * @returns undefined when it is no JPEG that browsers decode.
 */
export async function readJpegHead(reader: ByteReader): Promise<JpegHead | undefined> {
  if ((await reader.read(0, 3))?.toString('hex') !== 'ffd8ff') {
    return undefined;
  }
  let exif: ByteReader | undefined;
  let at = 2;
  for (let count = 0; count < MAX_SEGMENTS; count += 1) {
    const head = await reader.read(at, 4);
    const kind = head?.[1] ?? START_OF_SCAN;
    const length = head?.readUInt16BE(2) ?? 0;
    if (head?.[0] !== 0xff || kind === START_OF_SCAN || length < 2) {
      return undefined;
    }
    if (kind === APP1) {
      exif ??= await exifIn(reader, at + 4, length - 2);
    }
    if (FRAMES.includes(kind)) {
      const frame = await reader.read(at + 4, 5);
      return frame && { height: frame.readUInt16BE(1), width: frame.readUInt16BE(3), exif };
    }
    at += 2 + length;
  }
  return undefined;
}

async function exifIn(
  reader: ByteReader,
  at: number,
  length: number,
): Promise<ByteReader | undefined> {
  const name = length >= 6 ? await reader.read(at, 6) : undefined;
  return name?.toString('latin1') === 'Exif\0\0' ? reader.part(at + 6, length - 6) : undefined;
}

/** How a picture must be turned or mirrored, as its EXIF data report it: 1 to 8; undefined when they do not. */
export async function orientationIn(exif: ByteReader | undefined): Promise<number | undefined> {
  const tiff = exif && (await Tiff.in(exif));
  return (await tiff?.first())?.number(TAG.orientation);
}

/** Adds EXIF data to a JPEG with its orientation, if it must be turned: browsers follow them. */
export function turned(jpeg: Buffer, orientation: number | undefined): Buffer {
  if (orientation === undefined || orientation < 2 || orientation > 8) {
    return jpeg;
  }
  const exif = Buffer.from(
    `ffe100224578696600004d4d002a00000008000101120003000000010000000000000000`,
    'hex',
  );
  exif.writeUInt16BE(orientation, exif.length - 8);
  return Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]);
}
