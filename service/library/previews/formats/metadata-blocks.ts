import type { ByteReader } from './byte-reader.js';
import { boxesIn, itemsIn } from './boxes.js';
import { readCrw } from './canon-crw.js';
import { xmpInGif } from './gif.js';
import { readMrw } from './minolta-mrw.js';
import { readPhotoshop, RESOURCE, resourcesIn } from './photoshop.js';
import { readX3f } from './sigma-x3f.js';
import { TAG, Tiff } from './tiff.js';
import { trailingIptc } from './trailing-iptc.js';

/** What a block of metadata is: EXIF data, XMP, IPTC-IIM, the block of Casio's first cameras, or the time in a CRW file. */
type Kind = 'exif' | 'xmp' | 'iptc' | 'casio' | 'crw time';

/** One block of metadata in a file. */
export interface MetadataBlock {
  readonly kind: Kind;
  readonly data: ByteReader;
}

/** How deep pictures in pictures are followed, and how many blocks are read. */
const MAX_DEPTH = 3;
const MAX_BLOCKS = 512;

const MAX_SEGMENTS = 1024;
const MAX_CHUNKS = 4096;

const APP1 = 0xe1;
const APP2 = 0xe2;
const APP13 = 0xed;
const START_OF_SCAN = 0xda;
const NAMES = {
  exif: 'Exif\0\0',
  xmp: 'http://ns.adobe.com/xap/1.0/\0',
  photoshop: 'Photoshop 3.0\0',
  pictures: 'MPF\0',
  casio: 'QVCI\0',
} as const;
const LONGEST_NAME = Math.max(...Object.values(NAMES).map((name) => name.length));

/** The entry of the Multi-Picture Format with the place of each picture, 16 bytes for each. */
const PICTURES = 0xb002;
const PICTURE_BYTES = 16;
const MAX_PICTURES = 16;

/** Where RAF files note where their JPEG is: its offset, then its length. */
const RAF_JPEG = 84;

/** Panasonic's JPEG. */
const PANASONIC_JPEG = 0x002e;

/** Boxes of Canon's CR3 with EXIF data, and the boxes that hold them and XMP. */
const CANON = '85c0b687820f11e08111f4ce462b6a48';
const CANON_XMP = 'be7acfcb97a942e89c71999491e3afac';
const CANON_EXIF = ['CMT1', 'CMT2'];

/** The box of a JPEG 2000 with EXIF data: `JpgTiffExif->JP2`. */
const JPEG_2000_EXIF = '4a706754696666457869662d3e4a5032';

/**
 * Finds the blocks of metadata in a picture, also in the pictures inside it. Nothing in the file is trusted: the number
 * of blocks is bounded, and the reader bounds what is read.
 * @returns none for a file of another kind
 */
export async function metadataIn(reader: ByteReader, depth = 0): Promise<MetadataBlock[]> {
  const head = (await reader.read(0, Math.min(16, reader.size)))?.toString('latin1') ?? '';
  const found = await inFormat(reader, head, depth);
  return found.slice(0, MAX_BLOCKS);
}

function inFormat(reader: ByteReader, head: string, depth: number): Promise<MetadataBlock[]> {
  if (depth > MAX_DEPTH) {
    return Promise.resolve([]);
  }
  if (head.startsWith('\xff\xd8\xff')) {
    return inJpeg(reader, depth);
  }
  if (head.startsWith('\x89PNG\r\n')) {
    return inPng(reader);
  }
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') {
    return inWebp(reader);
  }
  if (head.startsWith('8BPS\0')) {
    return inPhotoshop(reader);
  }
  if (head.startsWith('FUJIFILMCCD-RAW')) {
    return inRaf(reader, depth);
  }
  if (head.startsWith('GIF8')) {
    return xmpInGif(reader).then((packet) => block('xmp', packet));
  }
  if (['ftyp', 'JXL ', 'jP  '].includes(head.slice(4, 8))) {
    return inBoxes(reader);
  }
  return inOldRaw(reader, depth).then((blocks) => blocks ?? inTiff(reader, depth));
}

/** Raw files of a form that only their maker used; undefined for any other file. */
async function inOldRaw(reader: ByteReader, depth: number): Promise<MetadataBlock[] | undefined> {
  const [crw, mrw] = [await readCrw(reader), await readMrw(reader)];
  if (crw !== undefined || mrw !== undefined) {
    return [...block('crw time', crw?.time), ...block('exif', mrw?.exif)];
  }
  const x3f = await readX3f(reader);
  const [jpeg] = x3f?.jpegs ?? [];
  return x3f && (jpeg === undefined ? [] : metadataIn(jpeg, depth + 1));
}

async function inJpeg(reader: ByteReader, depth: number): Promise<MetadataBlock[]> {
  const blocks: MetadataBlock[] = [];
  const resources: ByteReader[] = [];
  let at = 2;
  for (let count = 0; count < MAX_SEGMENTS; count += 1) {
    const head = await reader.read(at, 4);
    const kind = head?.[1] ?? START_OF_SCAN;
    const length = head?.readUInt16BE(2) ?? 0;
    if (head?.[0] !== 0xff || kind === START_OF_SCAN || length < 2) {
      break;
    }
    const data = reader.part(at + 4, length - 2);
    const start = await startOf(data, [APP1, APP2, APP13].includes(kind));
    const after = (name: string): ByteReader | undefined =>
      start.startsWith(name) ? data?.part(name.length) : undefined;
    if (kind === APP1) {
      blocks.push(
        ...block('exif', after(NAMES.exif)),
        ...block('xmp', after(NAMES.xmp)),
        ...block('casio', after(NAMES.casio)),
      );
    } else if (kind === APP2 && depth < MAX_DEPTH) {
      blocks.push(...(await inFurtherPictures(reader, after(NAMES.pictures), depth)));
    } else if (kind === APP13) {
      const part = after(NAMES.photoshop);
      resources.push(...(part === undefined ? [] : [part]));
    }
    at += 2 + length;
  }
  for (const part of resources) {
    blocks.push(...(await fromResources(await resourcesIn(part))));
  }
  return [...blocks, ...block('iptc', await trailingIptc(reader))];
}

async function startOf(data: ByteReader | undefined, isWanted: boolean): Promise<string> {
  const bytes = isWanted ? await data?.read(0, Math.min(LONGEST_NAME, data.size)) : undefined;
  return bytes?.toString('latin1') ?? '';
}

/** The pictures behind the first one, such as a preview: [CIPA DC-007](https://www.cipa.jp/e/std/std-sec.html). */
async function inFurtherPictures(
  reader: ByteReader,
  list: ByteReader | undefined,
  depth: number,
): Promise<MetadataBlock[]> {
  const tiff = list && (await Tiff.in(list));
  const entries = await (await tiff?.first())?.bytes(PICTURES, PICTURE_BYTES * MAX_PICTURES);
  const blocks: MetadataBlock[] = [];
  for (let at = 0; at + PICTURE_BYTES <= (entries?.length ?? 0); at += PICTURE_BYTES) {
    const length = tiff?.value(entries ?? Buffer.alloc(0), 4, at + 4) ?? 0;
    const offset = tiff?.value(entries ?? Buffer.alloc(0), 4, at + 8) ?? 0;
    const start = (list?.start ?? 0) - reader.start + offset;
    const picture = offset > 0 ? reader.part(start, length) : undefined;
    blocks.push(...(picture === undefined ? [] : await metadataIn(picture, depth + 1)));
  }
  return blocks;
}

async function inPng(reader: ByteReader): Promise<MetadataBlock[]> {
  const blocks: MetadataBlock[] = [];
  let at = 8;
  for (let count = 0; count < MAX_CHUNKS; count += 1) {
    const head = await reader.read(at, 8);
    if (head === undefined) {
      break;
    }
    const length = head.readUInt32BE(0);
    const data = reader.part(at + 8, length);
    const type = head.toString('latin1', 4);
    if (type === 'eXIf') {
      blocks.push(...block('exif', await withoutName(data)));
    } else if (type === 'iTXt' && data !== undefined) {
      blocks.push(...(await inText(data)));
    }
    at += 12 + length;
  }
  return blocks;
}

/** XMP in a text of a PNG: a name, NUL, whether it is compressed, how, a language and the name in it. */
async function inText(data: ByteReader): Promise<MetadataBlock[]> {
  const start = (await data.read(0, Math.min(256, data.size)))?.toString('latin1') ?? '';
  const header = /^XML:com\.adobe\.xmp\0\0\0[^\0]*\0[^\0]*\0/.exec(start)?.[0];
  return header === undefined ? [] : block('xmp', data.part(header.length));
}

async function inWebp(reader: ByteReader): Promise<MetadataBlock[]> {
  const blocks: MetadataBlock[] = [];
  let at = 12;
  for (let count = 0; count < MAX_CHUNKS; count += 1) {
    const head = await reader.read(at, 8);
    if (head === undefined) {
      break;
    }
    const length = head.readUInt32LE(4);
    const type = head.toString('latin1', 0, 4);
    const data = reader.part(at + 8, length);
    blocks.push(
      ...block('exif', type === 'EXIF' ? await withoutName(data) : undefined),
      ...block('xmp', type === 'XMP ' ? data : undefined),
    );
    at += 8 + length + (length % 2);
  }
  return blocks;
}

async function inPhotoshop(reader: ByteReader): Promise<MetadataBlock[]> {
  return fromResources((await readPhotoshop(reader))?.resources ?? new Map());
}

async function fromResources(resources: ReadonlyMap<number, ByteReader>): Promise<MetadataBlock[]> {
  return [
    ...block('iptc', resources.get(RESOURCE.iptc)),
    ...block('exif', await withoutName(resources.get(RESOURCE.exif))),
    ...block('xmp', resources.get(RESOURCE.xmp)),
  ];
}

async function inRaf(reader: ByteReader, depth: number): Promise<MetadataBlock[]> {
  const place = await reader.read(RAF_JPEG, 8);
  const jpeg = place && reader.part(place.readUInt32BE(0), place.readUInt32BE(4));
  return jpeg === undefined ? [] : metadataIn(jpeg, depth + 1);
}

/** A TIFF file is a block of EXIF data as a whole. */
async function inTiff(reader: ByteReader, depth: number): Promise<MetadataBlock[]> {
  const tiff = await Tiff.in(reader);
  const blocks = tiff === undefined ? [] : block('exif', reader);
  for (const image of (await tiff?.images()) ?? []) {
    const resources = image.part(TAG.photoshop);
    const [jpegAt = 0, jpegLength = 0] = [
      await image.number(TAG.jpegOffset),
      await image.number(TAG.jpegLength),
    ];
    const jpegs = [
      image.part(PANASONIC_JPEG),
      jpegAt > 0 ? reader.part(jpegAt, jpegLength) : undefined,
    ];
    blocks.push(
      ...block('xmp', image.part(TAG.xmp)),
      ...block('iptc', image.part(TAG.iptc)),
      ...(resources === undefined ? [] : await fromResources(await resourcesIn(resources))),
    );
    for (const jpeg of jpegs) {
      const isJpeg = (await jpeg?.read(0, 3))?.toString('hex') === 'ffd8ff';
      blocks.push(...(jpeg !== undefined && isJpeg ? await metadataIn(jpeg, depth + 1) : []));
    }
  }
  return blocks;
}

/** HEIC and AVIF have metadata as items, JPEG XL and CR3 as boxes. */
async function inBoxes(reader: ByteReader): Promise<MetadataBlock[]> {
  const blocks: MetadataBlock[] = [];
  for (const box of await boxesIn(reader)) {
    if (box.type === 'meta') {
      for (const { kind, data } of await itemsIn(reader, box.data)) {
        blocks.push(...block(kind, kind === 'exif' ? await afterOffset(data) : data));
      }
    } else if (box.type === 'uuid' && box.uuid === JPEG_2000_EXIF) {
      blocks.push(...block('exif', await withoutName(box.data)));
    } else if (box.type === 'Exif') {
      blocks.push(...block('exif', await afterOffset(box.data)));
    } else if (box.type === 'xml ' || (box.type === 'uuid' && box.uuid === CANON_XMP)) {
      blocks.push(...block('xmp', box.data));
    } else if (box.type === 'moov') {
      blocks.push(...(await inCanon(box.data)));
    }
  }
  return blocks;
}

async function inCanon(movie: ByteReader): Promise<MetadataBlock[]> {
  const canon = (await boxesIn(movie)).filter(({ uuid }) => uuid === CANON);
  const inside = await Promise.all(canon.map(({ data }) => boxesIn(data)));
  return inside
    .flat()
    .flatMap(({ type, data }) => block('exif', CANON_EXIF.includes(type) ? data : undefined));
}

/** EXIF data without the name that some programs write before them in PNG and WebP. */
async function withoutName(data: ByteReader | undefined): Promise<ByteReader | undefined> {
  const { length } = NAMES.exif;
  const start = data && (await data.read(0, Math.min(length, data.size)));
  return start?.toString('latin1') === NAMES.exif ? data?.part(length) : data;
}

/** EXIF data in an item or box begin behind an offset. */
async function afterOffset(data: ByteReader): Promise<ByteReader | undefined> {
  const offset = (await data.read(0, 4))?.readUInt32BE(0);
  return offset === undefined ? undefined : withoutName(data.part(4 + offset));
}

function block(kind: Kind, data: ByteReader | undefined): MetadataBlock[] {
  return data === undefined ? [] : [{ kind, data }];
}
