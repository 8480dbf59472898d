import { open } from 'node:fs/promises';
import type sharp from 'sharp';
import type { Sharp as Picture } from 'sharp';
import { exifInPhotoshop, PREVIEW_HEAD_BYTES, previewIn } from '../photos/preview.js';
import { capturedIn } from './captured-at.js';
import { PICTURE_BYTES, type Look, type LookOrder } from './look.js';

/** The image library, which may be missing. */
export type Sharp = typeof sharp;

/** Pictures with more pixels are not decoded. The largest cameras have 150 million. */
const MAX_PIXELS = 200_000_000;

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

const PHOTOSHOP = 'image/vnd.adobe.photoshop';

/** Makes the library safe for files of strangers: few loaders, one thread, no cache between pictures. */
export function tame(library: Sharp): void {
  library.block({ operation: ['VipsForeignLoad'] });
  library.unblock({ operation: LOADERS.map((name) => `VipsForeignLoad${name}`) });
  library.concurrency(1);
  library.cache(false);
}

/**
 * Finds out how large a picture is and when it was taken, and makes a thumbnail of it. What cannot be read is left out
 * of the answer. A hostile file may take long or much memory: call this only in a process that can be killed.
 */
export async function lookAt(library: Sharp, { file, type, isWhole }: LookOrder): Promise<Look> {
  const head = await headOf(file);
  if (type === PHOTOSHOP) {
    return { ...photoshopFacts(head), picture: await pictureOf(ofPreview(library, head)) };
  }
  const metadata = await library(file, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined);
  const exif = metadata?.exif ?? (type === 'image/tiff' ? head : undefined);
  const isSmallEnough = (metadata?.width ?? 0) * (metadata?.height ?? 0) <= MAX_PIXELS;
  const whole =
    isWhole && metadata !== undefined && isSmallEnough
      ? await pictureOf(() => library(file, { limitInputPixels: MAX_PIXELS, failOn: 'error' }))
      : undefined;
  return {
    width: metadata?.autoOrient.width,
    height: metadata?.autoOrient.height,
    capturedAt: exif && capturedIn(exif),
    picture: whole ?? (await pictureOf(ofPreview(library, head))),
  };
}

/** The preview that a file carries, as a source for a thumbnail; undefined when it has none. */
function ofPreview(library: Sharp, head: Buffer): (() => Picture) | undefined {
  const preview = previewIn(head);
  return preview && (() => library(preview, { limitInputPixels: MAX_PIXELS, failOn: 'error' }));
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

/** The facts in the [header](https://www.adobe.com/devnet-apps/photoshop/fileformatashtml/) of a Photoshop file. */
function photoshopFacts(head: Buffer): Look {
  const exif = exifInPhotoshop(head);
  const capturedAt = exif && capturedIn(exif);
  const isWhole = head.length >= 26;
  return isWhole
    ? { height: head.readUInt32BE(14), width: head.readUInt32BE(18), capturedAt }
    : { capturedAt };
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const head = Buffer.alloc(PREVIEW_HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
