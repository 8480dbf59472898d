import type { ByteReader } from '../byte-reader.js';
import { bytesOfLatin1, bytesOfNumber, concat } from '../byte-source.js';
import { MARKER, MAX_SEGMENT_NAME_LENGTH, SEGMENT_NAME, segmentsIn } from '../jpeg.js';
import type { MetadataTexts } from './changes.js';
import { editResources } from './image-resources.js';
import { contentOf, PieceList, UnwritableError, type Piece } from './pieces.js';
import { editExif } from './tiff-rewrite.js';
import { editXmp } from './xmp.js';

/** A segment's length has two bytes, which count. */
const MAX_DATA_BYTES = 0xffff - 2;
/** Of all segments with image resources together. Bytes. */
const MAX_RESOURCE_BYTES = 16 * 1024 * 1024;

/** Rewrites a JPEG file. @throws {UnwritableError} */
export async function planJpeg(file: ByteReader, texts: MetadataTexts): Promise<readonly Piece[]> {
  const [first, kept] = [new PieceList(), new PieceList()];
  let exif: ByteReader | null = null;
  let xmp: ByteReader | null = null;
  let resources: Uint8Array = new Uint8Array(0);
  let scans: number | null = null;
  first.keep(0, 2);
  for await (const { marker, at, end, data } of segmentsIn(file)) {
    const start = await data.head(MAX_SEGMENT_NAME_LENGTH);
    const named = (own: number, name: string): ByteReader | null =>
      own === marker && start.startsWith(name) ? data.part(name.length) : null;
    const newExif = named(MARKER.app1, SEGMENT_NAME.exif);
    const newXmp = named(MARKER.app1, SEGMENT_NAME.xmp);
    const block = named(MARKER.app13, SEGMENT_NAME.resources);
    if ((newExif && exif) ?? (newXmp && xmp)) {
      throw new UnwritableError('the JPEG file has several EXIF or XMP segments');
    }
    exif ??= newExif;
    xmp ??= newXmp;
    if (block) {
      resources = concat(resources, await contentOf(block));
      if (resources.length > MAX_RESOURCE_BYTES) {
        throw new UnwritableError('the image resources are too long');
      }
    } else if (marker === MARKER.startOfScan) {
      scans = at;
    } else if (!newExif && !newXmp) {
      (marker === MARKER.app0 ? first : kept).keep(at, end);
    }
  }
  if (scans === null) {
    throw new UnwritableError('the JPEG file has a damaged segment');
  }
  const packet = editXmp(xmp && (await contentOf(xmp)), texts);
  return [
    ...first.all,
    ...(exif
      ? [segmentOf(MARKER.app1, SEGMENT_NAME.exif, await editExif(await contentOf(exif), texts))]
      : []),
    ...(packet ? [segmentOf(MARKER.app1, SEGMENT_NAME.xmp, packet)] : []),
    ...inSegments(await editResources(resources, texts, ['iptc'])),
    ...kept.all,
    { from: scans, to: file.size },
  ];
}

/** Resources may be longer than one segment. */
function inSegments(resources: Uint8Array): readonly Piece[] {
  const most = MAX_DATA_BYTES - SEGMENT_NAME.resources.length;
  const pieces: Piece[] = [];
  for (let at = 0; at < resources.length; at += most) {
    const part = resources.subarray(at, at + most);
    pieces.push(segmentOf(MARKER.app13, SEGMENT_NAME.resources, part));
  }
  return pieces;
}

/** @throws {UnwritableError} for data that are too long */
export function segmentOf(marker: number, name: string, data: Uint8Array): Uint8Array {
  const length = name.length + data.length;
  if (length > MAX_DATA_BYTES) {
    throw new UnwritableError('the metadata do not fit into a segment');
  }
  const head = concat(Uint8Array.of(0xff, marker), bytesOfNumber(length + 2, 2));
  return concat(head, bytesOfLatin1(name), data);
}
