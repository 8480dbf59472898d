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
}

export type PreviousAnswer = 'replace' | 'keep-both';
