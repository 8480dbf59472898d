import type sharp from 'sharp';
import type { OutputInfo, Sharp as Picture } from 'sharp';
import {
  orient,
  ByteReader,
  Cr3,
  jpegInRaf,
  metadataIn,
  orientationIn,
  readCrw,
  readJpegHead,
  readMrw,
  readPhotoshop,
  readTiffContent,
  readX3f,
  type ByteSource,
  type PhotoshopFile,
  type Size,
} from '../../../packages/image-metadata/index.js';
import { bytesOf, jpegsInCr3, previewsIn } from './preview.js';
import { compositeIn } from './formats/photoshop-composite.js';
import { LONG, uint32s, SHORT, uint16s, tiffAround } from './formats/tiff-writer.js';
import { decodeHeic } from './decode-heic.js';
import { decodeMagick, magickFormatOf, type MagickFormat } from './decode-magick.js';
import { pictureSize } from './picture-size.js';
import { capturedAt } from './captured-at.js';
import {
  MAX_SIDE,
  PREVIEW_BYTES,
  PREVIEW_SIDE,
  THUMBNAIL_BYTES,
  type ImageInfo,
  type ImageJob,
  type SentPictures,
} from './image-info.js';
import { readPictureInfo } from './read-picture-info.js';

/** The image library, which may be missing. */
export type Sharp = typeof sharp;

/** Pictures with more pixels are not decoded. The largest cameras have 150 million. */
const MAX_PIXELS = 200_000_000;

/** A HEIC is decoded as a whole: 48 million pixels take 650 MB. */
const MAX_HEIC_PIXELS = 64_000_000;

/** As much as ImageMagick decodes in its limit of memory. */
const MAX_MAGICK_PIXELS = 64_000_000;

/** How much of one file is read in addition to its decoding: directories, and a few large previews. */
const READ_LIMITS = { reads: 500, bytes: 128 * 1024 * 1024, steps: 100_000 } as const;

/**
 * How many bytes of the composite of a Photoshop file are read. Where the file is in remote storage, `image-process.ts`
 * limits how much is read of it in all.
 */
const MAX_COMPOSITE_BYTES = 256 * 1024 * 1024;
const MAX_REMOTE_COMPOSITE_BYTES = 128 * 1024 * 1024;

/** How many of the previews in a file are tried. */
const MAX_PREVIEWS = 3;

/** The longest side of a picture, in pixels, and its WebP quality. */
interface Form {
  readonly side: number;
  readonly quality: number;
}

/** The forms of a thumbnail and of a preview. The first one with few enough bytes is used. */
const THUMBNAIL_FORMS: readonly Form[] = [
  { side: 512, quality: 75 },
  { side: 512, quality: 50 },
  { side: 400, quality: 40 },
  { side: 320, quality: 30 },
  { side: 160, quality: 30 },
];
const PREVIEW_FORMS: readonly Form[] = [
  { side: PREVIEW_SIDE, quality: 80 },
  { side: PREVIEW_SIDE, quality: 60 },
  { side: PREVIEW_SIDE, quality: 40 },
  { side: 1024, quality: 40 },
];

/** How hard WebP tries, of 0 to 6: twice as fast as the default of 4, for 4 % more bytes. */
const EFFORT = 2;

/** The loaders that may read a file. The library has many more, for example for SVG (a page) and PDF (a program). */
const LOADERS = [
  'JpegFile',
  'JpegBuffer',
  'PngFile',
  'PngBuffer',
  'NsgifFile',
  'WebpFile',
  'WebpBuffer',
  'TiffFile',
  'TiffBuffer',
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
  readonly sides: Size | null | undefined;
  /** Whether the library reads the picture itself, and not only a small copy in the file. */
  readonly isDecodable: boolean;
  readonly photoshop?: PhotoshopFile;
  readonly heic?: HeicFile;
  readonly magick?: MagickFormat;
}

/** A HEIC. The binaries of the library read its header only. */
interface HeicFile {
  readonly profile: Buffer | undefined;
}

export interface InspectionAids {
  readonly hasLocation: boolean;
  /** Stores the facts before the picture is decoded. */
  readonly saveFacts: (facts: ImageInfo) => Promise<void>;
}

/**
 * Finds out how large a picture is and when it was taken, and makes a thumbnail and a preview of it. What cannot be read is left out.
 * A hostile file may take long or much memory: call this only in a process that can be killed.
 * @param source the bytes of the file
 * @returns undefined when no picture can be made
 */
export async function inspectImage(
  library: Sharp,
  order: ImageJob,
  source: ByteSource,
  { hasLocation, saveFacts }: InspectionAids,
): Promise<SentPictures | undefined> {
  const reader = ByteReader.over(source, READ_LIMITS);
  const found = await find(library, order, reader);
  const blocks = await metadataIn(reader);
  const taken = await capturedAt(blocks);
  const info = await readPictureInfo(blocks, hasLocation);
  const { width = 0, height = 0 } = found.sides ?? {};
  await saveFacts({
    ...([width, height].every((side) => side > 0 && side <= MAX_SIDE) && { width, height }),
    ...(taken !== undefined && { capturedAt: taken }),
    ...(info !== undefined && { info }),
  });
  const whole =
    order.isWhole && width * height <= MAX_PIXELS
      ? (): Picture => library(order.file, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
      : undefined;
  return (
    (found.isDecodable ? await picturesOf(library, whole) : undefined) ??
    (await picturesOfHeic(library, order, found)) ??
    (await picturesOfComposite(library, order, source, found.photoshop)) ??
    (await picturesOfPreview(library, reader)) ??
    (await picturesByMagick(library, order, found)) ??
    (found.isDecodable ? undefined : await picturesOf(library, whole))
  );
}

async function find(library: Sharp, order: ImageJob, reader: ByteReader): Promise<Found> {
  const photoshop = await readPhotoshop(reader);
  if (photoshop !== null) {
    const { width, height } = photoshop;
    return { sides: { width, height }, isDecodable: false, photoshop };
  }
  const raf = await jpegInRaf(reader);
  if (raf !== null) {
    return { sides: await readJpegHead(raf), isDecodable: false };
  }
  const cr3 = await Cr3.in(reader);
  if (cr3 !== null) {
    const [largest] = await jpegsInCr3(cr3);
    return {
      sides: largest && orient(largest, await orientationIn(cr3.exif)),
      isDecodable: false,
    };
  }
  const x3f = await readX3f(reader);
  if (x3f !== null) {
    return { sides: x3f.sides, isDecodable: false };
  }
  const magick = await magickFormatOf(reader);
  if (magick !== undefined) {
    const raw = (await readCrw(reader)) ?? (await readMrw(reader));
    return { sides: raw?.sides ?? (await pictureSize(reader)), isDecodable: false, magick };
  }
  const tiff = await readTiffContent(reader);
  if (tiff !== null) {
    return { sides: tiff.sides, isDecodable: !tiff.isRaw };
  }
  return byLibrary(library, order);
}

async function byLibrary(library: Sharp, { file }: ImageJob): Promise<Found> {
  const metadata = await library(file, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined);
  return {
    sides: metadata?.autoOrient,
    isDecodable: metadata !== undefined,
    ...(metadata?.compression === 'hevc' && { heic: { profile: metadata.icc } }),
  };
}

async function picturesOfHeic(
  library: Sharp,
  { file, isWhole }: ImageJob,
  { heic }: Found,
): Promise<SentPictures | undefined> {
  const decoded =
    heic && isWhole ? await decodeHeic({ file, maxPixels: MAX_HEIC_PIXELS }) : undefined;
  if (heic === undefined || decoded === undefined) {
    return undefined;
  }
  const { data, width, height } = decoded;
  const small = await library(Buffer.from(data.buffer), { raw: { width, height, channels: 4 } })
    .resize(PREVIEW_SIDE, PREVIEW_SIDE, { fit: 'inside', withoutEnlargement: true })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const tiff = withProfile(small, heic.profile);
  return picturesOf(library, () => library(tiff));
}

async function picturesByMagick(
  library: Sharp,
  { file, isWhole }: ImageJob,
  { magick: format, sides }: Found,
): Promise<SentPictures | undefined> {
  const isSmall = !sides || sides.width * sides.height <= MAX_MAGICK_PIXELS;
  const decoded =
    format !== undefined && isWhole && isSmall
      ? await decodeMagick({ file, format, maxSide: PREVIEW_SIDE })
      : undefined;
  if (decoded === undefined) {
    return undefined;
  }
  const { data, width, height, profile } = decoded;
  const opaque = await library(Buffer.from(data.buffer), { raw: { width, height, channels: 4 } })
    .flatten({ background: '#fff' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const tiff = withProfile(opaque, profile && Buffer.from(profile));
  return picturesOf(library, () => library(tiff));
}

/** Pixels as a TIFF file with a profile, from which the library reads their colours. */
function withProfile(
  { data, info: { width, height, channels } }: Pixels,
  profile: Buffer | undefined,
): Buffer {
  const { tiff, pixels } = tiffAround(
    data.length,
    [
      [256, LONG, uint32s([width])],
      [257, LONG, uint32s([height])],
      [258, SHORT, uint16s(Array.from({ length: channels }, () => 8))],
      [259, SHORT, uint16s([1])],
      [262, SHORT, uint16s([2])],
      [273, LONG, uint32s([8])],
      [277, SHORT, uint16s([channels])],
      [278, LONG, uint32s([height])],
      [279, LONG, uint32s([data.length])],
    ],
    profile,
  );
  data.copy(pixels);
  return tiff;
}

/** The pictures of the composite of a Photoshop file. */
async function picturesOfComposite(
  library: Sharp,
  { isWhole }: ImageJob,
  source: ByteSource,
  file: PhotoshopFile | undefined,
): Promise<SentPictures | undefined> {
  if (file === undefined || file.width * file.height > MAX_PIXELS) {
    return undefined;
  }
  const maxBytes = isWhole ? MAX_COMPOSITE_BYTES : MAX_REMOTE_COMPOSITE_BYTES;
  const limits = { ...READ_LIMITS, bytes: 2 * maxBytes };
  const tiff = await compositeIn(ByteReader.over(source, limits), file, maxBytes);
  return picturesOf(
    library,
    tiff && (() => library(tiff, { limitInputPixels: MAX_PIXELS, failOn: 'error' })),
  );
}

/** The pictures of the largest JPEG in the file that can be decoded. */
async function picturesOfPreview(
  library: Sharp,
  reader: ByteReader,
): Promise<SentPictures | undefined> {
  const previews = await previewsIn(reader);
  for (const preview of previews.slice(0, MAX_PREVIEWS)) {
    const jpeg = preview.width * preview.height <= MAX_PIXELS ? await bytesOf(preview) : undefined;
    const made = await picturesOf(
      library,
      jpeg && (() => library(jpeg, { limitInputPixels: MAX_PIXELS, failOn: 'error' })),
    );
    if (made !== undefined) {
      return made;
    }
  }
  return undefined;
}

/** Pixels in sRGB with 8 bits for each channel. */
interface Pixels {
  readonly data: Buffer;
  readonly info: Pick<OutputInfo, 'width' | 'height' | 'channels'>;
}

/** The pictures of a source, which is decoded once; undefined when it cannot be decoded. */
/** The pictures of one that the library decodes; undefined when it cannot. */
export async function picturesOf(
  library: Sharp,
  source: (() => Picture) | undefined,
): Promise<SentPictures | undefined> {
  const pixels = source && (await decode(source).catch(() => undefined));
  return pixels && encodePictures(library, pixels);
}

/** Encodes the preview and the thumbnail of a picture. */
export async function encodePictures(
  library: Sharp,
  pixels: Pixels,
): Promise<SentPictures | undefined> {
  const preview = await encode(library, pixels, PREVIEW_FORMS, PREVIEW_BYTES);
  const thumbnail = await encode(library, pixels, THUMBNAIL_FORMS, THUMBNAIL_BYTES);
  return (
    preview &&
    thumbnail && {
      thumbnail: thumbnail.data.toString('base64'),
      preview: preview.data.toString('base64'),
      width: preview.info.width,
      height: preview.info.height,
    }
  );
}

/** A picture as it is shown, no larger than a preview, with its colours converted to sRGB. */
async function decode(source: () => Picture): Promise<Pixels> {
  const { space, hasProfile } = await source().metadata();
  const shown = source()
    .autoOrient()
    .resize(PREVIEW_SIDE, PREVIEW_SIDE, { fit: 'inside', withoutEnlargement: true });
  // The library converts a profile with 16 bits to Display P3, and everything else to sRGB.
  const isInP3 = space === 'rgb16' && hasProfile;
  return (isInP3 ? shown.withIccProfile('srgb', { attach: false }) : shown)
    .raw()
    .toBuffer({ resolveWithObject: true });
}

async function encode(
  library: Sharp,
  { data, info: { width, height, channels } }: Pixels,
  forms: readonly Form[],
  maxBytes: number,
): Promise<Pixels | undefined> {
  for (const { side, quality } of forms) {
    const made = await library(data, { raw: { width, height, channels } })
      .resize(side, side, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality, effort: EFFORT })
      .toBuffer({ resolveWithObject: true })
      .catch(() => undefined);
    if (made === undefined || made.data.length <= maxBytes) {
      return made;
    }
  }
  return undefined;
}
