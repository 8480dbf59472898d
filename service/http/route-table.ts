import { CONTENT } from '../content/paths.js';
import {
  INTERACTION_PATH,
  METADATA_PATH,
  RESOURCE_METADATA_PATH,
  ROUTES,
} from '../oauth/routes.js';
import { LANGUAGE_PATH } from '../pages/language.js';
import { PEOPLE } from '../people/paths.js';
import { PHOTOS } from '../photos/paths.js';
import { PROJECTS, PROJECTS_API_PATH } from '../projects/paths.js';
import { SETTINGS } from '../settings/paths.js';
import { holdsShareToken, SHARES } from '../shares/paths.js';
import {
  KNOWN_UPLOADS_PATH,
  uploadChangePath,
  uploadContentPath,
  UPLOADS_PATH,
} from '../uploads/upload-address.js';

/** The part of the service that answers at an address. */
export type Part =
  | 'health'
  | 'me'
  | 'uploads'
  | 'oauth'
  | 'interaction'
  | 'settings'
  | 'photos'
  | 'people'
  | 'file'
  | 'projects'
  | 'projectApi'
  | 'changes'
  | 'shares'
  | 'shared'
  | 'sharedFile'
  | 'content'
  | 'contentHost'
  | 'openapi'
  | 'resourceMetadata'
  | 'language';

/** One line of the table. */
export interface Route {
  /** The path. `:id` in it stands for a segment of letters, digits, `_` and `-`. */
  readonly path: string;
  readonly part: Part;
  /** The methods that the part answers. If OPTIONS is not among them, the front answers it. */
  readonly methods: readonly string[];
  /** For the part `uploads`: the body is no file, so that requests have the same time limit as those of other parts. */
  readonly isBrief?: true;
}

/** The route that fits a path. */
export interface RouteMatch {
  readonly route: Route;
  /** The segment of the path in the place of `:id`; empty if the route has no `:id`. */
  readonly id: string;
}

export const HEALTH_PATH = '/healthz';
const ME_PATH = '/api/v1/me';
const OPENAPI_PATH = '/api/v1/openapi.json';

const GET = ['GET', 'HEAD'];
const POST = ['POST'];
const GET_AND_POST = [...GET, ...POST];

/**
 * Every address of the service. If two lines fit a path, the first one counts. A path that is not here gets 404, a
 * method that its line does not name 405.
 */
export const ROUTE_TABLE: readonly Route[] = [
  { path: HEALTH_PATH, part: 'health', methods: GET },
  { path: METADATA_PATH, part: 'oauth', methods: GET },
  { path: RESOURCE_METADATA_PATH, part: 'resourceMetadata', methods: GET },
  { path: ROUTES.jwks, part: 'oauth', methods: GET },
  { path: ROUTES.token, part: 'oauth', methods: POST },
  { path: ROUTES.device_authorization, part: 'oauth', methods: POST },
  { path: ROUTES.revocation, part: 'oauth', methods: POST },
  { path: ROUTES.code_verification, part: 'oauth', methods: GET_AND_POST },
  { path: `${ROUTES.code_verification}/:id`, part: 'oauth', methods: GET },
  { path: ROUTES.authorization, part: 'oauth', methods: GET },
  { path: `${ROUTES.authorization}/:id`, part: 'oauth', methods: GET },
  { path: `${INTERACTION_PATH}/:id`, part: 'interaction', methods: GET_AND_POST },
  { path: LANGUAGE_PATH, part: 'language', methods: POST },
  { path: ME_PATH, part: 'me', methods: GET },
  // The answer to OPTIONS tells what the tus server supports, so the part itself gives it.
  { path: UPLOADS_PATH, part: 'uploads', methods: [...GET_AND_POST, 'OPTIONS'] },
  { path: KNOWN_UPLOADS_PATH, part: 'uploads', methods: POST, isBrief: true },
  {
    path: `${UPLOADS_PATH}/:id`,
    part: 'uploads',
    methods: [...GET, 'PATCH', 'DELETE', 'OPTIONS'],
  },
  { path: uploadContentPath(':id'), part: 'content', methods: GET },
  { path: uploadChangePath(':id', 'trash'), part: 'changes', methods: POST },
  { path: uploadChangePath(':id', 'restore'), part: 'changes', methods: POST },
  { path: uploadChangePath(':id', 'project'), part: 'changes', methods: POST },
  { path: PROJECTS_API_PATH, part: 'projectApi', methods: GET_AND_POST },
  { path: `${PROJECTS_API_PATH}/:id`, part: 'projectApi', methods: ['PATCH'] },
  { path: OPENAPI_PATH, part: 'openapi', methods: GET },
  { path: '/', part: 'photos', methods: GET },
  { path: PHOTOS.root, part: 'photos', methods: GET_AND_POST },
  { path: PHOTOS.trash, part: 'photos', methods: GET },
  { path: PHOTOS.zip, part: 'file', methods: GET_AND_POST },
  { path: PHOTOS.viewing, part: 'photos', methods: POST },
  { path: PHOTOS.photo(':id'), part: 'photos', methods: GET_AND_POST },
  { path: PHOTOS.thumbnail(':id'), part: 'photos', methods: GET },
  { path: PHOTOS.file(':id'), part: 'file', methods: GET },
  { path: PEOPLE.account, part: 'people', methods: GET_AND_POST },
  { path: PEOPLE.people, part: 'people', methods: GET },
  { path: PEOPLE.newInvitation, part: 'people', methods: GET_AND_POST },
  { path: PEOPLE.invitations, part: 'people', methods: POST },
  { path: PEOPLE.member(':id'), part: 'people', methods: GET_AND_POST },
  { path: PEOPLE.invitation, part: 'people', methods: GET_AND_POST },
  { path: PEOPLE.reset, part: 'people', methods: GET_AND_POST },
  { path: PROJECTS.root, part: 'projects', methods: GET_AND_POST },
  { path: PROJECTS.project(':id'), part: 'projects', methods: GET_AND_POST },
  { path: SHARES.root, part: 'shares', methods: GET_AND_POST },
  { path: SHARES.new, part: 'shares', methods: GET_AND_POST },
  { path: SHARES.shared(':id'), part: 'shared', methods: GET_AND_POST },
  { path: SHARES.thumbnail(':id'), part: 'shared', methods: GET },
  { path: SHARES.file(':id'), part: 'sharedFile', methods: GET },
  { path: SHARES.zip(':id'), part: 'sharedFile', methods: GET },
  { path: SETTINGS.root, part: 'settings', methods: GET },
  { path: SETTINGS.signIn, part: 'settings', methods: GET_AND_POST },
  { path: SETTINGS.signOut, part: 'settings', methods: POST },
  { path: SETTINGS.apps, part: 'settings', methods: GET_AND_POST },
  { path: SETTINGS.developer, part: 'settings', methods: GET },
  { path: SETTINGS.newApplication, part: 'settings', methods: GET_AND_POST },
  { path: SETTINGS.application(':id'), part: 'settings', methods: GET_AND_POST },
  { path: SETTINGS.tokens, part: 'settings', methods: POST },
  { path: SETTINGS.newToken, part: 'settings', methods: GET_AND_POST },
];

/** The only route at the host of stored files, if they have one of their own. The base URL does not have it. */
const CONTENT_ROUTE: Route = { path: CONTENT.file(':id'), part: 'contentHost', methods: GET };

/** The parts whose addresses people type. A slash at their end makes no difference. */
const PAGES: ReadonlySet<Part> = new Set(['settings', 'photos', 'people', 'projects', 'shares']);

const CONTENT_PATTERN = patternOf(CONTENT_ROUTE);
const PATTERNS = ROUTE_TABLE.map((route) => ({ route, pattern: patternOf(route) }));

/** The route for a path at the base URL; undefined if there is none. */
export function findRoute(path: string): RouteMatch | undefined {
  for (const { route, pattern } of PATTERNS) {
    const found = pattern.exec(path);
    if (found !== null) {
      return { route, id: found[1] ?? '' };
    }
  }
  return undefined;
}

/** The route for a path at the host of stored files; undefined if there is none. */
export function findContentRoute(path: string): RouteMatch | undefined {
  const id = CONTENT_PATTERN.exec(path)?.[1];
  return id === undefined ? undefined : { route: CONTENT_ROUTE, id };
}

/** The methods of a route, as the value of an `Allow` header. */
export function allowedMethods({ methods }: Route): string {
  return [...new Set([...methods, 'OPTIONS'])].join(', ');
}

/**
 * Whether a path is one for programs, which get JSON; else it is one for people, who get pages. Clients try well-known
 * paths ([RFC 8615](https://www.rfc-editor.org/rfc/rfc8615)) that are not here, such as that of OpenID Connect.
 */
export function isForPrograms(path: string): boolean {
  return (
    path === '/api' ||
    path.startsWith('/api/') ||
    path.startsWith('/.well-known/') ||
    path === HEALTH_PATH
  );
}

/** Whether a path is at or below that of the uploads, where tus is spoken. It need not be in the table. */
export function isForUploads(path: string): boolean {
  return path === UPLOADS_PATH || path.startsWith(`${UPLOADS_PATH}/`);
}

/** The path as it may be in the log: placeholders replace the identifiers of sign-ins and the tokens of links. */
export function withoutIdentifiers(path: string): string {
  if (holdsShareToken(path)) {
    return SHARES.shared(':token');
  }
  for (const parent of [INTERACTION_PATH, ROUTES.code_verification, ROUTES.authorization]) {
    if (path.startsWith(`${parent}/`)) {
      return `${parent}/:uid`;
    }
  }
  return path;
}

function patternOf({ path, part }: Route): RegExp {
  const end = path !== '/' && PAGES.has(part) ? '/?' : '';
  const literal = path.replaceAll('.', '\\.').replace(':id', '([\\w-]+)');
  return new RegExp(`^${literal}${end}$`);
}
