import type { S3 } from '@aws-sdk/client-s3';
import { systemErrorCode, UnavailableError } from '../../../kernel/errors.js';
import { NETWORK_ERRORS } from '../../../kernel/network-errors.js';

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

/** Names of errors for an object or an upload in parts that is not there. This is not an error of the storage. */
const MISSING: ReadonlySet<string> = new Set(['NoSuchKey', 'NotFound', 'NoSuchUpload']);

/** `Retry-After` when the storage refuses us, which only the operator can change; in seconds. */
const RETRY_REFUSED_SECONDS = 60;

/** Names of transient errors: the storage is overloaded or failing, or a request timed out. */
const PASSING: ReadonlySet<string> = new Set([
  ...['TimeoutError', 'RequestTimeout', 'SlowDown', 'Throttling', 'ServiceUnavailable'],
  ...['InternalError', 'OperationAborted'],
]);

/**
 * The storage answers with a refusal: wrong credentials, no such bucket, no room, a request that it
 * does not know. The front answers 503, as for storage that is away: the photographer can only wait for the operator.
 */
export class StorageRefusedError extends UnavailableError {
  /** @param cause the error of the SDK; its message is not repeated, since it may have parts of the credentials in it. */
  constructor(cause: Error) {
    super(`the storage refused (${cause.name})`, RETRY_REFUSED_SECONDS, { cause });
  }
}

/**
 * Makes every request of this client fail with {@link UnavailableError} when the storage is away, overloaded, does not
 * answer after the SDK has tried a few times, or refuses. What is missing keeps the error of the SDK, see
 * {@link isMissing}.
 */
export function mapS3Errors(client: Pick<S3, 'middlewareStack'>): void {
  client.middlewareStack.add(failingWith(toldOf), {
    // Runs within each attempt of the SDK, which sees from the cause whether another attempt may help.
    step: 'deserialize',
    priority: 'high',
    name: 'tellAway',
  });
  client.middlewareStack.add(failingWith(refusalOf), {
    // Around everything: missing credentials are noticed before there is a request.
    step: 'initialize',
    priority: 'high',
    name: 'tellRefused',
  });
}

/** Whether the storage has answered that there is no such object or upload in parts. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && MISSING.has(error.name);
}

function failingWith(change: (error: unknown) => unknown) {
  return <Arguments, Result>(next: (args: Arguments) => Promise<Result>) =>
    async (args: Arguments): Promise<Result> => {
      try {
        return await next(args);
      } catch (error) {
        throw change(error);
      }
    };
}

/** The error as {@link StorageRefusedError} if it is a refusal; otherwise unchanged. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UnavailableError || isMissing(error)) {
    return error;
  }
  const isRefusal = statusOf(error) !== undefined || error.name === 'CredentialsProviderError';
  return isRefusal ? new StorageRefusedError(error) : error;
}

/**
 * The bytes of an answer. The reader must not pause: that would count as silence of the storage.
 * @throws {UnavailableError} when the storage disconnects or stops responding.
 */
export async function* bytesOf(
  body: AsyncIterable<unknown> & { destroy: (error: Error) => unknown },
): AsyncGenerator<unknown, void> {
  const silence = setTimeout(() => {
    body.destroy(new UnavailableError('the storage stopped responding'));
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

/** The error as {@link UnavailableError} if it is transient; otherwise unchanged. */
function toldOf(error: unknown): unknown {
  if (!isPassing(error)) {
    return error;
  }
  const code = systemErrorCode(error);
  const reason = code === '' && error instanceof Error ? error.name : code;
  return new UnavailableError(`the storage is unavailable (${reason})`, undefined, {
    cause: error,
  });
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
