import { OPEN, permit } from './permission.js';
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
    handlers: permit(OPEN, {
      GET: async ({ response }) => {
        const healthy = await isHealthy();
        // Not 503, which would make a load balancer remove this process. Sign-in and reading work on a full disk, and the
        // other processes have the same disk.
        const isFull = healthy && !(await hasRoom());
        sendJson(response, healthy ? 200 : 503, {
          status: healthy ? 'ok' : 'unavailable',
          ...(isFull && { storage: 'low' }),
        });
      },
    }),
  };
}
