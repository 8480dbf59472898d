import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendEarly, type EarlyAnswer } from '../http/early-answers.js';
import type { BearerCheck, Caller, Challenge } from './bearer.js';

/** Finds who calls (see {@link BearerCheck.check}). Undefined when they may not: then they have their answer. */
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

/** The answer to a request that needs another token. */
export function refusal({ status, header, error, description }: Challenge): EarlyAnswer {
  return { status, error, description, headers: { 'WWW-Authenticate': header } };
}
