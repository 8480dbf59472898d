import type sharp from 'sharp';
import type { Sharp as Picture } from 'sharp';
import { bytesOf, jpegInRaf, previewsIn } from './preview.js';
import { ByteReader, type ByteSource } from './formats/byte-reader.js';
import { readJpegHead } from './formats/jpeg.js';
import { readPhotoshop, RESOURCE } from './formats/photoshop.js';
import { readTiffContent, type Sides, type TiffContent } from './formats/raw.js';
import { TAG } from './formats/tiff.js';
import { capturedAt, type DatedData } from './captured-at.js';
import { MAX_SIDE, PICTURE_BYTES, type ImageInfo, type ImageJob } from './image-info.js';

/** The image library, which may be missing. */
export type Sharp = typeof sharp;

/** Pictures with more pixels are not decoded. The largest cameras have 150 million. */
const MAX_PIXELS = 200_000_000;

/** How much of one file is read in addition to its decoding: directories, and a few large previews. */
const READ_LIMITS = { reads: 500, bytes: 128 * 1024 * 1024 } as const;

/** How many of the previews in a file are tried. */
const MAX_PREVIEWS = 3;

/** The largest side of a thumbnail, in pixels, and its WebP quality. The first result with few enough bytes is used. */
const FORMS = [
  { side: 320, quality: 75 },
  { side: 320, quality: 50 },
  { side: 240, quality: 40 },
  { side: 160, quality: 30 },
] as const;

/** The loaders that may read a file. The library has many more, for example for SVG (a page) and PDF (a program). */
const LOADERS = [
  'JpegFile',
  'JpegBuffer',
  'PngFile',
  'NsgifFile',
  'WebpFile',
  'TiffFile',
  'HeifFile',
];

/** Makes the library safe for files of strangers: few loaders, one thread, no cache between pictures. */
export function restrictSharp(library: Sharp): void {
  library.block({ operation: ['VipsForeignLoad'] });
  library.unblock({ operation: LOADERS.map((name) => `VipsForeignLoad${name}`) });
  library.concurrency(1);
  library.cache(false);
}

/** The facts that were read without decoding the file. */
interface Found {
  readonly sides: Sides | undefined;
  readonly dated: DatedData;
  /** Whether the library reads the picture itself, and not only a small copy in the file. */
  readonly isDecodable: boolean;
}

/**
 * Finds out how large a picture is and when it was taken, and makes a thumbnail of it. What cannot be read is left out.
 * A hostile file may take long or much memory: call this only in a process that can be killed.
 * @param source the bytes of the file
 * @param keepFacts stores the facts before the picture is decoded
 * @returns a small WebP as base64; undefined when none can be made
 */
export async function inspectImage(
  library: Sharp,
  order: ImageJob,
  source: ByteSource,
  keepFacts: (facts: ImageInfo) => Promise<void>,
): Promise<string | undefined> {
  const reader = ByteReader.over(source, READ_LIMITS);
  const found = await find(library, order, reader);
  const taken = await capturedAt(found.dated);
  const { width = 0, height = 0 } = found.sides ?? {};
  await keepFacts({
    ...([width, height].every((side) => side > 0 && side <= MAX_SIDE) && { width, height }),
    ...(taken !== undefined && { capturedAt: taken }),
  });
  const whole =
    order.isWhole && width * height <= MAX_PIXELS
      ? (): Picture => library(order.file, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
      : undefined;
  return (
    (found.isDecodable ? await pictureOf(whole) : undefined) ??
    (await pictureOfPreview(library, reader)) ??
    (found.isDecodable ? undefined : await pictureOf(whole))
  );
}

async function find(library: Sharp, order: ImageJob, reader: ByteReader): Promise<Found> {
  const photoshop = await readPhotoshop(reader);
  if (photoshop !== undefined) {
    const { width, height, resources } = photoshop;
    const dated = { exif: resources.get(RESOURCE.exif), xmp: resources.get(RESOURCE.xmp) };
    return { sides: { width, height }, dated, isDecodable: false };
  }
  const raf = await jpegInRaf(reader);
  if (raf !== undefined) {
    const head = await readJpegHead(raf);
    return { sides: head, dated: { exif: head?.exif, xmp: undefined }, isDecodable: false };
  }
  const tiff = await readTiffContent(reader);
  if (tiff !== undefined) {
    return inTiff(tiff, reader);
  }
  return byLibrary(library, order);
}

function inTiff({ sides, isRaw, first }: TiffContent, reader: ByteReader): Found {
  return { sides, dated: { exif: reader, xmp: first.part(TAG.xmp) }, isDecodable: !isRaw };
}

async function byLibrary(library: Sharp, { file }: ImageJob): Promise<Found> {
  const metadata = await library(file, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined);
  const over = (bytes: Buffer | undefined): ByteReader | undefined =>
    bytes && ByteReader.overBuffer(bytes);
  return {
    sides: metadata?.autoOrient,
    dated: { exif: over(metadata?.exif), xmp: over(metadata?.xmp) },
    isDecodable: metadata !== undefined,
  };
}

/** A thumbnail of the largest JPEG in the file that can be decoded. */
async function pictureOfPreview(library: Sharp, reader: ByteReader): Promise<string | undefined> {
  const previews = await previewsIn(reader);
  for (const preview of previews.slice(0, MAX_PREVIEWS)) {
    const jpeg = preview.width * preview.height <= MAX_PIXELS ? await bytesOf(preview) : undefined;
    const made = await pictureOf(
      jpeg && (() => library(jpeg, { limitInputPixels: MAX_PIXELS, failOn: 'error' })),
    );
    if (made !== undefined) {
      return made;
    }
  }
  return undefined;
}

async function pictureOf(source: (() => Picture) | undefined): Promise<string | undefined> {
  if (source === undefined) {
    return undefined;
  }
  for (const { side, quality } of FORMS) {
    const made = await source()
      .autoOrient()
      .resize(side, side, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality })
      .toBuffer()
      .catch(() => undefined);
    if (made === undefined || made.length <= PICTURE_BYTES) {
      return made?.toString('base64');
    }
  }
  return undefined;
}
