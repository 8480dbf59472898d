import { buffer } from 'node:stream/consumers';
import { HEAD_BYTES, type UploadStorage } from '../uploads/index.js';

/** The media type of every file of an unknown kind. */
export const UNKNOWN_TYPE = 'application/octet-stream';

/** The first bytes of files; `.` matches any byte. The first match counts. Most raw files are TIFF. */
const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [/^\xff\xd8\xff/s, 'image/jpeg'],
  [/^\x89PNG\r\n.\n/s, 'image/png'],
  [/^GIF8[79]a/s, 'image/gif'],
  [/^RIFF....WEBP/s, 'image/webp'],
  [/^BM.{13}\0\0\0/s, 'image/bmp'],
  [/^8BPS\0./s, 'image/vnd.adobe.photoshop'],
  [/^II\*\0....CR/s, 'image/x-canon-cr2'],
  [/^II\*\0....IIII/s, 'image/x-phaseone-iiq'],
  [/^(?:II\*\0|MM\0\*|II\+\0|MM\0\+)/s, 'image/tiff'],
  [/^(?:\xff\n|\0\0\0.JXL \r\n\x87\n)/s, 'image/jxl'],
  [/^\0\0\0\fjP {2}\r\n\x87\n/s, 'image/jp2'],
  [/^\xff\x4f\xff\x51/s, 'image/j2c'],
  [/^v\/1./s, 'image/x-exr'],
  [/^#\?R(?:ADIANCE|GBE)\n/s, 'image/vnd.radiance'],
  [/^FUJIFILMCCD-RAW/s, 'image/x-fuji-raf'],
  [/^(?:IIR[OS]|MMOR)/s, 'image/x-olympus-orf'],
  [/^IIU\0/s, 'image/x-panasonic-rw2'],
  [/^II.\0..HEAPCCDR/s, 'image/x-canon-crw'],
  [/^\0MRM/s, 'image/x-minolta-mrw'],
  [/^FOVb/s, 'image/x-sigma-x3f'],
  [/^%PDF-/s, 'application/pdf'],
  [/^.E\xdf\xa3.{0,40}\x42\x82.{1,8}webm/s, 'video/webm'],
  [/^.E\xdf\xa3/s, 'video/x-matroska'],
  // QuickTime files without a list of brands.
  [/^.{4}(?:moov|mdat|wide|skip|free|pnot)/s, 'video/quicktime'],
];

/** Brands of ISO base media files (ISO/IEC 14496-12, `ftyp`). The first match counts. */
const BRANDS: readonly (readonly [RegExp, string])[] = [
  [/^crx /, 'image/x-canon-cr3'],
  [/^(?:avif|avis)/, 'image/avif'],
  [/^(?:hei[cmsx]|hev[cmsx]|mif[12]|msf1)/, 'image/heic'],
  [/^M4[AB] /, 'audio/mp4'],
  [/^qt {2}/, 'video/quicktime'],
  [/^M4V[HP ]/, 'video/x-m4v'],
  [/^(?:iso[2-9m]|mp4[1-9]|avc1|av01|dash|MSNV|mp71|3g)/, 'video/mp4'],
];

/**
 * The media type of a file, by its first {@link HEAD_BYTES}. Neither its name nor the type that its sender gave counts.
 * @returns undefined for everything but pictures, PDF, video and sound.
 */
export function mediaTypeIn(head: Uint8Array): string | undefined {
  const text = Buffer.from(head).toString('latin1');
  const brands = brandsIn(text);
  return (SIGNATURES.find(([pattern]) => pattern.test(text)) ??
    BRANDS.find(([pattern]) => brands.some((brand) => pattern.test(brand))))?.[1];
}

/** The main brand and the further brands of an `ftyp` box: the version between them is none. */
function brandsIn(text: string): string[] {
  if (text.slice(4, 8) !== 'ftyp') {
    return [];
  }
  const end = Math.min(Buffer.from(text.slice(0, 4), 'latin1').readUInt32BE(0), text.length);
  const places = Array.from({ length: Math.floor(Math.max(0, end - 8) / 4) }, (_, n) => 8 + 4 * n);
  return places.filter((at) => at !== 12).map((at) => text.slice(at, at + 4));
}

/** A stored file, with its size in bytes. */
interface StoredFile {
  readonly id: string;
  readonly size: number;
}

/** The media type of a stored file; see {@link mediaTypeIn}. */
export async function mediaTypeOf(
  store: Pick<UploadStorage, 'readRange'>,
  file: StoredFile,
): Promise<string | undefined> {
  return mediaTypeIn(await headOf(store, file));
}

/** The first {@link HEAD_BYTES} of a stored file. */
export async function headOf(
  store: Pick<UploadStorage, 'readRange'>,
  { id, size }: StoredFile,
): Promise<Uint8Array> {
  if (size === 0) {
    return new Uint8Array();
  }
  const end = Math.min(size, HEAD_BYTES) - 1;
  return buffer(await store.readRange(id, { start: 0, end }));
}
