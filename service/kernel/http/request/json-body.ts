import type { IncomingMessage } from 'node:http';
import { safeParse, type GenericSchema } from 'valibot';
import { invalid, type ApiError } from '../api-error.js';
import { mediaTypeIn } from './media-type.js';

/** The value in a body, or the answer to a body that cannot be read or does not fit the schema. */
export type JsonBody<T> = { readonly value: T } | { readonly refused: ApiError };

/**
 * Reads a body as JSON and checks it against a schema.
 * @param shape the description of the schema for the error response.
 * @returns the value; otherwise the response: 415 for another `Content-Type`, 400 for invalid JSON or another shape.
 */
export function parseJson<T>(
  { headers }: IncomingMessage,
  body: Buffer,
  schema: GenericSchema<unknown, T>,
  shape: string,
): JsonBody<T> {
  if (mediaTypeIn(headers['content-type']) !== 'application/json') {
    const description = 'the body must be application/json';
    return { refused: { status: 415, error: 'unsupported_media_type', description } };
  }
  const { success, output } = safeParse(schema, valueOf(body));
  return success ? { value: output } : { refused: invalid(`the body must be ${shape}`) };
}

/** @returns the value; undefined if the body is not JSON in UTF-8. */
function valueOf(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
