import type { WholeHandler } from './handler.js';
import { sendJson } from './responses.js';

export interface HealthParts {
  /** Whether the service can do its work: the database answers. */
  readonly isHealthy: () => Promise<boolean>;
  /** Whether there is room for uploads. Called only when the service is healthy. */
  readonly hasRoom: () => Promise<boolean>;
}

/** Answers `/healthz`: 200 when the service can do its work, else 503. */
export function answerHealth({ isHealthy, hasRoom }: HealthParts): WholeHandler {
  return async (_request, response) => {
    const healthy = await isHealthy();
    // No reason for 503, with which a load balancer takes this process out of service: without room, signing in and
    // reading still work, and the other processes have the same room.
    const isFull = healthy && !(await hasRoom());
    sendJson(response, healthy ? 200 : 503, {
      status: healthy ? 'ok' : 'unavailable',
      ...(isFull && { storage: 'low' }),
    });
  };
}
