import { buffer } from 'node:stream/consumers';
import { safeParse, type GenericSchema } from 'valibot';
import { invalid } from '../uploads/early-answers.js';
import type { EarlyAnswer } from '../uploads/upload-body.js';
import type { WholeRequest } from './whole-request.js';

/**
 * Reads a body of JSON.
 * @param shape says in words what the schema wants, for the answer to what it does not take.
 */
export async function readJson<T>(
  request: WholeRequest,
  schema: GenericSchema<unknown, T>,
  shape: string,
): Promise<{ readonly value: T } | { readonly refused: EarlyAnswer }> {
  if (!/^application\/json *(;|$)/i.test(request.headers['content-type'] ?? '')) {
    const description = 'the body must be application/json';
    return { refused: { status: 415, error: 'unsupported_media_type', description } };
  }
  const { success, output } = safeParse(schema, parse(await buffer(request)));
  return success ? { value: output } : { refused: invalid(`the body must be ${shape}`) };
}

/** @returns undefined for what is no JSON in UTF-8. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
