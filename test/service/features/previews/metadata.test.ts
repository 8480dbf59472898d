import { describe, expect, it } from '@jest/globals';
import { is } from 'valibot';
import { crc32, deflateSync } from 'node:zlib';
import { ByteReader } from '../../../../service/features/previews/formats/byte-reader.js';
import { WORKER_MESSAGE } from '../../../../service/features/previews/image-info.js';
import { metadataIn } from '../../../../service/features/previews/formats/metadata-blocks.js';
import { locationOf, patched } from '../../../../service/features/previews/location.js';
import {
  PICTURE_INFO,
  type PictureInfo,
} from '../../../../service/features/previews/picture-info.js';
import { readPictureInfo } from '../../../../service/features/previews/read-picture-info.js';
import {
  Fraction,
  iptc,
  photoshopFile,
  png,
  raf,
  tiffFile,
  webp,
  withExif,
  withResources,
  withSegment,
  withXmp,
  xmp,
  type Directory,
} from '../../../support/camera-files.js';
import { cr3, heicWith } from '../../../support/heic.js';

const JPEG = Buffer.from('ffd8ffdb0004000000ffd9', 'hex');

const GPS: Directory = {
  0: Buffer.from([2, 3, 0, 0]),
  1: 'N',
  2: [new Fraction(52, 1), new Fraction(31, 1), new Fraction(1234, 100)],
  3: 'E',
  4: [new Fraction(13, 1), new Fraction(24, 1), new Fraction(5678, 100)],
  28: Buffer.from('ASCII\0\0\0Secret garden'),
};
const CAMERA: Directory = {
  0x10e: 'OLYMPUS DIGITAL CAMERA         ',
  0x10f: 'Canon',
  0x110: 'Canon EOS R5',
  0x13b: 'Exif Artist',
};
const PHOTO: Directory = {
  0x829a: new Fraction(1, 250),
  0x829d: new Fraction(28, 10),
  0x8827: 200,
  0x920a: new Fraction(85, 1),
  0xa434: 'RF85mm F1.2 L USM',
};
const EXIF: Directory = { ...CAMERA, 0x8769: PHOTO, 0x8825: GPS };
const XMP = xmp(
  `xmlns:d="http://purl.org/dc/elements/1.1/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
   xmp:Rating="4" exif:GPSLatitude="52,31.2057N" exif:GPSVersionID="2.3.0.0"`,
  `<exif:GPSLongitude>13,24.9463E</exif:GPSLongitude>
   <drone-dji:GpsLongtitude>+13.41577</drone-dji:GpsLongtitude>
   <d:title><rdf:Alt><rdf:li xml:lang="de">Hafen</rdf:li><rdf:li xml:lang="x-default">Harbour &amp; sea</rdf:li></rdf:Alt></d:title>
   <d:subject><rdf:Bag><rdf:li>sea</rdf:li><rdf:li>night</rdf:li><rdf:li>sea</rdf:li></rdf:Bag></d:subject>`,
);
const PLACES = ['52,31.2057N', '13,24.9463E', '+13.41577', 'Secret garden'];

const INFO: PictureInfo = {
  camera: 'Canon EOS R5',
  lens: 'RF85mm F1.2 L USM',
  exposure: { time: 1 / 250, aperture: 2.8, iso: 200, focalLength: 85 },
  title: 'Harbour & sea',
  keywords: ['sea', 'night'],
  creator: 'Exif Artist',
  rating: 4,
  hasLocation: true,
};

const tiff = tiffFile(EXIF);
const named = Buffer.concat([Buffer.from('Exif\0\0'), tiff]);
const packet = Buffer.from(XMP);
const inText = (flag: number, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`XML:com.adobe.xmp\0`), Buffer.from([flag, 0, 0, 0]), data]);
const inJpeg = (exif: Buffer = named, text: Buffer = packet): Buffer =>
  withSegment(
    withSegment(JPEG, Buffer.concat([Buffer.from('http://ns.adobe.com/xap/1.0/\0'), text])),
    exif,
  );

const readerOf = (file: Buffer): ByteReader => ByteReader.overBuffer(file);
const infoOf = async (file: Buffer): Promise<PictureInfo | undefined> =>
  readPictureInfo(await metadataIn(readerOf(file)), (await locationOf(readerOf(file))).hasLocation);
const withoutLocation = async (file: Buffer): Promise<Buffer> =>
  patched(file, 0, (await locationOf(readerOf(file))).patches);

describe('the details of a picture', () => {
  const FORMATS: readonly (readonly [string, Buffer])[] = [
    ['a JPEG', inJpeg()],
    ['a TIFF', tiffFile({ ...EXIF, 0x100: 9, 0x101: 9, 0x2bc: packet })],
    ['a big-endian TIFF', tiffFile({ ...EXIF, 0x2bc: packet }, { header: 'MM\0*' })],
    ['a raw file of Panasonic', tiffFile({ ...EXIF, 0x2bc: packet }, { header: 'IIU\0' })],
    ['a JPEG in a raw file of Panasonic', tiffFile({ 4: 10, 0x2e: inJpeg() }, { header: 'IIU\0' })],
    ['a raw file of Fuji', raf(inJpeg())],
    [
      'a Photoshop file',
      photoshopFile([
        [1058, tiff],
        [1060, packet],
      ]),
    ],
    [
      'a PNG',
      png([
        ['IHDR', Buffer.alloc(13)],
        ['eXIf', tiff],
        ['iTXt', inText(0, packet)],
      ]),
    ],
    [
      'a WebP',
      webp([
        ['VP8X', Buffer.alloc(10)],
        ['EXIF', named],
        ['XMP ', packet],
      ]),
    ],
    ['a HEIC', heicWith(tiff, packet)],
    [
      'a CR3',
      cr3({ first: tiffFile(CAMERA), photo: tiffFile(PHOTO), gps: tiffFile(GPS), xmp: packet }),
    ],
  ];

  it.each(FORMATS)('are read from %s', async (_what, file) => {
    const found = await infoOf(file);
    expect(found).toEqual(INFO);
    expect(is(PICTURE_INFO, found)).toBe(true);
  });

  it.each(FORMATS)('stay without the location in %s', async (_what, file) => {
    const left = await withoutLocation(file);
    const { hasLocation, ...others } = INFO;
    expect([hasLocation, await infoOf(left)]).toEqual([true, others]);
    expect(left.length).toBe(file.length);
    for (const place of PLACES) expect(left.includes(place)).toBe(false);
    for (const value of [GPS[2], GPS[4]]) {
      // The last value is written by a separate builder; it is nowhere in the file.
      const bytes = tiffFile({ 2: value as readonly Fraction[] }).subarray(16, 40);
      expect(file.includes(bytes) || file.includes(swapped(bytes))).toBe(true);
      expect(left.includes(bytes) || left.includes(swapped(bytes))).toBe(false);
    }
    // A second time there is nothing to do.
    expect((await locationOf(readerOf(left))).patches).toEqual([]);
  });

  it('keep the checksums of a PNG right, and drop compressed texts', async () => {
    const text = inText(1, deflateSync(packet));
    const profile = Buffer.concat([Buffer.from('Raw profile type exif\0\0'), deflateSync(named)]);
    const file = png([
      ['eXIf', tiff],
      ['iTXt', text],
      ['zTXt', profile],
      ['IEND', Buffer.alloc(0)],
    ]);
    const left = await withoutLocation(file);
    expect(left.length).toBe(file.length);
    const types: string[] = [];
    for (let at = 8; at < left.length; at += 12 + left.readUInt32BE(at)) {
      const end = at + 8 + left.readUInt32BE(at);
      expect(left.readUInt32BE(end)).toBe(crc32(left.subarray(at + 4, end)));
      types.push(left.toString('latin1', at + 4, at + 8));
    }
    expect(types).toEqual(['eXIf', 'skIp', 'skIp', 'IEND']);
    expect(left.includes(deflateSync(packet))).toBe(false);
  });

  it('leave a file without a location alone', async () => {
    const files = [
      JPEG,
      withExif(JPEG, { ...CAMERA, 0x8825: { 0: Buffer.from([2, 3, 0, 0]) } }),
      withXmp(JPEG, 'exif:GPSVersionID="2.3.0.0"', '<dc:title>GPSLatitude="1"</dc:title>'),
      Buffer.from('%PDF-1.7 GPSLatitude="52"'),
      Buffer.alloc(0),
    ];
    for (const file of files) expect((await locationOf(readerOf(file))).patches).toEqual([]);
  });

  it('lose the location in every further place of a JPEG', async () => {
    const second = inJpeg();
    const list = (offset: number): Buffer => {
      const entries = Buffer.alloc(32);
      entries.writeUInt32LE(second.length, 20);
      entries.writeUInt32LE(offset, 24);
      return Buffer.concat([Buffer.from('MPF\0'), tiffFile({ 0xb002: entries })]);
    };
    const first = withSegment(JPEG, list(0), 0xe2);
    // Offsets begin behind the name of the list.
    const several = Buffer.concat([withSegment(JPEG, list(first.length - 10), 0xe2), second]);
    const extension = Buffer.from('http://ns.adobe.com/xmp/extension/\0');
    const wide = Buffer.from(`\u{feff}${XMP}`, 'utf16le');
    const files: [string, Buffer][] = [
      ['a second picture', several],
      [
        'a Photoshop resource',
        withResources(JPEG, [
          [1058, tiff],
          [1060, packet],
        ]),
      ],
      ['a part of a long packet', withSegment(JPEG, Buffer.concat([extension, packet]))],
      ['a packet in UTF-16', inJpeg(named, wide)],
    ];
    for (const [what, file] of files) {
      const found = await locationOf(readerOf(file));
      expect([what, found.hasLocation]).toEqual([what, true]);
      const left = patched(file, 0, found.patches);
      for (const place of PLACES)
        for (const text of [place, Buffer.from(place, 'utf16le')])
          expect([what, place, left.includes(text)]).toEqual([what, place, false]);
    }
  });

  it.each<[string, Buffer, PictureInfo | undefined]>([
    [
      'XMP before IPTC, and IPTC before EXIF',
      withResources(
        withXmp(
          withExif(JPEG, { 0x10e: 'Caption in EXIF', 0x13b: 'Artist', 0x8298: 'Rights in EXIF' }),
          '',
          '<dc:title>Title in XMP</dc:title>',
        ),
        [
          [
            1028,
            iptc([
              [5, 'Title in IPTC'],
              [80, 'Anna'],
              [80, 'Ben'],
              [120, 'Caption in IPTC'],
            ]),
          ],
        ],
      ),
      {
        ...{ title: 'Title in XMP', caption: 'Caption in IPTC' },
        ...{ creator: 'Anna, Ben', copyright: 'Rights in EXIF' },
      },
    ],
    [
      'IPTC in Windows-1252 and in a TIFF',
      tiffFile({
        0x83bb: iptc([
          [25, Buffer.from('caf\xe9', 'latin1')],
          [25, 'Zoë'],
        ]),
      }),
      { keywords: ['café', 'Zoë'] },
    ],
    [
      'a maker that is not repeated',
      withExif(JPEG, { 0x10f: 'NIKON CORPORATION', 0x110: 'NIKON Z 8' }),
      { camera: 'NIKON Z 8' },
    ],
    [
      'a maker before its model',
      withExif(JPEG, { 0x10f: 'SONY', 0x110: 'ILCE-7M4' }),
      { camera: 'SONY ILCE-7M4' },
    ],
    [
      'an accent in two characters as one',
      withXmp(JPEG, '', '<dc:title>Cafe\u{301}</dc:title>'),
      { title: 'Café' },
    ],
    [
      'fractions that are no numbers',
      withExif(JPEG, {
        0x110: 'X',
        0x8769: {
          0x829a: new Fraction(1, 0),
          0x829d: new Fraction(0, 0),
          0x8827: 4_000_000_000,
          0x920a: new Fraction(0, 1),
        },
      }),
      { camera: 'X' },
    ],
    ['a rating that is none', withXmp(JPEG, 'xmp:Rating="-1"'), undefined],
    ['a rating beyond five stars', withXmp(JPEG, 'xmp:Rating="99"'), undefined],
    ['invalid UTF-8', withExif(JPEG, { 0x110: 'X\xff\xfe' }), { camera: 'Xÿþ' }],
    [
      'control characters',
      withXmp(
        JPEG,
        '',
        '<dc:title>a\x1b[2Jb\u{85}c</dc:title><dc:description>a\r\nb&#9;c</dc:description>',
      ),
      { title: 'a[2Jbc', caption: 'a\nbc' },
    ],
    ['markup', withXmp(JPEG, '', '<dc:title>&lt;script&gt;</dc:title>'), { title: '<script>' }],
    [
      'XML that ends early',
      withXmp(JPEG, '', '<dc:title>Here</dc:title><dc:rights>'),
      { title: 'Here' },
    ],
    [
      'entities that multiply',
      inJpeg(
        Buffer.alloc(0),
        Buffer.from(
          `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${xmp('', '<dc:title>Now</dc:title><dc:rights>&b;</dc:rights>')}`,
        ),
      ),
      { title: 'Now', copyright: '&b;' },
    ],
  ])('are read with %s', async (_what, file, info) => {
    const found = await infoOf(file);
    expect(found).toEqual(info);
    expect(found === undefined || is(PICTURE_INFO, found)).toBe(true);
  });

  it('are bounded, whatever a file holds', async () => {
    const items = Array.from({ length: 5000 }, (_, n) => `<rdf:li>${n}${'k'.repeat(99)}</rdf:li>`);
    const text = xmp(
      '',
      `<dc:title>${'😀'.repeat(400)}</dc:title><dc:description>${'x '.repeat(5e5)}</dc:description>
       <dc:subject><rdf:Bag>${items.join('')}</rdf:Bag></dc:subject>`,
    );
    const info = await infoOf(photoshopFile([[1060, Buffer.from(text)]]));
    expect(is(PICTURE_INFO, info)).toBe(true);
    expect([info?.title?.length, info?.keywords?.length]).toEqual([256, 100]);
    expect(info?.caption?.length).toBeGreaterThan(1990);
    const huge = photoshopFile([
      [1060, Buffer.from(xmp('', `<dc:title>${'y'.repeat(1e7)}</dc:title>`))],
    ]);
    const found = await infoOf(huge);
    expect(found === undefined || is(PICTURE_INFO, found)).toBe(true);
  });

  it('replace a packet with very many locations as a whole', async () => {
    const many = xmp('', '<exif:GPSLatitude>1</exif:GPSLatitude>'.repeat(5000));
    const { patches } = await locationOf(readerOf(photoshopFile([[1060, Buffer.from(many)]])));
    expect(patches).toHaveLength(1);
  });

  it('find a location wherever it is in a large packet', async () => {
    for (const before of [1024 * 1024 - 4100, 1024 * 1024 - 20, 3_000_000]) {
      const text = xmp('', `${' '.repeat(before)}<exif:GPSLatitude>52,31N</exif:GPSLatitude>`);
      const left = await withoutLocation(photoshopFile([[1060, Buffer.from(text)]]));
      expect([before, left.includes('52,31N')]).toEqual([before, false]);
    }
  });

  it.each<[string, object, boolean]>([
    ['what is possible', { info: INFO, capturedAt: '2026-05-01T10:20:30' }, true],
    ['a time that does not exist', { capturedAt: '2026-13-40T99:99:99' }, false],
    ['a NUL', { info: { title: 'a\0b' } }, false],
    ['a control character', { info: { caption: 'a\x1b[2J' } }, false],
    ['half a character', { info: { camera: 'a\u{d800}' } }, false],
    ['too long a title', { info: { title: 'a'.repeat(257) } }, false],
    ['too many keywords', { info: { keywords: Array.from({ length: 101 }, String) } }, false],
    ['an ISO speed that is no number', { info: { exposure: { iso: Number.NaN } } }, false],
    ['an endless exposure', { info: { exposure: { time: Infinity } } }, false],
    ['six stars', { info: { rating: 6 } }, false],
  ])('are accepted from the process only in their form: %s', (_what, facts, isAccepted) => {
    expect(is(WORKER_MESSAGE, { type: 'facts', facts })).toBe(isAccepted);
  });
});

/** The same 32-bit numbers in the other byte order. */
function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes).swap32();
}
