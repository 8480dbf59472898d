import type { Route } from '../../kernel/http/router.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import type { SessionGuard } from '../../identity/index.js';
import { exportActivity, type ActivityExportDeps } from './activity-export.js';
import { activity, ownActivity, type ActivityPageDeps } from './activity-page.js';

export interface ActivityRoutesDeps extends ActivityPageDeps, ActivityExportDeps {
  readonly guard: SessionGuard;
}

/** Settings → Activity: what happened in a workspace, for its owners, and to an account, for its user. */
export function activityRoutes(deps: ActivityRoutesDeps): Route[] {
  const { guard } = deps;
  return [
    guard.page(SETTINGS.activity, { GET: activity(deps) }),
    guard.page(SETTINGS.ownActivity, { GET: ownActivity(deps) }),
    guard.file(SETTINGS.activityExport, { GET: exportActivity(deps) }),
  ];
}
