import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Jsdom from 'jsdom';
// Without endings: Jest compiles what an environment imports, and does not map endings there.
import { keptModules } from './kept-modules';
import { openCopyInMemory, type MemoryDatabase } from './memory-databases';

/*
 * Every test file loads its own modules and globals, so module state is created again in each. The state kept here is
 * made once in each process that runs tests, and the test environment (environment.ts) hands it to them. None of it can
 * be changed by a test, or a test could harm the next.
 */

export interface KeptByWorker {
  /**
   * A module of the service, or of one of its libraries, as the process loaded it. It has the globals of the process: the
   * fake timers and module mocks of a test do not affect it.
   * @param file the path of its source
   */
  import(file: string): Promise<unknown>;
  /** The same of a library that is no ES module. */
  require(file: string): unknown;
  /** Opens a copy, in memory, of the embedded database in `folder`, which must not change. */
  openCopyInMemory(folder: string): Promise<MemoryDatabase>;
  /** The library; its windows are still new in each test. */
  jsdom(): typeof Jsdom;
}

declare global {
  // Handed over by the test environment; undefined elsewhere.
  var keptByWorker: KeptByWorker | undefined;
}

const ROOT = process.cwd();
const require = createRequire(path.join(ROOT, 'package.json'));

export const keptByWorker: KeptByWorker = {
  import: (file) => {
    const within = path.relative(ROOT, file);
    const compiled = within.startsWith('service')
      ? path.join(keptModules(ROOT), within.replace(/\.ts$/, '.js'))
      : file;
    return import(pathToFileURL(compiled).href) as Promise<unknown>;
  },
  require: (file) => require(file) as unknown,
  openCopyInMemory,
  jsdom: () => require('jsdom') as typeof Jsdom,
};
