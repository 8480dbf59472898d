/** Pictures for tests: honest ones, made by the image library where it is installed, and files that are made to harm. */
import { constants, crc32, deflateRawSync } from 'node:zlib';

/** The image library is optional: without it, tests check the service's behaviour without the library. */
export const library = await import('sharp').then(
  (module) => module.default,
  () => undefined,
);

export interface Taken {
  /** As EXIF writes it, `2026:05:01 10:20:30`. */
  readonly at?: string;
  readonly offset?: string;
  /** 6 means a camera held upright. */
  readonly orientation?: number;
}

/** A JPEG, red on the left and blue on the right, as stored in the file. */
export async function twoColours(
  width: number,
  height: number,
  taken: Taken = {},
): Promise<Buffer> {
  if (library === undefined) throw new Error('there is no image library');
  const half = { width: Math.floor(width / 2), height, channels: 3 as const };
  const left = await library({ create: { ...half, background: '#c00' } })
    .png()
    .toBuffer();
  const picture = library({ create: { ...half, width, background: '#00c' } })
    .composite([{ input: left, left: 0, top: 0 }])
    .jpeg();
  const exif = {
    ...(taken.at !== undefined && { DateTimeOriginal: taken.at }),
    ...(taken.offset !== undefined && { OffsetTimeOriginal: taken.offset }),
  };
  return picture
    .withExif({ IFD2: exif })
    .withMetadata({ ...(taken.orientation !== undefined && { orientation: taken.orientation }) })
    .toBuffer();
}

const SCRIPT = 'document.documentElement.setAttribute("data-ran","1")';
const PAGE = `<!doctype html><html><body><script>${SCRIPT}</script></body></html>`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>${SCRIPT}</script></svg>`;

/** A file that would run as something else than a picture, if a browser took it for that. */
export interface Runnable {
  readonly what: string;
  readonly bytes: Buffer;
  /** The media type it would run as. */
  readonly type: 'text/html' | 'image/svg+xml' | 'text/javascript';
}

/** Files that run where they are served as their senders like. They mark the page with `data-ran`. */
export const RUNNABLES: readonly Runnable[] = [
  { what: 'a page', type: 'text/html', bytes: Buffer.from(PAGE) },
  { what: 'an SVG', type: 'image/svg+xml', bytes: Buffer.from(SVG) },
  {
    what: 'a GIF that is a script',
    type: 'text/javascript',
    bytes: Buffer.concat([
      Buffer.from('GIF89a/*'),
      Buffer.alloc(8, 1),
      Buffer.from(`*/=1;${SCRIPT}`),
    ]),
  },
  {
    what: 'a JPEG that is a page',
    type: 'text/html',
    bytes: Buffer.concat([jpegWith(Buffer.from(`<!--x-->${PAGE}<!--`)), Buffer.from('-->')]),
  },
  {
    what: 'a JPEG that is a PDF and a page',
    type: 'text/html',
    bytes: jpegWith(
      Buffer.from(`%PDF-1.4\n1 0 obj<</OpenAction<</S/JavaScript/JS(1)>>>>endobj\n${PAGE}`),
    ),
  },
];

/** A JPEG of one pixel's frame with a comment. */
function jpegWith(comment: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0, 0]);
  head.writeUInt16BE(comment.length + 2, 4);
  const frame = Buffer.from('ffc0000b080001000101011100ffda0008010100003f00', 'hex');
  return Buffer.concat([head, comment, frame, Buffer.from([0x11, 0xff, 0xd9])]);
}

/** So many zeros, packed; pieces of it can stand behind each other. */
function packedZeros(count: number): Buffer {
  const piece = 8_000_000;
  const zeros = deflateRawSync(Buffer.alloc(piece), { finishFlush: constants.Z_FULL_FLUSH });
  const pieces = Array.from({ length: Math.ceil(count / piece) }, () => zeros);
  return Buffer.concat([
    Buffer.from('789c', 'hex'),
    ...pieces,
    Buffer.from('010000ffff00000001', 'hex'),
  ]);
}

function chunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

interface PngForm {
  readonly side: number;
  /** As the header has them: 1 or 16 bits, 0 for grey or 6 for colours. */
  readonly bits: 1 | 16;
  readonly colours: 0 | 6;
  readonly isInterlaced: boolean;
}

function png(
  { side, bits, colours, isInterlaced }: PngForm,
  data: Buffer,
  before?: Buffer,
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([bits, colours, 0, 0, isInterlaced ? 1 : 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    ...(before === undefined ? [] : [before]),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A small PNG with these chunks before its pixels. */
export function pngWith(...chunks: readonly (readonly [kind: string, data: Buffer])[]): Buffer {
  const form = { side: 100, bits: 1, colours: 0, isInterlaced: false } as const;
  const before = Buffer.concat(chunks.map(([kind, data]) => chunk(kind, data)));
  return png(form, packedZeros(100 * 14), before);
}

/** A directory of a TIFF file with these entries, beginning at byte 8. */
function tiff(
  entries: readonly (readonly [tag: number, type: number, count: number, value: number])[],
  next: number,
): Buffer {
  const bytes = Buffer.alloc(8 + 2 + 12 * entries.length + 4);
  bytes.write('II*\0', 'latin1');
  bytes.writeUInt32LE(8, 4);
  bytes.writeUInt16LE(entries.length, 8);
  for (const [index, [tag, type, count, value]] of entries.entries()) {
    const at = 10 + 12 * index;
    bytes.writeUInt16LE(tag, at);
    bytes.writeUInt16LE(type, at + 2);
    bytes.writeUInt32LE(count, at + 4);
    bytes.writeUInt32LE(value, at + 8);
  }
  bytes.writeUInt32LE(next, bytes.length - 4);
  return bytes;
}

/** A JPEG whose EXIF data are these. */
function withExif(data: Buffer): Buffer {
  const picture = jpegWith(Buffer.alloc(0));
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  const exif = Buffer.concat([Buffer.from('Exif\0\0'), data]);
  head.writeUInt16BE(exif.length + 2, 2);
  return Buffer.concat([picture.subarray(0, 2), head, exif, picture.subarray(2)]);
}

/** A Photoshop file of this size with these lengths of its three sections. */
function photoshop(length: number): Buffer {
  const head = Buffer.alloc(200);
  head.write('8BPS\0\x01', 'latin1');
  head.writeUInt32BE(3000, 14);
  head.writeUInt32BE(4000, 18);
  head.writeUInt32BE(length >>> 0, 26);
  head.write('8BIM', 34);
  head.writeUInt32BE(length >>> 0, 42);
  return head;
}

/** A file that is made to take much time or memory. */
export interface Heavy {
  readonly what: string;
  readonly type: string;
  readonly bytes: () => Buffer;
}

export const HEAVY: readonly Heavy[] = [
  {
    what: 'a PNG of 60,000 pixels a side',
    type: 'image/png',
    bytes: () => {
      const form = { side: 60_000, bits: 1, colours: 0, isInterlaced: false } as const;
      return png(form, packedZeros(60_000 * 7_501));
    },
  },
  {
    what: 'a PNG of as many pixels as are decoded, which has to be held whole',
    type: 'image/png',
    bytes: () => {
      const form = { side: 14_000, bits: 16, colours: 6, isInterlaced: true } as const;
      return png(form, packedZeros(14_000 * 14_000 * 8));
    },
  },
  {
    what: 'a PNG with a comment that grows',
    type: 'image/png',
    bytes: () => {
      const form = { side: 100, bits: 1, colours: 0, isInterlaced: false } as const;
      const comment = Buffer.concat([Buffer.from('Comment\0\0'), packedZeros(4_000_000_000)]);
      return png(form, packedZeros(100 * 14), chunk('zTXt', comment));
    },
  },
  {
    what: 'a TIFF whose directory leads back to itself',
    type: 'image/tiff',
    bytes: () => tiff([[256, 4, 1, 100]], 8),
  },
  {
    what: 'a TIFF of huge strips',
    type: 'image/tiff',
    bytes: () =>
      tiff(
        [
          [256, 4, 1, 14_000],
          [257, 4, 1, 14_000],
          [258, 3, 1, 8],
          [259, 3, 1, 1],
          [262, 3, 1, 1],
          [273, 4, 0xffffffff, 8],
          [279, 4, 0xffffffff, 8],
        ],
        0,
      ),
  },
  {
    what: 'EXIF data whose entries all lead to the same large list',
    type: 'image/jpeg',
    bytes: () =>
      withExif(
        Buffer.concat([
          tiff(
            Array.from({ length: 5000 }, (_, index) => [index, 1, 0xffffffff, 8] as const),
            8,
          ),
          Buffer.alloc(1000),
        ]),
      ),
  },
  {
    what: 'a JPEG whose preview is beyond its end',
    type: 'image/jpeg',
    bytes: () => withExif(Buffer.concat([tiff([], 22).subarray(0, 14), tiffTail(0x7fffffff)])),
  },
  {
    what: 'a Photoshop file of absurd lengths',
    type: 'image/vnd.adobe.photoshop',
    bytes: () => photoshop(-1),
  },
  {
    what: 'an SVG that grows, called a picture',
    type: 'image/png',
    bytes: () =>
      Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="90000" height="90000"/>`),
  },
];

/** A second directory, at byte 14, with the position of a preview. */
function tiffTail(at: number): Buffer {
  const whole = tiff(
    [
      [0x0201, 4, 1, at],
      [0x0202, 4, 1, 1000],
    ],
    0,
  );
  return whole.subarray(8);
}
