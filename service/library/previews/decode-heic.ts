import { Worker } from 'node:worker_threads';

/** What the thread is to decode. */
export interface HeicJob {
  /** The path of a HEIC. */
  readonly file: string;
  /** Larger pictures are not decoded. */
  readonly maxPixels: number;
}

/** A decoded picture as it is shown, in RGBA. */
export interface HeicPixels {
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

const PROGRAM = new URL('./heic-decoder-thread.js', import.meta.url);

/** Decodes the main picture of a HEIC; undefined when it cannot be decoded, or without the optional decoder. */
export function decodeHeic(job: HeicJob): Promise<HeicPixels | undefined> {
  return new Promise((resolve) => {
    const thread = new Worker(PROGRAM, { workerData: job });
    const end = (pixels?: HeicPixels): void => {
      resolve(pixels);
      void thread.terminate();
    };
    thread.once('message', (pixels: HeicPixels) => {
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
