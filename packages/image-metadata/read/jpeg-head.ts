import type { ByteReader } from '../byte-reader.js';
import { uint16 } from '../byte-source.js';
import { JPEG_START, MARKER, SEGMENT_NAME, segmentsIn } from '../jpeg.js';
import { TAG, Tiff } from '../tiff.js';

/** What the segments before the picture of a JPEG have. */
export interface JpegHead {
  /** In pixels, as stored. */
  readonly width: number;
  readonly height: number;
  /** The EXIF data, a TIFF file. */
  readonly exif: ByteReader | null;
}

/** Frame headers of pictures that browsers decode: baseline, extended and progressive. The others are lossless. */
const FRAMES = [0xc0, 0xc1, 0xc2];

/**
 * Reads the segments of a JPEG up to its picture.
 * @returns null when it is no JPEG that browsers and hosts decode
 */
export async function readJpegHead(reader: ByteReader): Promise<JpegHead | null> {
  if ((await reader.head(JPEG_START.length)) !== JPEG_START) {
    return null;
  }
  let exif: ByteReader | null = null;
  for await (const { marker, data } of segmentsIn(reader)) {
    if (marker === MARKER.app1 && !exif) {
      const isExif = (await data.head(SEGMENT_NAME.exif.length)) === SEGMENT_NAME.exif;
      exif = isExif ? data.part(SEGMENT_NAME.exif.length) : null;
    }
    if (FRAMES.includes(marker)) {
      const frame = await data.read(0, 5);
      return frame && { height: uint16(frame, 1), width: uint16(frame, 3), exif };
    }
  }
  return null;
}

/** How a picture must be turned or mirrored, as its EXIF data report it: 1 to 8; null when they do not. */
export async function orientationIn(exif: ByteReader | null): Promise<number | null> {
  const tiff = exif && (await Tiff.in(exif));
  return (await (await tiff?.first())?.number(TAG.orientation)) ?? null;
}

/** Adds EXIF data to a JPEG with its orientation, if it must be turned: browsers and hosts follow them. */
export function withOrientation(
  jpeg: Uint8Array<ArrayBuffer>,
  orientation: number | null,
): Uint8Array<ArrayBuffer> {
  if (orientation === null || orientation < 2 || orientation > 8) {
    return jpeg;
  }
  const exif = [
    ...[0xff, MARKER.app1, 0, 34, 0x45, 0x78, 0x69, 0x66, 0, 0],
    // A TIFF file of one directory with one number.
    ...[0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8, 0, 1],
    ...[0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0],
  ];
  const turned = new Uint8Array(jpeg.length + exif.length);
  turned.set(jpeg.subarray(0, 2));
  turned.set(exif, 2);
  turned.set(jpeg.subarray(2), 2 + exif.length);
  return turned;
}
