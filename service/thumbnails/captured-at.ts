import exifReader from 'exif-reader';

/** Cameras whose clock was never set tell years before photography, or none. */
const EARLIEST_YEAR = 1900;

/**
 * When a picture was taken, by `DateTimeOriginal` and `OffsetTimeOriginal` of its
 * [EXIF](https://www.cipa.jp/std/documents/download_e.html?DC-008-Translation-2023-E) data. Most cameras know no zone:
 * then it is the time on the clock of the place where it was taken. The form: see `look.ts`.
 * @param exif a TIFF file, or one after `Exif\0\0`. A hostile one may take long: do this where it can be killed.
 */
export function capturedIn(exif: Buffer): string | undefined {
  const { DateTimeOriginal: time, OffsetTimeOriginal: offset } = photoTagsOf(exif);
  // The reader makes a date of the digits as if they were in UTC.
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
