import { uint16 } from './byte-source.js';
import type { Slice } from './slice.js';

/** The markers of JPEG files that readers and writers handle (ITU-T T.81, B.1). */
export const MARKER = {
  startOfImage: 0xd8,
  endOfImage: 0xd9,
  startOfScan: 0xda,
  app0: 0xe0,
  app1: 0xe1,
  app2: 0xe2,
  app13: 0xed,
} as const;

/** How the data of segments with metadata begin. */
export const SEGMENT_NAME = {
  exif: 'Exif\0\0',
  xmp: 'http://ns.adobe.com/xap/1.0/\0',
  resources: 'Photoshop 3.0\0',
  pictures: 'MPF\0',
  casio: 'QVCI\0',
} as const;

export const MAX_SEGMENT_NAME_LENGTH = SEGMENT_NAME.xmp.length;

/** How a JPEG file begins. */
export const JPEG_START = '\u00ff\u00d8\u00ff';

export interface Segment<S> {
  readonly marker: number;
  /** Where it begins, and where the next one does. */
  readonly at: number;
  readonly end: number;
  /** Its data, without marker and length. */
  readonly data: S;
}

/** The segments from the start of a JPEG file to the header of its first scan, which is the last of them. */
export async function* segmentsIn<S extends Slice<S>>(jpeg: S): AsyncGenerator<Segment<S>> {
  for (let at = 2; jpeg.has(at, 4);) {
    jpeg.step();
    const head = await jpeg.read(at, 4);
    const marker = head?.[1] ?? 0;
    if (head?.[0] !== 0xff) {
      return;
    }
    if (marker === 0xff) {
      // Any number of 0xff may come before a marker.
      at += 1;
      continue;
    }
    // Markers below are without length, or belong into a scan.
    const isSegment = marker >= 0xc0 && !(marker >= 0xd0 && marker <= MARKER.endOfImage);
    const length = uint16(head, 2);
    const end = at + 2 + length;
    const data =
      isSegment && length >= 2 && jpeg.has(at + 4, length - 2)
        ? jpeg.part(at + 4, length - 2)
        : null;
    if (!data) {
      return;
    }
    yield { marker, at, end, data };
    if (marker === MARKER.startOfScan) {
      return;
    }
    at = end;
  }
}
