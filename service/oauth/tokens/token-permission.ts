import { BufferedRequest } from '../../kernel/http/request/buffered-request.js';
import { sendApiError, type ApiError } from '../../kernel/http/api-error.js';
import type { Permission } from '../../kernel/http/permission.js';
import type { Scope } from '../../identity/index.js';
import type { BearerCheck, Challenge, Principal } from './bearer.js';

/**
 * Requires an access token, see {@link BearerCheck.check}.
 * @param anyOf the token needs one of these scopes; with `any` its scopes do not matter.
 */
export function tokenPermission(
  bearer: BearerCheck,
  anyOf: readonly Scope[] | 'any',
): Permission<Principal> {
  return {
    kind: 'token',
    condition: anyOf === 'any' ? 'token' : `token: ${anyOf.join(' or ')}`,
    authorize: async ({ request, response }) => {
      const result = await bearer.check(
        {
          authorization: request.headers.authorization,
          proof: request.headers['dpop']?.toString(),
          method: request instanceof BufferedRequest ? request.sentMethod : (request.method ?? ''),
          target: request.url ?? '',
        },
        anyOf,
      );
      if ('challenge' in result) {
        sendApiError(response, refusal(result.challenge));
        return undefined;
      }
      return result.caller;
    },
  };
}

/** The answer to a request that needs another token. */
export function refusal({ status, header, error, description }: Challenge): ApiError {
  return { status, error, description, headers: { 'WWW-Authenticate': header } };
}
