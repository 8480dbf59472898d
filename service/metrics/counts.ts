/** What parts of the service tell of that no request's status shows. */
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
