/** Why the service could not start. */
export type ServiceStartErrorCode =
  | 'invalid_option'
  | 'port_in_use'
  | 'cannot_listen'
  | 'data_dir_not_writable'
  | 'data_dir_in_use'
  | 'data_dir_not_lockable'
  | 'database_unavailable'
  | 'database_too_new'
  | 'storage_unavailable'
  | 'client_registry_wrong';

/**
 * The service could not start. `code` is stable; `message` is one line for the operator with the remedy, without a
 * stack or a secret.
 */
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
 * Something that the service needs, such as the database, is away or has no room at the moment. The same request may
 * succeed a little later. The request pipeline answers 503 with `Retry-After`
 * ([RFC 9110 §15.6.4](https://www.rfc-editor.org/rfc/rfc9110#section-15.6.4)). `reason` is for operators only, and has
 * no secret in it.
 */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';

  constructor(
    readonly reason: string,
    /** After how many seconds it makes sense to try again. */
    readonly retryAfterSeconds = 2,
    options?: ErrorOptions,
  ) {
    super(reason, options);
  }
}

/**
 * The connection to the database was lost after a statement was sent. Whether the statement was carried out is unknown,
 * see `withKnownOutcome`.
 */
export class LostAnswerError extends UnavailableError {}

/**
 * Whether a change was committed could not be found out in time. The request pipeline gives no answer then: it closes the
 * connection, because 503 would mean that nothing was stored.
 */
export class UnknownOutcomeError extends Error {
  override readonly name = 'UnknownOutcomeError';

  constructor(options?: ErrorOptions) {
    super(
      'the database was unavailable for too long to find out whether a change was committed',
      options,
    );
  }
}

/** The {@link UnavailableError} in an error: the error itself, or one in the chain of its causes; else undefined. */
export function unavailability(error: unknown): UnavailableError | undefined {
  if (error instanceof UnavailableError) {
    return error;
  }
  return error instanceof Error && error.cause !== error ? unavailability(error.cause) : undefined;
}

/** The `code` of a Node.js system error (`EADDRINUSE`, `EACCES`, …); an empty text for any other error. */
export function systemErrorCode(error: unknown): string {
  const isObject = typeof error === 'object' && error !== null;
  return isObject && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
