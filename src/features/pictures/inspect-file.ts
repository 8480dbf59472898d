/**
 * The identity and preview in a photo's file, read in the formats of cameras and of creative apps
 * (docs/decisions/0014-file-inspection.md).
 * @packageDocumentation
 */
import {
  ByteReader,
  findEmbedded,
  readJpegHead,
  withOrientation,
  type ReadLimits,
} from '../../../packages/image-metadata/index.js';
import type { SpoolReader } from '../../host/spool.js';
import { bytesOf } from '../../host/http.js';
import { documentIdOf, XMP_CHARACTERS } from '../../util/xmp.js';

export interface FileInspection {
  /** Identity of the document from its XMP, see `src/util/xmp.ts`. */
  readonly documentId: string | null;
  /** A small JPEG that the file contains. */
  readonly preview: Uint8Array<ArrayBuffer> | null;
}

/** Sides from which a preview is sharp enough for a row. Pixels. */
const PREVIEW_PIXELS = 160;

/** Longer previews are not used. Bytes. */
const MAX_PREVIEW_BYTES = 256 * 1024;

/** How much is read of one file. */
const LIMITS: ReadLimits = { reads: 64, bytes: 4 * 1024 * 1024, steps: 4096 };
const WINDOW_BYTES = 32 * 1024;

/**
 * Reads the identity and the embedded preview of a photo's copy, from few slices of it. Any file may be given: what it
 * does not have is null.
 * @param size  bytes of the copy
 * @throws {CwError} CW-607 when the copy is gone or shorter, CW-702 when it cannot be read now
 */
export async function inspectFile(reader: SpoolReader, size: number): Promise<FileInspection> {
  const read = async (start: number, end: number): Promise<Uint8Array> =>
    new Uint8Array(await bytesOf(await reader.read(start, end)));
  const file = ByteReader.over({ size, read }, LIMITS, WINDOW_BYTES);
  const { xmp, jpegs, orientation } = await findEmbedded(file);
  const packet = xmp && (await xmp.read(0, Math.min(xmp.size, XMP_CHARACTERS)));
  const jpeg = await bestPreview(jpegs);
  const preview = jpeg && (await jpeg.read(0, jpeg.size));
  return {
    documentId: packet && documentIdOf(packet),
    preview: preview && withOrientation(preview.slice(), orientation),
  };
}

/** The shortest JPEG with enough pixels, else the one with most pixels. */
async function bestPreview(jpegs: readonly ByteReader[]): Promise<ByteReader | null> {
  let best: { readonly jpeg: ByteReader; readonly pixels: number } | null = null;
  for (const jpeg of jpegs.filter(({ size }) => size <= MAX_PREVIEW_BYTES)) {
    const head = await readJpegHead(jpeg);
    const pixels = head ? Math.max(head.width, head.height) : 0;
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
