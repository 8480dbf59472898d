/**
 * A program in place of the image worker process, with its watchdog. Its job runs without a pause: it loops, or takes more and
 * more memory.
 * @packageDocumentation
 */
import { Watchdog } from '../../../../service/library/previews/watchdog.js';

const [processorMs = 0, memoryBytes = 0] = process.argv.slice(2).map(Number);
const kept: Buffer[] = [];

function run(name: string): void {
  while (name === 'loop') {
    // Nothing ends it but the watchdog.
  }
  while (name === 'grow') {
    kept.push(Buffer.alloc(1024 * 1024, 1));
  }
}

const watchdog = await Watchdog.start({ processorMs, memoryBytes });
process.on('message', ({ file }: { readonly file: string }) => {
  watchdog.begin();
  run(file);
  watchdog.end();
  process.send?.({ type: 'result' });
});
process.on('disconnect', () => process.exit());
process.send?.({ type: 'ready', makesPictures: true });
