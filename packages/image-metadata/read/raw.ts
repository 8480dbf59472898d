import type { ByteReader } from '../byte-reader.js';
import { latin1, uint32 } from '../byte-source.js';
import { TAG, Tiff, type Directory } from '../tiff.js';
import { orientationIn, readJpegHead } from './jpeg-head.js';

/** The sides of a picture, in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A JPEG inside a file. */
export interface StoredJpeg extends Size {
  readonly bytes: ByteReader;
  /** How it must be turned; null when it need not be. */
  readonly orientation: number | null;
}

/** The content of a TIFF-based file. */
export interface TiffContent {
  readonly tiff: Tiff;
  readonly first: Directory;
  /** Whether it is a camera's raw file. Otherwise it is a picture that programs show as it is. */
  readonly isRaw: boolean;
  /** As the picture is shown: of its first page, or of the largest image in a raw file. */
  readonly sides: Size | null;
  /** The JPEGs in it, the largest first. */
  readonly jpegs: readonly StoredJpeg[];
}

/** A smaller copy of another image in the same file. */
const REDUCED = 1;
/** How the pixels of a sensor are stored: a colour filter array, or demosaiced but linear. */
const SENSOR_DATA = [32_803, 34_892];
/** How JPEGs in strips are stored: the old way and the new way. */
const JPEG_COMPRESSION = [6, 7];
/** Panasonic: the borders of the picture on the sensor (top, left, bottom, right). */
const PANASONIC_BORDERS = [4, 5, 6, 7];
/** Orientations from here on exchange width and height. */
const FIRST_SIDEWAYS = 5;
const MAX_IIQ_ENTRIES = 256;

/** @returns null when the file is not built on TIFF. */
export async function readTiffContent(reader: ByteReader): Promise<TiffContent | null> {
  const tiff = await Tiff.in(reader);
  const first = await tiff?.first();
  if (!tiff || !first) {
    return null;
  }
  const images = await tiff.directories();
  const orientation = await first.number(TAG.orientation);
  const jpegs: StoredJpeg[] = [];
  for (const image of images) {
    jpegs.push(...(await jpegsIn(tiff, image, orientation)));
  }
  jpegs.sort((one, other) => area(other) - area(one));
  const isRaw = await isRawFile(tiff, images);
  const stored = isRaw
    ? largest([...(await rawSides(tiff, first, images)), ...jpegs])
    : await sidesOf(first);
  return { tiff, first, isRaw, sides: stored && orient(stored, orientation), jpegs };
}

/** The sides of a picture after turning it as its orientation requires. */
export function orient({ width, height }: Size, orientation: number | null): Size {
  const isSideways = orientation !== null && orientation >= FIRST_SIDEWAYS && orientation <= 8;
  return isSideways ? { width: height, height: width } : { width, height };
}

async function isRawFile(tiff: Tiff, images: readonly Directory[]): Promise<boolean> {
  const head = await tiff.reader.head(12);
  if (!/^(?:II\*\0|MM\0\*|II\+\0|MM\0\+)/.test(head) || /^(?:CR|IIII|MMMM)/.test(head.slice(8))) {
    return true;
  }
  const [first] = images;
  if (first?.has(TAG.dngVersion) === true) {
    return true;
  }
  const isReduced = ((await first?.number(TAG.subfileType)) ?? 0) & REDUCED;
  if (isReduced !== 0 && images.length > 1) {
    return true;
  }
  for (const image of images) {
    if (SENSOR_DATA.includes((await image.number(TAG.photometric)) ?? 0)) {
      return true;
    }
  }
  return false;
}

/** The sides of the images in a raw file, as stored. */
async function rawSides(
  tiff: Tiff,
  first: Directory,
  images: readonly Directory[],
): Promise<Size[]> {
  const exif = await tiff.directory((await first.number(TAG.exif)) ?? 0);
  const all = [
    ...(await Promise.all(images.map((image) => sidesOf(image)))),
    exif && (await sidesAt(exif, TAG.exifWidth, TAG.exifHeight)),
    await sidesInIiq(tiff.reader),
    first.has(TAG.panasonicJpeg) ? await sidesByBorders(first) : null,
  ];
  return all.filter((sides) => sides !== null);
}

async function sidesByBorders(directory: Directory): Promise<Size> {
  const [top = 0, left = 0, bottom = 0, right = 0] = await Promise.all(
    PANASONIC_BORDERS.map(async (tag) => (await directory.number(tag)) ?? 0),
  );
  return { width: right - left, height: bottom - top };
}

/** The sides of one image; in a DNG, of the part of it that is shown. */
async function sidesOf(image: Directory): Promise<Size | null> {
  const [width = 0, height = 0] = await image.numbers(TAG.cropSize);
  return width * height > 0 ? { width, height } : sidesAt(image, TAG.width, TAG.height);
}

async function sidesAt(
  directory: Directory,
  widthTag: number,
  heightTag: number,
): Promise<Size | null> {
  const [width, height] = [await directory.number(widthTag), await directory.number(heightTag)];
  return width === null || height === null ? null : { width, height };
}

/** The size of the picture in Phase One's IIQ: a separate list begins at byte 8, with entries of four numbers. */
async function sidesInIiq(reader: ByteReader): Promise<Size | null> {
  const head = await reader.read(8, 12);
  if (!head || latin1(head, 0, 4) !== 'IIII') {
    return null;
  }
  const at = 8 + uint32(head, 8, true);
  const count = Math.min((await reader.uint32(at, true)) ?? 0, MAX_IIQ_ENTRIES);
  const entries = await reader.read(at + 8, 16 * count);
  const value = (tag: number): number => {
    for (let at = 0; entries && at < entries.length; at += 16) {
      if (uint32(entries, at, true) === tag) {
        return uint32(entries, at + 12, true);
      }
    }
    return 0;
  };
  return { width: value(0x010c), height: value(0x010d) };
}

async function jpegsIn(
  tiff: Tiff,
  image: Directory,
  orientation: number | null,
): Promise<StoredJpeg[]> {
  const found: StoredJpeg[] = [];
  for (const bytes of await jpegPartsIn(tiff, image)) {
    const jpeg = await storedJpeg(bytes, orientation);
    if (jpeg) {
      found.push(jpeg);
    }
  }
  return found;
}

/** Where a directory has JPEGs: as a thumbnail, as its only strip, or in Panasonic's entry. */
export async function jpegPartsIn(tiff: Tiff, image: Directory): Promise<readonly ByteReader[]> {
  const places = [[await image.number(TAG.jpegOffset), await image.number(TAG.jpegLength)]];
  const isOneStrip = image.count(TAG.stripOffsets) === 1;
  if (isOneStrip && JPEG_COMPRESSION.includes((await image.number(TAG.compression)) ?? 0)) {
    places.push([await image.number(TAG.stripOffsets), await image.number(TAG.stripByteCounts)]);
  }
  const parts = places.map(([at, length]) =>
    (at ?? 0) > 0 ? tiff.reader.part(at ?? 0, length ?? 0) : null,
  );
  return [...parts, image.part(TAG.panasonicJpeg)].filter((part) => part !== null);
}

/**
 * Describes a JPEG inside another file; null when it is none that can be decoded.
 * @param orientation how the picture in the file must be turned; a JPEG that is turned by its own EXIF data is left as it is
 */
export async function storedJpeg(
  bytes: ByteReader,
  orientation: number | null = null,
): Promise<StoredJpeg | null> {
  const head = await readJpegHead(bytes);
  if (!head) {
    return null;
  }
  const own = await orientationIn(head.exif);
  const { width, height } = head;
  return { width, height, bytes, orientation: isTurned(own) ? null : orientation };
}

/** Whether an orientation exchanges or mirrors anything. */
function isTurned(orientation: number | null): boolean {
  return orientation !== null && orientation > 1 && orientation <= 8;
}

function area({ width, height }: Size): number {
  return width * height;
}

function largest(all: readonly Size[]): Size | null {
  const usable = all.filter(({ width, height }) => width > 0 && height > 0);
  return usable.sort((one, other) => area(other) - area(one))[0] ?? null;
}
