import { buffer } from 'node:stream/consumers';
import { HEAD_BYTES } from '../uploads/digests.js';
import type { UploadStorage } from '../uploads/upload-storage.js';

/** The media type of every file of an unknown kind. */
export const UNKNOWN_TYPE = 'application/octet-stream';

/** What files begin with; `.` stands for any byte. */
const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [/^\xff\xd8\xff/s, 'image/jpeg'],
  [/^\x89PNG\r\n.\n/s, 'image/png'],
  [/^GIF8[79]a/s, 'image/gif'],
  [/^RIFF....WEBP/s, 'image/webp'],
  [/^8BPS\0./s, 'image/vnd.adobe.photoshop'],
  [/^(?:II\*\0|MM\0\*)/s, 'image/tiff'],
  [/^....ftyp(?:avif|avis)/s, 'image/avif'],
  [/^....ftyp(?:hei[cmsx]|hev[cmsx]|mif1|msf1)/s, 'image/heic'],
  [/^%PDF-/s, 'application/pdf'],
];

/**
 * The media type of a file, told by its first {@link HEAD_BYTES}. Neither its name nor the type that its sender gave
 * counts.
 * @returns undefined for everything but pictures and PDF.
 */
export function mediaTypeIn(head: Uint8Array): string | undefined {
  const text = Buffer.from(head).toString('latin1');
  return SIGNATURES.find(([pattern]) => pattern.test(text))?.[1];
}

/** The media type of a stored file; see {@link mediaTypeIn}. */
export async function mediaTypeOf(
  store: Pick<UploadStorage, 'readRange'>,
  { id, size }: { readonly id: string; readonly size: number },
): Promise<string | undefined> {
  if (size === 0) {
    return undefined;
  }
  const end = Math.min(size, HEAD_BYTES) - 1;
  return mediaTypeIn(await buffer(await store.readRange(id, { start: 0, end })));
}
