/**
 * One structured log line. It never has a token, a code, a password, a query string or a body in it. In `path`,
 * placeholders replace the identifiers of sign-in pages and the tokens of links.
 */
export interface LogLine {
  /** When the line was written, as ISO 8601. */
  readonly time: string;
  readonly level: 'info' | 'error';
  readonly event: 'request' | 'server_error' | 'audit' | 'sign_in_failed';
  /** The value of the answer's `X-Request-Id` header. */
  readonly requestId?: string;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  /** From the start of the work on the request to the end of its answer, in milliseconds. */
  readonly ms?: number;
  /** The error; only for `server_error` and `sign_in_failed`. */
  readonly message?: string;
  /** An action on users or links; only for `audit`. The members below are for `audit` and `sign_in_failed`. */
  readonly action?: string;
  /** The id of the account that acted. */
  readonly by?: string;
  /** The id of the affected account. */
  readonly user?: string;
  readonly workspace?: string;
  /** The id of the OAuth client. */
  readonly client?: string;
  /** What else an event is about: ids, which open nothing, roles and numbers. */
  readonly [about: string]: string | number | undefined;
}

/** Receives each log line; must not throw. */
export type Log = (line: LogLine) => void;

/** An error in one line of at most 300 characters: its name and message, never its other members or its cause. */
export function lineAbout(error: unknown): string {
  if (!(error instanceof Error)) {
    return 'unknown error';
  }
  return `${error.name}: ${error.message}`.replace(/\s+/g, ' ').slice(0, 300);
}
