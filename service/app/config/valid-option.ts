import { safeParse, type BaseIssue, type BaseSchema, type InferOutput } from 'valibot';
import { ServiceStartError } from '../../kernel/errors.js';

type Schema = BaseSchema<unknown, unknown, BaseIssue<unknown>>;

/**
 * Reads options with a schema. Its messages must say what an option must be, and never repeat its value.
 * @returns the options, with defaults and in the types of the schema.
 * @throws {ServiceStartError} `invalid_option`, with the message about the first option that is wrong.
 */
export function validOption<S extends Schema>(schema: S, given: unknown): InferOutput<S> {
  const result = safeParse(schema, given, { abortEarly: true });
  if (result.success) {
    return result.output;
  }
  throw invalidOption(result.issues[0].message);
}

/** The error for a wrong option. @param sentence the valid values of the option, without a full stop. */
export function invalidOption(sentence: string): ServiceStartError {
  return new ServiceStartError('invalid_option', `Invalid option: ${sentence}.`);
}
