import type { FileSlices } from './file-slices.js';

/** The parts of a WebP that are read ([RFC 9649 §2.7](https://www.rfc-editor.org/rfc/rfc9649#section-2.7)). */
export interface WebpParts {
  readonly xmp: FileSlices | null;
  /** EXIF data, a TIFF file. */
  readonly exif: FileSlices | null;
}

const MOST_CHUNKS = 32;
const FILE_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
/** Some programs keep the beginning that EXIF data have in a JPEG. */
const JPEG_EXIF = 'Exif\0\0';

/** The first chunk of each kind; both come after the picture. */
export async function readWebp(file: FileSlices): Promise<WebpParts> {
  let xmp: FileSlices | null = null;
  let exif: FileSlices | null = null;
  let at = FILE_HEADER_BYTES;
  for (let count = 0; count < MOST_CHUNKS && !(xmp && exif); count += 1) {
    const type = await file.text(at, 4);
    const length = (await file.view(at + 4, 4))?.getUint32(0, true);
    const content = length === undefined ? null : file.part(at + CHUNK_HEADER_BYTES, length);
    if (!content) {
      break;
    }
    if (type === 'XMP ') {
      xmp ??= content;
    } else if (type === 'EXIF') {
      const isPrefixed = (await content.text(0, JPEG_EXIF.length)) === JPEG_EXIF;
      exif ??= isPrefixed ? content.part(JPEG_EXIF.length) : content;
    }
    at += CHUNK_HEADER_BYTES + content.size + (content.size % 2);
  }
  return { xmp, exif };
}
