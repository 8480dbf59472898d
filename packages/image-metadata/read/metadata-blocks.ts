import { BOX_UUID, boxesIn } from '../box.js';
import type { ByteReader } from '../byte-reader.js';
import { uint32 } from '../byte-source.js';
import { isXmpItem, readItems } from '../items.js';
import { JPEG_START, MAX_SEGMENT_NAME_LENGTH, MARKER, SEGMENT_NAME, segmentsIn } from '../jpeg.js';
import { PHOTOSHOP_START, RESOURCE } from '../photoshop.js';
import { chunksIn, packetInText, PNG_START } from '../png.js';
import { isWebp, riffChunksIn } from '../riff.js';
import { TAG, Tiff, withoutExifName } from '../tiff.js';
import { readCrw } from './canon-crw.js';
import { xmpInGif } from './gif.js';
import { jpegInRaf, RAF_START } from './fuji-raf.js';
import { readMrw } from './minolta-mrw.js';
import { resourcesById, readPhotoshop } from './photoshop.js';
import { readX3f } from './sigma-x3f.js';
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

/** The bytes of each entry in the list of the Multi-Picture Format. */
const PICTURE_BYTES = 16;
const MAX_PICTURES = 16;
/** How many pieces of stored items are read. */
const MAX_PIECES = 4096;

/** Boxes of Canon's CR3 with EXIF data. */
const CANON_EXIF = ['CMT1', 'CMT2'];

/**
 * Finds the blocks of metadata in a picture, also in the pictures inside it. Nothing in the file is trusted: the number
 * of blocks is bounded, and the reader bounds what is read.
 * @returns none for a file of another kind
 */
export async function metadataIn(reader: ByteReader, depth = 0): Promise<MetadataBlock[]> {
  const found = depth > MAX_DEPTH ? [] : await inFormat(reader, await reader.head(16), depth);
  return found.slice(0, MAX_BLOCKS);
}

async function inFormat(reader: ByteReader, head: string, depth: number): Promise<MetadataBlock[]> {
  if (head.startsWith(JPEG_START)) {
    return inJpeg(reader, depth);
  }
  if (head.startsWith(PNG_START)) {
    return inPng(reader);
  }
  if (isWebp(head)) {
    return inWebp(reader);
  }
  if (head.startsWith(PHOTOSHOP_START)) {
    return fromResources((await readPhotoshop(reader))?.resources ?? new Map());
  }
  if (head.startsWith(RAF_START)) {
    const jpeg = await jpegInRaf(reader);
    return jpeg ? metadataIn(jpeg, depth + 1) : [];
  }
  if (head.startsWith('GIF8')) {
    return block('xmp', await xmpInGif(reader));
  }
  if (['ftyp', 'JXL ', 'jP  '].includes(head.slice(4, 8))) {
    return inBoxes(reader);
  }
  return (await inOldRaw(reader, depth)) ?? inTiff(reader, depth);
}

/** Raw files of a form that only their maker used; null for any other file. */
async function inOldRaw(reader: ByteReader, depth: number): Promise<MetadataBlock[] | null> {
  const [crw, mrw] = [await readCrw(reader), await readMrw(reader)];
  if (crw ?? mrw) {
    return [...block('crw time', crw?.time), ...block('exif', mrw?.exif)];
  }
  const x3f = await readX3f(reader);
  const [jpeg] = x3f?.jpegs ?? [];
  return x3f && (jpeg ? metadataIn(jpeg, depth + 1) : []);
}

async function inJpeg(reader: ByteReader, depth: number): Promise<MetadataBlock[]> {
  const blocks: MetadataBlock[] = [];
  const resources: ByteReader[] = [];
  for await (const { marker, data } of segmentsIn(reader)) {
    const isNamed = marker === MARKER.app1 || marker === MARKER.app2 || marker === MARKER.app13;
    const start = isNamed ? await data.head(MAX_SEGMENT_NAME_LENGTH) : '';
    const after = (name: string): ByteReader | null =>
      start.startsWith(name) ? data.part(name.length) : null;
    if (marker === MARKER.app1) {
      blocks.push(
        ...block('exif', after(SEGMENT_NAME.exif)),
        ...block('xmp', after(SEGMENT_NAME.xmp)),
        ...block('casio', after(SEGMENT_NAME.casio)),
      );
    } else if (marker === MARKER.app2 && depth < MAX_DEPTH) {
      blocks.push(...(await inFurtherPictures(reader, after(SEGMENT_NAME.pictures), depth)));
    } else if (marker === MARKER.app13) {
      const part = after(SEGMENT_NAME.resources);
      resources.push(...(part ? [part] : []));
    }
  }
  for (const part of resources) {
    blocks.push(...(await fromResources(await resourcesById(part))));
  }
  return [...blocks, ...block('iptc', await trailingIptc(reader))];
}

/** The pictures behind the first one, such as a preview: [CIPA DC-007](https://www.cipa.jp/e/std/std-sec.html). */
async function inFurtherPictures(
  reader: ByteReader,
  list: ByteReader | null,
  depth: number,
): Promise<MetadataBlock[]> {
  const tiff = list && (await Tiff.in(list));
  const directory = await tiff?.first();
  const entries = await directory?.bytes(TAG.pictures, PICTURE_BYTES * MAX_PICTURES);
  const blocks: MetadataBlock[] = [];
  for (let at = 0; list && tiff && entries && at + PICTURE_BYTES <= entries.length;) {
    const length = uint32(entries, at + 4, tiff.form.isLittle);
    const offset = uint32(entries, at + 8, tiff.form.isLittle);
    const picture = offset > 0 ? reader.part(list.start - reader.start + offset, length) : null;
    blocks.push(...(picture ? await metadataIn(picture, depth + 1) : []));
    at += PICTURE_BYTES;
  }
  return blocks;
}

async function inPng(reader: ByteReader): Promise<MetadataBlock[]> {
  const blocks: MetadataBlock[] = [];
  for await (const { type, data } of chunksIn(reader, { skipsPixels: true })) {
    if (data && type === 'eXIf') {
      blocks.push(...block('exif', await withoutExifName(data)));
    } else if (data && type === 'iTXt') {
      blocks.push(...block('xmp', await packetInText(data)));
    }
  }
  return blocks;
}

async function inWebp(reader: ByteReader): Promise<MetadataBlock[]> {
  const blocks: MetadataBlock[] = [];
  for await (const { type, data } of riffChunksIn(reader)) {
    if (data && type === 'EXIF') {
      blocks.push(...block('exif', await withoutExifName(data)));
    } else if (type === 'XMP ') {
      blocks.push(...block('xmp', data));
    }
  }
  return blocks;
}

async function fromResources(resources: ReadonlyMap<number, ByteReader>): Promise<MetadataBlock[]> {
  const exif = resources.get(RESOURCE.exif);
  return [
    ...block('iptc', resources.get(RESOURCE.iptc)),
    ...block('exif', exif && (await withoutExifName(exif))),
    ...block('xmp', resources.get(RESOURCE.xmp)),
  ];
}

/** A TIFF file is a block of EXIF data as a whole. */
async function inTiff(reader: ByteReader, depth: number): Promise<MetadataBlock[]> {
  const tiff = await Tiff.in(reader);
  const blocks = tiff ? block('exif', reader) : [];
  for (const image of (await tiff?.directories()) ?? []) {
    const resources = image.part(TAG.photoshop);
    const jpegAt = (await image.number(TAG.jpegOffset)) ?? 0;
    const jpegLength = (await image.number(TAG.jpegLength)) ?? 0;
    const jpegs = [
      image.part(TAG.panasonicJpeg),
      jpegAt > 0 ? reader.part(jpegAt, jpegLength) : null,
    ];
    blocks.push(
      ...block('xmp', image.part(TAG.xmp)),
      ...block('iptc', image.part(TAG.iptc)),
      ...(resources ? await fromResources(await resourcesById(resources)) : []),
    );
    for (const jpeg of jpegs) {
      const isJpeg = (await jpeg?.head(JPEG_START.length)) === JPEG_START;
      blocks.push(...(jpeg && isJpeg ? await metadataIn(jpeg, depth + 1) : []));
    }
  }
  return blocks;
}

/** HEIC and AVIF have metadata as items, JPEG XL and CR3 as boxes. */
async function inBoxes(reader: ByteReader): Promise<MetadataBlock[]> {
  const blocks: MetadataBlock[] = [];
  for await (const { type, uuid, data } of boxesIn(reader)) {
    if (type === 'meta') {
      blocks.push(...(await inItems(reader, data)));
    } else if (uuid === BOX_UUID.exif) {
      blocks.push(...block('exif', await withoutExifName(data)));
    } else if (type === 'Exif') {
      blocks.push(...block('exif', await afterOffset(data)));
    } else if (type === 'xml ' || uuid === BOX_UUID.xmp) {
      blocks.push(...block('xmp', data));
    } else if (type === 'moov') {
      blocks.push(...(await inCanon(data)));
    }
  }
  return blocks;
}

/** An item that is stored in pieces is several blocks. */
async function inItems(file: ByteReader, meta: ByteReader): Promise<MetadataBlock[]> {
  const { types, places, stored } = await readItems(meta);
  const blocks: MetadataBlock[] = [];
  let pieces = 0;
  for (const [id, { method, extents }] of places ?? []) {
    const type = types.get(id) ?? '';
    const source = method === 0 ? file : method === 1 ? stored : null;
    const kind = type.startsWith('Exif') ? 'exif' : isXmpItem(type) ? 'xmp' : null;
    for (const { at, length } of kind && source ? extents : []) {
      pieces += 1;
      if (pieces > MAX_PIECES) {
        return blocks;
      }
      const data = length === 0 ? source?.part(at) : source?.part(at, length);
      if (kind && data) {
        blocks.push(...block(kind, kind === 'exif' ? await afterOffset(data) : data));
      }
    }
  }
  return blocks;
}

async function inCanon(movie: ByteReader): Promise<MetadataBlock[]> {
  const blocks: MetadataBlock[] = [];
  for await (const { uuid, data: canon } of boxesIn(movie)) {
    if (uuid === BOX_UUID.canon) {
      for await (const { type, data } of boxesIn(canon)) {
        blocks.push(...block('exif', CANON_EXIF.includes(type) ? data : null));
      }
    }
  }
  return blocks;
}

/** EXIF data in an item or box begin behind an offset. */
async function afterOffset(data: ByteReader): Promise<ByteReader | null> {
  const offset = await data.read(0, 4);
  const exif = offset && data.part(4 + uint32(offset));
  return exif && withoutExifName(exif);
}

function block(kind: Kind, data: ByteReader | null | undefined): MetadataBlock[] {
  return data ? [{ kind, data }] : [];
}
