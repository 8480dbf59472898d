import { healthRoute, type HealthDeps } from '../kernel/http/health-route.js';
import type { Route } from '../kernel/http/router.js';
import {
  activityRoutes,
  connectionRoute,
  meRoute,
  memberRoutes,
  settingsRoutes,
  webhookRoutes,
  type ActivityRoutesDeps,
  type ConnectionApiDeps,
  type MeDeps,
  type MemberRoutesDeps,
  type SettingsRoutesDeps,
  type WebhookRoutesDeps,
} from '../workspace/index.js';
import { oauthRoutes, type InteractionDeps } from '../oauth/index.js';
import {
  companyRoutes,
  peopleRoutes,
  securityRoutes,
  type CompanyRoutesDeps,
  type PeopleRoutesDeps,
  type SecurityRoutesDeps,
} from '../identity/index.js';
import { openApiRoute } from './openapi.js';
import { languageRoute } from '../site/language-route.js';
import {
  PhotoApi,
  photoApiRoutes,
  deviceApiRoutes,
  photoRoutes,
  projectApiRoutes,
  projectRoutes,
  browserUploadRoutes,
  uploadRoutes,
  type PhotoApiDeps,
  type ChangeApiDeps,
  type DeviceApiDeps,
  type PhotoRoutesDeps,
  type ProjectApiDeps,
  type UploadHandler,
} from '../library/index.js';
import {
  logoRoutes,
  receiptRoutes,
  shareApiRoutes,
  shareRoutes,
  type LogoRoutesDeps,
  type ReceiptRoutesDeps,
  type ShareApiDeps,
  type ShareRoutesDeps,
} from '../delivery/index.js';

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
  const routes = [
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
  return [...routes, openApiRoute(routes)];
}
