import type { FileSlices } from './file-slices.js';

/** A segment of a JPEG before its picture: its marker, and its content without marker and length. */
export interface JpegSegment {
  readonly marker: number;
  readonly content: FileSlices;
}

const MOST_SEGMENTS = 128;
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/** Frames of pictures that any host decodes: baseline, extended, progressive. Sensor data are lossless frames. */
const FRAMES = [0xc0, 0xc1, 0xc2];

/** The segments before the picture; none for anything that is no JPEG (ITU-T T.81, B.1). */
export async function readJpegSegments(file: FileSlices): Promise<readonly JpegSegment[]> {
  const segments: JpegSegment[] = [];
  if ((await file.text(0, 3)) !== '\xff\xd8\xff') {
    return segments;
  }
  let at = 2;
  for (let count = 0; count < MOST_SEGMENTS; count += 1) {
    const head = await file.view(at, 4);
    const marker = head?.getUint8(1) ?? END_OF_IMAGE;
    if (head?.getUint8(0) !== 0xff || marker === START_OF_SCAN || marker === END_OF_IMAGE) {
      break;
    }
    if (marker === 0xff) {
      // Any number of 0xff may come before a marker.
      at += 1;
      continue;
    }
    const length = head.getUint16(2);
    const content = length < 2 ? null : file.part(at + 4, length - 2);
    if (!content) {
      break;
    }
    segments.push({ marker, content });
    at += 2 + length;
  }
  return segments;
}

/** The longer side of a JPEG that hosts can show, in pixels; 0 for anything else. */
export async function longerSideOf(file: FileSlices): Promise<number> {
  const segments = await readJpegSegments(file);
  const frame = segments.find(({ marker }) => FRAMES.includes(marker));
  const sides = await frame?.content.view(1, 4);
  return sides ? Math.max(sides.getUint16(0), sides.getUint16(2)) : 0;
}

/** A JPEG with EXIF data that say how it has to be turned; unchanged when it need not be, or has EXIF data itself. */
export function withOrientation(
  jpeg: Uint8Array<ArrayBuffer>,
  orientation: number,
): Uint8Array<ArrayBuffer> {
  if (orientation < 2 || orientation > 8 || jpeg[3] === 0xe1) {
    return jpeg;
  }
  const exif = [
    ...[0xff, 0xe1, 0, 34, 0x45, 0x78, 0x69, 0x66, 0, 0],
    // A TIFF of one directory with one SHORT: tag 0x0112.
    ...[0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8, 0, 1],
    ...[0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0],
  ];
  const turned = new Uint8Array(jpeg.length + exif.length);
  turned.set(jpeg.subarray(0, 2));
  turned.set(exif, 2);
  turned.set(jpeg.subarray(2), 2 + exif.length);
  return turned;
}
