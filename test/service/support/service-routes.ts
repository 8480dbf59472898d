import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { buildApp } from '../../../service/app/build-app.js';
import { checkOptions } from '../../../service/app/config/options.js';
import type { AmbientDatabase } from '../../../service/kernel/database/ambient-transaction.js';
import { compileRoutes, methodsOf, type Route } from '../../../service/kernel/http/router.js';
import { NOOP_METRICS } from '../../../service/kernel/metrics/metrics-port.js';

/** A route of the service with its methods, as in `Allow` without OPTIONS. */
export type ListedRoute = Route & { readonly methods: readonly string[] };

/** Git-ignored. The storage makes an empty folder in it. */
const dataDir = path.resolve('.cache', 'service-routes');
mkdirSync(dataDir, { recursive: true });

/** The service without a database: its handlers cannot be called. */
const app = await buildApp({
  options: checkOptions({ dataDir, contentUrl: 'http://files.localhost' }),
  database: { isShared: false } as AmbientDatabase,
  secrets: {
    cookieKey: 'a',
    formKey: 'b',
    refreshKey: 'c',
    boxKey: 'd',
    signingKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      format: 'jwk',
    }),
  },
  clients: [],
  baseUrl: 'http://localhost',
  reportError: () => undefined,
  counts: NOOP_METRICS,
});

/** The routes of the service. */
export const SERVICE_ROUTES: readonly ListedRoute[] = app.routes.map((route) => ({
  ...route,
  methods: methodsOf(route),
}));

/** The routes at the separate host of stored files. */
export const CONTENT_ROUTES: readonly Route[] = app.contentRoutes;

/** Whether an endpoint of a route needs the session of a browser or a token. */
export function needsUser({ handlers }: Pick<Route, 'handlers'>): boolean {
  return Object.values(handlers).some(({ permission: { kind } }) => /^(session|token)$/.test(kind));
}

/** Finds one of {@link SERVICE_ROUTES}. */
export const findRoute = compileRoutes(SERVICE_ROUTES);
