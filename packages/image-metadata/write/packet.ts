import { ByteReader } from '../byte-reader.js';
import { bytesOfLatin1, concat, type ByteSource } from '../byte-source.js';
import { MARKER, MAX_SEGMENT_NAME_LENGTH, SEGMENT_NAME, segmentsIn } from '../jpeg.js';
import { kindOf, type Kind } from '../kinds.js';
import { RESOURCE } from '../photoshop.js';
import { chunksIn, packetInText, PNG_START } from '../png.js';
import { TAG, TYPE } from '../tiff.js';
import { planResourcesOf } from './photoshop.js';
import { contentOf, PieceList, UnwritableError, type Piece } from './pieces.js';
import { chunkOf, isPacket, XMP_HEAD } from './png.js';
import { REWRITE_LIMITS } from './rewrite.js';
import { segmentOf } from './jpeg.js';
import { TiffRewrite } from './tiff-rewrite.js';

/**
 * A packet with its changes; the packet itself where nothing changes.
 * @param packet  null where the file has none
 */
export type PacketEdit = (packet: Uint8Array | null) => Uint8Array | null;

type Plan = (file: ByteReader, edit: PacketEdit) => Promise<readonly Piece[]>;

const PLANS: Partial<Record<Kind, Plan>> = {
  jpeg: inJpeg,
  png: inPng,
  photoshop: (file, edit) =>
    planResourcesOf(file, { [RESOURCE.xmp]: (data) => Promise.resolve(edit(data)) }, [
      RESOURCE.xmp,
    ]),
  tiff: inTiff,
};

/**
 * How to rewrite a file with a changed XMP packet. Everything else stays, EXIF data and IPTC too.
 * @returns null where `edit` changes nothing
 * @throws {UnwritableError} for another format, and for a file that is not understood; what `edit` throws
 */
export async function planPacket(
  source: ByteSource,
  edit: PacketEdit,
): Promise<readonly Piece[] | null> {
  const file = ByteReader.over(source, REWRITE_LIMITS);
  const plan = PLANS[kindOf(await file.head(16)) ?? 'archive'];
  if (!plan) {
    throw new UnwritableError('the format is not supported');
  }
  const outcome = { isChanged: false };
  const pieces = await plan(file, (packet) => {
    const edited = edit(packet);
    outcome.isChanged ||= edited !== packet;
    return edited;
  });
  return outcome.isChanged ? pieces : null;
}

/** A new packet comes behind the segments that have to be first. */
async function inJpeg(file: ByteReader, edit: PacketEdit): Promise<readonly Piece[]> {
  let place = { from: 2, to: 2 };
  let packet: ByteReader | null = null;
  let hasScan = false;
  for await (const { marker, at, end, data } of segmentsIn(file)) {
    const start = marker === MARKER.app1 ? await data.head(MAX_SEGMENT_NAME_LENGTH) : '';
    if (start.startsWith(SEGMENT_NAME.xmp)) {
      if (packet) {
        throw new UnwritableError('the JPEG file has several XMP segments');
      }
      packet = data.part(SEGMENT_NAME.xmp.length);
      place = { from: at, to: end };
    } else if (!packet && (marker === MARKER.app0 || start.startsWith(SEGMENT_NAME.exif))) {
      place = { from: end, to: end };
    }
    hasScan ||= marker === MARKER.startOfScan;
  }
  if (!hasScan) {
    throw new UnwritableError('the JPEG file has a damaged segment');
  }
  const edited = edit(packet && (await contentOf(packet)));
  return around(file, place, edited && segmentOf(MARKER.app1, SEGMENT_NAME.xmp, edited));
}

/** A new packet comes behind the header, since it has to be before the pixels for some programs. */
async function inPng(file: ByteReader, edit: PacketEdit): Promise<readonly Piece[]> {
  let place: { readonly from: number; readonly to: number } | null = null;
  let head: Uint8Array = bytesOfLatin1(XMP_HEAD);
  let packet: ByteReader | null = null;
  let last = { type: '', end: PNG_START.length };
  for await (const { type, at, end, data } of chunksIn(file)) {
    if (!data || end > file.size) {
      throw new UnwritableError('the PNG file has a damaged chunk');
    }
    if (await isPacket(type, data)) {
      if (packet) {
        throw new UnwritableError('the PNG file has several XMP packets');
      }
      packet = type === 'iTXt' ? await packetInText(data) : null;
      if (!packet) {
        throw new UnwritableError('the XMP packet of the PNG file is compressed');
      }
      head = await contentOf(data.part(0, packet.start - data.start));
      place = { from: at, to: end };
    } else if (type === 'IHDR') {
      place ??= { from: end, to: end };
    }
    last = { type, end };
  }
  if (last.type !== 'IEND' || !place) {
    throw new UnwritableError('the PNG file is cut short');
  }
  const edited = edit(packet && (await contentOf(packet)));
  return around(file, place, edited && chunkOf('iTXt', concat(head, edited)));
}

function inTiff(file: ByteReader, edit: PacketEdit): Promise<readonly Piece[]> {
  const texts = { creator: '', copyright: '', contact: '' };
  const rewrite = new TiffRewrite(file, texts, async (valueOf) => {
    const bytes = edit(await valueOf(TAG.xmp));
    return bytes ? [{ tag: TAG.xmp, type: TYPE.byte, bytes }] : [];
  });
  return rewrite.plan();
}

/** The file with other bytes at a place. */
function around(
  file: ByteReader,
  { from, to }: { readonly from: number; readonly to: number },
  bytes: Uint8Array | null,
): readonly Piece[] {
  const pieces = new PieceList();
  pieces.keep(0, from);
  if (bytes) {
    pieces.add(bytes);
  }
  pieces.keep(to, file.size);
  return pieces.all;
}
