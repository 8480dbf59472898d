import {
  readXmp as readPacket,
  type ByteReader,
} from '../../../../packages/image-metadata/index.js';

/** Bytes of a packet that are read. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The properties that are read. */
const NAMES = [
  ...['dc:title', 'dc:description', 'dc:creator', 'dc:rights', 'dc:subject', 'xmp:Rating'],
  ...['xmp:CreateDate', 'photoshop:DateCreated', 'photomechanic:TimeCreated'],
  ...['tiff:Make', 'tiff:Model', 'exifEX:LensModel', 'aux:Lens'],
  ...['exif:DateTimeOriginal', 'exif:DateTimeDigitized', 'exif:ExposureTime', 'exif:FNumber'],
  ...['exif:ISOSpeedRatings', 'exif:FocalLength'],
] as const;

/** The values of the properties of an XMP packet, by prefix and name: `dc:title`. */
export type XmpProperties = ReadonlyMap<(typeof NAMES)[number], readonly string[]>;

/** Reads the properties of a packet, as far as it is well-formed. */
export async function readXmp(reader: ByteReader): Promise<XmpProperties> {
  const bytes = await reader.read(0, Math.min(reader.size, MAX_BYTES));
  return bytes ? readPacket(bytes, NAMES).values : new Map();
}
