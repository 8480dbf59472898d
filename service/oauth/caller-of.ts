import type { IncomingMessage, ServerResponse } from 'node:http';
import { refusal, sendEarly } from '../uploads/early-answers.js';
import type { BearerCheck, Caller } from './bearer.js';

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
