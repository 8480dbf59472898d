import { healthRoute, type HealthDeps } from '../kernel/http/health-route.js';
import type { Route } from '../kernel/http/router.js';
import { activityRoutes, type ActivityRoutesDeps } from '../workspace/activity/routes.js';
import { connectionRoute, type ConnectionApiDeps } from '../workspace/account-api/connection.js';
import { meRoute, type MeDeps } from '../workspace/account-api/me.js';
import type { InteractionDeps } from '../oauth/interactions/interactions.js';
import { oauthRoutes } from '../oauth/routes.js';
import { companyRoutes, type CompanyRoutesDeps } from '../identity/company/routes.js';
import { languageRoute } from '../site/language-route.js';
import { memberRoutes, type MemberRoutesDeps } from '../workspace/members/routes.js';
import { peopleRoutes, type PeopleRoutesDeps } from '../identity/pages/routes.js';
import { PhotoApi, type PhotoApiDeps } from '../library/photos/api/api.js';
import { photoApiRoutes } from '../library/photos/api/routes.js';
import type { ChangeApiDeps } from '../library/photos/api/change-api.js';
import { deviceApiRoutes, type DeviceApiDeps } from '../library/devices/api.js';
import { photoRoutes, type PhotoRoutesDeps } from '../library/photos/routes.js';
import { logoRoutes, type LogoRoutesDeps } from '../delivery/logos/routes.js';
import { receiptRoutes, type ReceiptRoutesDeps } from '../delivery/receipts/routes.js';
import { projectApiRoutes, type ProjectApiDeps } from '../library/projects/api.js';
import { projectRoutes } from '../library/projects/routes.js';
import { securityRoutes, type SecurityRoutesDeps } from '../identity/security/routes.js';
import { settingsRoutes, type SettingsRoutesDeps } from '../workspace/settings/routes.js';
import { shareApiRoutes, type ShareApiDeps } from '../delivery/shares/api.js';
import { shareRoutes, type ShareRoutesDeps } from '../delivery/shares/routes.js';
import { browserUploadRoutes, uploadRoutes } from '../library/uploads/routes.js';
import { webhookRoutes, type WebhookRoutesDeps } from '../workspace/webhooks/routes.js';
import type { UploadHandler } from '../library/uploads/tus/upload-handler.js';

/** The dependencies of all routes. */
export type RoutesDeps = HealthDeps &
  InteractionDeps &
  MeDeps &
  ConnectionApiDeps &
  PhotoApiDeps &
  ChangeApiDeps &
  ProjectApiDeps &
  PhotoRoutesDeps &
  ReceiptRoutesDeps &
  DeviceApiDeps &
  PeopleRoutesDeps &
  MemberRoutesDeps &
  CompanyRoutesDeps &
  LogoRoutesDeps &
  SettingsRoutesDeps &
  SecurityRoutesDeps &
  ActivityRoutesDeps &
  WebhookRoutesDeps &
  Omit<ShareRoutesDeps & ShareApiDeps, 'passwords'> & {
    readonly sharePasswords: ShareRoutesDeps['passwords'];
    readonly uploads: UploadHandler;
    /** Whether browsers reach the service by https. */
    readonly isSecure: boolean;
  };

/**
 * Every address at the base URL. If two routes fit a path, the first one counts. A path that is not here gets 404, a
 * method that its route does not have 405.
 */
export function serviceRoutes(deps: RoutesDeps): Route[] {
  const photoApi = new PhotoApi(deps);
  return [
    healthRoute(deps),
    ...oauthRoutes(deps),
    languageRoute(deps.isSecure),
    meRoute(deps),
    connectionRoute(deps),
    ...uploadRoutes(deps.uploads, deps.bearer, {
      list: (context, caller) => photoApi.list(context, caller),
      one: (context, caller) => photoApi.one(context, caller),
    }),
    ...photoApiRoutes({ ...deps, photoApi }),
    ...projectApiRoutes(deps),
    ...deviceApiRoutes(deps),
    ...shareApiRoutes({ ...deps, passwords: deps.sharePasswords }),
    ...browserUploadRoutes(deps.uploads, deps.guard),
    // Before the photos: their ids take the same place.
    ...receiptRoutes(deps),
    ...photoRoutes(deps),
    ...logoRoutes(deps),
    ...peopleRoutes(deps),
    ...memberRoutes(deps),
    ...companyRoutes(deps),
    ...projectRoutes(deps),
    ...shareRoutes({ ...deps, passwords: deps.sharePasswords }),
    ...securityRoutes(deps),
    ...settingsRoutes(deps),
    ...activityRoutes(deps),
    ...webhookRoutes(deps),
  ];
}
