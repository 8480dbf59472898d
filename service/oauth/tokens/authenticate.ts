import type { IncomingMessage, ServerResponse } from 'node:http';
import { BufferedRequest } from '../../platform/http/request/buffered-request.js';
import { sendApiError, type ApiError } from '../../platform/http/api-error.js';
import type { BearerCheck, Principal, Challenge } from './bearer.js';

/** Finds who calls (see {@link BearerCheck.check}). Undefined when they may not: then they have their answer. */
export async function authenticate(
  bearer: BearerCheck,
  request: IncomingMessage,
  response: ServerResponse,
  scopes: Parameters<BearerCheck['check']>[1],
): Promise<Principal | undefined> {
  const result = await bearer.check(
    {
      authorization: request.headers.authorization,
      proof: request.headers['dpop']?.toString(),
      method: request instanceof BufferedRequest ? request.sentMethod : (request.method ?? ''),
      target: request.url ?? '',
    },
    scopes,
  );
  if ('challenge' in result) {
    sendApiError(response, refusal(result.challenge));
    return undefined;
  }
  return result.caller;
}

/** The answer to a request that needs another token. */
export function refusal({ status, header, error, description }: Challenge): ApiError {
  return { status, error, description, headers: { 'WWW-Authenticate': header } };
}
