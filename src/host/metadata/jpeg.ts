import type { CopyMetadata } from '../host.js';
import {
  bigEndian,
  bytesOfLatin1,
  concat,
  joinPieces,
  latin1,
  readPart,
  sourceOf,
  unchangeable,
  viewOf,
  WindowedSource,
  type ByteSource,
  type Piece,
} from './bytes.js';
import { planResources } from './image-resources.js';
import { editExif } from './tiff-rewrite.js';
import { editXmp } from './xmp.js';

const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP13 = 0xed;
const APP15 = 0xef;
const COM = 0xfe;

const EXIF = 'Exif\0\0';
const XMP = 'http://ns.adobe.com/xap/1.0/\0';
const EXTENDED_XMP = 'http://ns.adobe.com/xmp/extension/\0';
const RESOURCES = 'Photoshop 3.0\0';

/**
 * Application segments that stay when the location is removed, by their markers and first characters: JFIF, colour
 * profile, Photoshop's quality, Adobe's colours. Others may hold it: further pictures, content credentials.
 */
const HARMLESS: readonly (readonly [number, string])[] = [
  [0xe0, ''],
  [0xe2, 'ICC_PROFILE\0'],
  [0xec, 'Ducky'],
  [0xee, 'Adobe'],
];

/** A segment's length has two bytes, which count. */
const MOST_DATA_BYTES = 0xffff - 2;
const MOST_SEGMENTS = 10_000;
const SCAN_BYTES = 1024 * 1024;

interface Segment {
  readonly marker: number;
  readonly from: number;
  readonly to: number;
  /** The first characters of its data, enough for every identifier. */
  readonly start: string;
}

/** Rewrites a JPEG file. @throws {CwError} CW-810 */
export async function planJpeg(file: ByteSource, changes: CopyMetadata): Promise<readonly Piece[]> {
  const source = new WindowedSource(file);
  const { segments, scans } = await readSegments(source);
  const end = await findEnd(file, scans);
  const is = (marker: number, start: string) => (segment: Segment) =>
    segment.marker === marker && segment.start.startsWith(start);
  const dataOf = ({ from, to }: Segment, identifier: string): Promise<Uint8Array> =>
    readPart(source, from + 4 + identifier.length, to);

  const [exif, ...otherExif] = segments.filter(is(APP1, EXIF));
  const [xmp, ...otherXmp] = segments.filter(is(APP1, XMP));
  const extended = segments.filter(is(APP1, EXTENDED_XMP));
  const resources = segments.filter(is(APP13, RESOURCES));
  if (otherExif.length + otherXmp.length > 0) {
    throw unchangeable('the JPEG file has several EXIF or XMP segments');
  }
  const rewritten = new Set([exif, xmp, ...resources]);
  if (changes.removeLocation) {
    // An extended packet would need the digest of what is left of it.
    extended.forEach((segment) => rewritten.add(segment));
  }
  const kept = segments.filter(
    (segment) => !rewritten.has(segment) && (!changes.removeLocation || isHarmless(segment)),
  );
  const packet = editXmp(
    xmp ? await dataOf(xmp, XMP) : null,
    changes,
    changes.removeLocation && extended.length > 0,
  );
  const blocks = concat(
    ...(await Promise.all(resources.map((segment) => dataOf(segment, RESOURCES)))),
  );
  const edited = await editResources(blocks, changes);
  const isFirst = ({ marker }: Segment): boolean => marker === APP0;
  return [
    { from: 0, to: 2 },
    ...kept.filter(isFirst).map(pieceOf),
    ...(exif ? [segmentOf(APP1, EXIF, await editExif(await dataOf(exif, EXIF), changes))] : []),
    ...(packet ? [segmentOf(APP1, XMP, packet)] : []),
    ...inSegments(edited),
    ...kept.filter((segment) => !isFirst(segment)).map(pieceOf),
    { from: scans, to: changes.removeLocation ? end : file.size },
  ];
}

function pieceOf({ from, to }: Segment): Piece {
  return { from, to };
}

function isHarmless({ marker, start }: Segment): boolean {
  return (
    marker < APP0 ||
    marker > APP15 ||
    HARMLESS.some(([own, beginning]) => own === marker && start.startsWith(beginning))
  );
}

async function editResources(blocks: Uint8Array, changes: CopyMetadata): Promise<Uint8Array> {
  const source = sourceOf(blocks);
  return joinPieces(source, await planResources(source, 0, source.size, changes, ['iptc']));
}

/** Resources may be longer than one segment. */
function inSegments(resources: Uint8Array): readonly Piece[] {
  const most = MOST_DATA_BYTES - RESOURCES.length;
  const pieces: Piece[] = [];
  for (let at = 0; at < resources.length; at += most) {
    pieces.push(segmentOf(APP13, RESOURCES, resources.subarray(at, at + most)));
  }
  return pieces;
}

function segmentOf(marker: number, identifier: string, data: Uint8Array): Uint8Array {
  const length = identifier.length + data.length;
  if (length > MOST_DATA_BYTES) {
    throw unchangeable('the metadata do not fit into a segment');
  }
  return concat(
    Uint8Array.of(0xff, marker),
    bigEndian(length + 2, 2),
    bytesOfLatin1(identifier),
    data,
  );
}

/** The segments before the first scan, and where that begins. */
async function readSegments(
  source: ByteSource,
): Promise<{ readonly segments: readonly Segment[]; readonly scans: number }> {
  const [first, second] = await readPart(source, 0, 2);
  if (first !== 0xff || second !== SOI) {
    throw unchangeable('this is no JPEG file');
  }
  const segments: Segment[] = [];
  for (let at = 2; ;) {
    const head = await readPart(source, at, Math.min(at + 4 + EXTENDED_XMP.length, source.size));
    const marker = head[1] ?? 0;
    if (head[0] === 0xff && marker === 0xff) {
      // A marker may have fill bytes before it.
      at += 1;
      continue;
    }
    if (marker === SOS && head[0] === 0xff) {
      return { segments, scans: at };
    }
    // Markers below are without length, or belong into a scan.
    const isSegment = head[0] === 0xff && marker >= 0xc0 && !(marker >= 0xd0 && marker <= EOI);
    const to = at + 2 + (head.length < 4 ? 0 : viewOf(head).getUint16(2));
    if (!isSegment || to < at + 4 || to > source.size || segments.length > MOST_SEGMENTS) {
      throw unchangeable('the JPEG file has a damaged segment');
    }
    segments.push({ marker, from: at, to, start: latin1(head, 4, Math.min(head.length, to - at)) });
    at = to;
  }
}

/**
 * Where the picture ends, behind its last scan. Further pictures may follow.
 * @throws {CwError} CW-810 when it has no end, or metadata between its scans
 */
async function findEnd(source: ByteSource, scans: number): Promise<number> {
  let at = scans;
  while (at < source.size) {
    const window = await source.read(at, Math.min(source.size, at + SCAN_BYTES));
    const found = endInWindow(window);
    if (found.isEnd) {
      return at + found.at;
    }
    if (found.at === 0) {
      break;
    }
    at += found.at;
  }
  throw unchangeable('the JPEG file is cut short');
}

/** Where the picture ends in a part of its scans, or where the next part is to begin. */
function endInWindow(window: Uint8Array): { readonly at: number; readonly isEnd: boolean } {
  let at = window.indexOf(0xff);
  while (at >= 0) {
    const marker = window[at + 1];
    if (marker === EOI) {
      return { at: at + 2, isEnd: true };
    }
    if (marker === undefined) {
      return { at, isEnd: false };
    }
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0 || (marker >= 0xd0 && marker <= 0xd7)) {
      at = window.indexOf(0xff, at + 2);
      continue;
    }
    const high = window[at + 2];
    const low = window[at + 3];
    if (high === undefined || low === undefined) {
      return { at, isEnd: false };
    }
    if (marker < 0xc0 || marker === SOI || marker === COM || (marker >= APP0 && marker <= APP15)) {
      throw unchangeable('the JPEG file has other segments between its scans');
    }
    const next = at + 2 + high * 256 + low;
    if (next >= window.length) {
      return { at: next, isEnd: false };
    }
    at = window.indexOf(0xff, next);
  }
  return { at: window.length, isEnd: false };
}
