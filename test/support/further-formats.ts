/** Pictures of 40 x 30 pixels, red on the left and blue on the right, in formats that cameras no longer write or never wrote. */

/** As libjxl and OpenJPEG encode them: codestreams, and a JPEG 2000 file. */
export const JPEG_XL = Buffer.from(
  '/wrosAEAHEgAJAIhaxUAgAqVUcYNXs71fPmhw2LaxnWGttq2sISx2V4YJCScgBO4qeY0Px833SdTZH+IF3leoQTxgbjlHhlJcAfE3QmGEtHLIcdl8Tcp6bLY2TqMmb+/RKfFA8ysMLPCzAoza4UUyIIYFONFxmBcjDHetqHGRjiPwK+xgGVaxTuBw3QE82kYDgK1Aw==',
  'base64',
);
export const JPEG_2000_STREAM = Buffer.from(
  '/0//UQAvAAAAAAAoAAAAHgAAAAAAAAAAAAAAKAAAAB4AAAAAAAAAAAADBwEBBwEBBwEB/1IADAAAAAEBBAQEAAH/XAAQQEBISFBISFBISFBISFD/ZAAlAAFDcmVhdGVkIGJ5IE9wZW5KUEVHIHZlcnNpb24gMi41LjT/kAAKAAAAAACkAAH/k8+wHBI36xTUVmT/EDgRRbjcAHx/33hAAcYXvaLpAa3B8YIADgrH2AwADPauRxIPx9gKAA4G8KAXwPjCgBxNadwHw+YKABz4l8+vw+MMABxMldjH48HxhgAnO8bjbMDH0igmj7bYjKXZJMEZx8wkJzvGjhXQG33lwPgFAEDgxx/fx8YYQDTFIDs9x9gSAEDgxz+ds/QkJf/Z',
  'base64',
);
const JPEG_2000_BOXES =
  '0000000c6a5020200d0a870a00000014667479706a703220000000006a703220' +
  '0000002d6a703268000000166968647200000' +
  '01e000000280003070700000000000f636f6c720100000000001000000000' +
  '6a703263';
export const JPEG_2000 = Buffer.concat([Buffer.from(JPEG_2000_BOXES, 'hex'), JPEG_2000_STREAM]);

const RED = [200, 40, 40] as const;
const BLUE = [0, 0, 200] as const;
const SIDES = { width: 40, height: 30 } as const;

/** The pixels by rows. */
function rows(pixel: (colour: readonly number[]) => Buffer): Buffer[] {
  const row = Array.from({ length: SIDES.width }, (_, x) =>
    pixel(x < SIDES.width / 2 ? RED : BLUE),
  );
  return Array.from({ length: SIDES.height }, () => Buffer.concat(row));
}

/** A Windows bitmap with 24 bits for each pixel. */
export function bmp(): Buffer {
  const pixels = Buffer.concat(rows((colour) => Buffer.from([...colour].reverse())));
  const head = Buffer.alloc(54);
  head.write('BM');
  head.writeUInt32LE(head.length + pixels.length, 2);
  head.writeUInt32LE(head.length, 10);
  head.writeUInt32LE(40, 14);
  head.writeInt32LE(SIDES.width, 18);
  head.writeInt32LE(SIDES.height, 22);
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(24, 28);
  return Buffer.concat([head, pixels]);
}

/** A Radiance picture without compression: each pixel has an exponent for its three colours. */
export function radiance(): Buffer {
  const head = `#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y ${SIDES.height} +X ${SIDES.width}\n`;
  const pixels = rows((colour) => Buffer.from([...colour, 128]));
  return Buffer.concat([Buffer.from(head), ...pixels]);
}

/** An OpenEXR picture without compression, in 32-bit numbers. */
export function openExr(): Buffer {
  const window = integers(0, 0, SIDES.width - 1, SIDES.height - 1);
  const channel = (name: string): Buffer =>
    Buffer.concat([Buffer.from(`${name}\0`), integers(2, 0, 1, 1)]);
  const attributes = [
    ['channels', 'chlist', Buffer.concat([...['B', 'G', 'R'].map(channel), Buffer.alloc(1)])],
    ['compression', 'compression', Buffer.alloc(1)],
    ['dataWindow', 'box2i', window],
    ['displayWindow', 'box2i', window],
    ['lineOrder', 'lineOrder', Buffer.alloc(1)],
    ['pixelAspectRatio', 'float', floats(1)],
    ['screenWindowCenter', 'v2f', floats(0, 0)],
    ['screenWindowWidth', 'float', floats(1)],
  ] as const;
  const head = Buffer.concat([
    Buffer.from('762f310102000000', 'hex'),
    ...attributes.flatMap(([name, type, value]) => [
      Buffer.from(`${name}\0${type}\0`),
      integers(value.length),
      value,
    ]),
    Buffer.alloc(1),
  ]);
  const line = (y: number): Buffer => {
    const planes = [2, 1, 0].map((channelAt) =>
      Buffer.concat(
        Array.from({ length: SIDES.width }, (_, x) =>
          floats(((x < SIDES.width / 2 ? RED : BLUE)[channelAt] ?? 0) / 255),
        ),
      ),
    );
    const data = Buffer.concat(planes);
    return Buffer.concat([integers(y, data.length), data]);
  };
  const lines = Array.from({ length: SIDES.height }, (_, y) => line(y));
  const first = head.length + 8 * lines.length;
  const offsets = lines.map((_, y) => {
    const offset = Buffer.alloc(8);
    offset.writeUInt32LE(first + y * (lines[0]?.length ?? 0));
    return offset;
  });
  return Buffer.concat([head, ...offsets, ...lines]);
}

function integers(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, at) => bytes.writeInt32LE(number, 4 * at));
  return bytes;
}

function floats(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, at) => bytes.writeFloatLE(number, 4 * at));
  return bytes;
}

/** A directory of a CIFF heap, with its values before it. */
function ciffHeap(entries: readonly (readonly [tag: number, data: Buffer])[]): Buffer {
  let at = 0;
  const list = entries.map(([tag, data]) => {
    const entry = Buffer.alloc(10);
    entry.writeUInt16LE(tag);
    entry.writeUInt32LE(data.length, 2);
    entry.writeUInt32LE(at, 6);
    at += data.length;
    return entry;
  });
  const count = Buffer.alloc(2);
  count.writeUInt16LE(entries.length);
  return Buffer.concat([...entries.map(([, data]) => data), count, ...list, integers(at)]);
}

/** What a CRW file of a test has. */
export interface CrwParts {
  readonly jpeg: Buffer;
  readonly sides: readonly [width: number, height: number];
  /** In degrees. */
  readonly rotation: number;
  /** In seconds since 1970. */
  readonly time: number;
}

/** A Canon raw file with a JPEG and, in a directory inside its directory, size and time. */
export function crw({ jpeg, sides, rotation, time }: CrwParts): Buffer {
  const properties = ciffHeap([
    [0x1810, integers(...sides, 0, rotation)],
    [0x180e, integers(time, 0, 0)],
  ]);
  const head = Buffer.alloc(26);
  head.write('II');
  head.writeUInt32LE(head.length, 2);
  head.write('HEAPCCDR', 6);
  return Buffer.concat([
    head,
    ciffHeap([
      [0x2007, jpeg],
      [0x300a, properties],
    ]),
  ]);
}

/** A Minolta raw file without its pixels, with a size and EXIF data. */
export function mrw(width: number, height: number, exif: Buffer): Buffer {
  const size = Buffer.alloc(24);
  size.writeUInt16BE(height, 12);
  size.writeUInt16BE(width, 14);
  const blocks = [block('\0PRD', size), block('\0TTW', exif)];
  return Buffer.concat([block('\0MRM', Buffer.concat(blocks)), Buffer.alloc(100)]);
}

function block(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name);
  head.writeUInt32BE(data.length, 4);
  return Buffer.concat([head, data]);
}

/** A Sigma raw file with a size, a rotation in degrees, and JPEGs. */
export function x3f(
  [width, height]: readonly [number, number],
  rotation: number,
  jpegs: readonly Buffer[],
): Buffer {
  const head = Buffer.concat([
    Buffer.from('FOVb\x02\0\x02\0'),
    Buffer.alloc(20),
    integers(width, height, rotation),
  ]);
  const sections = jpegs.map((jpeg) =>
    Buffer.concat([Buffer.from('SECi'), integers(0x20000, 2, 18, 0, 0, 0), jpeg]),
  );
  let at = head.length;
  const entries = sections.map((section) => {
    const entry = Buffer.concat([integers(at, section.length), Buffer.from('IMA2')]);
    at += section.length;
    return entry;
  });
  return Buffer.concat([
    head,
    ...sections,
    Buffer.from('SECd'),
    integers(0x20000, entries.length),
    ...entries,
    integers(at),
  ]);
}

/** A picture with IPTC datasets behind it, as FotoStation writes them, after its own settings. */
export function withFotoStation(picture: Buffer, datasets: Buffer): Buffer {
  const record = (number: number, data: Buffer): Buffer => {
    const foot = Buffer.alloc(10);
    foot.writeUInt16BE(number);
    foot.writeUInt32BE(data.length + foot.length, 2);
    foot.writeUInt32BE(0xa1b2c3d4, 6);
    return Buffer.concat([data, foot]);
  };
  return Buffer.concat([picture, record(1, datasets), record(2, Buffer.alloc(50))]);
}

/** A picture with IPTC datasets behind it, in the AXS File Concatenation Protocol. */
export function withAfcp(picture: Buffer, datasets: Buffer, isLittle: boolean): Buffer {
  const long = (number: number): Buffer =>
    isLittle ? integers(number) : integers(number).swap32();
  const name = isLittle ? 'AXS*' : 'AXS!';
  const short = Buffer.alloc(4);
  short[isLittle ? 0 : 1] = 1;
  short[isLittle ? 2 : 3] = 1;
  const dataAt = picture.length + 24;
  return Buffer.concat([
    picture,
    ...[Buffer.from(name), short, long(0)],
    ...[Buffer.from('IPTC'), long(datasets.length), long(dataAt)],
    datasets,
    ...[Buffer.from(name), long(picture.length), long(0)],
  ]);
}

/** A GIF of one pixel with an XMP packet behind a comment. */
export function gifWithXmp(packet: string): Buffer {
  const trailer = Buffer.from([1, ...Array.from({ length: 256 }, (_, n) => 255 - n), 0]);
  return Buffer.concat([
    Buffer.from('47494638396101000100800000ffffff000000', 'hex'),
    Buffer.from('21fe0548656c6c6f00', 'hex'),
    Buffer.from('21ff0b', 'hex'),
    Buffer.from(`XMP DataXMP${packet}`),
    trailer,
    Buffer.from('2c000000000100010000020244010 03b'.replaceAll(' ', ''), 'hex'),
  ]);
}
