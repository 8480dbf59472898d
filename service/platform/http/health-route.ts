import { sendJson } from './responses.js';
import { HEALTH_PATH, type BufferedRoute } from './router.js';

export interface HealthDeps {
  /** Whether the service can do its work: the database answers. */
  readonly isHealthy: () => Promise<boolean>;
  /** Whether there is room for uploads. Called only when the service is healthy. */
  readonly hasRoom: () => Promise<boolean>;
}

/** The route `/healthz`: 200 when the service can do its work, else 503. */
export function healthRoute({ isHealthy, hasRoom }: HealthDeps): BufferedRoute {
  return {
    path: HEALTH_PATH,
    kind: 'api',
    auth: 'none',
    handlers: {
      GET: async ({ response }) => {
        const healthy = await isHealthy();
        // No reason for 503, with which a load balancer takes this process out of service: without room, signing in and
        // reading still work, and the other processes have the same room.
        const isFull = healthy && !(await hasRoom());
        sendJson(response, healthy ? 200 : 503, {
          status: healthy ? 'ok' : 'unavailable',
          ...(isFull && { storage: 'low' }),
        });
      },
    },
  };
}
