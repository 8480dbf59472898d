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
import type { CopyTexts } from './changes.js';
import { planResources } from './image-resources.js';
import { editExif } from './tiff-rewrite.js';
import { editXmp } from './xmp.js';

const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP13 = 0xed;

const EXIF = 'Exif\0\0';
const XMP = 'http://ns.adobe.com/xap/1.0/\0';
const RESOURCES = 'Photoshop 3.0\0';

/** A segment's length has two bytes, which count. */
const MAX_DATA_BYTES = 0xffff - 2;
const MAX_SEGMENTS = 10_000;

interface Segment {
  readonly marker: number;
  readonly from: number;
  readonly to: number;
  /** The first characters of its data, enough for every identifier. */
  readonly start: string;
}

/** Rewrites a JPEG file. @throws {CwError} CW-810 */
export async function planJpeg(file: ByteSource, changes: CopyTexts): Promise<readonly Piece[]> {
  const source = new WindowedSource(file);
  const { segments, scans } = await readSegments(source);
  const is = (marker: number, start: string) => (segment: Segment) =>
    segment.marker === marker && segment.start.startsWith(start);
  const dataOf = ({ from, to }: Segment, identifier: string): Promise<Uint8Array> =>
    readPart(source, from + 4 + identifier.length, to);

  const [exif, ...otherExif] = segments.filter(is(APP1, EXIF));
  const [xmp, ...otherXmp] = segments.filter(is(APP1, XMP));
  const resources = segments.filter(is(APP13, RESOURCES));
  if (otherExif.length + otherXmp.length > 0) {
    throw unchangeable('the JPEG file has several EXIF or XMP segments');
  }
  const rewritten = new Set([exif, xmp, ...resources]);
  const kept = segments.filter((segment) => !rewritten.has(segment));
  const packet = editXmp(xmp ? await dataOf(xmp, XMP) : null, changes);
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
    { from: scans, to: file.size },
  ];
}

function pieceOf({ from, to }: Segment): Piece {
  return { from, to };
}

async function editResources(blocks: Uint8Array, changes: CopyTexts): Promise<Uint8Array> {
  const source = sourceOf(blocks);
  return joinPieces(source, await planResources(source, 0, source.size, changes, ['iptc']));
}

/** Resources may be longer than one segment. */
function inSegments(resources: Uint8Array): readonly Piece[] {
  const most = MAX_DATA_BYTES - RESOURCES.length;
  const pieces: Piece[] = [];
  for (let at = 0; at < resources.length; at += most) {
    pieces.push(segmentOf(APP13, RESOURCES, resources.subarray(at, at + most)));
  }
  return pieces;
}

function segmentOf(marker: number, identifier: string, data: Uint8Array): Uint8Array {
  const length = identifier.length + data.length;
  if (length > MAX_DATA_BYTES) {
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
    const head = await readPart(source, at, Math.min(at + 4 + XMP.length, source.size));
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
    if (!isSegment || to < at + 4 || to > source.size || segments.length > MAX_SEGMENTS) {
      throw unchangeable('the JPEG file has a damaged segment');
    }
    segments.push({ marker, from: at, to, start: latin1(head, 4, Math.min(head.length, to - at)) });
    at = to;
  }
}
