import type { WholeHandler } from './handler.js';
import { sendJson } from './responses.js';

export interface HealthParts {
  /** Whether the service can do its work: the database answers. */
  readonly isHealthy: () => Promise<boolean>;
  /** Whether there is room for uploads; asked only of a healthy service. */
  readonly hasRoom: () => Promise<boolean>;
}

/** Answers `/healthz`. */
export function answerHealth({ isHealthy, hasRoom }: HealthParts): WholeHandler {
  return async (_request, response) => {
    const healthy = await isHealthy();
    // Signing in and reading go on without room, and every process has the same: no reason to take
    // this one out of service.
    const isFull = healthy && !(await hasRoom());
    sendJson(response, healthy ? 200 : 503, {
      status: healthy ? 'ok' : 'unavailable',
      ...(isFull && { storage: 'low' }),
    });
  };
}
