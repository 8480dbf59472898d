import type { Provider } from 'oidc-provider';
import { EVENTS } from '../../../service/app/events.js';
import { serviceRoutes, type RoutesDeps } from '../../../service/app/routes.js';
import {
  contentRoutes,
  type ContentHostDeps,
} from '../../../service/delivery/content/content-host.js';
import { compileRoutes, methodsOf, type Route } from '../../../service/kernel/http/router.js';
import {
  SessionGuard,
  type SessionGuardDeps,
} from '../../../service/identity/session/session-guard.js';

/** A route of the service with its methods, as in `Allow` without OPTIONS. */
export type ListedRoute = Route & { readonly methods: readonly string[] };

const provider = { callback: () => () => undefined } as unknown as Provider;

/** The dependencies that are read before the first request. */
const deps = {
  provider,
  guard: new SessionGuard({ provider } as SessionGuardDeps),
  events: EVENTS,
  baseUrl: 'http://localhost',
  isSecure: false,
  help: { sendsMail: false, contact: undefined },
} as RoutesDeps;

/** The routes of the service. Their handlers cannot be called. */
export const SERVICE_ROUTES: readonly ListedRoute[] = serviceRoutes(deps).map((route) => ({
  ...route,
  methods: methodsOf(route),
}));

/** The routes at the separate host of stored files. */
export const CONTENT_ROUTES: readonly Route[] = contentRoutes({} as ContentHostDeps);

/** Whether an endpoint of a route needs the session of a browser or a token. */
export function needsUser({ handlers }: Pick<Route, 'handlers'>): boolean {
  return Object.values(handlers).some(({ permission: { kind } }) => /^(session|token)$/.test(kind));
}

/** Finds one of {@link SERVICE_ROUTES}. */
export const findRoute = compileRoutes(SERVICE_ROUTES);
