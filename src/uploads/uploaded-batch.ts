import type { ProjectRef } from './destinations/project.js';

/** Photos that were uploaded one after another. */
export interface UploadedBatch {
  readonly count: number;
  /** The names of the first photos, three at most. */
  readonly names: readonly string[];
  /** The project that has all of them; null when there is none. */
  readonly project: ProjectRef | null;
}
