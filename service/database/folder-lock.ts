import { readFile, rm, writeFile } from 'node:fs/promises';
import { ServiceStartError, systemErrorCode } from '../errors.js';

/** Locks this process holds: its own process id in a lock file says nothing about them. */
const held = new Set<string>();

/**
 * Makes sure that no second service opens the same embedded database, which would destroy it.
 * A lock left behind by a process that is gone is taken over.
 * @param file path of the lock file; it holds the process id of the owner.
 * @returns a function that gives the lock back.
 * @throws {ServiceStartError} `data_dir_in_use` while another service holds it.
 */
export async function lockFolder(file: string, folder: string): Promise<() => Promise<void>> {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      await writeFile(file, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
      held.add(file);
      return async () => {
        held.delete(file);
        await rm(file, { force: true });
      };
    } catch (error) {
      if (systemErrorCode(error) !== 'EEXIST') throw error;
      if (await ownerIsAlive(file)) break;
      await rm(file, { force: true });
    }
  }
  throw new ServiceStartError(
    'data_dir_in_use',
    `The data folder ${folder} is in use by another service; stop that one or choose another folder.`,
  );
}

async function ownerIsAlive(file: string): Promise<boolean> {
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  if (pid === process.pid) return held.has(file);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}
