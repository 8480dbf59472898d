import { describe, expect, it } from '@jest/globals';
import { PHOTO_ENDINGS } from '../../src/host/media-type.js';
import { doubtAbout, START_BYTES } from '../../src/uploads/photo-kind.js';
import fc from '../support/properties.js';

function bytes(latin1: string): Uint8Array {
  return new Uint8Array(Buffer.from(latin1.padEnd(START_BYTES, '\0'), 'latin1'));
}

/** An ISO base media file: the box's length, `ftyp`, the main brand, a version, further brands. */
function isoMedia(...brands: string[]): Uint8Array {
  const [main = '', ...others] = brands;
  const length = String.fromCharCode(16 + 4 * others.length);
  return bytes(`\0\0\0${length}ftyp${main}\0\0\0\0${others.join('')}`);
}

const bmpHeader = `BM\x36\x10\x0e\0\0\0\0\0\x36\0\0\0\x28\0\0\0`;

/** Beginnings of files as cameras, phones and programs write them, and the endings that such files have. */
const FILES: readonly (readonly [string, Uint8Array, readonly string[]])[] = [
  ['a JPEG of a camera', bytes('\xff\xd8\xff\xe1\x45\xfeExif\0\0'), ['jpg', 'jpeg', 'jpe']],
  ['a JPEG of a program', bytes('\xff\xd8\xff\xe0\0\x10JFIF\0'), ['jpg', 'jpeg', 'jpe']],
  ['a bare JPEG', bytes('\xff\xd8\xff\xdb'), ['jpg', 'jpeg', 'jpe']],
  ['a PNG', bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), ['png']],
  ['a GIF', bytes('GIF89a'), ['gif']],
  ['an old GIF', bytes('GIF87a'), ['gif']],
  ['a WebP', bytes('RIFF\x24\x10\0\0WEBPVP8 '), ['webp']],
  ['a BMP', bytes(bmpHeader), ['bmp']],
  ['a JPEG XL codestream', bytes('\xff\x0a\xfa\x7f'), ['jxl']],
  ['a JPEG XL file', bytes('\0\0\0\x0cJXL \r\n\x87\n\0\0\0\x14ftypjxl '), ['jxl']],
  ['a TIFF', bytes('II*\0\x08\0\0\0'), ['tif', 'tiff', 'dng', 'nef', 'arw', 'orf', 'rw2', 'cr2']],
  ['a TIFF of Nikon', bytes('MM\0*\0\0\0\x08'), ['nef', 'tif', 'tiff', 'dng']],
  ['a BigTIFF', bytes('II+\0\x08\0\0\0'), ['tif', 'tiff', 'dng']],
  ['a BigTIFF, the other way round', bytes('MM\0+\0\x08\0\0'), ['tif', 'tiff', 'dng']],
  ['a CR2', bytes('II*\0\x10\0\0\0CR\x02\0'), ['cr2']],
  ['a CR3', isoMedia('crx ', 'crx ', 'isom'), ['cr3']],
  ['a HEIC of a phone', isoMedia('heic', 'mif1', 'heic'), ['heic', 'heif']],
  ['a HEIC of a camera', isoMedia('heix', 'mif1', 'heix'), ['heic', 'heif']],
  ['a HEIC that calls itself a HEIF', isoMedia('mif1', 'mif1', 'heic'), ['heic', 'heif']],
  ['a burst of HEICs', isoMedia('msf1', 'hevc'), ['heic', 'heif']],
  ['an AVIF', isoMedia('avif', 'mif1', 'miaf'), ['avif', 'heif']],
  ['a sequence of AVIFs', isoMedia('avis', 'msf1', 'miaf'), ['avif', 'heif']],
  ['an AVIF that calls itself a HEIF', isoMedia('mif1', 'avif'), ['avif', 'heif']],
  ['a PSD', bytes('8BPS\0\x01\0\0'), ['psd', 'psb']],
  ['a PSB', bytes('8BPS\0\x02\0\0'), ['psb', 'psd']],
  ['a RAF', bytes('FUJIFILMCCD-RAW 0201FF383501'), ['raf']],
  ['an ORF', bytes('IIRO\x08\0\0\0'), ['orf']],
  ['an ORF of an older camera', bytes('IIRS\x08\0\0\0'), ['orf']],
  ['an ORF, the other way round', bytes('MMOR\0\0\0\x08'), ['orf']],
  ['an RW2', bytes('IIU\0\x18\0\0\0'), ['rw2']],
];

const NO_PICTURES: readonly (readonly [string, Uint8Array])[] = [
  ['a text', bytes('Dear Anna, here are the photos of your wedding.')],
  ['a text that begins like a bitmap', bytes('BM is short for bitmap, as everybody knows.')],
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

describe('What a file is', () => {
  it.each(FILES)('is told of %s', (_, start, endings) => {
    for (const ending of PHOTO_ENDINGS)
      expect([ending, doubtAbout(`IMG_0001.${ending}`, start) ?? 'fits']).toEqual([
        ending,
        endings.includes(ending) || sameFamily(ending, endings) ? 'fits' : 'CW-610',
      ]);
  });

  it.each(NO_PICTURES)('is told of %s: no picture, whatever its name', (_, start) => {
    for (const name of ['IMG_0001.jpg', 'notes.txt', 'scan.tif', 'IMG_0001'])
      expect(doubtAbout(name, start)).toBe('CW-609');
  });

  it('is known for every ending that people may pick', () => {
    for (const ending of PHOTO_ENDINGS)
      expect([ending, FILES.some(([, , endings]) => endings.includes(ending))]).toEqual([
        ending,
        true,
      ]);
  });

  it('goes by the ending in any case, and by the bytes alone where the name says nothing', () => {
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
      expect([name, doubtAbout(name, jpeg)]).toEqual([name, null]);
    expect(doubtAbout('a.jpg.PNG', jpeg)).toBe('CW-610');
  });

  it('is answered for any bytes and any name', () => {
    fc.assert(
      fc.property(fc.string(), fc.uint8Array({ maxLength: 2 * START_BYTES }), (name, start) => {
        expect([null, 'CW-609', 'CW-610']).toContain(doubtAbout(name, start));
      }),
    );
  });
});

/** Raw files that are TIFF cannot be told apart by their beginnings. */
function sameFamily(ending: string, endings: readonly string[]): boolean {
  const tiff = ['tif', 'tiff', 'dng', 'cr2', 'nef', 'arw', 'orf', 'rw2'];
  return tiff.includes(ending) && endings.some((one) => ['tif', 'cr2'].includes(one));
}
