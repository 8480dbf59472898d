import type { ByteReader } from './byte-reader.js';
import { orientationIn, readJpegHead } from './jpeg.js';
import { TAG, Tiff, type Directory } from './tiff.js';

/** The sides of a picture, in pixels. */
export interface Sides {
  readonly width: number;
  readonly height: number;
}

/** A JPEG inside a file. */
export interface StoredJpeg extends Sides {
  readonly bytes: ByteReader;
  /** How it must be turned; undefined when it need not be. */
  readonly orientation: number | undefined;
}

/** The content of a TIFF-based file. */
export interface TiffContent {
  readonly tiff: Tiff;
  readonly first: Directory;
  /** Whether it is a camera's raw file. Otherwise it is a picture that programs show as it is. */
  readonly isRaw: boolean;
  /** As the picture is shown: of its first page, or of the largest image in a raw file. */
  readonly sides: Sides | undefined;
  /** The JPEGs in it, the largest first. */
  readonly jpegs: readonly StoredJpeg[];
}

/** A smaller copy of another image in the same file. */
const REDUCED = 1;
/** How the pixels of a sensor are stored: a colour filter array, or demosaiced but linear. */
const SENSOR_DATA = [32_803, 34_892];
/** How JPEGs in strips are stored: the old way and the new way. */
const JPEG_COMPRESSION = [6, 7];
/** Panasonic: the JPEG inside, and the borders of the picture on the sensor (top, left, bottom, right). */
const PANASONIC_JPEG = 0x002e;
const PANASONIC_BORDERS = [4, 5, 6, 7];
/** Orientations from here on exchange width and height. */
const FIRST_SIDEWAYS = 5;
const MAX_IIQ_ENTRIES = 256;

/** @returns undefined when the file is not built on TIFF. */
export async function readTiffContent(reader: ByteReader): Promise<TiffContent | undefined> {
  const tiff = await Tiff.in(reader);
  const first = await tiff?.first();
  if (tiff === undefined || first === undefined) {
    return undefined;
  }
  const images = await tiff.images();
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
  return { tiff, first, isRaw, sides: stored && asShown(stored, orientation), jpegs };
}

/** The sides of a picture after turning it as its orientation requires. */
export function asShown({ width, height }: Sides, orientation = 1): Sides {
  const isSideways = orientation >= FIRST_SIDEWAYS && orientation <= 8;
  return isSideways ? { width: height, height: width } : { width, height };
}

async function isRawFile(tiff: Tiff, images: readonly Directory[]): Promise<boolean> {
  const head = (await tiff.reader.read(0, 12))?.toString('latin1') ?? '';
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
): Promise<Sides[]> {
  const exif = await tiff.directory((await first.number(TAG.exif)) ?? 0);
  const all = [
    ...(await Promise.all(images.map((image) => sidesOf(image)))),
    exif && (await sidesAt(exif, TAG.exifWidth, TAG.exifHeight)),
    await sidesInIiq(tiff.reader),
    first.has(PANASONIC_JPEG) ? await sidesByBorders(first) : undefined,
  ];
  return all.filter((sides) => sides !== undefined);
}

async function sidesByBorders(directory: Directory): Promise<Sides> {
  const [top = 0, left = 0, bottom = 0, right = 0] = await Promise.all(
    PANASONIC_BORDERS.map((tag) => directory.number(tag)),
  );
  return { width: right - left, height: bottom - top };
}

/** The sides of one image; in a DNG, of the part of it that is shown. */
async function sidesOf(image: Directory): Promise<Sides | undefined> {
  const [width, height] = await image.numbers(TAG.cropSize);
  return width !== undefined && height !== undefined && width * height > 0
    ? { width, height }
    : sidesAt(image, TAG.width, TAG.height);
}

async function sidesAt(
  directory: Directory,
  widthTag: number,
  heightTag: number,
): Promise<Sides | undefined> {
  const [width, height] = [await directory.number(widthTag), await directory.number(heightTag)];
  return width === undefined || height === undefined ? undefined : { width, height };
}

/** The size of the picture in Phase One's IIQ: a separate list begins at byte 8, with entries of four numbers. */
async function sidesInIiq(reader: ByteReader): Promise<Sides | undefined> {
  const head = await reader.read(8, 12);
  if (head?.toString('latin1', 0, 4) !== 'IIII') {
    return undefined;
  }
  const at = 8 + head.readUInt32LE(8);
  const count = Math.min((await reader.read(at, 4))?.readUInt32LE(0) ?? 0, MAX_IIQ_ENTRIES);
  const entries = await reader.read(at + 8, 16 * count);
  const value = (tag: number): number => {
    const place = Array.from(
      { length: entries === undefined ? 0 : count },
      (_, index) => 16 * index,
    );
    const found = place.find((one) => entries?.readUInt32LE(one) === tag);
    return found === undefined ? 0 : (entries?.readUInt32LE(found + 12) ?? 0);
  };
  return { width: value(0x010c), height: value(0x010d) };
}

async function jpegsIn(
  tiff: Tiff,
  image: Directory,
  orientation: number | undefined,
): Promise<StoredJpeg[]> {
  const places = [[await image.number(TAG.jpegOffset), await image.number(TAG.jpegLength)]];
  const isOneStrip = image.count(TAG.stripOffsets) === 1;
  if (isOneStrip && JPEG_COMPRESSION.includes((await image.number(TAG.compression)) ?? 0)) {
    places.push([await image.number(TAG.stripOffsets), await image.number(TAG.stripByteCounts)]);
  }
  const parts = [
    ...places.map(([at = 0, length = 0]) => (at > 0 ? tiff.reader.part(at, length) : undefined)),
    image.part(PANASONIC_JPEG),
  ];
  const found: StoredJpeg[] = [];
  for (const bytes of parts) {
    const jpeg = bytes && (await storedJpeg(bytes, orientation));
    if (jpeg !== undefined) {
      found.push(jpeg);
    }
  }
  return found;
}

/**
 * Describes a JPEG inside another file; undefined when it is none that can be decoded.
 * @param orientation how the picture in the file must be turned; a JPEG that is turned by its own EXIF data is left as it is
 */
export async function storedJpeg(
  bytes: ByteReader,
  orientation?: number,
): Promise<StoredJpeg | undefined> {
  const head = await readJpegHead(bytes);
  if (head === undefined) {
    return undefined;
  }
  const own = await orientationIn(head.exif);
  const { width, height } = head;
  return { width, height, bytes, orientation: isTurned(own) ? undefined : orientation };
}

/** Whether an orientation exchanges or mirrors anything. */
function isTurned(orientation = 1): boolean {
  return orientation > 1 && orientation <= 8;
}

function area({ width, height }: Sides): number {
  return width * height;
}

function largest(all: readonly Sides[]): Sides | undefined {
  const usable = all.filter(({ width, height }) => width > 0 && height > 0);
  return usable.sort((one, other) => area(other) - area(one))[0];
}
