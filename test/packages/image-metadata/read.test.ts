import { describe, expect, it } from '@jest/globals';
import {
  ByteReader,
  findEmbedded,
  findLocation,
  metadataIn,
  Tiff,
  type ByteSource,
  type ReadLimits,
} from '../../../packages/image-metadata/index.js';
import {
  iptc,
  photoshopFile,
  png,
  PREVIEW_HEAD,
  raf,
  tiffFile,
  webp,
  withExif,
  withResources,
  withSegment,
  withXmp,
  xmp,
} from '../../support/camera-files.js';
import { gifWithXmp, mrw, withFotoStation } from '../../support/further-formats.js';
import { cr3, heicWith } from '../../support/heic.js';

/** A JPEG of 100 x 160 pixels, of which only the head matters. */
const JPEG = Buffer.from(
  'ffd8ffc0000b080064 00a0 01011100ffda0004000000ffd9'.replaceAll(' ', ''),
  'hex',
);
const PACKET = Buffer.from(xmp('dc:format="image/jpeg"'));
const TIFF = tiffFile({ 0x010f: 'Canon' });
const TEXTS = iptc([[5, 'Harbour']]);

const iTXt = (language: string, isCompressed = 0): Buffer =>
  Buffer.concat([
    Buffer.from(`XML:com.adobe.xmp\0`),
    Buffer.from([isCompressed, 0]),
    Buffer.from(`${language}\0\0`),
    PACKET,
  ]);

/** Segments with 0xff before their markers, as B.1.1.2 of the standard allows. */
const filled = (jpeg: Buffer): Buffer =>
  Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff, 0xff]), jpeg.subarray(2)]);

/** A resource whose signature is ImageReady's. */
const imageReady = Buffer.from(
  withResources(JPEG, [[1060, PACKET]])
    .toString('latin1')
    .replace('8BIM', 'MeSa'),
  'latin1',
);

/** The directory has 1,000 entries, and one of them is in the file. */
const cutDirectory = Buffer.from(tiffFile({ 0x010f: 'Me' }));
cutDirectory.writeUInt16LE(1000, cutDirectory.readUInt32LE(4));

/** Name of a sample, the file, and the blocks that it has: their kinds, and their lengths in bytes. */
const FILES: readonly (readonly [string, Buffer, readonly (readonly [string, number])[]])[] = [
  ['a JPEG without metadata', JPEG, []],
  ['a JPEG with EXIF data', withExif(JPEG, { 0x010f: 'Canon' }), [['exif', TIFF.length]]],
  ['a JPEG with XMP', withXmp(JPEG, 'dc:format="image/jpeg"'), [['xmp', PACKET.length]]],
  ['a JPEG with IPTC', withResources(JPEG, [[1028, TEXTS]]), [['iptc', TEXTS.length]]],
  [
    'a JPEG with fill bytes',
    filled(withXmp(JPEG, 'dc:format="image/jpeg"')),
    [['xmp', PACKET.length]],
  ],
  ['a JPEG with resources of ImageReady', imageReady, [['xmp', PACKET.length]]],
  ['a JPEG with IPTC behind it', withFotoStation(JPEG, TEXTS), [['iptc', TEXTS.length]]],
  ['a JPEG of Casio', withSegment(JPEG, Buffer.from('QVCI\0abc')), [['casio', 3]]],
  ['a TIFF', TIFF, [['exif', TIFF.length]]],
  [
    'a TIFF with XMP and IPTC',
    tiffFile({ 0x02bc: PACKET, 0x83bb: TEXTS }),
    [
      ['exif', tiffFile({ 0x02bc: PACKET, 0x83bb: TEXTS }).length],
      ['xmp', PACKET.length],
      ['iptc', TEXTS.length],
    ],
  ],
  [
    'a BigTIFF',
    tiffFile({ 0x02bc: PACKET }, { isBig: true, header: 'II+\0' }),
    [
      ['exif', tiffFile({ 0x02bc: PACKET }, { isBig: true, header: 'II+\0' }).length],
      ['xmp', PACKET.length],
    ],
  ],
  [
    'a Photoshop file',
    photoshopFile([
      [1060, PACKET],
      [1028, TEXTS],
      [1058, TIFF],
    ]),
    [
      ['iptc', TEXTS.length],
      ['exif', TIFF.length],
      ['xmp', PACKET.length],
    ],
  ],
  [
    'a PNG with EXIF data',
    png([
      ['eXIf', TIFF],
      ['IEND', Buffer.alloc(0)],
    ]),
    [['exif', TIFF.length]],
  ],
  ['a PNG with XMP', png([['iTXt', iTXt('')]]), [['xmp', PACKET.length]]],
  ['a PNG with XMP in a language', png([['iTXt', iTXt('en')]]), [['xmp', PACKET.length]]],
  ['a PNG with compressed XMP', png([['iTXt', iTXt('', 1)]]), []],
  [
    'a WebP with both',
    webp([
      ['EXIF', TIFF],
      ['XMP ', PACKET],
    ]),
    [
      ['exif', TIFF.length],
      ['xmp', PACKET.length],
    ],
  ],
  [
    'a WebP with the name of EXIF data',
    webp([['EXIF', Buffer.concat([Buffer.from('Exif\0\0'), TIFF])]]),
    [['exif', TIFF.length]],
  ],
  [
    'a HEIC',
    heicWith(TIFF, PACKET),
    [
      ['exif', TIFF.length],
      ['xmp', PACKET.length],
    ],
  ],
  ['a GIF', gifWithXmp(PACKET.toString()), [['xmp', PACKET.length]]],
  ['a RAF', raf(withXmp(JPEG, 'dc:format="image/jpeg"')), [['xmp', PACKET.length]]],
  ['an MRW', mrw(3000, 2000, TIFF), [['exif', TIFF.length]]],
  ['an unknown file', Buffer.from('hello'), []],
];

const LIMITS: ReadLimits = { reads: 64, bytes: 4 * 1024 * 1024, steps: 4096 };

/** Counts what is read, and refuses ranges that are not inside the file. */
class CountingSource implements ByteSource {
  reads = 0;
  bytes = 0;
  readonly size: number;

  constructor(private readonly file: Uint8Array) {
    this.size = file.length;
  }

  read(start: number, end: number): Promise<Uint8Array> {
    if (start < 0 || end > this.size || start > end) {
      return Promise.reject(new Error(`read outside the file: ${start} to ${end}`));
    }
    this.reads += 1;
    this.bytes += end - start;
    return Promise.resolve(new Uint8Array(this.file.subarray(start, end)));
  }
}

const PATHS: readonly (readonly [string, (source: ByteSource) => Promise<unknown>])[] = [
  ['metadataIn', (source) => metadataIn(ByteReader.over(source, LIMITS, 64))],
  ['findEmbedded', (source) => findEmbedded(ByteReader.over(source, LIMITS, 64))],
  ['findLocation', (source) => findLocation(source, LIMITS)],
];

/** A directory that is its own next one, and leads to itself. */
function cycle(): Buffer {
  const file = Buffer.from(tiffFile({ 0x014a: [{ 0x0112: 1 }], 0x8769: { 0x0112: 1 } }));
  const first = file.readUInt32LE(4);
  const count = file.readUInt16LE(first);
  file.writeUInt32LE(first, first + 2 + 12 * count);
  for (let index = 0; index < count; index += 1) {
    file.writeUInt32LE(first, first + 2 + 12 * index + 8);
  }
  return file;
}

/** A TIFF file whose entries have as many values as can be written. */
function hugeCounts(): Buffer {
  const file = Buffer.from(tiffFile({ 0x014a: [1, 2], 0x02bc: PACKET, 0x8769: 8 }));
  const first = file.readUInt32LE(4);
  for (let index = 0; index < file.readUInt16LE(first); index += 1) {
    file.writeUInt32LE(0xffff_ffff, first + 2 + 12 * index + 4);
  }
  return file;
}

/** Boxes that are empty. */
const manyBoxes = Buffer.concat(
  Array.from({ length: 20_000 }, () => Buffer.from('\0\0\0\bfree', 'latin1')),
);
const HOSTILE: readonly (readonly [string, Buffer])[] = [
  ['directories in a circle', cycle()],
  ['huge counts', hugeCounts()],
  ['a directory that is cut short', cutDirectory],
  ['many boxes', Buffer.concat([Buffer.from('\0\0\0\bftyp', 'latin1'), manyBoxes])],
  ['many fill bytes', Buffer.concat([JPEG.subarray(0, 2), Buffer.alloc(200_000, 0xff)])],
  ['many chunks', png(Array.from({ length: 9000 }, () => ['tEXt', Buffer.alloc(0)] as const))],
  [
    'many resources',
    photoshopFile(Array.from({ length: 9000 }, () => [1, Buffer.alloc(0)] as const)),
  ],
  [
    'many data sets',
    photoshopFile([[1028, iptc(Array.from({ length: 9000 }, () => [25, ''] as const))]]),
  ],
];

const SAMPLES: readonly (readonly [string, Buffer])[] = [
  ...FILES.map(([name, file]) => [name, file] as const),
  ['a CR3', cr3({ first: TIFF, photo: TIFF, gps: TIFF, xmp: PACKET })],
];

describe('the blocks of metadata in a file', () => {
  it.each(FILES)('are found in %s', async (_name, file, expected) => {
    const blocks = await metadataIn(ByteReader.overBytes(file));
    expect(blocks.map(({ kind, data }) => [kind, data.size])).toEqual(expected);
  });

  it('are found in a directory that is cut short', async () => {
    const tiff = await Tiff.in(ByteReader.overBytes(cutDirectory));
    expect(await (await tiff?.first())?.text(0x010f, 10)).toBe('Me');
  });
});

describe('the preview of a Photoshop file', () => {
  it.each([
    ['is found if its kind is a JPEG', PREVIEW_HEAD, 1],
    ['is left out if it has pixels', Buffer.alloc(28), 0],
  ])('%s', async (_name, head, count) => {
    const file = photoshopFile([[1036, Buffer.concat([head, JPEG])]]);
    expect((await findEmbedded(ByteReader.overBytes(file))).jpegs).toHaveLength(count);
  });
});

describe('a hostile file', () => {
  it.each(PATHS)('is read by %s within its limits', async (_name, read) => {
    for (const [name, file] of HOSTILE) {
      const source = new CountingSource(file);
      await read(source);
      expect({
        name,
        isBounded: source.reads <= LIMITS.reads && source.bytes <= LIMITS.bytes,
      }).toEqual({
        name,
        isBounded: true,
      });
    }
  });

  it.each(PATHS)('is read by %s without an error, wherever it ends', async (_name, read) => {
    for (const [, file] of SAMPLES) {
      for (let length = 0; length < file.length; length += 1) {
        const source = new CountingSource(file.subarray(0, length));
        await read(source);
        expect(source.reads).toBeLessThanOrEqual(LIMITS.reads);
      }
    }
  });
});
