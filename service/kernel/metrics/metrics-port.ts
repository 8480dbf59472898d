/** Events that parts of the service report because no status of an answer shows them. */
export interface MetricsPort {
  /** A limit refused an attempt. `limit` is the name of the limit, without the client. */
  limitRefused(limit: string): void;
  /** A refresh token, or a code, was used twice, and its grant was ended. */
  sessionEndedByReuse(): void;
  /** An attempt at a row of a work queue ended. `queue` is the name of its table. */
  attemptEnded(queue: string, result: 'done' | 'failed'): void;
}

/** Counts nothing. */
export const NOOP_METRICS: MetricsPort = {
  limitRefused: () => undefined,
  sessionEndedByReuse: () => undefined,
  attemptEnded: () => undefined,
};
