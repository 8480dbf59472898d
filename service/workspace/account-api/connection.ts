import { maxLength, minLength, pipe, strictObject, string } from 'valibot';
import { validateName, type Audit } from '../../identity/index.js';
import {
  refusal,
  tokenPermission,
  type BearerCheck,
  type Principal,
  type ConnectedApps,
} from '../../oauth/index.js';
import { invalid, sendApiError } from '../../kernel/http/api-error.js';
import { permit } from '../../kernel/http/permission.js';
import { parseJson } from '../../kernel/http/request/json-body.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendJson } from '../../kernel/http/responses.js';
import type { Route } from '../../kernel/http/router.js';
import { formatEnglish } from '../../kernel/i18n/translator.js';
import { CONNECTION_PATH, MAX_DEVICE_NAME } from '../../site/addresses/device-paths.js';

export interface ConnectionApiDeps {
  readonly bearer: BearerCheck;
  readonly connections: ConnectedApps;
  readonly audit: Audit;
}

const CHANGE = strictObject({
  device_name: pipe(string(), minLength(1), maxLength(MAX_DEVICE_NAME)),
});

/** The route `PATCH /api/v1/connection`: an app renames the computer of its connection. No scope is needed. */
export function connectionRoute(deps: ConnectionApiDeps): Route {
  return {
    path: CONNECTION_PATH,
    kind: 'api',
    bodies: { PATCH: CHANGE },
    handlers: permit(tokenPermission(deps.bearer, 'any'), {
      PATCH: (context, caller) => rename(deps, context, caller),
    }),
  };
}

async function rename(
  { bearer, connections, audit }: ConnectionApiDeps,
  { request, response, body }: BufferedContext,
  { permission, accountId }: Principal,
): Promise<void> {
  if (permission.kind !== 'grant') {
    const description = 'a personal access token has no connection';
    sendApiError(response, { status: 403, error: 'access_denied', description });
    return;
  }
  const read = parseJson(request, body, CHANGE, 'an object with "device_name"');
  if ('refused' in read) {
    sendApiError(response, read.refused);
    return;
  }
  const { device_name: name } = read.value;
  const problem = validateName(name, MAX_DEVICE_NAME);
  if (problem !== undefined) {
    sendApiError(response, invalid(`the device name ${formatEnglish(problem)}`));
    return;
  }
  if (await connections.rename({ accountId }, permission.id, name, { audit, response })) {
    sendJson(response, 200, { device_name: name });
  } else {
    sendApiError(response, refusal(bearer.invalidToken));
  }
}
