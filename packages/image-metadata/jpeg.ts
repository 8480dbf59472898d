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
  app11: 0xeb,
  app12: 0xec,
  app13: 0xed,
  app14: 0xee,
  app15: 0xef,
  comment: 0xfe,
} as const;

/** How the data of segments with metadata begin. */
export const SEGMENT_NAME = {
  exif: 'Exif\0\0',
  xmp: 'http://ns.adobe.com/xap/1.0/\0',
  extendedXmp: 'http://ns.adobe.com/xmp/extension/\0',
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

/** As a segment, but a marker without a length has no data, and one that is damaged ends where it begins. */
export type Marker<S> = Omit<Segment<S>, 'data'> & { readonly data: S | null };

/**
 * The markers of a JPEG file from its start to its end, or to a damaged one.
 * @param next  the place of the first marker from a place on; -1 where there is none
 */
export async function* markersIn<S extends Slice<S>>(
  jpeg: S,
  next: (jpeg: S, from: number) => Promise<number>,
): AsyncGenerator<Marker<S>> {
  for (let at = await next(jpeg, 2); at >= 0;) {
    jpeg.step();
    const head = jpeg.has(at, 2) ? await jpeg.read(at, Math.min(4, jpeg.size - at)) : null;
    const marker = head?.[1] ?? 0;
    const hasLength = marker >= 0xc0 && !(marker >= 0xd0 && marker <= MARKER.endOfImage);
    const length = head?.length === 4 ? uint16(head, 2) : 0;
    const isInside = length >= 2 && jpeg.has(at + 4, length - 2);
    const data = hasLength && isInside ? jpeg.part(at + 4, length - 2) : null;
    const end = hasLength ? at + (data ? 2 + length : 0) : at + 2;
    yield { marker, at, end, data };
    if (marker === MARKER.endOfImage || end === at) {
      return;
    }
    at = await next(jpeg, end);
  }
}

/** The segments from the start of a JPEG file to the header of its first scan, which is the last of them. */
export async function* segmentsIn<S extends Slice<S>>(jpeg: S): AsyncGenerator<Segment<S>> {
  for await (const { data, ...marker } of markersIn(jpeg, adjacentMarker)) {
    if (!data) {
      return;
    }
    yield { ...marker, data };
    if (marker.marker === MARKER.startOfScan) {
      return;
    }
  }
}

/** A marker at a place. Any number of 0xff may come before it. */
async function adjacentMarker<S extends Slice<S>>(jpeg: S, from: number): Promise<number> {
  for (let at = from; jpeg.has(at, 2); at += 1) {
    jpeg.step();
    const head = await jpeg.read(at, 2);
    if (head?.[0] !== 0xff || head[1] !== 0xff) {
      return head?.[0] === 0xff ? at : -1;
    }
  }
  return -1;
}
