import { INTERACTION_PATH, METADATA_PATH, ROUTES } from '../oauth/routes.js';
import { LANGUAGE_PATH } from '../pages/language.js';
import { SETTINGS } from '../settings/paths.js';

/** The part of the service that answers at an address. */
export type Part = 'health' | 'me' | 'uploads' | 'oauth' | 'interaction' | 'settings' | 'language';

export interface Route {
  readonly part: Part;
  /** The methods it takes. OPTIONS is answered for it, except for uploads, which do so themselves. */
  readonly methods: readonly string[];
}

export const HEALTH_PATH = '/healthz';
export const ME_PATH = '/api/v1/me';
export const UPLOADS_PATH = '/api/v1/uploads';

const READ = ['GET', 'HEAD'];
const READ_AND_POST = ['GET', 'HEAD', 'POST'];

const EXACT: ReadonlyMap<string, Route> = new Map<string, Route>([
  [HEALTH_PATH, { part: 'health', methods: READ }],
  [ME_PATH, { part: 'me', methods: READ }],
  [METADATA_PATH, { part: 'oauth', methods: READ }],
  [ROUTES.jwks, { part: 'oauth', methods: READ }],
  [ROUTES.token, { part: 'oauth', methods: ['POST'] }],
  [ROUTES.device_authorization, { part: 'oauth', methods: ['POST'] }],
  [ROUTES.revocation, { part: 'oauth', methods: ['POST'] }],
  [ROUTES.code_verification, { part: 'oauth', methods: READ_AND_POST }],
  [ROUTES.authorization, { part: 'oauth', methods: READ }],
  [LANGUAGE_PATH, { part: 'language', methods: ['POST'] }],
  [SETTINGS.root, { part: 'settings', methods: READ_AND_POST }],
]);

const UPLOADS: Route = {
  part: 'uploads',
  methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'],
};

/** What answers at this path, if anything does. */
export function findRoute(path: string): Route | undefined {
  const exact = EXACT.get(path);
  if (exact !== undefined) return exact;
  if (path === UPLOADS_PATH || path.startsWith(`${UPLOADS_PATH}/`)) return UPLOADS;
  if (isBelow(path, INTERACTION_PATH)) return { part: 'interaction', methods: READ_AND_POST };
  if (isBelow(path, ROUTES.code_verification) || isBelow(path, ROUTES.authorization)) {
    return { part: 'oauth', methods: READ };
  }
  if (path.startsWith(`${SETTINGS.root}/`)) return { part: 'settings', methods: READ_AND_POST };
  return undefined;
}

/** Whether programs ask here, which get JSON, rather than people, who get pages. */
export function isMachinePath(path: string): boolean {
  return (
    path === '/api' || path.startsWith('/api/') || path === METADATA_PATH || path === HEALTH_PATH
  );
}

/** The path as it may stand in the log: without identifiers of sign-ins. */
export function withoutIdentifiers(path: string): string {
  for (const parent of [INTERACTION_PATH, ROUTES.code_verification, ROUTES.authorization]) {
    if (path.startsWith(`${parent}/`)) return `${parent}/:uid`;
  }
  return path;
}

/** Whether the path is one segment below `parent`. */
function isBelow(path: string, parent: string): boolean {
  return path.startsWith(`${parent}/`) && /^[\w-]+$/.test(path.slice(parent.length + 1));
}
