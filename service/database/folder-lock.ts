import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import extensions from 'fs-native-extensions';
import { ServiceStartError, systemErrorCode } from '../errors.js';

/**
 * Makes sure that no second service opens the same embedded database, which would destroy it.
 *
 * The operating system holds the lock and gives it back when its holder ends, however that happens.
 * Nothing is read from the file: a process id in it would say nothing about a process in another
 * container, nor about one that was given the same number later. It is never deleted, because whoever
 * had it open would then hold the lock of a file that nobody else finds. Its content is for people.
 * @param file path of the lock file; made when missing.
 * @returns a function that gives the lock back.
 * @throws {ServiceStartError} `data_dir_in_use` while another service holds it, `data_dir_not_lockable`
 * when the file system has no locks.
 */
export function lockFolder(file: string, folder: string): () => void {
  // A bare number: Node closes file handle objects that nobody refers to any more.
  const descriptor = openSync(file, 'a+', 0o600);
  try {
    if (!tryLock(descriptor, folder)) {
      throw new ServiceStartError(
        'data_dir_in_use',
        `The data folder ${folder} is in use by another service; stop that one or choose another folder.`,
      );
    }
    ftruncateSync(descriptor);
    writeSync(descriptor, `${process.pid}\n`);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return () => {
    closeSync(descriptor);
  };
}

function tryLock(descriptor: number, folder: string): boolean {
  try {
    return extensions.tryLock(descriptor);
  } catch (cause) {
    throw new ServiceStartError(
      'data_dir_not_lockable',
      `The data folder ${folder} is on a file system without locks (${systemErrorCode(cause) || 'unknown reason'}); choose one on a disk of this machine.`,
      { cause },
    );
  }
}
