import exifReader from 'exif-reader';

/** A camera whose clock was never set gives a year before photography, or none. */
const EARLIEST_YEAR = 1900;

/**
 * When a picture was taken, from `DateTimeOriginal` and `OffsetTimeOriginal` of its
 * [EXIF](https://www.cipa.jp/std/documents/download_e.html?DC-008-Translation-2023-E) data. Most cameras do not know
 * their time zone: then it is the local time of the place where the picture was taken. For the form see `look.ts`.
 * @param exif a TIFF file, or one after `Exif\0\0`. A hostile one may take long: call this in a process that can be
 *   killed.
 * @returns undefined when the data do not tell.
 */
export function capturedIn(exif: Buffer): string | undefined {
  const { DateTimeOriginal: time, OffsetTimeOriginal: offset } = photoTagsOf(exif);
  // exif-reader treats the time as UTC, so the UTC fields hold the digits of the camera's clock.
  if (!(time instanceof Date) || Number.isNaN(time.getTime())) {
    return undefined;
  }
  if (time.getUTCFullYear() < EARLIEST_YEAR) {
    return undefined;
  }
  const zone = typeof offset === 'string' && /^[+-]\d\d:\d\d$/.test(offset) ? offset : '';
  return `${time.toISOString().slice(0, 19)}${zone}`;
}

function photoTagsOf(exif: Buffer): Readonly<Record<string, unknown>> {
  try {
    return exifReader(exif).Photo ?? {};
  } catch {
    return {};
  }
}
