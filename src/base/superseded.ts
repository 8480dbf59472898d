/**
 * What superseded means: two copies of the plugin run on one storage (a reload while the old copy still
 * runs), and the one that loaded later keeps the upload list now. The older copy is superseded. It
 * uploads nothing more and clears nothing away, and stays so until it ends.
 * @packageDocumentation
 */
import { CwError } from './errors.js';

const CODE = 'CW-704';

export function supersededError(): CwError {
  return new CwError(CODE, 'another copy of the plugin has taken the upload list over');
}

/** Whether `error` says that this copy of the plugin is superseded. */
export function isSuperseded(error: unknown): boolean {
  return error instanceof CwError && error.code === CODE;
}
