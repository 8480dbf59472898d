export { DuplicateCheck } from './duplicate-check.js';
export type { PreviousAnswer, PreviousVersion } from './previous-version.js';
