import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/**
 * Where the operator has installed ffmpeg, by the folders of `PATH`. The service and its picture process see the same ones.
 * @returns undefined where there is none
 */
export function findFfmpeg(folders = process.env['PATH'] ?? ''): string | undefined {
  return folders
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, 'ffmpeg'))
    .find(isProgram);
}

/** Whether there is a program that this process may run. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
