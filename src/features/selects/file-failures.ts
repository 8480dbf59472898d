import { UnwritableError } from '../../../packages/image-metadata/index.js';
import { CancelledError } from '../../util/cancel.js';
import { CwError, toCwError } from '../../util/errors.js';
import type { FailureReason, SelectsFailure, SelectsResult } from './selects-state.js';

/** Another program has changed a file in between. */
export class ChangedError extends Error {}

/** Does the same with each file. One that fails is noted; what concerns all of them ends it. */
export async function eachFile<T>(
  files: readonly T[],
  work: (file: T) => Promise<void>,
  nameOf: (file: T) => string,
): Promise<Pick<SelectsResult, 'failed' | 'stopped'>> {
  const failed: SelectsFailure[] = [];
  for (const file of files) {
    try {
      await work(file);
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) {
        const stopped = error instanceof CancelledError ? 'cancelled' : unexpected(error);
        return { failed, stopped };
      }
      failed.push({ name: nameOf(file), reason });
    }
  }
  return { failed, stopped: null };
}

/** Null for a failure that is not that of one file. */
function reasonOf(error: unknown): FailureReason | null {
  if (error instanceof UnwritableError) {
    return 'unknown-xmp';
  }
  if (error instanceof ChangedError) {
    return 'changed';
  }
  const code = error instanceof CwError ? error.code : null;
  const reasons = { 'CW-602': 'unreadable', 'CW-811': 'refused', 'CW-703': 'full' } as const;
  return code === 'CW-602' || code === 'CW-811' || code === 'CW-703' ? reasons[code] : null;
}

/** For a file that the app may have changed, or may still change. */
export function unanswered(): CwError {
  return new CwError('CW-811', 'the app has not answered; it may still change the file');
}

export function unexpected(error: unknown): CwError {
  return toCwError(error, 'CW-901', 'selects could not be written');
}
