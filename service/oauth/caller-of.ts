import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendEarly, type EarlyAnswer } from '../http/early-answers.js';
import type { BearerCheck, Caller, Challenge } from './bearer.js';

/** Who calls, when their token may do this (see {@link BearerCheck.check}); else the answer has been given. */
export async function callerOf(
  bearer: BearerCheck,
  request: IncomingMessage,
  response: ServerResponse,
  scopes: Parameters<BearerCheck['check']>[1],
): Promise<Caller | undefined> {
  const result = await bearer.check(request.headers.authorization, scopes);
  if ('challenge' in result) {
    sendEarly(response, refusal(result.challenge));
    return undefined;
  }
  return result.caller;
}

/** For a request that needs another token. */
export function refusal({ status, header, error, description }: Challenge): EarlyAnswer {
  return { status, error, description, headers: { 'WWW-Authenticate': header } };
}
