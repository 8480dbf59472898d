import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import extensions from 'fs-native-extensions';
import { ServiceStartError, systemErrorCode } from '../errors.js';

/**
 * Locks a data folder, so that no second service opens the same embedded database. Two services would destroy it.
 *
 * The operating system holds the lock, and releases it when the process ends for any reason. The content of the file is
 * informative only: a process id is meaningless in another container, and may be reused. The file is never deleted: a
 * process with the deleted file open would hold a lock that others cannot see.
 * @param file path of the lock file; made when missing.
 * @param folder the data folder, for the messages of errors.
 * @returns a function that releases the lock.
 * @throws {ServiceStartError} `data_dir_in_use` while another service holds it, `data_dir_not_lockable` when the file
 *   system has no locks.
 */
export function lockFolder(file: string, folder: string): () => void {
  // A descriptor and no FileHandle: Node closes a FileHandle that is garbage-collected, which would free the lock.
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
