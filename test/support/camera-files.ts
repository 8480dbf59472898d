/** Files as cameras and programs write them, built by code: EXIF data, TIFF and raw files, Photoshop files. */
import { crc32 } from 'node:zlib';

/** A RATIONAL. */
export class Fraction {
  constructor(
    readonly numerator: number,
    readonly denominator: number,
  ) {}
}

type Value =
  | number
  | string
  | readonly number[]
  | Fraction
  | readonly Fraction[]
  | Buffer
  | Directory;

/** A directory of a TIFF file: its entries by their tags. Numbers are LONG, texts ASCII, buffers UNDEFINED. */
export interface Directory {
  readonly [tag: number]: Value | readonly Directory[];
}

interface Form {
  readonly header?: string;
  /** The bytes between the header and the first directory, for instance pixels. */
  readonly before?: Buffer;
  readonly isBig?: boolean;
}

/** Where {@link Form.before} begins, in bytes. */
export const BEFORE = 16;

/** A TIFF file. All directories and values lie behind `before`. */
export function tiffFile(first: Directory, { header = 'II*\0', before, isBig }: Form = {}): Buffer {
  const head = Buffer.alloc(BEFORE);
  head.write(isBig === true ? 'II+\0' : header, 'latin1');
  const isLittle = header.startsWith('I');
  const body = new Body(head, before ?? Buffer.alloc(0), isLittle, isBig === true);
  const at = body.add(first);
  if (isBig === true) {
    body.bytes.writeUInt16LE(8, 4);
    body.bytes.writeBigUInt64LE(BigInt(at), 8);
  } else {
    body.bytes.set(body.number(at, 4), 4);
  }
  return body.bytes;
}

class Body {
  bytes: Buffer;

  constructor(
    head: Buffer,
    before: Buffer,
    private readonly isLittle: boolean,
    private readonly isBig: boolean,
  ) {
    this.bytes = Buffer.concat([head, before]);
  }

  number(value: number, width: number): Buffer {
    const bytes = Buffer.alloc(width);
    if (width === 8) bytes.writeBigUInt64LE(BigInt(value));
    else if (this.isLittle) bytes.writeUIntLE(value, 0, width);
    else bytes.writeUIntBE(value, 0, width);
    return bytes;
  }

  /** Adds a directory after the data it refers to. @returns its offset */
  add(directory: Directory): number {
    const width = this.isBig ? 8 : 4;
    const entries = Object.entries(directory).map(([tag, value]) => {
      const [type, count, data] = this.value(value as Value);
      const field = Buffer.alloc(width);
      if (data.length <= width) data.copy(field);
      else field.set(this.number(this.append(data), width));
      return Buffer.concat([
        this.number(Number(tag), 2),
        this.number(type, 2),
        this.number(count, width),
        field,
      ]);
    });
    const count = this.number(entries.length, this.isBig ? 8 : 2);
    return this.append(Buffer.concat([count, ...entries, Buffer.alloc(width)]));
  }

  private value(value: Value | readonly Directory[]): [number, number, Buffer] {
    if (typeof value === 'number') return [4, 1, this.number(value, 4)];
    if (typeof value === 'string') {
      return [2, value.length + 1, Buffer.from(`${value}\0`, 'latin1')];
    }
    if (Buffer.isBuffer(value)) return [7, value.length, value];
    const fractions = [value].flat().filter((one) => one instanceof Fraction);
    if (fractions.length > 0) {
      const numbers = fractions.flatMap((one) => [one.numerator, one.denominator]);
      return [5, fractions.length, Buffer.concat(numbers.map((one) => this.number(one, 4)))];
    }
    const list = [value].flat() as readonly (number | Directory)[];
    const numbers = list.map((one) => (typeof one === 'number' ? one : this.add(one)));
    return [4, numbers.length, Buffer.concat(numbers.map((one) => this.number(one, 4)))];
  }

  private append(data: Buffer): number {
    const at = this.bytes.length + (this.bytes.length % 2);
    this.bytes = Buffer.concat([this.bytes, Buffer.alloc(at - this.bytes.length), data]);
    return at;
  }
}

/** A segment of a JPEG behind its first two bytes, an APP1 by default. */
export function withSegment(jpeg: Buffer, data: Buffer, kind = 0xe1): Buffer {
  const head = Buffer.from([0xff, kind, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)]);
}

/** A JPEG with these EXIF data. */
export function withExif(jpeg: Buffer, exif: Directory): Buffer {
  return withSegment(jpeg, Buffer.concat([Buffer.from('Exif\0\0'), tiffFile(exif)]));
}

/** XMP with these attributes and elements. */
export function xmp(properties: string, elements = ''): string {
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description ${properties}>${elements}</rdf:Description></rdf:RDF></x:xmpmeta>`;
}

/** A JPEG with these XMP data. */
export function withXmp(jpeg: Buffer, properties: string, elements?: string): Buffer {
  const name = 'http://ns.adobe.com/xap/1.0/\0';
  return withSegment(jpeg, Buffer.from(`${name}${xmp(properties, elements)}`));
}

/** IPTC-IIM: datasets of record 2 by their numbers. */
export function iptc(datasets: readonly (readonly [number, string | Buffer])[]): Buffer {
  return Buffer.concat(
    datasets.flatMap(([number, value]) => {
      const head = Buffer.from([0x1c, 2, number, 0, 0]);
      head.writeUInt16BE(Buffer.byteLength(value), 3);
      return [head, Buffer.from(value)];
    }),
  );
}

/** A JPEG with these Photoshop resources. */
export function withResources(jpeg: Buffer, resources: Resources): Buffer {
  const name = Buffer.from('Photoshop 3.0\0');
  return withSegment(jpeg, Buffer.concat([name, resourceSection(resources).subarray(4)]), 0xed);
}

/** A PNG of these chunks, without pixels. */
export function png(chunks: readonly (readonly [type: string, data: Buffer])[]): Buffer {
  const parts = chunks.map(([type, data]) => {
    const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)]);
    chunk.writeUInt32BE(data.length);
    chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
    return chunk;
  });
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]);
}

/** A WebP of these chunks, without a picture. */
export function webp(chunks: readonly (readonly [type: string, data: Buffer])[]): Buffer {
  const parts = chunks.map(([type, data]) => {
    const head = Buffer.alloc(8);
    head.write(type);
    head.writeUInt32LE(data.length, 4);
    return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
  });
  return Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'), ...parts]);
}

/** A RAF with this JPEG. */
export function raf(jpeg: Buffer): Buffer {
  const head = Buffer.alloc(200);
  head.write('FUJIFILMCCD-RAW 0201');
  head.writeUInt32BE(head.length, 84);
  head.writeUInt32BE(jpeg.length, 88);
  return Buffer.concat([head, jpeg, Buffer.alloc(99)]);
}

type Resources = readonly (readonly [id: number, data: Buffer])[];

function resourceSection(resources: Resources): Buffer {
  const parts = resources.flatMap(([id, data]) => {
    const head = Buffer.alloc(12);
    head.write('8BIM');
    head.writeUInt16BE(id, 4);
    head.writeUInt32BE(data.length, 8);
    return [head, data, Buffer.alloc(data.length % 2)];
  });
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.concat(parts).length);
  return Buffer.concat([length, ...parts]);
}

/** What is before the JPEG in Photoshop's preview, of which only the kind matters: 1 is a JPEG. */
export const PREVIEW_HEAD = Buffer.from('00000001'.padEnd(56, '0'), 'hex');

/** A Photoshop file of 160 x 120 pixels with these resources, in this order, and nothing else. */
export function photoshopFile(resources: Resources): Buffer {
  const head = Buffer.alloc(30);
  head.write('8BPS\0\x01', 'latin1');
  head.writeUInt32BE(120, 14);
  head.writeUInt32BE(160, 18);
  return Buffer.concat([head, resourceSection(resources), Buffer.alloc(500)]);
}

/** A Photoshop file with a composite. */
export interface PhotoshopPicture {
  readonly width: number;
  readonly height: number;
  /** The value of each channel in the left half of each row, and in the right half; 0 to 255. */
  readonly left: readonly number[];
  readonly right: readonly number[];
  readonly depth?: 8 | 16 | 32;
  /** As the header has it: 1 grey, 3 RGB, 4 CMYK. */
  readonly mode?: number;
  readonly isPacked?: boolean;
  readonly isLarge?: boolean;
  readonly layers?: Buffer;
  readonly resources?: Resources;
}

export function photoshopPicture(picture: PhotoshopPicture): Buffer {
  const { width, height, left, right, depth = 8, mode = 3, isPacked, isLarge = false } = picture;
  const { layers = Buffer.alloc(0), resources = [] } = picture;
  const head = Buffer.alloc(30);
  head.write(`8BPS\0${isLarge ? '\x02' : '\x01'}`, 'latin1');
  head.writeUInt16BE(left.length, 12);
  head.writeUInt32BE(height, 14);
  head.writeUInt32BE(width, 18);
  head.writeUInt16BE(depth, 22);
  head.writeUInt16BE(mode, 24);
  const layersLength = Buffer.alloc(isLarge ? 8 : 4);
  layersLength.writeUInt32BE(layers.length, layersLength.length - 4);
  const half = ((width / 2) * depth) / 8;
  const rows = left.map((one, channel) => {
    const row = Buffer.concat([Buffer.alloc(half, one), Buffer.alloc(half, right[channel])]);
    return isPacked === true ? packed(row) : row;
  });
  const lengths = rows.flatMap((row) => {
    const length = Buffer.alloc(isLarge ? 4 : 2);
    length.writeUIntBE(row.length, 0, length.length);
    return Array.from({ length: height }, () => length);
  });
  return Buffer.concat([
    ...[head, resourceSection(resources), layersLength, layers],
    ...[Buffer.from([0, isPacked === true ? 1 : 0]), ...(isPacked === true ? lengths : [])],
    ...rows.flatMap((row) => Array.from({ length: height }, () => row)),
  ]);
}

/** PackBits: a run of the first value, the last two values as they are, and runs between. */
function packed(row: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  while (at < row.length - 2) {
    let length = 1;
    while (length < 128 && at + length < row.length - 2 && row[at + length] === row[at])
      length += 1;
    parts.push(
      length === 1 ? Buffer.from([0, row[at] ?? 0]) : Buffer.from([257 - length, row[at] ?? 0]),
    );
    at += length;
  }
  return Buffer.concat([...parts, Buffer.from([1]), row.subarray(at)]);
}

/** A box of an ISO base media file. */
function box(type: string, ...content: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  const data = Buffer.concat(content);
  head.writeUInt32BE(8 + data.length);
  head.write(type, 4);
  return Buffer.concat([head, data]);
}

/** A CR3 as a Canon camera writes it: with EXIF data, a JPEG in full size as the first track, and a smaller one. */
export function canonCr3(exif: Directory, full: Buffer, preview: Buffer): Buffer {
  const long = (value: number, width = 4): Buffer => {
    const bytes = Buffer.alloc(width);
    bytes.writeUInt32BE(value, width - 4);
    return bytes;
  };
  const uuid = (id: string, ...content: readonly Buffer[]): Buffer =>
    box('uuid', Buffer.from(id, 'hex'), ...content);
  const movieAt = (at: number): Buffer =>
    box(
      'moov',
      uuid('85c0b687820f11e08111f4ce462b6a48', box('CMT1', tiffFile(exif))),
      box(
        'trak',
        box('tkhd', Buffer.alloc(84)),
        box(
          'mdia',
          box(
            'minf',
            box(
              'stbl',
              box('stsz', long(0), long(full.length), long(1)),
              box('co64', long(0), long(1), long(at, 8)),
            ),
          ),
        ),
      ),
    );
  const start = box('ftyp', Buffer.from('crx \0\0\0\x01crx isom'));
  const small = uuid(
    'eaf42b5e1c984b88b9fbb7dc406e4d16',
    Buffer.alloc(8),
    box('PRVW', Buffer.alloc(16), preview),
  );
  const at = start.length + movieAt(0).length + small.length + 8;
  return Buffer.concat([start, movieAt(at), small, box('mdat', full, Buffer.alloc(100))]);
}
