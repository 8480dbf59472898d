import type { GenericSchema } from 'valibot';
import type { Message } from '../i18n/message.js';
import type { Endpoint } from './permission.js';
import type { BufferedContext, RequestContext } from './request/request-context.js';

/** The endpoints of a route by method, see `permit`. GET answers HEAD as well, unless HEAD has its own endpoint. */
type Endpoints<Context extends RequestContext> = Readonly<Record<string, Endpoint<Context>>>;

interface RouteBase {
  /** The path. `:id` in it matches a segment of letters, digits, `_` and `-`, `:file` such a segment with an extension. */
  readonly path: string;
  /** The schemas that check the JSON bodies of data API requests, by method. The OpenAPI document has them. */
  readonly bodies?: Readonly<Record<string, GenericSchema>>;
}

/** A route whose handlers get the whole request. */
export interface BufferedRoute extends RouteBase {
  /**
   * - `api`: errors are JSON, scripts of every origin may read the responses, cookies are ignored.
   * - `page`: for browsers. Errors are pages.
   * - `public-link`: a page or a file with a secret address that needs no sign-in. Pages have no language menu.
   */
  readonly kind: 'api' | 'page' | 'public-link';
  /** The handlers get complete requests. The pipeline answers OPTIONS. */
  readonly handlers: Endpoints<BufferedContext>;
  /** How many bytes the body may have; undefined for the default of `readBody`. */
  readonly maxBodyBytes?: number;
  /** The sentence for a larger body, on pages. */
  readonly tooLarge?: Message;
  /** Whether a form may carry a file (`multipart/form-data`). */
  readonly takesFile?: true;
  /** Whether a trailing slash is ignored, for addresses that users type. */
  readonly trailingSlash?: true;
  /** Whether the response can be a large file. On a slow line that may take long. */
  readonly sendsFile?: true;
  /** Whether a GET of the address shows the same page as the response to a POST, so that it has the language menu. */
  readonly repeatsPage?: true;
  /** Whether apps redirect users here with `ui_locales`. */
  readonly takesUiLocales?: true;
}

/** A tus route below `/api/v1/uploads`, or the one for browsers. Its handlers read the body as a stream. */
export interface UploadRoute extends RouteBase {
  readonly kind: 'upload';
  readonly handlers: Endpoints<RequestContext>;
  /** Whether the body is no file, so that a request has the same time limit as elsewhere. */
  readonly isBrief?: true;
}

/** One address of the service. */
export type Route = BufferedRoute | UploadRoute;

/** The route that fits a path. */
export interface RouteMatch {
  readonly route: Route;
  /** The segment of the path in the place of `:id`; empty if the route has no `:id`. */
  readonly id: string;
}

/** Finds the route for a path; undefined if there is none. */
export type FindRoute = (path: string) => RouteMatch | undefined;

/**
 * Compiles a list of routes. If two routes fit a path, the more specific one counts: that with a fixed segment where the other
 * one has a placeholder.
 */
export function compileRoutes(routes: readonly Route[]): FindRoute {
  const compiled = routes
    .map((route) => ({ route, pattern: patternOf(route), rank: rankOf(route) }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1));
  const fixed = new Map(
    routes.filter((route) => !route.path.includes(':')).map((route) => [route.path, route]),
  );
  return (path) => {
    const route = fixed.get(path);
    if (route !== undefined) {
      return { route, id: '' };
    }
    for (const one of compiled) {
      const found = one.pattern.exec(path);
      if (found !== null) {
        return { route: one.route, id: found[1] ?? '' };
      }
    }
    return undefined;
  };
}

/** The methods of a route. HEAD comes with GET. */
export function methodsOf({ handlers }: Pick<Route, 'handlers'>): string[] {
  const named = Object.keys(handlers);
  return [...new Set(named.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])))];
}

/** The methods of a route, as the value of an `Allow` header. */
export function allowedMethods(route: Route): string {
  return [...new Set([...methodsOf(route), 'OPTIONS'])].join(', ');
}

/**
 * The handler for one of the methods of {@link methodsOf}.
 * @throws {Error} for any other method.
 */
export function handlerFor<H>(handlers: Readonly<Record<string, H>>, method: string): H {
  const name = method === 'HEAD' && !Object.hasOwn(handlers, 'HEAD') ? 'GET' : method;
  const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  if (handler === undefined) {
    throw new Error(`the route has no handler for ${method}`);
  }
  return handler;
}

/** Makes a page answer GET and POST with one handler, which shows the form again when it is refused. */
export function getAndPost<H>(handler: H): { readonly GET: H; readonly POST: H } {
  return { GET: handler, POST: handler };
}

export const HEALTH_PATH = '/healthz';

/**
 * Whether a path without a route gets JSON errors as on the API; otherwise errors are pages. Clients try well-known
 * paths ([RFC 8615](https://www.rfc-editor.org/rfc/rfc8615)) that the service does not have, such as that of OpenID
 * Connect.
 */
export function isApiPath(path: string): boolean {
  return (
    path === '/api' ||
    path.startsWith('/api/') ||
    path.startsWith('/.well-known/') ||
    path === HEALTH_PATH
  );
}

/** Whether scripts of other origins may use a route. They cannot use those that depend on a cookie. */
export function isForEveryOrigin({ handlers }: Pick<Route, 'handlers'>): boolean {
  return !Object.values(handlers).some(({ permission }) => permission.kind === 'session');
}

/** Whether a route is for programs. */
export function isApiRoute({ kind }: Route): boolean {
  return kind === 'api' || kind === 'upload';
}

/** Sorts a path behind those with a fixed segment in the place of its placeholder. */
function rankOf({ path }: Route): string {
  return path.replace(/:\w+/, '\uffff');
}

function patternOf(route: Route): RegExp {
  const { path } = route;
  const takesSlash = route.kind !== 'upload' && route.trailingSlash === true && path !== '/';
  const literal = path
    .replaceAll('.', '\\.')
    .replace(':id', '([\\w-]+)')
    .replace(':file', '([\\w-]+\\.[a-z]+)');
  return new RegExp(`^${literal}${takesSlash ? '/?' : ''}$`);
}
