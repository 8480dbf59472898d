import crc32 from 'crc-32';
import type { ByteReader } from '../byte-reader.js';
import { bytesOfLatin1, bytesOfNumber, concat } from '../byte-source.js';
import { chunksIn, KEYWORD_BYTES, packetInText, PNG_START, PNG_TEXTS, PNG_XMP } from '../png.js';
import type { MetadataTexts } from './changes.js';
import { contentOf, PieceList, UnwritableError, type Piece } from './pieces.js';
import { editExif } from './tiff-rewrite.js';
import { editXmp } from './xmp.js';

/** The head of a packet: keyword, no compression, no language, no translated keyword. */
export const XMP_HEAD = `${PNG_XMP}\0\0\0\0\0`;

/** Rewrites a PNG file. IPTC has no place in it but in XMP. @throws {UnwritableError} */
export async function planPng(file: ByteReader, texts: MetadataTexts): Promise<readonly Piece[]> {
  const kept = new PieceList();
  const added: Uint8Array[] = [];
  let packet: Uint8Array | null = null;
  let headerEnd = 0;
  let last = { type: '', end: PNG_START.length };
  for await (const { type, at, end, data } of chunksIn(file)) {
    if (!data || end > file.size || !/^[a-zA-Z]{4}$/.test(type)) {
      throw new UnwritableError('the PNG file has a damaged chunk');
    }
    if ((type === 'IHDR') !== (headerEnd === 0)) {
      throw new UnwritableError('the PNG file does not begin with its header');
    }
    if (type === 'IHDR') {
      headerEnd = end;
    } else if (type === 'eXIf') {
      added.push(chunkOf('eXIf', await editExif(await contentOf(data), texts)));
    } else if (await isPacket(type, data)) {
      if (packet) {
        throw new UnwritableError('the PNG file has several XMP packets');
      }
      packet = await contentOf(type === 'iTXt' ? await packetInText(data) : null);
    } else {
      kept.keep(at, end);
    }
    last = { type, end };
  }
  if (last.type !== 'IEND') {
    throw new UnwritableError('the PNG file is cut short');
  }
  kept.keep(last.end, file.size);
  const xmp = editXmp(packet, texts);
  if (xmp) {
    added.push(chunkOf('iTXt', concat(bytesOfLatin1(XMP_HEAD), xmp)));
  }
  // All chunks of metadata may come before the first one with pixels.
  return [{ from: 0, to: headerEnd }, ...added, ...kept.all];
}

export async function isPacket(type: string, data: ByteReader): Promise<boolean> {
  return PNG_TEXTS.includes(type) && (await data.head(KEYWORD_BYTES)).startsWith(`${PNG_XMP}\0`);
}

export function chunkOf(type: string, data: Uint8Array): Uint8Array {
  const content = concat(bytesOfLatin1(type), data);
  return concat(bytesOfNumber(data.length, 4), content, bytesOfNumber(crc32.buf(content) >>> 0, 4));
}
