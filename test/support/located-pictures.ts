/**
 * Pictures that say where they were taken, in every place that a file has for that. Made by sharp, and by hand where sharp
 * cannot write a format or a block.
 * @packageDocumentation
 */
import { crc32 } from 'node:zlib';
import type { Sharp } from 'sharp';
import { library } from './pictures.js';

/** Pixels of a picture: interleaved RGB samples of 8 or 16 bits, 16 in the machine's byte order. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly bits: 8 | 16;
  readonly data: Buffer;
}

export function noisePixels(width: number, height: number, bits: 8 | 16 = 8): Pixels {
  const data = Buffer.alloc(width * height * 3 * (bits / 8));
  for (let at = 0; at < data.length; at += 1) data[at] = (at * 2_654_435_761) >>> 24;
  return { width, height, bits, data };
}

const RATIONALS = { latitude: [51, 1, 30, 1, 3230, 100], longitude: [0, 1, 7, 1, 3950, 100] };
const rationalText = (values: readonly number[]): string =>
  values.flatMap((value, at) => (at % 2 === 0 ? [`${value}/${values[at + 1]}`] : [])).join(' ');

/** EXIF as sharp takes it. */
export const LOCATED_EXIF = {
  IFD0: { Make: 'Camera & Sons', Artist: 'Nobody' },
  IFD2: { LensModel: '50mm' },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: rationalText(RATIONALS.latitude),
    GPSLongitudeRef: 'W',
    GPSLongitude: rationalText(RATIONALS.longitude),
    GPSMapDatum: 'WGS-84 somewhere',
  },
};

/** Words of which none may be left when the location is removed. */
export const PLACE_WORDS = ['GPSL', 'WGS-84', 'Greenwich', 'London', 'GpsLatitude'];

export const LOCATED_XMP = `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="uuid:7" xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/" xmlns:drone="http://example.com/d/"
 exif:GPSLatitude="51,30.53N" photoshop:City='London' drone:GpsLatitude="51.5" xmpMM:DocumentID="xmp.did:1" exif:ISO="100">
<dc:creator><rdf:Seq><rdf:li>Nobody</rdf:li></rdf:Seq></dc:creator>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Coast &lt;1&gt;</rdf:li></rdf:Alt></dc:title>
<exif:GPSLongitude>0,7.66W</exif:GPSLongitude>
<Iptc4xmpExt:LocationShown xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"><rdf:Bag><rdf:li
 rdf:parseType="Resource"><Iptc4xmpExt:Sublocation>Greenwich</Iptc4xmpExt:Sublocation></rdf:li></rdf:Bag></Iptc4xmpExt:LocationShown>
<xmpMM:Pantry><rdf:Bag><rdf:li><rdf:Description exif:GPSLatitude="51,30.53N" xmpMM:InstanceID="xmp.iid:2"><dc:creator><rdf:Seq
><rdf:li>An ingredient</rdf:li></rdf:Seq></dc:creator></rdf:Description></rdf:li></rdf:Bag></xmpMM:Pantry>
</rdf:Description></rdf:RDF></x:xmpmeta>
${' '.repeat(2000)}<?xpacket end="w"?>`;

/** One IPTC-IIM data set. */
export function dataSet(
  record: number,
  number: number,
  text: string,
  encoding: BufferEncoding = 'utf8',
) {
  const data = Buffer.from(text, encoding);
  return Buffer.concat([Buffer.of(0x1c, record, number, data.length >> 8, data.length), data]);
}

/** The data sets of a block, as `record:number` with their texts. */
export function readIptc(block: Uint8Array): Record<string, string> {
  const found: Record<string, string> = {};
  const bytes = Buffer.from(block);
  for (let at = 0; at + 5 <= bytes.length && bytes[at] === 0x1c;) {
    const end = at + 5 + bytes.readUInt16BE(at + 3);
    found[`${bytes[at + 1]}:${bytes[at + 2]}`] = bytes.toString('utf8', at + 5, end);
    at = end;
  }
  return found;
}

/** One of Photoshop's image resources. */
export function resource(id: number, data: Uint8Array): Buffer {
  const head = Buffer.alloc(12);
  head.write('8BIM', 'latin1');
  head.writeUInt16BE(id, 4);
  head.writeUInt32BE(data.length, 8);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** The data of an image resource; undefined where there is none. */
export function resourceIn(resources: Uint8Array, id: number): Buffer | undefined {
  const bytes = Buffer.from(resources);
  for (let at = 0; at + 12 <= bytes.length;) {
    const length = bytes.readUInt32BE(at + 8);
    if (bytes.readUInt16BE(at + 4) === id) return bytes.subarray(at + 12, at + 12 + length);
    at += 12 + length + (length % 2);
  }
  return undefined;
}

export const LOCATED_IPTC = Buffer.concat([
  dataSet(2, 0, '\0\u0004'),
  dataSet(2, 5, 'K\u00fcste', 'latin1'),
  dataSet(2, 80, 'Nobody'),
  dataSet(2, 90, 'London'),
]);

/** A tag of a TIFF directory: text, bytes, numbers, rationals, or another directory. */
type Value =
  | { readonly text: string }
  | { readonly bytes: Uint8Array }
  | { readonly short: readonly number[] }
  | { readonly long: readonly number[] }
  | { readonly rational: readonly number[] }
  | { readonly directory: Tags };
type Tags = Readonly<Record<number, Value>>;

export const GPS_TAGS: Tags = {
  1: { text: 'N' },
  2: { rational: RATIONALS.latitude },
  3: { text: 'W' },
  4: { rational: RATIONALS.longitude },
  18: { text: 'WGS-84 somewhere' },
};

/** A TIFF file, or EXIF data if there are no pixels. */
export function tiffFile(tags: Tags, isBigEndian = false, pixels?: Pixels): Buffer {
  const chunks: Buffer[] = [];
  let size = 8;
  const put = (bytes: Buffer): number => {
    const place = size + (size % 2);
    chunks.push(Buffer.alloc(size % 2), bytes);
    size = place + bytes.length;
    return place;
  };
  const number = (value: number, bytes: 2 | 4): Buffer => {
    const buffer = Buffer.alloc(bytes);
    if (isBigEndian) buffer.writeUIntBE(value, 0, bytes);
    else buffer.writeUIntLE(value, 0, bytes);
    return buffer;
  };
  const encode = (value: Value): readonly [type: number, count: number, data: Buffer] => {
    if ('text' in value) {
      const data = Buffer.from(`${value.text}\0`, 'utf8');
      return [2, data.length, data];
    }
    if ('bytes' in value) return [7, value.bytes.length, Buffer.from(value.bytes)];
    if ('short' in value)
      return [3, value.short.length, Buffer.concat(value.short.map((one) => number(one, 2)))];
    if ('long' in value)
      return [4, value.long.length, Buffer.concat(value.long.map((one) => number(one, 4)))];
    if ('rational' in value) {
      const data = Buffer.concat(value.rational.map((one) => number(one, 4)));
      return [5, value.rational.length / 2, data];
    }
    return [4, 1, number(directory(value.directory), 4)];
  };
  const directory = (own: Tags): number => {
    const entries = Object.entries(own).map(([tag, value]) => {
      const [type, count, data] = encode(value);
      const field =
        data.length > 4
          ? number(put(data), 4)
          : Buffer.concat([data, Buffer.alloc(4 - data.length)]);
      return Buffer.concat([number(Number(tag), 2), number(type, 2), number(count, 4), field]);
    });
    return put(Buffer.concat([number(entries.length, 2), ...entries, number(0, 4)]));
  };
  const picture = pixels && {
    256: { long: [pixels.width] },
    257: { long: [pixels.height] },
    258: { short: [pixels.bits, pixels.bits, pixels.bits] },
    259: { short: [1] },
    262: { short: [2] },
    273: { long: [put(ordered(pixels, isBigEndian))] },
    277: { short: [3] },
    278: { long: [pixels.height] },
    279: { long: [pixels.data.length] },
  };
  const first = directory({ ...picture, ...tags });
  const order = Buffer.from(isBigEndian ? 'MM' : 'II');
  return Buffer.concat([order, number(42, 2), number(first, 4), ...chunks]);
}

function ordered({ bits, data }: Pixels, isBigEndian: boolean): Buffer {
  return bits === 16 && isBigEndian ? Buffer.from(data).swap16() : data;
}

/** A TIFF file with its location in GPS tags, XMP, IPTC and image resources. */
export function locatedTiff(pixels: Pixels, isBigEndian = false, icc?: Buffer): Buffer {
  const tags: Tags = {
    271: { text: 'Camera & Sons' },
    315: { text: 'Nobody' },
    700: { bytes: Buffer.from(LOCATED_XMP) },
    33723: { bytes: LOCATED_IPTC },
    34377: {
      bytes: Buffer.concat([resource(1028, LOCATED_IPTC), resource(1061, Buffer.alloc(16, 1))]),
    },
    34665: { directory: { 37500: { text: 'notes about London' }, 42036: { text: '50mm' } } },
    ...(icc && { 34675: { bytes: icc } }),
    34853: { directory: GPS_TAGS },
  };
  return tiffFile(tags, isBigEndian, pixels);
}

/** EXIF data that say where a photo was taken. */
export function locatedExif(isBigEndian = false): Buffer {
  return tiffFile(
    {
      271: { text: 'Camera & Sons' },
      34665: { directory: { 42036: { text: '50mm' } } },
      34853: { directory: GPS_TAGS },
    },
    isBigEndian,
  );
}

function raw({ width, height, bits, data }: Pixels): Sharp {
  if (library === undefined) throw new Error('there is no image library');
  const samples = bits === 16 ? new Uint16Array(new Uint8Array(data).buffer) : data;
  return library(samples, { raw: { width, height, channels: 3 } });
}

/** A JPEG with the location in EXIF, XMP and IPTC. */
export async function locatedJpeg(pixels: Pixels, icc = 'p3', quality = 90): Promise<Buffer> {
  const jpeg = await raw(pixels)
    .withExif(LOCATED_EXIF)
    .withXmp(LOCATED_XMP)
    .withIccProfile(icc)
    .jpeg({ quality, progressive: true })
    .toBuffer();
  return withSegment(
    jpeg,
    0xed,
    Buffer.concat([Buffer.from('Photoshop 3.0\0'), resource(1028, LOCATED_IPTC)]),
  );
}

/** A JPEG with one more segment at its start. */
export function withSegment(jpeg: Buffer, marker: number, data: Buffer): Buffer {
  const head = Buffer.of(0xff, marker, (data.length + 2) >> 8, data.length + 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)]);
}

/** A PNG with the location in EXIF and XMP. */
export async function locatedPng(pixels: Pixels, icc = 'p3'): Promise<Buffer> {
  const png = await raw(pixels)
    .toColourspace(pixels.bits === 16 ? 'rgb16' : 'srgb')
    .withExif(LOCATED_EXIF)
    .withIccProfile(icc)
    .png()
    .toBuffer();
  return withChunk(png, 'iTXt', Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${LOCATED_XMP}`));
}

/** A PNG with one more chunk behind its header. */
export function withChunk(png: Buffer, type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type), data]);
  const chunk = Buffer.alloc(content.length + 8);
  chunk.writeUInt32BE(data.length);
  content.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(content), content.length + 4);
  const headerEnd = 33;
  return Buffer.concat([png.subarray(0, headerEnd), chunk, png.subarray(headerEnd)]);
}

/** A PSD or PSB file with the location in its image resources. Its pixels are the last bytes. */
export function locatedPsd(
  pixels: Pixels,
  isPsb = false,
  layers: Uint8Array = new Uint8Array(0),
): Buffer {
  const resources = Buffer.concat([
    resource(1005, Buffer.alloc(16)),
    resource(1028, LOCATED_IPTC),
    resource(1058, locatedExif(true)),
    resource(1060, Buffer.from(LOCATED_XMP)),
    resource(1061, Buffer.alloc(16, 1)),
  ]);
  return psdFile(pixels, resources, isPsb, layers);
}

export function psdFile(
  { width, height, bits, data }: Pixels,
  resources: Buffer,
  isPsb = false,
  layers: Uint8Array = new Uint8Array(0),
): Buffer {
  const header = Buffer.alloc(26);
  header.write('8BPS', 'latin1');
  header.writeUInt16BE(isPsb ? 2 : 1, 4);
  header.writeUInt16BE(3, 12);
  header.writeUInt32BE(height, 14);
  header.writeUInt32BE(width, 18);
  header.writeUInt16BE(bits, 22);
  header.writeUInt16BE(3, 24);
  const length = (value: number, bytes: number): Buffer => {
    const buffer = Buffer.alloc(bytes);
    if (bytes >= 4) buffer.writeUInt32BE(value, bytes - 4);
    return buffer;
  };
  const step = bits / 8;
  const planes = [0, 1, 2].map((channel) => {
    const plane = Buffer.alloc(width * height * step);
    for (let at = 0; at < width * height; at += 1)
      data.copy(plane, at * step, (at * 3 + channel) * step, (at * 3 + channel + 1) * step);
    return step === 2 ? plane.swap16() : plane;
  });
  return Buffer.concat([
    header,
    length(0, 4),
    length(resources.length, 4),
    resources,
    length(layers.length, isPsb ? 8 : 4),
    layers,
    length(0, 2),
    ...planes,
  ]);
}
