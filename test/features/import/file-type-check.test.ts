import { describe, expect, it } from '@jest/globals';
import { PHOTO_EXTENSIONS } from '../../../src/host/media-type.js';
import { detectProblem, HEADER_BYTES } from '../../../src/features/import/file-type-check.js';
import { bytes, FILES, isoMedia } from '../../support/file-starts.js';
import fc from '../../support/properties.js';

const NO_PICTURES: readonly (readonly [string, Uint8Array])[] = [
  ['a text', bytes('Dear Anna, here are the photos of your wedding.')],
  ['a text that begins like a bitmap', bytes('BM is short for bitmap, in this text.')],
  ['a text that names a kind', bytes('JFIF PNG TIFF WEBP ftypheic')],
  ['a PDF', bytes('%PDF-1.7\n%\xe2\xe3\xcf\xd3')],
  ['an archive', bytes('PK\x03\x04\x14\0')],
  ['a film', isoMedia('isom', 'isom', 'iso2', 'avc1', 'mp41')],
  ['a film of a phone', isoMedia('qt  ', 'qt  ')],
  ['a sound', bytes('RIFF\x24\x10\0\0WAVEfmt ')],
  ['a page', bytes('<!doctype html><html>')],
  ['a drawing', bytes('<svg xmlns="http://www.w3.org/2000/svg">')],
  ['a broken file', bytes('')],
  ['one byte', new Uint8Array([0xff])],
  ['nothing', new Uint8Array(0)],
  ['brands beyond the box', bytes('\0\0\0\x10ftypisom\0\0\0\0heic')],
];

describe('file type detection', () => {
  it.each(FILES)('detects %s', (_, start, endings) => {
    for (const ending of PHOTO_EXTENSIONS)
      expect([ending, detectProblem(`IMG_0001.${ending}`, start) ?? 'fits']).toEqual([
        ending,
        endings.includes(ending) || sameFamily(ending, endings) ? 'fits' : 'CW-610',
      ]);
  });

  it.each(NO_PICTURES)('detects that %s is no picture, whatever its name', (_, start) => {
    for (const name of ['IMG_0001.jpg', 'notes.txt', 'scan.tif', 'IMG_0001'])
      expect(detectProblem(name, start)).toBe('CW-609');
  });

  it('recognizes the type of every selectable file extension', () => {
    for (const ending of PHOTO_EXTENSIONS)
      expect([ending, FILES.some(([, , endings]) => endings.includes(ending))]).toEqual([
        ending,
        true,
      ]);
  });

  it('uses the extension in any case, and only the bytes where there is none', () => {
    const jpeg = bytes('\xff\xd8\xff\xe0');
    for (const name of [
      'A.JPG',
      'a.b.Jpeg',
      'IMG_0001',
      '.jpg',
      'photo.constructor',
      'photo.xyz',
      'photo.',
    ])
      expect([name, detectProblem(name, jpeg)]).toEqual([name, null]);
    expect(detectProblem('a.jpg.PNG', jpeg)).toBe('CW-610');
  });

  it('returns a result for any bytes and any name', () => {
    fc.assert(
      fc.property(fc.string(), fc.uint8Array({ maxLength: 2 * HEADER_BYTES }), (name, start) => {
        expect([null, 'CW-609', 'CW-610']).toContain(detectProblem(name, start));
      }),
    );
  });
});

/** Raw files that are TIFF have the same beginnings. */
function sameFamily(ending: string, endings: readonly string[]): boolean {
  const tiff = [
    'tif',
    'tiff',
    'dng',
    'cr2',
    'nef',
    'arw',
    'orf',
    'rw2',
    'rwl',
    'nrw',
    'pef',
    'srw',
    'iiq',
    '3fr',
  ];
  return tiff.includes(ending) && endings.some((one) => ['tif', 'cr2'].includes(one));
}
