/**
 * Is it a photo? Judged by a file's first bytes and its name. The libraries for this either do not know cameras' raw
 * files (magic-bytes.js) or need streams and globals that the host lacks (file-type).
 * @packageDocumentation
 */

import type { ErrorCode } from '../../util/errors.js';

/** The first this many bytes are enough to recognise every kind. */
export const HEADER_BYTES = 64;

/** Kinds that can be recognised by a file's first bytes. Camera makers build most raw files on TIFF. */
type Kind =
  | 'jpeg'
  | 'png'
  | 'tiff'
  | 'webp'
  | 'gif'
  | 'bmp'
  | 'heif'
  | 'avif'
  | 'jxl'
  | 'photoshop'
  | 'cr3'
  | 'raf'
  | 'orf'
  | 'rw2'
  | 'crw'
  | 'mrw'
  | 'x3f';

/** The kinds that a file extension allows. */
const KINDS_BY_EXTENSION: Readonly<Record<string, readonly Kind[]>> = {
  jpg: ['jpeg'],
  jpeg: ['jpeg'],
  jpe: ['jpeg'],
  png: ['png'],
  tif: ['tiff'],
  tiff: ['tiff'],
  webp: ['webp'],
  gif: ['gif'],
  bmp: ['bmp'],
  heic: ['heif'],
  // HEIF is the container of both.
  heif: ['heif', 'avif'],
  hif: ['heif'],
  avif: ['avif'],
  jxl: ['jxl'],
  psd: ['photoshop'],
  psb: ['photoshop'],
  dng: ['tiff'],
  cr2: ['tiff'],
  cr3: ['cr3'],
  nef: ['tiff'],
  arw: ['tiff'],
  raf: ['raf'],
  // The first cameras of these makers wrote plain TIFF.
  orf: ['orf', 'tiff'],
  rw2: ['rw2', 'tiff'],
  rwl: ['rw2', 'tiff'],
  crw: ['crw'],
  mrw: ['mrw'],
  x3f: ['x3f'],
  nrw: ['tiff'],
  pef: ['tiff'],
  srw: ['tiff'],
  iiq: ['tiff'],
  '3fr': ['tiff'],
};

/** The first bytes of each kind, as Latin-1 characters; `?` matches any byte. The first match counts. */
const SIGNATURES: readonly (readonly [Kind, string])[] = [
  ['jpeg', '\xff\xd8\xff'], // ITU-T T.81, B.1.1.3
  ['png', '\x89PNG\r\n\x1a\n'],
  ['tiff', 'II*\0'], // TIFF 6.0; also DNG, CR2, NEF and ARW
  ['tiff', 'MM\0*'],
  ['tiff', 'II+\0'], // BigTIFF
  ['tiff', 'MM\0+'],
  ['webp', 'RIFF????WEBP'],
  ['gif', 'GIF8'],
  ['bmp', 'BM?????????????\0\0\0'], // the length of the second header is below 256
  ['jxl', '\xff\x0a'],
  ['jxl', '\0\0\0\x0cJXL \r\n\x87\n'],
  ['photoshop', '8BPS\0\x01'],
  ['photoshop', '8BPS\0\x02'], // PSB
  ['raf', 'FUJIFILMCCD-RAW'],
  ['orf', 'IIRO'],
  ['orf', 'IIRS'],
  ['orf', 'MMOR'],
  ['rw2', 'IIU\0'],
  ['crw', 'II\x1a\0??HEAPCCDR'],
  ['mrw', '\0MRM'],
  ['x3f', 'FOVb'],
];

/** Brands of ISO base media files (ISO/IEC 14496-12, `ftyp`) that are pictures. The first match counts. */
const BRANDS: readonly (readonly [Kind, string])[] = [
  ['cr3', 'crx '],
  ['avif', 'avif'],
  ['avif', 'avis'],
  ...['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'msf1', 'mif2'].map(
    (brand) => ['heif', brand] as const,
  ),
];

/**
 * Why a file needs confirmation: CW-609 when it is no picture, CW-610 when its extension is wrong for its kind; null
 * when it can be sent.
 * @param start  its first {@link HEADER_BYTES} bytes, or all of a shorter file
 */
export function detectProblem(name: string, start: Uint8Array): ErrorCode | null {
  const kind = kindOf(start);
  if (kind === null) {
    return 'CW-609';
  }
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const expected = Object.entries(KINDS_BY_EXTENSION).find(([known]) => known === ending)?.[1];
  return expected && !expected.includes(kind) ? 'CW-610' : null;
}

/** The file extension for a file's type; null when it is no picture. @param start  as for {@link detectProblem} */
export function extensionOf(start: Uint8Array): string | null {
  const kind = kindOf(start);
  const known = Object.entries(KINDS_BY_EXTENSION).find(
    ([, kinds]) => kind && kinds.includes(kind),
  );
  return known?.[0] ?? null;
}

function kindOf(start: Uint8Array): Kind | null {
  const text = String.fromCharCode(...start.subarray(0, HEADER_BYTES));
  const found = SIGNATURES.find(([, signature]) => startsWith(text, signature));
  if (found) {
    return found[0];
  }
  if (text.slice(4, 8) !== 'ftyp') {
    return null;
  }
  // The `ftyp` box: four bytes each of length, name, main brand and version (no brand), then further brands.
  const end = text.charCodeAt(2) * 256 + text.charCodeAt(3);
  const brands: string[] = [];
  for (let at = 8; at + 4 <= Math.min(end, text.length); at += 4) {
    if (at !== 12) {
      brands.push(text.slice(at, at + 4));
    }
  }
  return BRANDS.find(([, brand]) => brands.includes(brand))?.[0] ?? null;
}

function startsWith(text: string, signature: string): boolean {
  return (
    text.length >= signature.length &&
    Array.from(signature).every((sign, index) => sign === '?' || text[index] === sign)
  );
}
