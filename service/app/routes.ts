import { healthRoute, type HealthDeps } from '../platform/http/health-route.js';
import type { Route } from '../platform/http/router.js';
import { activityRoutes, type ActivityRoutesDeps } from '../features/activity/routes.js';
import { connectionRoute, type ConnectionApiDeps } from '../features/account-api/connection.js';
import { meRoute, type MeDeps } from '../features/account-api/me.js';
import type { InteractionDeps } from '../oauth/interactions/interactions.js';
import { oauthRoutes } from '../oauth/routes.js';
import { companyRoutes, type CompanyRoutesDeps } from '../features/company/routes.js';
import { languageRoute } from '../platform/http/language-route.js';
import { memberRoutes, type MemberRoutesDeps } from '../features/people/member-routes.js';
import { peopleRoutes, type PeopleRoutesDeps } from '../features/people/routes.js';
import { PhotoApi, type PhotoApiDeps } from '../features/photos/api/api.js';
import { photoApiRoutes } from '../features/photos/api/routes.js';
import type { ChangeApiDeps } from '../features/photos/api/change-api.js';
import { deviceApiRoutes, type DeviceApiDeps } from '../features/devices/api.js';
import { photoRoutes, type PhotoRoutesDeps } from '../features/photos/routes.js';
import { logoRoutes, type LogoRoutesDeps } from '../features/logos/routes.js';
import { receiptRoutes, type ReceiptRoutesDeps } from '../features/receipts/routes.js';
import { projectApiRoutes, type ProjectApiDeps } from '../features/projects/api.js';
import { projectRoutes } from '../features/projects/routes.js';
import { securityRoutes, type SecurityRoutesDeps } from '../features/security/routes.js';
import { settingsRoutes, type SettingsRoutesDeps } from '../features/settings/routes.js';
import { shareApiRoutes, type ShareApiDeps } from '../features/shares/api.js';
import { shareRoutes, type ShareRoutesDeps } from '../features/shares/routes.js';
import { browserUploadRoutes, uploadRoutes } from '../features/uploads/routes.js';
import { webhookRoutes, type WebhookRoutesDeps } from '../features/webhooks/routes.js';
import type { UploadHandler } from '../features/uploads/tus/upload-handler.js';

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
