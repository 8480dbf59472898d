import { Worker } from 'node:worker_threads';
import type { ByteReader, Size } from '../../../packages/image-metadata/index.js';

/** A picture to decode. */
export interface MagickJob {
  /** The path of the file. */
  readonly file: string;
  readonly format: MagickFormat;
  /** The longest side that it has afterwards, in pixels. */
  readonly maxSide: number;
}

/** A format that only ImageMagick decodes, by its name there. */
export type MagickFormat = 'JXL' | 'JP2' | 'J2K' | 'BMP' | 'EXR' | 'HDR' | 'CRW' | 'MRW';

/** A decoded picture as it is shown, in RGBA. */
export interface MagickPixels extends Size {
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  /** The ICC profile of its colours; undefined for sRGB. */
  readonly profile: Uint8Array | undefined;
}

/** The first bytes of files. `.` matches any byte. */
const SIGNATURES: readonly (readonly [RegExp, MagickFormat])[] = [
  [/^(?:\xff\n|\0\0\0\fJXL \r\n\x87\n)/, 'JXL'],
  [/^\0\0\0\fjP {2}\r\n\x87\n/, 'JP2'],
  [/^\xff\x4f\xff\x51/, 'J2K'],
  [/^BM/, 'BMP'],
  [/^v\/1./s, 'EXR'],
  [/^#\?R(?:ADIANCE|GBE)\n/, 'HDR'],
  [/^II.{4}HEAPCCDR/s, 'CRW'],
  [/^\0MRM/, 'MRW'],
];

const PROGRAM = new URL('./magick-decoder-thread.js', import.meta.url);

/** The format of a file; undefined when it is none of these. */
export async function magickFormatOf(reader: ByteReader): Promise<MagickFormat | undefined> {
  const head = await reader.head(16);
  return SIGNATURES.find(([pattern]) => pattern.test(head))?.[1];
}

/** Decodes a picture and makes it smaller; undefined when it cannot be decoded, or without the optional library. */
export function decodeMagick(job: MagickJob): Promise<MagickPixels | undefined> {
  return new Promise((resolve) => {
    const thread = new Worker(PROGRAM, { workerData: job });
    const end = (pixels?: MagickPixels): void => {
      resolve(pixels);
      void thread.terminate();
    };
    thread.once('message', (pixels: MagickPixels) => {
      end(pixels);
    });
    thread.once('error', () => {
      end();
    });
    thread.once('exit', () => {
      end();
    });
  });
}
