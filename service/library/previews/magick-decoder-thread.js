/**
 * Decodes one picture with ImageMagick in a thread, which `decode-magick.ts` starts and ends. It sends the pixels, or nothing.
 * WebAssembly decodes without a pause, so it would otherwise stop the checks of `image-worker-process.ts`. This is JavaScript
 * because tsx does not compile the programs of threads.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import {
  ColorSpace,
  FilterType,
  initializeImageMagick,
  MagickImage,
  MagickReadSettings,
  ResourceLimits,
} from '@imagemagick/magick-wasm';

const { file, format, maxSide } = workerData;

/** The memory for pixels, in bytes: each takes four. */
const MAX_MEMORY_BYTES = 512n * 1024n * 1024n;

const wasm = createRequire(import.meta.url).resolve('@imagemagick/magick-wasm/magick.wasm');
await initializeImageMagick(await readFile(wasm));
ResourceLimits.memory = MAX_MEMORY_BYTES;
ResourceLimits.maxMemoryRequest = MAX_MEMORY_BYTES;
ResourceLimits.disk = 0n;

// The format is named: the library would otherwise try formats that are programs or pages.
const settings = new MagickReadSettings({ format, frameIndex: 0, frameCount: 1 });
const picture = MagickImage.create();
picture.read(await readFile(file), settings);
picture.autoOrient();
if (Math.max(picture.width, picture.height) > maxSide) {
  picture.filterType = FilterType.Triangle;
  picture.resize(maxSide, maxSide);
}
const profile =
  picture.colorSpace === ColorSpace.sRGB ? picture.getColorProfile()?.data : undefined;
picture.colorSpace = ColorSpace.sRGB;
const data = picture.write('RGBA', (pixels) => new Uint8ClampedArray(pixels));
const { width, height } = picture;
parentPort?.postMessage({ data, width, height, profile }, [data.buffer]);
