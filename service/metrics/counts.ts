/** What parts of the service report because the status of no answer shows it. */
export interface Counts {
  /** A limit refused an attempt. The name is one of ours and says nothing of who was refused. */
  limitRefused(limit: string): void;
  /** A refresh token was used twice, and its grant ended. */
  sessionEndedByReuse(): void;
}

/** Counts nothing. */
export const NO_COUNTS: Counts = {
  limitRefused: () => undefined,
  sessionEndedByReuse: () => undefined,
};
