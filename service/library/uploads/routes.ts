import type { Scope, ScriptSender, SessionGuard } from '../../identity/index.js';
import {
  BROWSER_CLIENT,
  tokenPermission,
  type BearerCheck,
  type Principal,
} from '../../oauth/index.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';
import { sendApiError, type ApiError } from '../../kernel/http/api-error.js';
import { OPEN, permit, type Permission } from '../../kernel/http/permission.js';
import type { RequestContext } from '../../kernel/http/request/request-context.js';
import type { Route, UploadRoute } from '../../kernel/http/router.js';
import { KNOWN_UPLOADS_PATH } from '../../site/addresses/upload-paths.js';
import { UPLOADS_PATH } from '../../kernel/http/tus-headers.js';
import { QUESTION } from './known-uploads.js';
import { otherVersion } from './tus/upload-request.js';
import type { UploadHandler } from './tus/upload-handler.js';

/** The longest id of an upload, in characters. */
const MAX_ID_LENGTH = 64;

/** Answers a request about uploads on behalf of a caller. */
type UploadsHandler = (context: RequestContext, caller: Principal) => Promise<void>;

/**
 * `/api/v1/uploads`: tus, the list of finished uploads, and the check which of some files have.
 * @param finished answers GET with the list of finished uploads, and with one of them.
 */
export function uploadRoutes(
  uploads: UploadHandler,
  bearer: BearerCheck,
  finished: Readonly<Record<'list' | 'one', UploadsHandler>>,
): Route[] {
  const listing = tokenPermission(bearer, ['uploads:write', 'uploads:read', 'workspace:read']);
  const comparing = tokenPermission(bearer, ['uploads:write', 'uploads:read']);
  const uploading = exactly(inOurVersion(tokenPermission(bearer, ['uploads:write'])));
  const upload: UploadsHandler = (context, caller) => uploads.upload(context, caller, UPLOADS_PATH);
  // The response to OPTIONS lists the tus server's capabilities.
  const options = permit(exactly(OPEN), {
    OPTIONS: (context: RequestContext) => uploads.options(context),
  });
  return [
    {
      path: UPLOADS_PATH,
      kind: 'upload',
      handlers: {
        ...permit(inOurVersion(listing), { GET: finished.list }),
        ...permit(uploading, { POST: upload }),
        ...options,
      },
    },
    {
      path: KNOWN_UPLOADS_PATH,
      kind: 'upload',
      isBrief: true,
      bodies: { POST: QUESTION },
      handlers: permit(exactly(inOurVersion(comparing)), {
        POST: (context: RequestContext, caller) => uploads.known(context, caller),
      }),
    },
    {
      path: `${UPLOADS_PATH}/:id`,
      kind: 'upload',
      handlers: {
        ...permit(exactly(inOurVersion(listing)), { GET: finished.one }),
        ...permit(uploading, { HEAD: upload, PATCH: upload, DELETE: upload }),
        ...options,
      },
    },
  ];
}

/**
 * `/photos/uploads`: tus for the pages of the service. The session of the browser takes the place of a token.
 */
export function browserUploadRoutes(uploads: UploadHandler, guard: SessionGuard): Route[] {
  const script = guard.scripts;
  const upload = (context: RequestContext, sender: ScriptSender): Promise<void> =>
    uploads.upload(context, principalOf(sender, BROWSER_SCOPES), PHOTOS.uploads);
  const uploading = exactly(inOurVersion(script));
  const route = (path: string, handlers: UploadRoute['handlers']): UploadRoute => ({
    path,
    kind: 'upload',
    handlers,
  });
  return [
    route(PHOTOS.uploads, permit(uploading, { POST: upload })),
    {
      ...route(
        PHOTOS.knownUploads,
        permit(exactly(script), {
          // Photos that an app uploaded count, too.
          POST: (context: RequestContext, sender) =>
            uploads.known(context, principalOf(sender, new Set(['uploads:read']))),
        }),
      ),
      isBrief: true,
    },
    route(
      `${PHOTOS.uploads}/:id`,
      permit(uploading, { HEAD: upload, PATCH: upload, DELETE: upload }),
    ),
  ];
}

const BROWSER_SCOPES: ReadonlySet<Scope> = new Set(['uploads:write', 'projects:write']);

/** The user of a page as the sender of uploads. */
function principalOf(
  { accountId, workspaceId, sessionId }: ScriptSender,
  scopes: ReadonlySet<Scope>,
): Principal {
  const permission = { kind: 'session', id: sessionId } as const;
  return { accountId, workspaceId, clientId: BROWSER_CLIENT, scopes, permission };
}

/** Answers 404 to an address with a query, or with an id that no upload can have. */
function exactly<Caller>(permission: Permission<Caller>): Permission<Caller> {
  return refusing(permission, ({ target, id }) =>
    target.search === '' && id.length <= MAX_ID_LENGTH
      ? undefined
      : { status: 404, error: 'not_found', description: 'this URL does not exist' },
  );
}

/** Rejects a request in another version of tus. */
function inOurVersion<Caller>(permission: Permission<Caller>): Permission<Caller> {
  return refusing(permission, ({ request }) => otherVersion(request));
}

/** A permission that refuses some requests from every caller, before it looks for the caller. */
function refusing<Caller>(
  permission: Permission<Caller>,
  refusal: (context: RequestContext) => ApiError | undefined,
): Permission<Caller> {
  return {
    ...permission,
    authorize: async (context) => {
      const refused = refusal(context);
      if (refused === undefined) {
        return permission.authorize(context);
      }
      sendApiError(context.response, refused);
      return undefined;
    },
  };
}
