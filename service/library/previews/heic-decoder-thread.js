/**
 * Decodes one HEIC in a thread, which `decode-heic.ts` starts and ends. It sends the pixels, or nothing. WebAssembly
 * decodes without a pause, so it would otherwise stop the checks of `image-worker-process.ts`. This is JavaScript because
 * tsx does not compile the programs of threads.
 */
import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import libheif from 'libheif-js/wasm-bundle.js';

const { file, maxPixels } = workerData;
const pictures = new libheif.HeifDecoder().decode(await readFile(file));
const picture = pictures.find((one) => one.is_primary());
const [width = 0, height = 0] = [picture?.get_width(), picture?.get_height()];
if (width > 0 && height > 0 && width * height <= maxPixels) {
  const data = new Uint8ClampedArray(width * height * 4);
  picture.display({ data, width, height }, (shown) => {
    if (shown !== null) {
      parentPort?.postMessage({ data, width, height }, [data.buffer]);
    }
  });
}
