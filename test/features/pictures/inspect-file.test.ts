import { describe, expect, it } from '@jest/globals';
import type { SpoolReader } from '../../../src/host/spool.js';
import { readChunks } from '../../../src/host/chunks.js';
import { inspectFile, type FileInspection } from '../../../src/features/pictures/inspect-file.js';
import { CwError } from '../../../src/util/errors.js';
import {
  photoshopFile,
  tiffFile,
  withExif,
  withXmp,
  xmp,
  type Directory,
} from '../../support/camera-files.js';
import { HEAVY, library, pngWith, twoColours } from '../../support/pictures.js';
import fc from '../../support/properties.js';

const ID = 'xmp.did:8f2a61c0-4d5b-4b1c-9b1e-0a1b2c3d4e5f';
const XMP = `xmpMM:OriginalDocumentID="xmp.did:original" xmpMM:DocumentID="${ID}"`;
const PACKET = Buffer.from(xmp(XMP));

/** Counts the bytes read of a file. */
class CountingReader implements SpoolReader {
  reads = 0;
  bytesRead = 0;

  constructor(private readonly file: Buffer) {}

  read(start: number, end: number): Promise<ArrayBuffer> {
    if (end > this.file.length || start >= end) {
      return Promise.reject(new CwError('CW-607', `bytes ${start} to ${end} are not there`));
    }
    this.reads += 1;
    this.bytesRead += end - start;
    return Promise.resolve(new Uint8Array(this.file.subarray(start, end)).buffer);
  }

  chunks(start: number, end: number): AsyncIterable<Uint8Array, void> {
    return readChunks((at, until) => this.read(at, until), start, end);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const inspect = (file: Buffer): Promise<FileInspection> =>
  inspectFile(new CountingReader(file), file.length);

/** A JPEG of which only the head matters, with this longer side and length. */
function jpegOf(side: number, length = 500, marker = 0xc0): Buffer {
  const jpeg = Buffer.alloc(length, 0x11);
  jpeg.set(Buffer.from('ffd8ffc0000b08000000000101110000ffda', 'hex'));
  jpeg[3] = marker;
  jpeg.writeUInt16BE(side, 7);
  jpeg.writeUInt16BE(100, 9);
  return jpeg;
}

/** Entries for a JPEG at `at` in the file. */
const jpegAt = (at: number, { length }: Buffer): Directory => ({ 0x0201: at, 0x0202: length });

/** EXIF data with a thumbnail in the second directory, where cameras have it. */
function exifWith(thumbnail: Buffer, orientation = 1): Buffer {
  const before = Buffer.concat([thumbnail, Buffer.alloc(thumbnail.length % 2)]);
  return tiffFile({ 0x0112: orientation, 0x014a: [jpegAt(16, thumbnail)] }, { before });
}

/** A JPEG with a segment behind its first two bytes. */
function withSegment(jpeg: Buffer, marker: number, ...content: Buffer[]): Buffer {
  const data = Buffer.concat(content);
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)]);
}

const withThumbnail = (jpeg: Buffer, thumbnail: Buffer, orientation?: number): Buffer =>
  withSegment(jpeg, 0xe1, Buffer.from('Exif\0\0'), exifWith(thumbnail, orientation));

/** A preview resource: kind 1 is a JPEG, kind 0 raw pixels. */
function previewResource(jpeg: Buffer, kind = 1): Buffer {
  const head = Buffer.alloc(28);
  head.writeUInt32BE(kind);
  return Buffer.concat([head, jpeg]);
}

const iTXt = (text: string): Buffer => Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${text}`);

const small = jpegOf(160);
const tiny = jpegOf(120, 300);
const large = jpegOf(4000, 300_000);

/** A raw file of a camera: images inside, each with its JPEG, and XMP. */
function rawFile(jpegs: readonly Buffer[], first: Directory = {}, header = 'II*\0'): Buffer {
  const padded = jpegs.map((jpeg) => Buffer.concat([jpeg, Buffer.alloc(jpeg.length % 2)]));
  let at = 16;
  const images = padded.map((jpeg, index) => {
    at += jpeg.length;
    return jpegAt(at - jpeg.length, jpegs[index] ?? jpeg);
  });
  const directory = { 0x02bc: PACKET, 0x014a: images, ...first };
  return tiffFile(directory, { header, before: Buffer.concat(padded) });
}

/** A WebP whose picture is three bytes long, with these chunks after it. */
function webp(...more: readonly (readonly [string, Buffer])[]): Buffer {
  const chunks = [['VP8 ', Buffer.alloc(3)] as const, ...more].map(([type, content]) => {
    const head = Buffer.from(`${type}\0\0\0\0`);
    head.writeUInt32LE(content.length, 4);
    return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
  });
  return Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), ...chunks]);
}

/** Name, file, whether it has the identity, and its preview. */
const FILES: readonly (readonly [string, Buffer, string | null, Buffer | null])[] = [
  ['a JPEG with EXIF and XMP', withXmp(withThumbnail(large, small), XMP), ID, small],
  ['a JPEG with XMP before EXIF', withThumbnail(withXmp(large, XMP), small), ID, small],
  ['a JPEG of a camera', withThumbnail(large, tiny), null, tiny],
  ['a JPEG without any', large, null, null],
  ['a JPEG with EXIF data but no thumbnail', withExif(large, { 0x0112: 6 }), null, null],
  [
    'a JPEG with filled markers',
    Buffer.concat([small.subarray(0, 2), Buffer.from([0xff]), withXmp(large, XMP).subarray(2)]),
    ID,
    null,
  ],
  [
    'a PSD',
    photoshopFile([
      [1000, tiny],
      [1036, previewResource(small)],
      [1060, PACKET],
    ]),
    ID,
    small,
  ],
  [
    'a PSD whose preview is no JPEG',
    photoshopFile([
      [1036, previewResource(small, 0)],
      [1060, PACKET],
    ]),
    ID,
    null,
  ],
  ['a PSD without a preview', photoshopFile([[1060, PACKET]]), ID, null],
  [
    'a TIFF of Photoshop',
    tiffFile({
      0x02bc: PACKET,
      0x8649: photoshopFile([[1036, previewResource(small)]]).subarray(34),
    }),
    ID,
    small,
  ],
  ['a DNG', rawFile([large, small, tiny]), ID, small],
  ['a DNG with the high byte first', rawFile([tiny, small], {}, 'MM\0*'), ID, small],
  ['an ORF of Olympus', rawFile([tiny], {}, 'IIRO'), ID, tiny],
  ['a raw file whose previews are all large', rawFile([large]), ID, null],
  ['a raw file with sensor data in a JPEG', rawFile([jpegOf(300, 400, 0xc3), tiny]), ID, tiny],
  ['a raw file with two good previews', rawFile([jpegOf(1000, 9000), small]), ID, small],
  [
    'a raw file with one strip',
    tiffFile({ 0x0103: 6, 0x0111: 16, 0x0117: small.length }, { before: small }),
    null,
    small,
  ],
  ['a raw file of Panasonic', tiffFile({ 0x002e: small }, { header: 'IIU\0' }), null, small],
  ['a WebP with EXIF and XMP', webp(['EXIF', exifWith(small)], ['XMP ', PACKET]), ID, small],
  [
    'a WebP whose EXIF data begin as in a JPEG',
    webp(['EXIF', Buffer.concat([Buffer.from('Exif\0\0'), exifWith(small)])]),
    null,
    small,
  ],
  ['a WebP without any', webp(), null, null],
  ['a PNG', pngWith(['iTXt', iTXt(PACKET.toString())]), ID, null],
  [
    'a PNG with another text first',
    pngWith(['iTXt', Buffer.from('Title\0\0\0\0\0Coast')], ['iTXt', iTXt(PACKET.toString())]),
    ID,
    null,
  ],
  ['a file in UTF-16', photoshopFile([[1060, Buffer.from(xmp(XMP), 'utf16le')]]), ID, null],
  ['a RAF of Fujifilm', raf(withThumbnail(withXmp(large, XMP), small)), ID, small],
  ['a NEF of Nikon', rawFile([large], { 0x8769: { 0x927c: nikonNote(small) } }), ID, small],
  ['a CR3 of Canon', canonRaw(small, PACKET), ID, small],
  ['a text', Buffer.from('no picture'), null, null],
  ['nothing', Buffer.alloc(0), null, null],
];

/** Notes of a Nikon with a preview. */
function nikonNote(preview: Buffer): Buffer {
  const tiff = tiffFile({ 0x0011: jpegAt(16, preview) }, { before: preview });
  return Buffer.concat([Buffer.from('Nikon\0\x02\x11\0\0', 'latin1'), tiff]);
}

function box(type: string, ...content: Buffer[]): Buffer {
  const whole = Buffer.concat([Buffer.alloc(8), ...content]);
  whole.writeUInt32BE(whole.length);
  whole.write(type, 4);
  return whole;
}

function canonRaw(thumbnail: Buffer, packet: Buffer): Buffer {
  const parts = [
    Buffer.from('85c0b687820f11e08111f4ce462b6a48', 'hex'),
    box('CNCV', Buffer.from('CanonCR3_001')),
    box('CMT1', tiffFile({ 0x0112: 1 })),
    box('THMB', Buffer.alloc(16), thumbnail),
  ];
  return Buffer.concat([
    box('ftyp', Buffer.from('crx \0\0\0\x01crx isom', 'latin1')),
    box('moov', box('uuid', ...parts)),
    box('uuid', Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex'), packet),
    // Sensor data with a 64-bit length.
    Buffer.from('00000001', 'hex'),
    Buffer.from('mdat'),
    Buffer.alloc(200),
  ]);
}

function raf(jpeg: Buffer): Buffer {
  const head = Buffer.alloc(100);
  head.write('FUJIFILMCCD-RAW 0201');
  head.writeUInt32BE(100, 84);
  head.writeUInt32BE(jpeg.length, 88);
  return Buffer.concat([head, jpeg]);
}

describe('inspectFile', () => {
  it.each(FILES)('reads identity and preview of %s', async (_what, file, documentId, preview) => {
    const found = await inspect(file);
    expect(found.documentId).toBe(documentId);
    expect(found.preview && Buffer.from(found.preview)).toEqual(preview);
  });

  it.each([
    [1, 0],
    [6, 36],
    [8, 36],
    [9, 0],
  ])('turns a preview as EXIF orientation %d requires', async (orientation, added) => {
    const { preview } = await inspect(withThumbnail(large, small, orientation));
    expect(preview?.length).toBe(small.length + added);
    if (added > 0) {
      expect(preview?.[2 + added - 7]).toBe(orientation);
      expect(Buffer.from(preview?.subarray(2 + added) ?? [])).toEqual(small.subarray(2));
    }
  });

  it('reads little of a large file', async () => {
    const file = Buffer.concat([
      withXmp(withThumbnail(large, small), XMP),
      Buffer.alloc(9_000_000),
    ]);
    const reader = new CountingReader(file);
    expect(await inspectFile(reader, file.length)).toMatchObject({ documentId: ID });
    expect(reader.bytesRead).toBeLessThan(100_000);
  });

  it('rejects when the copy is shorter than it was', async () => {
    await expect(inspectFile(new CountingReader(small), 900)).rejects.toMatchObject({
      code: 'CW-607',
    });
  });
});

describe('a hostile file', () => {
  /** Reads it and checks the bounds. */
  const inspectBounded = async (file: Buffer): Promise<void> => {
    const reader = new CountingReader(file);
    const { documentId, preview } = await inspectFile(reader, file.length);
    expect(documentId ?? 'none').toMatch(/^[!-~]{1,200}$/);
    expect(preview?.length ?? 0).toBeLessThan(257 * 1024);
    expect(reader.reads).toBeLessThanOrEqual(64);
    expect(reader.bytesRead).toBeLessThanOrEqual(4 * 1024 * 1024);
  };

  // @threat H10
  it.each([
    ...HEAVY.filter(({ what }) => !what.startsWith('a PNG')).map(
      ({ what, bytes }) => [what, bytes] as const,
    ),
    [
      'a TIFF of directories that lead to each other',
      () => tiffFile({ 0x014a: Array.from({ length: 500 }, (_, index) => 8 * index) }),
    ],
    ['a JPEG of thousands of segments', () => segments(5000)],
    ['a Photoshop file of thousands of resources', () => photoshopFile(resources(5000))],
    [
      'a WebP of thousands of chunks',
      () => webp(...Array.from({ length: 5000 }, () => ['ICCP', Buffer.alloc(2)] as const)),
    ],
    ['a PNG of thousands of chunks', () => pngWith(...chunks(5000))],
  ])('is read within limits: %s', async (_what, bytes) => {
    await inspectBounded(bytes());
  });

  const mutations = fc.array(
    fc.tuple(fc.nat(), fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.integer({ max: 255 }))),
    { maxLength: 12 },
  );

  it.each(FILES)('never fails when bytes of it are changed or cut: %s', async (_what, file) => {
    await fc.assert(
      fc.asyncProperty(mutations, fc.nat(), async (changes, cut) => {
        const changed = Buffer.from(file);
        // Headers and directories are at the start and at the end.
        for (const [at, value] of changes) {
          const place = at % 2 === 0 ? at % 400 : file.length - (at % 400);
          if (place < file.length) {
            changed[place] = value;
          }
        }
        await inspectBounded(
          cut % 3 === 0 ? changed.subarray(0, cut % (file.length + 1)) : changed,
        );
      }),
      { numRuns: 150 },
    );
  });

  it('never fails for arbitrary bytes behind a known beginning', async () => {
    const starts = [
      '\xff\xd8\xff',
      '8BPS\0\x01',
      'II*\0',
      'MM\0*',
      '\x89PNG\r\n\x1a\n',
      'FUJIFILM',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...starts),
        fc.uint8Array({ maxLength: 600 }),
        async (start, rest) => {
          await inspectBounded(Buffer.concat([Buffer.from(start, 'latin1'), rest]));
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** A JPEG of nothing but short segments. */
function segments(count: number): Buffer {
  return Buffer.concat([
    Buffer.from('ffd8', 'hex'),
    ...Array.from({ length: count }, () => Buffer.from('ffe1000a4578696600004949', 'hex')),
  ]);
}

function resources(count: number): (readonly [number, Buffer])[] {
  return Array.from({ length: count }, () => [1000, Buffer.alloc(2)] as const);
}

function chunks(count: number): (readonly [string, Buffer])[] {
  return Array.from({ length: count }, () => ['iTXt', Buffer.from('x')] as const);
}

describe('pictures of an image library', () => {
  if (library === undefined) {
    it('are not there without the library', () => {
      expect(library).toBeUndefined();
    });
    return;
  }
  const sharp = library;

  // Its PNG has compressed XMP, unlike that of creative apps.
  it.each(['jpeg', 'tiff'] as const)('have their identity read as %s', async (format) => {
    const picture = await twoColours(300, 200, { orientation: 6 });
    const file = await sharp(picture).withXmp(PACKET.toString()).toFormat(format).toBuffer();
    expect((await inspect(file)).documentId).toBe(ID);
  });

  it('are found as previews, and can be decoded, turned as the photo is', async () => {
    const preview = await sharp(await twoColours(320, 200))
      .jpeg()
      .toBuffer();
    const found = await inspect(withThumbnail(await twoColours(900, 600), preview, 6));
    const decoded = sharp(Buffer.from(found.preview ?? [])).autoOrient();
    const { info } = await decoded.toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([200, 320]);
  });
});
