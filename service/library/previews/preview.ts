import {
  Cr3,
  jpegInPreview,
  jpegInRaf,
  orientationIn,
  readCrw,
  readJpegHead,
  readPhotoshop,
  readTiffContent,
  readX3f,
  RESOURCE,
  resourcesById,
  storedJpeg,
  TAG,
  withOrientation,
  type ByteReader,
  type StoredJpeg,
} from '../../../packages/image-metadata/index.js';

/** The JPEG inside a file, with its orientation; undefined when it cannot be read. */
export async function bytesOf({ bytes, orientation }: StoredJpeg): Promise<Buffer | undefined> {
  const jpeg = await bytes.read(0, bytes.size);
  return jpeg === null ? undefined : Buffer.from(withOrientation(jpeg.slice(), orientation));
}

/** The JPEGs that a file carries, the largest first. */
export async function previewsIn(reader: ByteReader): Promise<readonly StoredJpeg[]> {
  const photoshop = await readPhotoshop(reader);
  if (photoshop !== null) {
    return previewIn(photoshop.resources);
  }
  const raf = await jpegInRaf(reader);
  if (raf !== null) {
    return oneOrNone(raf);
  }
  const cr3 = await Cr3.in(reader);
  if (cr3 !== null) {
    return jpegsInCr3(cr3);
  }
  const crw = await readCrw(reader);
  if (crw !== null) {
    return oneOrNone(crw.jpeg);
  }
  const x3f = await readX3f(reader);
  if (x3f !== null) {
    const stored = await Promise.all(x3f.jpegs.map((jpeg) => storedJpeg(jpeg)));
    return largestFirst(stored);
  }
  const jpeg = await readJpegHead(reader);
  const tiff = jpeg === null ? reader : jpeg.exif;
  const content = tiff && (await readTiffContent(tiff));
  if (!content || content.jpegs.length > 0) {
    return content?.jpegs ?? [];
  }
  const resources = content.first.part(TAG.photoshop);
  return resources === null ? [] : previewIn(await resourcesById(resources));
}

async function previewIn(
  resources: ReadonlyMap<number, ByteReader>,
): Promise<readonly StoredJpeg[]> {
  const preview = resources.get(RESOURCE.preview);
  return oneOrNone(preview === undefined ? null : await jpegInPreview(preview));
}

/** The JPEGs in a CR3, the larger one first. */
export async function jpegsInCr3(cr3: Cr3): Promise<StoredJpeg[]> {
  const orientation = await orientationIn(cr3.exif);
  const jpegs = await cr3.jpegs();
  return largestFirst(await Promise.all(jpegs.map((jpeg) => storedJpeg(jpeg, orientation))));
}

function largestFirst(jpegs: readonly (StoredJpeg | undefined | null)[]): StoredJpeg[] {
  return jpegs
    .filter((jpeg) => !!jpeg)
    .sort((one, other) => other.width * other.height - one.width * one.height);
}

async function oneOrNone(bytes: ByteReader | null): Promise<StoredJpeg[]> {
  const jpeg = bytes && (await storedJpeg(bytes));
  return jpeg === null ? [] : [jpeg];
}
