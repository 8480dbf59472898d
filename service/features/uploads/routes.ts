import type { Scope } from '../../auth/scopes.js';
import type { SessionGuard } from '../../auth/session/session-guard.js';
import { BROWSER_CLIENT, type Principal } from '../../oauth/tokens/bearer.js';
import { PHOTOS } from '../../platform/paths/photo-paths.js';
import { sendApiError } from '../../platform/http/api-error.js';
import type { RequestContext } from '../../platform/http/request/request-context.js';
import { sendError } from '../../platform/http/responses.js';
import type { Route, StreamHandler, UploadRoute } from '../../platform/http/router.js';
import { UPLOADS_PATH, KNOWN_UPLOADS_PATH } from '../../platform/paths/upload-paths.js';
import { otherVersion } from './tus/upload-request.js';
import type { UploadHandler } from './tus/upload-handler.js';

/** The longest id of an upload, in characters. */
const MAX_ID_LENGTH = 64;

/**
 * `/api/v1/uploads`: tus, the list of finished uploads, and the check which of some files have.
 * @param finished answers GET with the list of finished uploads, and with one of them.
 */
export function uploadRoutes(
  uploads: UploadHandler,
  finished: Readonly<Record<'list' | 'one', StreamHandler>>,
): Route[] {
  const upload = inOurVersion((context) => uploads.upload(context));
  // The response to OPTIONS lists the tus server's capabilities.
  const options: StreamHandler = (context) => uploads.options(context);
  const route = (path: string, handlers: UploadRoute['handlers']): UploadRoute => ({
    path,
    kind: 'upload',
    auth: 'token',
    handlers,
  });
  return [
    route(UPLOADS_PATH, {
      GET: inOurVersion(finished.list),
      POST: exactly(upload),
      OPTIONS: exactly(options),
    }),
    {
      ...route(KNOWN_UPLOADS_PATH, {
        POST: exactly(inOurVersion((context) => uploads.known(context))),
      }),
      isBrief: true,
    },
    route(`${UPLOADS_PATH}/:id`, {
      GET: exactly(inOurVersion(finished.one)),
      HEAD: exactly(upload),
      PATCH: exactly(upload),
      DELETE: exactly(upload),
      OPTIONS: exactly(options),
    }),
  ];
}

/**
 * `/photos/uploads`: tus for the pages of the service. The session of the browser takes the place of a token.
 */
export function browserUploadRoutes(uploads: UploadHandler, guard: SessionGuard): Route[] {
  const asSender =
    (work: (context: RequestContext, caller: Principal) => Promise<void>): StreamHandler =>
    async (context) => {
      const workspaceId = context.request.headers['x-workspace']?.toString() ?? '';
      const sender = await guard.requireScript(context, workspaceId);
      if (sender !== undefined) {
        const { accountId, sessionId } = sender;
        await work(context, {
          ...{ accountId, workspaceId, clientId: BROWSER_CLIENT },
          scopes: BROWSER_SCOPES,
          permission: { kind: 'session', id: sessionId },
        });
      }
    };
  const route = (path: string, handlers: UploadRoute['handlers']): UploadRoute => ({
    path,
    kind: 'upload',
    auth: 'session',
    handlers,
  });
  const handler = exactly(
    inOurVersion(asSender((context, caller) => uploads.uploadAs(context, caller, PHOTOS.uploads))),
  );
  const known = asSender((context, caller) =>
    // Photos that an app uploaded count, too.
    uploads.knownTo(context, { ...caller, scopes: new Set(['uploads:read']) }),
  );
  return [
    route(PHOTOS.uploads, { POST: handler }),
    { ...route(PHOTOS.knownUploads, { POST: exactly(known) }), isBrief: true },
    route(`${PHOTOS.uploads}/:id`, { HEAD: handler, PATCH: handler, DELETE: handler }),
  ];
}

const BROWSER_SCOPES: ReadonlySet<Scope> = new Set(['uploads:write', 'projects:write']);

/** Answers 404 to an address with a query, or with an id that no upload can have. */
function exactly(handler: StreamHandler): StreamHandler {
  return async (context) => {
    if (context.target.search !== '' || context.id.length > MAX_ID_LENGTH) {
      const description = 'this URL does not exist';
      sendError(context.response, 404, 'not_found', description);
    } else {
      await handler(context);
    }
  };
}

/** Rejects a request in another version of tus. */
function inOurVersion(handler: StreamHandler): StreamHandler {
  return async (context) => {
    const other = otherVersion(context.request);
    if (other === undefined) {
      await handler(context);
    } else {
      sendApiError(context.response, other);
    }
  };
}
