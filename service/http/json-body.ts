import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { safeParse, type GenericSchema } from 'valibot';
import { invalid, type EarlyAnswer } from './early-answers.js';
import type { WholeRequest } from './whole-request.js';

/** What a body says, or the answer to one that cannot be read. */
export type JsonBody<T> = { readonly value: T } | { readonly refused: EarlyAnswer };

/** Reads the body of a request as JSON; see {@link parseJson}. */
export async function readJson<T>(
  request: WholeRequest,
  schema: GenericSchema<unknown, T>,
  shape: string,
): Promise<JsonBody<T>> {
  return parseJson(request, await buffer(request), schema, shape);
}

/**
 * Reads `body`, which came with `request`, as JSON.
 * @param shape says in words what the schema wants, for the answer to what it does not take.
 */
export function parseJson<T>(
  { headers }: IncomingMessage,
  body: Buffer,
  schema: GenericSchema<unknown, T>,
  shape: string,
): JsonBody<T> {
  if (!/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) {
    const description = 'the body must be application/json';
    return { refused: { status: 415, error: 'unsupported_media_type', description } };
  }
  const { success, output } = safeParse(schema, valueOf(body));
  return success ? { value: output } : { refused: invalid(`the body must be ${shape}`) };
}

/** @returns undefined for what is no JSON in UTF-8. */
function valueOf(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
