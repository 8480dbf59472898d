import type { ByteReader } from './formats/byte-reader.js';
import { readCr3, type Cr3Content } from './formats/canon-cr3.js';
import { readCrw } from './formats/canon-crw.js';
import { readJpegHead, turned } from './formats/jpeg.js';
import { previewInPhotoshop, readPhotoshop, resourcesIn } from './formats/photoshop.js';
import { readTiffContent, storedJpeg, type StoredJpeg } from './formats/raw.js';
import { readX3f } from './formats/sigma-x3f.js';
import { TAG } from './formats/tiff.js';

/** Where Fuji's RAF files note where their JPEG is: its offset, then its length. */
const RAF_JPEG = 84;

/** The JPEG inside a file, with its orientation; undefined when it cannot be read. */
export async function bytesOf({ bytes, orientation }: StoredJpeg): Promise<Buffer | undefined> {
  const jpeg = await bytes.read(0, bytes.size);
  return jpeg && turned(jpeg, orientation);
}

/** The JPEGs that a file carries, the largest first. */
export async function previewsIn(reader: ByteReader): Promise<readonly StoredJpeg[]> {
  const photoshop = await readPhotoshop(reader);
  if (photoshop !== undefined) {
    return oneOrNone(previewInPhotoshop(photoshop));
  }
  const raf = await jpegInRaf(reader);
  if (raf !== undefined) {
    return oneOrNone(raf);
  }
  const cr3 = await readCr3(reader);
  if (cr3 !== undefined) {
    return jpegsInCr3(cr3);
  }
  const crw = await readCrw(reader);
  if (crw !== undefined) {
    return oneOrNone(crw.jpeg);
  }
  const x3f = await readX3f(reader);
  if (x3f !== undefined) {
    const stored = await Promise.all(x3f.jpegs.map((jpeg) => storedJpeg(jpeg)));
    return largestFirst(stored);
  }
  const jpeg = await readJpegHead(reader);
  const tiff = jpeg === undefined ? reader : jpeg.exif;
  const content = tiff && (await readTiffContent(tiff));
  if (content === undefined || content.jpegs.length > 0) {
    return content?.jpegs ?? [];
  }
  const resources = content.first.part(TAG.photoshop);
  return oneOrNone(resources && previewInPhotoshop({ resources: await resourcesIn(resources) }));
}

/** The JPEGs in a CR3, the larger one first. */
export async function jpegsInCr3({ jpegs, orientation }: Cr3Content): Promise<StoredJpeg[]> {
  return largestFirst(await Promise.all(jpegs.map((jpeg) => storedJpeg(jpeg, orientation))));
}

function largestFirst(jpegs: readonly (StoredJpeg | undefined)[]): StoredJpeg[] {
  return jpegs
    .filter((jpeg) => jpeg !== undefined)
    .sort((one, other) => other.width * other.height - one.width * one.height);
}

/** The JPEG in a [RAF file](https://libopenraw.freedesktop.org/formats/raf/). */
export async function jpegInRaf(reader: ByteReader): Promise<ByteReader | undefined> {
  const name = await reader.read(0, 15);
  if (name?.toString('latin1') !== 'FUJIFILMCCD-RAW') {
    return undefined;
  }
  const place = await reader.read(RAF_JPEG, 8);
  return place && reader.part(place.readUInt32BE(0), place.readUInt32BE(4));
}

async function oneOrNone(bytes: ByteReader | undefined): Promise<StoredJpeg[]> {
  const jpeg = bytes && (await storedJpeg(bytes));
  return jpeg === undefined ? [] : [jpeg];
}
