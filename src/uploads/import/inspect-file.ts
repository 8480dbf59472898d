/**
 * The identity and preview in a photo's file, read in the formats of cameras and of creative apps
 * (docs/decisions/0030-file-inspection.md).
 * @packageDocumentation
 */
import type { SpoolReader } from '../../host/host.js';
import { documentIdOf, XMP_CHARACTERS } from '../../util/xmp.js';
import { readCanonRaw } from './inspection/canon-raw.js';
import { FileSlices } from './inspection/file-slices.js';
import { longerSideOf, readJpegSegments, withOrientation } from './inspection/jpeg.js';
import {
  jpegInPreview,
  readResources,
  RESOURCE,
  resourcesInPhotoshopFile,
} from './inspection/photoshop.js';
import { readTiffDirectories, TAG, type TiffDirectory } from './inspection/tiff.js';
import { readWebp } from './inspection/webp.js';

export interface FileInspection {
  /** Identity of the document from its XMP, see `src/util/xmp.ts`. */
  readonly documentId: string | null;
  /** A small JPEG that the file contains. */
  readonly preview: Uint8Array<ArrayBuffer> | null;
}

/** Sides from which a preview is sharp enough for a row. Pixels. */
const PREVIEW_PIXELS = 160;

/** Longer previews are not used. Bytes. */
const MOST_PREVIEW_BYTES = 256 * 1024;

const APP1 = 0xe1;
const JPEG_XMP = 'http://ns.adobe.com/xap/1.0/\0';
const PNG_XMP = 'XML:com.adobe.xmp\0';
const MOST_PNG_CHUNKS = 64;

/** Bytes before the TIFF file in the notes of a Nikon. */
const NIKON_HEADER_BYTES = 10;

/** How JPEGs are stored in strips: the old way and the new way (TIFF 6.0, and its Technical Note 2). */
const JPEG_COMPRESSION = [6, 7];

/** Where the two things are in a file. */
interface Places {
  readonly xmp: FileSlices | null;
  readonly jpegs: readonly FileSlices[];
  /** How the JPEGs must be turned, as in EXIF; 0 when they need not be. */
  readonly orientation: number;
}

const NOTHING: Places = { xmp: null, jpegs: [], orientation: 0 };

/**
 * Reads the identity and the embedded preview of a photo's copy, from few slices of it. Any file may be given: what it
 * does not have is null.
 * @param size  bytes of the copy
 * @throws {CwError} CW-607 when the copy is gone or shorter, CW-702 when it cannot be read now
 */
export async function inspectFile(reader: SpoolReader, size: number): Promise<FileInspection> {
  const { xmp, jpegs, orientation } = await findPlaces(FileSlices.of(reader, size));
  const packet = xmp && (await xmp.text(0, Math.min(xmp.size, XMP_CHARACTERS)));
  const jpeg = await bestPreview(jpegs);
  const preview = jpeg && (await jpeg.bytes(0, jpeg.size));
  return {
    // Packets in UTF-16 have a NUL beside each character of an identity.
    documentId: packet === null ? null : documentIdOf(packet.replace(/\0/g, '')),
    preview: preview && withOrientation(preview.slice(), orientation),
  };
}

async function findPlaces(file: FileSlices): Promise<Places> {
  const start = (await file.text(0, Math.min(file.size, 12))) ?? '';
  if (start.startsWith('\xff\xd8\xff')) {
    return inJpeg(file);
  }
  if (start.startsWith('8BPS')) {
    const resources = await resourcesInPhotoshopFile(file);
    return resources ? inResources(resources) : NOTHING;
  }
  if (start.startsWith('\x89PNG\r\n\x1a\n')) {
    return { ...NOTHING, xmp: await xmpInPng(file) };
  }
  if (/^RIFF[^]{4}WEBP$/.test(start)) {
    const { xmp, exif } = await readWebp(file);
    return { ...(exif ? await inTiff(exif) : NOTHING), xmp };
  }
  if (start.endsWith('ftypcrx ')) {
    return inCanonRaw(file);
  }
  if (start.startsWith('FUJIFILM')) {
    const place = await file.view(84, 8);
    const jpeg = place && file.part(place.getUint32(0), place.getUint32(4));
    return jpeg ? inJpeg(jpeg) : NOTHING;
  }
  return inTiff(file);
}

async function inJpeg(file: FileSlices): Promise<Places> {
  let xmp: FileSlices | null = null;
  let exif: Places | null = null;
  for (const { marker, content } of await readJpegSegments(file)) {
    const name = marker === APP1 ? await content.text(0, Math.min(content.size, 29)) : null;
    if (name?.startsWith('Exif\0\0') === true) {
      const tiff = content.part(6);
      exif ??= tiff && (await inTiff(tiff));
    } else if (name === JPEG_XMP) {
      xmp ??= content.part(JPEG_XMP.length);
    }
  }
  return { ...(exif ?? NOTHING), xmp };
}

async function inCanonRaw(file: FileSlices): Promise<Places> {
  const { xmp, thumbnail, tiff } = await readCanonRaw(file);
  const { orientation } = tiff ? await inTiff(tiff) : NOTHING;
  return { xmp, jpegs: thumbnail ? [thumbnail] : [], orientation };
}

async function inResources(resources: FileSlices): Promise<Places> {
  const found = await readResources(resources, [RESOURCE.preview, RESOURCE.xmp]);
  const preview = found.get(RESOURCE.preview);
  const jpeg = preview ? await jpegInPreview(preview) : null;
  return { ...NOTHING, xmp: found.get(RESOURCE.xmp) ?? null, jpegs: jpeg ? [jpeg] : [] };
}

async function inTiff(file: FileSlices): Promise<Places> {
  const directories = await readTiffDirectories(file);
  const [first] = directories;
  if (!first) {
    return NOTHING;
  }
  const resources = first.part(TAG.photoshop);
  // Photoshop turns the pixels of its preview, cameras do not.
  const ofPhotoshop = resources ? await inResources(resources) : NOTHING;
  if (ofPhotoshop.jpegs.length > 0) {
    return { ...ofPhotoshop, xmp: first.part(TAG.xmp) };
  }
  const jpegs: FileSlices[] = [];
  for (const directory of directories) {
    jpegs.push(...(await jpegsIn(file, directory)), ...(await jpegsOfNikon(directory)));
  }
  return { xmp: first.part(TAG.xmp), jpegs, orientation: await first.number(TAG.orientation) };
}

async function jpegsIn(file: FileSlices, directory: TiffDirectory): Promise<readonly FileSlices[]> {
  const places = [[await directory.number(TAG.jpegOffset), await directory.number(TAG.jpegLength)]];
  const isOneStrip = directory.count(TAG.stripOffsets) === 1;
  if (isOneStrip && JPEG_COMPRESSION.includes(await directory.number(TAG.compression))) {
    places.push([
      await directory.number(TAG.stripOffsets),
      await directory.number(TAG.stripByteCounts),
    ]);
  }
  return [
    ...places.map(([at = 0, length = 0]) => (at > 0 ? file.part(at, length) : null)),
    directory.part(TAG.panasonicJpeg),
  ].filter((part) => part !== null);
}

/** The JPEGs in the notes of a Nikon: a TIFF file, whose offsets count from its own start. */
async function jpegsOfNikon(directory: TiffDirectory): Promise<readonly FileSlices[]> {
  const note = directory.part(TAG.makerNote);
  const tiff = note?.part(NIKON_HEADER_BYTES);
  if (!tiff || (await note?.text(0, 6)) !== 'Nikon\0') {
    return [];
  }
  const jpegs: FileSlices[] = [];
  for (const preview of await readTiffDirectories(tiff, [TAG.nikonPreview])) {
    jpegs.push(...(await jpegsIn(tiff, preview)));
  }
  return jpegs;
}

/** The XMP before the pixels of a PNG: an uncompressed text chunk (PNG specification, 11.3.3.4). */
async function xmpInPng(file: FileSlices): Promise<FileSlices | null> {
  let at = 8;
  for (let count = 0; count < MOST_PNG_CHUNKS; count += 1) {
    const length = (await file.view(at, 4))?.getUint32(0) ?? 0;
    const kind = await file.text(at + 4, 4);
    if (kind === null || kind === 'IDAT') {
      return null;
    }
    const content = kind === 'iTXt' ? file.part(at + 8, length) : null;
    // Compression, languages and their ends follow the keyword; none of them can look like the property.
    if (content && (await content.text(0, Math.min(length, PNG_XMP.length))) === PNG_XMP) {
      return content.part(PNG_XMP.length);
    }
    at += 12 + length;
  }
  return null;
}

/** The shortest JPEG with enough pixels, else the one with most pixels. */
async function bestPreview(jpegs: readonly FileSlices[]): Promise<FileSlices | null> {
  let best: { readonly jpeg: FileSlices; readonly pixels: number } | null = null;
  for (const jpeg of jpegs.filter(({ size }) => size <= MOST_PREVIEW_BYTES)) {
    const pixels = await longerSideOf(jpeg);
    const isEnough = pixels >= PREVIEW_PIXELS;
    const isBetter =
      best === null ||
      (isEnough && best.pixels >= PREVIEW_PIXELS
        ? jpeg.size < best.jpeg.size
        : pixels > best.pixels);
    if (pixels > 0 && isBetter) {
      best = { jpeg, pixels };
    }
  }
  return best?.jpeg ?? null;
}
