import type { S3 } from '@aws-sdk/client-s3';
import { systemErrorCode, UnavailableError } from '../errors.js';
import { NETWORK_ERRORS } from '../network-errors.js';

/** How long the storage may be silent, before its answer or in the middle of it, in milliseconds. */
const SILENCE_MS = 30_000;

/** Time limits for the storage, in milliseconds. By default the SDK waits for ever. */
export const S3_TIMES = {
  /** Until the connection is made. */
  connectionTimeout: 5_000,
  /** From the beginning of a request, which may carry some MiB, to the beginning of its answer. */
  requestTimeout: SILENCE_MS,
  throwOnRequestTimeout: true,
} as const;

/** Names of errors that pass by themselves: the storage is overloaded or in trouble, or somebody waited too long. */
const PASSING: ReadonlySet<string> = new Set([
  ...['TimeoutError', 'RequestTimeout', 'SlowDown', 'Throttling', 'ServiceUnavailable'],
  ...['InternalError', 'OperationAborted'],
]);

/**
 * Makes every request of this client fail with {@link UnavailableError} when the storage is away, overloaded, or does
 * not answer, after the SDK has tried a few times.
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
    // Runs within each attempt of the SDK, which sees from the cause whether another attempt may help.
    { step: 'deserialize', priority: 'high', name: 'tellAway' },
  );
}

/**
 * The bytes of an answer. The reader must not pause: that would count as silence of the storage.
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

/** The error as {@link UnavailableError} if it passes by itself; otherwise unchanged. */
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

/** The HTTP status of the storage's answer, if there was one. */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) {
    return undefined;
  }
  const { $metadata: metadata } = error as { $metadata?: { httpStatusCode?: number } };
  return metadata?.httpStatusCode;
}
