import type { PhotoRecord } from '../queue/index.js';
import type { EarlierUpload } from './duplicate-api.js';

/** A waiting photo, and the earlier version at the service that it may replace. */
export interface PreviousVersion {
  /** Id of the waiting photo. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** Name of the project that has the earlier version; null when it is in none. */
  readonly projectName: string | null;
  /** Wall-clock time, in milliseconds, at which the earlier version was uploaded; null when it is not known. */
  readonly uploadedAt: number | null;
  /** Id of the earlier version at the service. */
  readonly replaces: string;
}

export type PreviousAnswer = 'replace' | 'keep-both';

/**
 * The earlier version that a photo may replace only if the user agrees: it has the same name, and nothing else proves
 * that it is the same photo. The same name in another project is no earlier version of a photo that goes to a project.
 */
export function previousOf(
  { id, name, project, document, replaces }: PhotoRecord,
  uploads: readonly EarlierUpload[],
): PreviousVersion | null {
  if (replaces !== null) {
    return null;
  }
  const isSame = (upload: EarlierUpload): boolean =>
    upload.match === 'document' && document !== null && upload.document === document;
  const earlier = uploads.find(
    (upload) =>
      upload.match === 'name' &&
      upload.name === name &&
      (project === null || upload.project?.id === project.id),
  );
  return earlier && !uploads.some(isSame)
    ? {
        id,
        name,
        projectName: earlier.project?.name ?? null,
        uploadedAt: earlier.createdAt,
        replaces: earlier.id,
      }
    : null;
}
