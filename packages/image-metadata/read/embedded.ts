import type { ByteReader } from '../byte-reader.js';
import { JPEG_START, MARKER, SEGMENT_NAME, segmentsIn } from '../jpeg.js';
import {
  jpegInPreview,
  PHOTOSHOP_START,
  readPhotoshopHeader,
  RESOURCE,
  resourcesIn,
} from '../photoshop.js';
import { chunksIn, packetInText, PNG_START } from '../png.js';
import { isWebp, riffChunksIn } from '../riff.js';
import { TAG, Tiff, withoutExifName, type Directory } from '../tiff.js';
import { Cr3, CR3_TYPE } from './canon-cr3.js';
import { jpegInRaf, RAF_START } from './fuji-raf.js';
import { jpegPartsIn } from './raw.js';
import { orientationIn } from './jpeg-head.js';

/** What a file carries beside its picture. */
export interface Embedded {
  readonly xmp: ByteReader | null;
  /** Smaller copies of the picture. */
  readonly jpegs: readonly ByteReader[];
  /** How the JPEGs must be turned, as in EXIF; null when they need not be. */
  readonly orientation: number | null;
}

const NOTHING: Embedded = { xmp: null, jpegs: [], orientation: null };

/** A JPEG has few segments, and a WebP few chunks, before everything that is searched. */
const MAX_PARTS = 128;
/** Bytes before the TIFF file in the notes of a Nikon. */
const NIKON_HEADER_BYTES = 10;

/** Finds the XMP packet and the small JPEGs in a picture with few reads, as for a row of a list. */
export async function findEmbedded(file: ByteReader): Promise<Embedded> {
  const start = await file.head(RAF_START.length);
  if (start.startsWith(JPEG_START)) {
    return inJpeg(file);
  }
  if (start.startsWith(PHOTOSHOP_START)) {
    const header = await readPhotoshopHeader(file);
    const end = Math.min(header?.resourcesEnd ?? 0, file.size);
    const resources = header && file.part(header.resourcesAt, end - header.resourcesAt);
    return resources ? inResources(resources) : NOTHING;
  }
  if (start.startsWith(PNG_START)) {
    return { ...NOTHING, xmp: await xmpInPng(file) };
  }
  if (isWebp(start)) {
    return inWebp(file);
  }
  if (start.slice(4, 12) === CR3_TYPE) {
    return inCr3(file);
  }
  if (start === RAF_START) {
    const jpeg = await jpegInRaf(file);
    return jpeg ? inJpeg(jpeg) : NOTHING;
  }
  return inTiff(file);
}

async function inJpeg(file: ByteReader): Promise<Embedded> {
  let xmp: ByteReader | null = null;
  let exif: Embedded | null = null;
  let count = 0;
  if ((await file.head(JPEG_START.length)) !== JPEG_START) {
    return NOTHING;
  }
  for await (const { marker, data } of segmentsIn(file)) {
    const name = marker === MARKER.app1 ? await data.head(SEGMENT_NAME.xmp.length) : '';
    if (name === SEGMENT_NAME.xmp) {
      xmp ??= data.part(name.length);
    } else if (name.startsWith(SEGMENT_NAME.exif)) {
      const tiff = data.part(SEGMENT_NAME.exif.length);
      exif ??= tiff && (await inTiff(tiff));
    }
    count += 1;
    if (count >= MAX_PARTS) {
      break;
    }
  }
  return { ...(exif ?? NOTHING), xmp };
}

async function inWebp(file: ByteReader): Promise<Embedded> {
  let xmp: ByteReader | null = null;
  let exif: ByteReader | null = null;
  let count = 0;
  for await (const { type, data } of riffChunksIn(file)) {
    if (type === 'XMP ') {
      xmp ??= data;
    } else if (data && type === 'EXIF') {
      exif ??= await withoutExifName(data);
    }
    count += 1;
    if ((xmp && exif) || count >= MAX_PARTS) {
      break;
    }
  }
  return { ...(exif ? await inTiff(exif) : NOTHING), xmp };
}

/** The XMP before the pixels of a PNG. */
async function xmpInPng(file: ByteReader): Promise<ByteReader | null> {
  let count = 0;
  for await (const { type, data } of chunksIn(file)) {
    const packet = data && type === 'iTXt' ? await packetInText(data) : null;
    count += 1;
    if (packet || type === 'IDAT' || count >= MAX_PARTS) {
      return packet;
    }
  }
  return null;
}

async function inCr3(file: ByteReader): Promise<Embedded> {
  const cr3 = await Cr3.in(file);
  const thumbnail = (await cr3?.thumbnail()) ?? null;
  return {
    xmp: cr3?.xmp ?? null,
    jpegs: thumbnail ? [thumbnail] : [],
    orientation: await orientationIn(cr3?.exif ?? null),
  };
}

async function inResources(resources: ByteReader): Promise<Embedded> {
  let xmp: ByteReader | null = null;
  let jpeg: ByteReader | null = null;
  for await (const { id, data } of resourcesIn(resources)) {
    if (id === RESOURCE.xmp) {
      xmp ??= data;
    } else if (id === RESOURCE.preview) {
      jpeg ??= await jpegInPreview(data);
    }
    if (xmp && jpeg) {
      break;
    }
  }
  return { ...NOTHING, xmp, jpegs: jpeg ? [jpeg] : [] };
}

async function inTiff(file: ByteReader): Promise<Embedded> {
  const tiff = await Tiff.in(file);
  const directories = (await tiff?.directories([TAG.subDirectories, TAG.exif])) ?? [];
  const [first] = directories;
  if (!tiff || !first) {
    return NOTHING;
  }
  const xmp = first.part(TAG.xmp);
  const resources = first.part(TAG.photoshop);
  // Photoshop turns the pixels of its preview, cameras do not.
  const ofPhotoshop = resources ? await inResources(resources) : NOTHING;
  if (ofPhotoshop.jpegs.length > 0) {
    return { ...ofPhotoshop, xmp };
  }
  const jpegs: ByteReader[] = [];
  for (const directory of directories) {
    jpegs.push(...(await jpegPartsIn(tiff, directory)), ...(await jpegsOfNikon(directory)));
  }
  return { xmp, jpegs, orientation: await first.number(TAG.orientation) };
}

/** The JPEGs in the notes of a Nikon: a TIFF file, whose offsets count from its own start. */
async function jpegsOfNikon(directory: Directory): Promise<readonly ByteReader[]> {
  const note = directory.part(TAG.makerNote);
  const inside = (await note?.head(6)) === 'Nikon\0' ? note?.part(NIKON_HEADER_BYTES) : null;
  const tiff = inside && (await Tiff.in(inside));
  const jpegs: ByteReader[] = [];
  for (const preview of tiff ? await tiff.directories([TAG.nikonPreview]) : []) {
    jpegs.push(...(tiff ? await jpegPartsIn(tiff, preview) : []));
  }
  return jpegs;
}
