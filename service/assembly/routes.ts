import { healthRoute, type HealthParts } from '../http/health-route.js';
import type { Route } from '../http/router.js';
import { meRoute, type MeParts } from '../me/me.js';
import type { InteractionParts } from '../oauth/interactions.js';
import { oauthRoutes } from '../oauth/provider-routes.js';
import { languageRoute } from '../pages/set-language.js';
import { peopleRoutes, type PeopleRoutesDeps } from '../people/routes.js';
import { PhotoApi, type PhotoApiParts } from '../photos/api.js';
import { photoApiRoutes } from '../photos/api-routes.js';
import type { ChangeApiParts } from '../photos/change-api.js';
import { photoRoutes, type PhotoRoutesDeps } from '../photos/routes.js';
import { projectApiRoutes, type ProjectApiParts } from '../projects/api.js';
import { projectRoutes } from '../projects/routes.js';
import { settingsRoutes, type SettingsRoutesDeps } from '../settings/routes.js';
import { shareRoutes, type ShareRoutesDeps } from '../shares/routes.js';
import { uploadRoutes } from '../uploads/routes.js';
import type { Uploads } from '../uploads/uploads.js';

/** What the handlers of all routes need. */
export type RoutesDeps = HealthParts &
  InteractionParts &
  MeParts &
  PhotoApiParts &
  ChangeApiParts &
  ProjectApiParts &
  PhotoRoutesDeps &
  PeopleRoutesDeps &
  SettingsRoutesDeps &
  Omit<ShareRoutesDeps, 'passwords'> & {
    readonly sharePasswords: ShareRoutesDeps['passwords'];
    readonly uploads: Uploads;
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
    ...uploadRoutes(deps.uploads, (context) => photoApi.one(context)),
    ...photoApiRoutes({ ...deps, photoApi }),
    ...projectApiRoutes(deps),
    ...photoRoutes(deps),
    ...peopleRoutes(deps),
    ...projectRoutes(deps),
    ...shareRoutes({ ...deps, passwords: deps.sharePasswords }),
    ...settingsRoutes(deps),
  ];
}
