/**
 * One structured log line. It never carries a token, a code, a password, a query string or a body;
 * `path` has the identifiers of sign-in pages, and what makes a link, replaced by placeholders.
 */
export interface LogLine {
  /** When it happened, ISO 8601. */
  readonly time: string;
  readonly level: 'info' | 'error';
  readonly event: 'request' | 'server_error';
  /** The value of the answer's `X-Request-Id` header. */
  readonly requestId?: string;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  /** How long the answer took, in milliseconds. */
  readonly ms?: number;
  /** What went wrong; only for `server_error`. */
  readonly message?: string;
}

/** Receives each log line; must not throw. */
export type Log = (line: LogLine) => void;

/** An error in one line: its name and message, never its other members or its cause. */
export function lineAbout(error: unknown): string {
  if (!(error instanceof Error)) {
    return 'unknown error';
  }
  return `${error.name}: ${error.message}`.replace(/\s+/g, ' ').slice(0, 300);
}
