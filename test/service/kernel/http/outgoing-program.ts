/**
 * Sends a request to the address in its first argument, and prints why it failed.
 * @packageDocumentation
 */
import { OutgoingError, outgoingStatus } from '../../../../service/kernel/http/outgoing.js';
import { systemErrorCode } from '../../../../service/kernel/errors.js';

const result = await outgoingStatus(process.argv[2] ?? '', {}, { allowsPrivate: true }).catch(
  (error: unknown) => error,
);
process.stdout.write(
  JSON.stringify(
    result instanceof OutgoingError
      ? { failure: result.failure, code: systemErrorCode(result.cause) }
      : { failure: undefined },
  ),
);
