import { createRequire } from 'node:module';
import path from 'node:path';
import type * as Jsdom from 'jsdom';
// Without endings: Jest compiles what an environment imports, and does not map endings there.
import { openCopyInMemory, type MemoryDatabase } from './memory-databases';

/*
 * Every test file has modules and globals of its own, so whatever a module keeps is made anew in each. What is kept here is
 * made once in each process that runs tests, and the test environment (environment.ts) hands it to them. None of it can
 * be changed by a test, or a test could harm the next.
 */

export interface KeptByWorker {
  /** Opens a copy, in memory, of the embedded database that lies in `folder`, which nobody may change. */
  openCopyInMemory(folder: string): Promise<MemoryDatabase>;
  /** The library, whose windows are new ones in each test all the same. */
  jsdom(): typeof Jsdom;
}

declare global {
  // Handed over by the test environment; undefined elsewhere.
  var keptByWorker: KeptByWorker | undefined;
}

const require = createRequire(path.join(process.cwd(), 'package.json'));

export const keptByWorker: KeptByWorker = {
  openCopyInMemory,
  jsdom: () => require('jsdom') as typeof Jsdom,
};
