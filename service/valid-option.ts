import { safeParse, type BaseIssue, type BaseSchema, type InferOutput } from 'valibot';
import { ServiceStartError } from './errors.js';

type Schema = BaseSchema<unknown, unknown, BaseIssue<unknown>>;

/**
 * Reads options by their schema, whose messages say what an option must be, and never its value.
 * @throws {ServiceStartError} `invalid_option`, with the message of the first thing that is wrong.
 */
export function validOption<S extends Schema>(schema: S, given: unknown): InferOutput<S> {
  const result = safeParse(schema, given, { abortEarly: true });
  if (result.success) {
    return result.output;
  }
  throw invalidOption(result.issues[0].message);
}

/** @param sentence says what an option must be, without a full stop. */
export function invalidOption(sentence: string): ServiceStartError {
  return new ServiceStartError('invalid_option', `Invalid option: ${sentence}.`);
}
