/** Why the service could not start; the message is one sentence that a person can act on. */
export type ServiceStartErrorCode =
  | 'invalid_option'
  | 'port_in_use'
  | 'cannot_listen'
  | 'data_dir_not_writable'
  | 'data_dir_in_use'
  | 'data_dir_not_lockable'
  | 'database_unavailable'
  | 'client_registry_wrong';

/** A refusal to start, with a stable code. `message` is a single line without a stack or a secret. */
export class ServiceStartError extends Error {
  override readonly name = 'ServiceStartError';

  constructor(
    readonly code: ServiceStartErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * Something the service cannot do without (the database, for one) is away or has no room at the moment; the
 * same request may succeed a little later. The front answers 503 with `Retry-After`
 * ([RFC 9110 §15.6.4](https://www.rfc-editor.org/rfc/rfc9110#section-15.6.4)). `reason` is for the log alone
 * and holds no secret.
 */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';

  constructor(
    readonly reason: string,
    /** When it makes sense to try again, in seconds. */
    readonly retryAfterSeconds = 2,
    options?: ErrorOptions,
  ) {
    super(reason, options);
  }
}

/** The {@link UnavailableError} that an error is, or that caused it. */
export function unavailability(error: unknown): UnavailableError | undefined {
  if (error instanceof UnavailableError) {
    return error;
  }
  return error instanceof Error && error.cause !== error ? unavailability(error.cause) : undefined;
}

/** The `code` of a Node.js system error (`EADDRINUSE`, `EACCES`, …), or an empty string. */
export function systemErrorCode(error: unknown): string {
  const isObject = typeof error === 'object' && error !== null;
  return isObject && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
