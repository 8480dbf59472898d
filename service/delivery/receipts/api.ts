import {
  array,
  description,
  maxLength,
  minLength,
  pipe,
  regex,
  strictObject,
  string,
  union,
} from 'valibot';
import { tokenPermission, type BearerCheck, type Principal } from '../../oauth/index.js';
import { invalid, sendApiError, type ApiError } from '../../kernel/http/api-error.js';
import { OPEN, permit } from '../../kernel/http/permission.js';
import { parseJson } from '../../kernel/http/request/json-body.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendJson } from '../../kernel/http/responses.js';
import type { Route } from '../../kernel/http/router.js';
import { RECEIPT_KEYS_PATH, RECEIPTS_API_PATH } from '../../site/addresses/receipt-paths.js';
import type { UploadApiRepository } from '../../library/index.js';
import type { ReceiptKeys } from './receipt-keys.js';
import type { ReceiptWriter } from './receipt-writer.js';
import { MAX_IN_RECEIPT } from './receipt.js';
import { nameOfDay, sendReceipt } from './send-receipt.js';

export interface ReceiptApiDeps {
  readonly bearer: BearerCheck;
  readonly shown: Pick<UploadApiRepository, 'several' | 'currentOfProject'>;
  readonly receipts: ReceiptWriter;
  readonly receiptKeys: ReceiptKeys;
  readonly now: () => Date;
}

/** How many uploads a request can name. */
const MAX_NAMED = 1000;

/** Room for the ids of {@link MAX_NAMED} uploads, in bytes. */
const MAX_BODY_BYTES = 128 * 1024;

const ID = pipe(string(), regex(/^[\w-]{1,64}$/));
const WANTED = union([
  strictObject({
    project: pipe(
      ID,
      description(
        'The id of a project. The receipt lists the current versions in it that the token may list',
      ),
    ),
  }),
  strictObject({
    uploads: pipe(
      array(ID),
      minLength(1),
      maxLength(MAX_NAMED),
      description('The ids of uploads that the token may list'),
    ),
  }),
]);
const SHAPE = `{"project"} or {"uploads": [1 to ${MAX_NAMED} ids]}`;

const NOT_FOUND: ApiError = {
  status: 404,
  error: 'not_found',
  description: 'an upload does not exist, or the project has none that you may see',
};

/** The API for receipts: signed lists of uploads that anyone can verify. */
export function receiptApiRoutes(deps: ReceiptApiDeps): Route[] {
  const listing = tokenPermission(deps.bearer, ['uploads:write', 'uploads:read', 'workspace:read']);
  return [
    {
      path: RECEIPTS_API_PATH,
      kind: 'api',
      bodies: { POST: WANTED },
      maxBodyBytes: MAX_BODY_BYTES,
      handlers: permit(listing, { POST: (context, caller) => create(deps, context, caller) }),
    },
    {
      path: RECEIPT_KEYS_PATH,
      kind: 'api',
      handlers: permit(OPEN, {
        GET: async ({ response }) => {
          sendJson(response, 200, await deps.receiptKeys.published());
        },
      }),
    },
  ];
}

/** Answers `POST /api/v1/receipts` with a receipt of uploads that the token may list. */
async function create(
  deps: ReceiptApiDeps,
  { request, response, body }: BufferedContext,
  caller: Principal,
): Promise<void> {
  const wanted = parseJson(request, body, WANTED, SHAPE);
  if ('refused' in wanted) {
    sendApiError(response, wanted.refused);
    return;
  }
  const ids = await idsOf(deps, caller, wanted.value);
  if (ids === 'too many') {
    sendApiError(response, invalid(`a receipt lists ${MAX_IN_RECEIPT} uploads at most`));
    return;
  }
  const { accountId, workspaceId } = caller;
  const receipt =
    ids.length === 0 ? undefined : await deps.receipts.write({ workspaceId, accountId, ids });
  if (receipt === undefined) {
    sendApiError(response, NOT_FOUND);
  } else {
    sendReceipt(response, receipt, nameOfDay(deps.now()));
  }
}

/** The ids of the uploads; none if the caller may not see one of them. */
async function idsOf(
  { shown }: ReceiptApiDeps,
  caller: Principal,
  wanted: { readonly project: string } | { readonly uploads: readonly string[] },
): Promise<readonly string[] | 'too many'> {
  if ('project' in wanted) {
    const ids = await shown.currentOfProject(caller, wanted.project, MAX_IN_RECEIPT + 1);
    return ids.length > MAX_IN_RECEIPT ? 'too many' : ids;
  }
  const ids = [...new Set(wanted.uploads)];
  const found = await shown.several(caller, ids);
  return found.length === ids.length ? ids : [];
}
