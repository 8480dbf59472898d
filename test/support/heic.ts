/**
 * A HEIC as a phone writes it, as small as one can be: its size and its EXIF data are there, the picture itself is not.
 * @param at when it was taken, as EXIF has it: `YYYY:MM:DD hh:mm:ss`.
 */
export function heic(width: number, height: number, at: string): Buffer {
  return heicWith(exifOf(at), Buffer.alloc(0), [width, height]);
}

/** Like {@link heic}, with any EXIF data, and with XMP. */
export function heicWith(
  tiff: Buffer,
  xmp: Buffer,
  [width, height]: readonly [number, number] = [64, 48],
): Buffer {
  const picture = Buffer.alloc(64, 1);
  const exif = Buffer.concat([u32(6), Buffer.from('Exif\0\0'), tiff]);
  const ftyp = box('ftyp', Buffer.from('heic'), u32(0), Buffer.from('mif1heic'));
  const metaAt = (start: number): Buffer =>
    fullBox(
      ['meta', 0],
      fullBox(['hdlr', 0], u32(0), Buffer.from('pict'), Buffer.alloc(13)),
      fullBox(['pitm', 0], u16(1)),
      fullBox(
        ['iinf', 0],
        u16(3),
        ...[item(1, 'hvc1'), item(2, 'Exif'), item(3, 'mime', '\0application/rdf+xml')],
      ),
      fullBox(['iref', 0], box('cdsc', u16(2), u16(1), u16(1))),
      box(
        'iprp',
        box('ipco', fullBox(['ispe', 0], u32(width), u32(height)), box('hvcC', DECODER)),
        // Item 1 has the properties 1 and 2, without the second of which it cannot be decoded.
        fullBox(['ipma', 0], u32(1), u16(1), Buffer.from([2, 0x01, 0x82])),
      ),
      fullBox(
        ['iloc', 0],
        Buffer.from([0x44, 0]),
        u16(3),
        ...[u16(1), u16(0), u16(1), u32(start), u32(picture.length)],
        ...[u16(2), u16(0), u16(1), u32(start + picture.length), u32(exif.length)],
        ...[u16(3), u16(0), u16(1), u32(start + picture.length + exif.length), u32(xmp.length)],
      ),
    );
  const start = ftyp.length + metaAt(0).length + 8;
  return Buffer.concat([ftyp, metaAt(start), box('mdat', picture, exif, xmp)]);
}

/** How the picture was encoded: HEVC, 8 bits, 4:2:0. */
const DECODER = Buffer.from('0101600000009000000000005af000fcfdf8f800000f00', 'hex');

/** `DateTimeOriginal` alone, in a TIFF file. */
function exifOf(at: string): Buffer {
  const header = Buffer.from('49492a0008000000', 'hex');
  const toPhotoTags = Buffer.from('0100' + '6987040001000000' + '1a000000' + '00000000', 'hex');
  const photoTags = Buffer.from('0100' + '0390020014000000' + '2c000000' + '00000000', 'hex');
  return Buffer.concat([header, toPhotoTags, photoTags, Buffer.from(`${at}\0`)]);
}

/** A CR3: its EXIF data in two directories, its location and its XMP, and no picture. */
export function cr3(directories: {
  readonly first: Buffer;
  readonly photo: Buffer;
  readonly gps: Buffer;
  readonly xmp: Buffer;
}): Buffer {
  const { first, photo, gps, xmp } = directories;
  const uuid = (id: string, ...parts: Buffer[]): Buffer =>
    box('uuid', Buffer.from(id, 'hex'), ...parts);
  const canon = uuid(
    '85c0b687820f11e08111f4ce462b6a48',
    ...[box('CMT1', first), box('CMT2', photo), box('CMT4', gps)],
  );
  return Buffer.concat([
    box('ftyp', Buffer.from('crx '), u32(1), Buffer.from('crx isom')),
    box('moov', canon),
    uuid('be7acfcb97a942e89c71999491e3afac', xmp),
  ]);
}

function item(id: number, type: string, more = ''): Buffer {
  return fullBox(['infe', 2], u16(id), u16(0), Buffer.from(`${type}${more}\0`));
}

function fullBox([type, version]: readonly [string, number], ...parts: readonly Buffer[]): Buffer {
  return box(type, Buffer.from([version, 0, 0, 0]), ...parts);
}

function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([u32(body.length + 8), Buffer.from(type), body]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

/** A HEIC of 64 x 48 pixels in Display P3, made by libheif and x265: red on the left (200, 40, 40 in sRGB), blue on the right. */
export const RED_AND_BLUE_HEIC = Buffer.from(
  [
    'AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAA5dtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5w',
    'aXRtAAAAAAACAAAAEGlkYXQAAAAAAEAAMAAAADhpbG9jAQAAAERAAAIAAQAAAAAAAAO7AAEAAAAAAAAApAACAAEAAAAAAAAAAQAAAAAA',
    'AAAIAAAAOGlpbmYAAAAAAAIAAAAVaW5mZQIAAAEAAQAAaHZjMQAAAAAVaW5mZQIAAAAAAgAAZ3JpZAAAAALCaXBycAAAAp9pcGNvAAAA',
    'c2h2Y0MBA3AAAAAAAAAAAAAe8AD8/fj4AAAPAyAAAQAYQAEMAf//A3AAAAMAkAAAAwAAAwAeugJAIQABACdCAQEDcAAAAwCQAAADAAAD',
    'AB6gIIEFlurkprmwIAAAAwAgAAADACEiAAEABkQBwXPAiQAAABRpc3BlAAAAAAAAAEAAAABAAAAAFGlzcGUAAAAAAAAAQAAAADAAAAHs',
    'Y29scnByb2YAAAHgbGNtcwQgAABtbnRyUkdCIFhZWiAH4gADABQACQAOAB1hY3NwTVNGVAAAAABzYXdzY3RybAAAAAAAAAAAAAAAAAAA',
    '9tYAAQAAAADTLWhhbmSC4qhyi4o/9yU+uZLuJNauAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAApkZXNjAAAA/AAAACRjcHJ0',
    'AAABIAAAACJ3dHB0AAABRAAAABRjaGFkAAABWAAAACxyWFlaAAABhAAAABRnWFlaAAABmAAAABRiWFlaAAABrAAAABRyVFJDAAABwAAA',
    'ACBnVFJDAAABwAAAACBiVFJDAAABwAAAACBtbHVjAAAAAAAAAAEAAAAMZW5VUwAAAAgAAAAcAHMAUAAzAENtbHVjAAAAAAAAAAEAAAAM',
    'ZW5VUwAAAAYAAAAcAEMAQwAwAABYWVogAAAAAAAA9tYAAQAAAADTLXNmMzIAAAAAAAEMQgAABd7///MlAAAHkwAA/ZD///uh///+TgAA',
    'A5oAAMAUWFlaIAAAAAAAAIPfAAA9vwAAAABYWVogAAAAAAAASr8AALE3AAAKtVhZWiAAAAAAAAAoOAAAEQoAAMh4cGFyYQAAAAAAAwAA',
    'AAJmaQAA8qcAAA1ZAAAT0AAAClsAAAAQcGl4aQAAAAADCAgIAAAAG2lwbWEAAAAAAAAAAgABAoECAAIDA4SFAAAAGmlyZWYAAAAAAAAA',
    'DmRpbWcAAgABAAEAAACsbWRhdAAAAKAoAa8GOIkufC/yNP///c1/2X8rjammX+0iUyP9cLn//zkJJv72M5h9gArX1J+Dn2fY/7FhqUe6',
    'Vs5Ckf3AjrtaLQBc3Eg24fpj/BeDy448yVuh5kgn/aAdR/ddxyEOuHuTNs+M+IM/xl+/fTZTIJJsUpZYeJYR5x3s+kggI8B5eGbE1cZl',
    'yd51+4nDK6uOfz8Mf/5Kt+u30sSSSV+nNeHg',
  ].join(''),
  'base64',
);
