import { array, maxLength, object, pipe, regex, string } from 'valibot';
import { visibilityOf, type Accounts } from '../../identity/index.js';
import { sendApiError } from '../../kernel/http/api-error.js';
import { permit } from '../../kernel/http/permission.js';
import { parseJson } from '../../kernel/http/request/json-body.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendJson, sendStatus } from '../../kernel/http/responses.js';
import type { Route } from '../../kernel/http/router.js';
import { tokenPermission, type BearerCheck, type Principal } from '../../oauth/index.js';
import { uploadPlacementsPath } from '../../site/addresses/upload-paths.js';
import { ID, notFound } from '../uploads/index.js';
import { MAX_PLACEMENTS, type PlacementTable, type Use, type UsesView } from './placement-table.js';

export interface PlacementApiDeps {
  readonly bearer: BearerCheck;
  readonly accounts: Pick<Accounts, 'workspacesOf'>;
  readonly placements: PlacementTable;
  /** Finds an upload that a program may list, with what it sees besides. */
  readonly findListed: (
    caller: Principal,
    id: string,
  ) => Promise<{ readonly photoId: string; readonly view: UsesView } | undefined>;
}

/** Room for that many of the longest ids, in bytes. */
const MAX_BYTES = 64 * 1024;

const PLACEMENTS = object({
  placements: pipe(array(object({ id: pipe(string(), regex(ID)) })), maxLength(MAX_PLACEMENTS)),
});

/** The requests about which files are placed in an upload. */
export function placementApiRoutes(deps: PlacementApiDeps): Route[] {
  const { bearer } = deps;
  return [
    {
      path: uploadPlacementsPath(':id'),
      kind: 'api',
      maxBodyBytes: MAX_BYTES,
      bodies: { PUT: PLACEMENTS },
      handlers: {
        ...permit(tokenPermission(bearer, ['uploads:write', 'uploads:read', 'workspace:read']), {
          GET: (context, caller) => show(deps, context, caller),
        }),
        ...permit(tokenPermission(bearer, ['uploads:write']), {
          PUT: (context, caller) => replace(deps, context, caller),
        }),
      },
    },
  ];
}

/** Answers `GET /api/v1/uploads/{id}/placements`. */
async function show(
  { placements, findListed }: PlacementApiDeps,
  { response, id }: BufferedContext,
  caller: Principal,
): Promise<void> {
  const found = await findListed(caller, id);
  if (found === undefined) {
    sendApiError(response, notFound());
    return;
  }
  const { photoId, view } = found;
  const { contains, usedIn } = await placements.of({ photoId, id }, view, MAX_PLACEMENTS);
  sendJson(response, 200, { contains: contains.map(presentUse), used_in: usedIn.map(presentUse) });
}

/**
 * Answers `PUT /api/v1/uploads/{id}/placements`. The answer does not say which entries counted: an app need not see what its user sees.
 */
async function replace(
  { placements, accounts }: PlacementApiDeps,
  { request, response, body: sent, id }: BufferedContext,
  caller: Principal,
): Promise<void> {
  const shape = `{"placements": [{"id"}]} with ${MAX_PLACEMENTS} ids of uploads at most`;
  const body = parseJson(request, sent, PLACEMENTS, shape);
  if ('refused' in body) {
    sendApiError(response, body.refused);
    return;
  }
  const { accountId, workspaceId, clientId } = caller;
  const memberships = await accounts.workspacesOf(accountId);
  const workspace = memberships.find((one) => one.id === workspaceId);
  const ids = body.value.placements.map((placement) => placement.id);
  const container = { id, workspaceId, accountId, clientId };
  const isThere =
    workspace !== undefined &&
    (await placements.replace(container, visibilityOf(workspace, accountId), ids));
  if (isThere) {
    sendStatus(response, 204);
  } else {
    sendApiError(response, notFound());
  }
}

function presentUse({ id, name, uploadId, version, currentVersion, isCurrent }: Use): object {
  return {
    ...{ id, name, upload: uploadId, version: version ?? null },
    ...{ current_version: currentVersion ?? null, is_current: isCurrent },
  };
}
