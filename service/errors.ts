/** Why the service could not start; the message is one sentence that a person can act on. */
export type ServiceStartErrorCode =
  | 'invalid_option'
  | 'port_in_use'
  | 'cannot_listen'
  | 'data_dir_not_writable'
  | 'data_dir_in_use'
  | 'database_unavailable'
  | 'client_registry_wrong';

/** A refusal to start, with a stable code. `message` is a single line without a stack or a secret. */
export class ServiceStartError extends Error {
  override readonly name = 'ServiceStartError';
  readonly code: ServiceStartErrorCode;

  constructor(code: ServiceStartErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The `code` of a Node.js system error (`EADDRINUSE`, `EACCES`, …), or an empty string. */
export function systemErrorCode(error: unknown): string {
  const isObject = typeof error === 'object' && error !== null;
  return isObject && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
