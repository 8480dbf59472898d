import type { S3 } from '@aws-sdk/client-s3';
import { systemErrorCode, UnavailableError } from '../errors.js';
import { NETWORK_ERRORS } from '../network-errors.js';

/** How long the storage may say nothing, before its answer or in the middle of it, in milliseconds. */
const SILENCE_MS = 30_000;

/** Times that the storage may take, in milliseconds. The SDK by itself waits for ever. */
export const S3_TIMES = {
  /** For a connection. */
  connectionTimeout: 5_000,
  /** From the beginning of a request, which may bring some MiB, to that of its answer. */
  requestTimeout: SILENCE_MS,
  throwOnRequestTimeout: true,
} as const;

/** What S3-compatible storage says when it has too much to do, or waited too long for us. */
const PASSING: ReadonlySet<string> = new Set([
  ...['TimeoutError', 'RequestTimeout', 'SlowDown', 'Throttling', 'ServiceUnavailable'],
  ...['InternalError', 'OperationAborted'],
]);

/**
 * Makes all that is asked of the storage fail with {@link UnavailableError} where it is away, out of room for requests,
 * or does not answer, after the SDK has tried a few times.
 */
export function tellAway(client: Pick<S3, 'middlewareStack'>): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        throw toldOf(error);
      }
    },
    // Within the SDK's own attempts, which know by the cause that another one may help.
    { step: 'deserialize', priority: 'high', name: 'tellAway' },
  );
}

/**
 * The bytes of an answer, to be read without a pause.
 * @throws {UnavailableError} when the storage goes away meanwhile, or falls silent.
 */
export async function* bytesOf(
  body: AsyncIterable<unknown> & { destroy: (error: Error) => unknown },
): AsyncGenerator<unknown, void> {
  const silence = setTimeout(() => {
    body.destroy(new UnavailableError('the storage fell silent'));
  }, SILENCE_MS);
  try {
    for await (const piece of body) {
      silence.refresh();
      yield piece;
    }
  } catch (error) {
    throw toldOf(error);
  } finally {
    clearTimeout(silence);
  }
}

/** The error as the service tells it: as {@link UnavailableError} where it passes by itself. */
function toldOf(error: unknown): unknown {
  if (!isPassing(error)) {
    return error;
  }
  const code = systemErrorCode(error);
  const reason = code === '' && error instanceof Error ? error.name : code;
  return new UnavailableError(`the storage is away (${reason})`, undefined, { cause: error });
}

function isPassing(error: unknown): boolean {
  const status = statusOf(error);
  return (
    NETWORK_ERRORS.has(systemErrorCode(error)) ||
    (error instanceof Error && PASSING.has(error.name)) ||
    (status !== undefined && (status >= 500 || status === 429) && status !== 501)
  );
}

/** The status of the storage's answer, where there was one. */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) {
    return undefined;
  }
  const { $metadata: metadata } = error as { $metadata?: { httpStatusCode?: number } };
  return metadata?.httpStatusCode;
}
