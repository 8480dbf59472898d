/**
 * What superseded means: two instances of the plugin run on one storage (a reload while the old instance still
 * runs). The one that loaded later now owns the upload list, and the older one is superseded: it
 * uploads nothing more and clears nothing away until it ends.
 * @packageDocumentation
 */
import { CwError } from './errors.js';

const CODE = 'CW-704';

/** The error (CW-704) for work that this instance must not do because it is superseded. */
export function storageTakenOverError(): CwError {
  return new CwError(CODE, 'another instance of the plugin has taken over');
}

/** Whether `error` means that this instance of the plugin is superseded. */
export function isStorageTakenOver(error: unknown): boolean {
  return error instanceof CwError && error.code === CODE;
}
