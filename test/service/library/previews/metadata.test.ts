import { describe, expect, it } from '@jest/globals';
import { is } from 'valibot';
import { WORKER_MESSAGE } from '../../../../service/library/previews/image-info.js';
import {
  ByteReader,
  findLocation,
  metadataIn,
  type LocationSearch,
} from '../../../../packages/image-metadata/index.js';
import { applyPatches } from '../../../../packages/image-metadata/patches.js';
import {
  PICTURE_INFO,
  type PictureInfo,
} from '../../../../service/library/previews/picture-info.js';
import { readPictureInfo } from '../../../../service/library/previews/read-picture-info.js';
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

const readerOf = (file: Buffer): ByteReader => ByteReader.overBytes(file);
const searched = async (
  file: Buffer,
): Promise<Extract<LocationSearch, { readonly kind: 'searched' }>> => {
  const read = (start: number, end: number): Promise<Buffer> =>
    Promise.resolve(file.subarray(start, end));
  const found = await findLocation({ size: file.length, read });
  if (found.kind === 'unsearchable') throw new Error(found.reason);
  return found;
};
const infoOf = async (file: Buffer, hasLocation = false): Promise<PictureInfo | undefined> =>
  readPictureInfo(await metadataIn(readerOf(file)), hasLocation);

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
    const found = await infoOf(file, (await searched(file)).hasLocation);
    expect(found).toEqual(INFO);
    expect(is(PICTURE_INFO, found)).toBe(true);
  });

  it.each(FORMATS)('stay without the location in %s', async (_what, file) => {
    const left = Buffer.from(applyPatches(file, 0, (await searched(file)).patches));
    const { hasLocation, ...others } = INFO;
    expect([hasLocation, await infoOf(left)]).toEqual([true, others]);
    for (const place of PLACES) expect(left.includes(place)).toBe(false);
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
      'a document type, whose entities multiply',
      inJpeg(
        Buffer.alloc(0),
        Buffer.from(
          `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${xmp('', '<dc:title>Now</dc:title><dc:rights>&b;</dc:rights>')}`,
        ),
      ),
      undefined,
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
