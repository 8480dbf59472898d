import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ServiceStartError, systemErrorCode } from '../kernel/errors.js';
import { flushFolder } from '../kernel/fsync.js';

/**
 * Makes the data folder if it is missing, and tries whether files can be written in it.
 * @throws {ServiceStartError} `data_dir_not_writable`.
 */
export async function prepareDataDir(dataDir: string): Promise<void> {
  try {
    const made = await mkdir(dataDir, { recursive: true });
    const probe = path.join(dataDir, `.write-test-${process.pid}`);
    await writeFile(probe, '');
    await rm(probe, { force: true });
    // Flushes the folder above each folder that was made, so that the new names survive a loss of power.
    const last = path.dirname(path.resolve(made ?? dataDir));
    for (let folder = path.resolve(dataDir); folder !== last;) {
      folder = path.dirname(folder);
      await flushFolder(folder);
    }
  } catch (cause) {
    throw new ServiceStartError(
      'data_dir_not_writable',
      `Cannot write to the data folder ${dataDir} (${systemErrorCode(cause) || 'unknown reason'}); choose another folder.`,
      { cause },
    );
  }
}
