export { DuplicateCheck } from './duplicate-check.js';
export type { PreviousVersion } from './previous-version.js';
