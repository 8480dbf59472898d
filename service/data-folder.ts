import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ServiceStartError, systemErrorCode } from './errors.js';
import { flushFolder } from './flush.js';

/**
 * Makes the data folder where it is missing, and tries whether it can be written to.
 * @throws {ServiceStartError} `data_dir_not_writable`.
 */
export async function prepareDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true });
    const probe = path.join(dataDir, `.write-test-${process.pid}`);
    await writeFile(probe, '');
    await rm(probe, { force: true });
    await flushFolder(path.dirname(path.resolve(dataDir)));
  } catch (cause) {
    throw new ServiceStartError(
      'data_dir_not_writable',
      `Cannot write to the data folder ${dataDir} (${systemErrorCode(cause) || 'unknown reason'}); choose another folder.`,
      { cause },
    );
  }
}
