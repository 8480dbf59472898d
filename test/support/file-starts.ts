import { HEADER_BYTES } from '../../src/features/import/file-type-check.js';

export function bytes(latin1: string): Uint8Array {
  return new Uint8Array(Buffer.from(latin1.padEnd(HEADER_BYTES, '\0'), 'latin1'));
}

/** An ISO base media file: the box's length, `ftyp`, the main brand, a version, further brands. */
export function isoMedia(...brands: string[]): Uint8Array {
  const [main = '', ...others] = brands;
  const length = String.fromCharCode(16 + 4 * others.length);
  return bytes(`\0\0\0${length}ftyp${main}\0\0\0\0${others.join('')}`);
}

const bmpHeader = `BM\x36\x10\x0e\0\0\0\0\0\x36\0\0\0\x28\0\0\0`;

/**
 * Beginnings of files as cameras, phones and programs write them, the endings that such files have, and the media type
 * that the service finds in them.
 */
export const FILES: readonly (readonly [string, Uint8Array, readonly string[], string])[] = [
  [
    'a JPEG of a camera',
    bytes('\xff\xd8\xff\xe1\x45\xfeExif\0\0'),
    ['jpg', 'jpeg', 'jpe'],
    'image/jpeg',
  ],
  [
    'a JPEG of a program',
    bytes('\xff\xd8\xff\xe0\0\x10JFIF\0'),
    ['jpg', 'jpeg', 'jpe'],
    'image/jpeg',
  ],
  ['a bare JPEG', bytes('\xff\xd8\xff\xdb'), ['jpg', 'jpeg', 'jpe'], 'image/jpeg'],
  ['a PNG', bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), ['png'], 'image/png'],
  ['a GIF', bytes('GIF89a'), ['gif'], 'image/gif'],
  ['an old GIF', bytes('GIF87a'), ['gif'], 'image/gif'],
  ['a WebP', bytes('RIFF\x24\x10\0\0WEBPVP8 '), ['webp'], 'image/webp'],
  ['a BMP', bytes(bmpHeader), ['bmp'], 'image/bmp'],
  ['a JPEG XL codestream', bytes('\xff\x0a\xfa\x7f'), ['jxl'], 'image/jxl'],
  ['a JPEG XL file', bytes('\0\0\0\x0cJXL \r\n\x87\n\0\0\0\x14ftypjxl '), ['jxl'], 'image/jxl'],
  [
    'a TIFF',
    bytes('II*\0\x08\0\0\0'),
    ['tif', 'tiff', 'dng', 'nef', 'arw', 'orf', 'rw2', 'cr2', 'nrw', 'pef', 'srw', '3fr', 'rwl'],
    'image/tiff',
  ],
  ['a TIFF of Nikon', bytes('MM\0*\0\0\0\x08'), ['nef', 'tif', 'tiff', 'dng'], 'image/tiff'],
  ['a BigTIFF', bytes('II+\0\x08\0\0\0'), ['tif', 'tiff', 'dng'], 'image/tiff'],
  [
    'a BigTIFF, the other way round',
    bytes('MM\0+\0\x08\0\0'),
    ['tif', 'tiff', 'dng'],
    'image/tiff',
  ],
  ['a CR2', bytes('II*\0\x10\0\0\0CR\x02\0'), ['cr2'], 'image/x-canon-cr2'],
  ['a CR3', isoMedia('crx ', 'crx ', 'isom'), ['cr3'], 'image/x-canon-cr3'],
  ['a HEIC of a phone', isoMedia('heic', 'mif1', 'heic'), ['heic', 'heif', 'hif'], 'image/heic'],
  ['a HEIC of a camera', isoMedia('heix', 'mif1', 'heix'), ['heic', 'heif', 'hif'], 'image/heic'],
  [
    'a HEIC that calls itself a HEIF',
    isoMedia('mif1', 'mif1', 'heic'),
    ['heic', 'heif', 'hif'],
    'image/heic',
  ],
  ['a burst of HEICs', isoMedia('msf1', 'hevc'), ['heic', 'heif', 'hif'], 'image/heic'],
  ['an AVIF', isoMedia('avif', 'mif1', 'miaf'), ['avif', 'heif'], 'image/avif'],
  ['a sequence of AVIFs', isoMedia('avis', 'msf1', 'miaf'), ['avif', 'heif'], 'image/avif'],
  ['an AVIF that calls itself a HEIF', isoMedia('mif1', 'avif'), ['avif', 'heif'], 'image/avif'],
  ['a PSD', bytes('8BPS\0\x01\0\0'), ['psd', 'psb'], 'image/vnd.adobe.photoshop'],
  ['a PSB', bytes('8BPS\0\x02\0\0'), ['psb', 'psd'], 'image/vnd.adobe.photoshop'],
  ['a RAF', bytes('FUJIFILMCCD-RAW 0201FF383501'), ['raf'], 'image/x-fuji-raf'],
  ['an ORF', bytes('IIRO\x08\0\0\0'), ['orf'], 'image/x-olympus-orf'],
  ['an ORF of an older camera', bytes('IIRS\x08\0\0\0'), ['orf'], 'image/x-olympus-orf'],
  ['an ORF, the other way round', bytes('MMOR\0\0\0\x08'), ['orf'], 'image/x-olympus-orf'],
  ['an RW2', bytes('IIU\0\x18\0\0\0'), ['rw2', 'rwl'], 'image/x-panasonic-rw2'],
  [
    'an IIQ',
    bytes('II*\0\x08\0\0\0IIII'),
    [
      'iiq',
      'cr2',
      'tif',
      'tiff',
      'dng',
      'nef',
      'arw',
      'nrw',
      'pef',
      'srw',
      '3fr',
      'orf',
      'rw2',
      'rwl',
    ],
    'image/x-phaseone-iiq',
  ],
  ['a HIF of a camera', isoMedia('heix', 'mif1'), ['hif', 'heic', 'heif'], 'image/heic'],
  ['a CRW', bytes('II\x1a\0\0\0HEAPCCDR'), ['crw'], 'image/x-canon-crw'],
  ['an MRW', bytes('\0MRM\0\x01'), ['mrw'], 'image/x-minolta-mrw'],
  ['an X3F', bytes('FOVb\0\0\x02\0'), ['x3f'], 'image/x-sigma-x3f'],
];
