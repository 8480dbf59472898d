import crc32 from 'crc-32';
import {
  bigEndian,
  bytesOfLatin1,
  concat,
  latin1,
  readPart,
  unchangeable,
  viewOf,
  WindowedSource,
  type ByteSource,
  type Piece,
} from './bytes.js';
import type { CopyTexts } from './changes.js';
import { editExif } from './tiff-rewrite.js';
import { editXmp } from './xmp.js';

const SIGNATURE = '\x89PNG\r\n\x1a\n';
const XMP_KEYWORD = 'XML:com.adobe.xmp';
/** The head of a packet: keyword, no compression, no language, no translated keyword. */
const XMP_HEAD = `${XMP_KEYWORD}\0\0\0\0\0`;
const TEXTS = ['tEXt', 'zTXt', 'iTXt'];
const MAX_CHUNKS = 5_000_000;

/** Rewrites a PNG file. IPTC has no place in it but in XMP. @throws {CwError} CW-810 */
export async function planPng(file: ByteSource, changes: CopyTexts): Promise<readonly Piece[]> {
  const source = new WindowedSource(file);
  if (latin1(await readPart(source, 0, 8)) !== SIGNATURE) {
    throw unchangeable('this is no PNG file');
  }
  const kept: { from: number; to: number }[] = [{ from: 0, to: 8 }];
  const added: Uint8Array[] = [];
  let packet: Uint8Array | null = null;
  let headerEnd = 0;
  let at = 8;
  for (let count = 0; ; count += 1) {
    const head = await readPart(source, at, at + 8);
    const type = latin1(head, 4, 8);
    const data = at + 8;
    const end = data + viewOf(head).getUint32(0);
    const next = end + 4;
    if (next > source.size || !/^[a-zA-Z]{4}$/.test(type) || count > MAX_CHUNKS) {
      throw unchangeable('the PNG file has a damaged chunk');
    }
    if ((type === 'IHDR') !== (count === 0)) {
      throw unchangeable('the PNG file does not begin with its header');
    }
    headerEnd = count === 0 ? next : headerEnd;
    const keyword = TEXTS.includes(type)
      ? (latin1(await readPart(source, data, Math.min(end, data + 80))).split('\0')[0] ?? '')
      : '';
    if (type === 'eXIf') {
      added.push(chunkOf('eXIf', await editExif(await readPart(source, data, end), changes)));
    } else if (keyword === XMP_KEYWORD) {
      if (packet) {
        throw unchangeable('the PNG file has several XMP packets');
      }
      packet = packetIn(type, await readPart(source, data, end));
    } else {
      keep(kept, at, next);
    }
    at = next;
    if (type === 'IEND') {
      break;
    }
  }
  keep(kept, at, source.size);
  const xmp = editXmp(packet, changes);
  if (xmp) {
    added.push(chunkOf('iTXt', concat(bytesOfLatin1(XMP_HEAD), xmp)));
  }
  // All chunks of metadata may come before the first one with pixels.
  return [
    { from: 0, to: headerEnd },
    ...added,
    ...kept.map(({ from, to }) => ({ from: Math.max(from, headerEnd), to })),
  ].filter((piece) => piece instanceof Uint8Array || piece.to > piece.from);
}

/** Adds a part to those that stay, which are often next to each other. */
function keep(kept: { from: number; to: number }[], from: number, to: number): void {
  const last = kept[kept.length - 1];
  if (last?.to === from) {
    last.to = to;
  } else {
    kept.push({ from, to });
  }
}

/** The packet in a chunk. @throws {CwError} CW-810 when it is compressed, as Photoshop never writes it */
function packetIn(type: string, data: Uint8Array): Uint8Array {
  // Behind the keyword: compression flag and method, language and translated keyword, each of which ends with a zero.
  const flag = XMP_KEYWORD.length + 1;
  const language = data.indexOf(0, flag + 2);
  const translated = language < 0 ? -1 : data.indexOf(0, language + 1);
  if (type !== 'iTXt' || data[flag] !== 0 || translated < 0) {
    throw unchangeable('the XMP packet of the PNG file is compressed');
  }
  return data.subarray(translated + 1);
}

function chunkOf(type: string, data: Uint8Array): Uint8Array {
  const content = concat(bytesOfLatin1(type), data);
  return concat(bigEndian(data.length, 4), content, bigEndian(crc32.buf(content) >>> 0, 4));
}
