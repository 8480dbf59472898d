import type { Provider } from 'oidc-provider';
import { serviceRoutes, type RoutesDeps } from '../../../service/app/routes.js';
import { compileRoutes, methodsOf, type Route } from '../../../service/platform/http/router.js';
import {
  SessionGuard,
  type SessionGuardDeps,
} from '../../../service/auth/session/session-guard.js';

/** A route of the service with its methods, as in `Allow` without OPTIONS. */
export type ListedRoute = Route & { readonly methods: readonly string[] };

const provider = { callback: () => () => undefined } as unknown as Provider;

/** The dependencies that are read before the first request. */
const deps = {
  provider,
  guard: new SessionGuard({ provider } as SessionGuardDeps),
  baseUrl: 'http://localhost',
  isSecure: false,
  help: { sendsMail: false, contact: undefined },
} as RoutesDeps;

/** The routes of the service. Their handlers cannot be called. */
export const SERVICE_ROUTES: readonly ListedRoute[] = serviceRoutes(deps).map((route) => ({
  ...route,
  methods: methodsOf(route),
}));

/** Finds one of {@link SERVICE_ROUTES}. */
export const findRoute = compileRoutes(SERVICE_ROUTES);
