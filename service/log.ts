/**
 * One structured log line. It never carries a token, a code, a password, a query string or a body;
 * `path` has the identifiers of sign-in pages, and what makes a link, replaced by placeholders.
 */
export interface LogLine {
  /** When it happened, ISO 8601. */
  readonly time: string;
  readonly level: 'info' | 'error';
  readonly event: 'request' | 'server_error' | 'audit';
  /** The value of the answer's `X-Request-Id` header. */
  readonly requestId?: string;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  /** How long the answer took, in milliseconds. */
  readonly ms?: number;
  /** What went wrong; only for `server_error`. */
  readonly message?: string;
  /** What was done about people and links; only for `audit`, as are the ids below. */
  readonly action?: AuditAction;
  /** Who did it. */
  readonly by?: string;
  /** To whom. */
  readonly person?: string;
  readonly workspace?: string;
  /** The role that was given, or offered by an invitation. */
  readonly role?: 'owner' | 'member';
  readonly invitation?: string;
  /** A link, by the id under which it is listed, which opens nothing. */
  readonly link?: string;
  /** What a link is for. */
  readonly photo?: string;
  readonly project?: string;
}

/** What is done about people and links, for whoever looks later how somebody got in. */
export type AuditAction =
  | 'password_changed'
  | 'password_reset'
  | 'renamed'
  | 'person_added'
  | 'invited'
  | 'invitation_revoked'
  | 'joined'
  | 'role_changed'
  | 'removed'
  | 'left'
  | 'link_made'
  | 'link_opened'
  | 'link_password_refused'
  | 'link_revoked'
  | 'link_expired';

/** Receives each log line; must not throw. */
export type Log = (line: LogLine) => void;

/** An error in one line: its name and message, never its other members or its cause. */
export function lineAbout(error: unknown): string {
  if (!(error instanceof Error)) {
    return 'unknown error';
  }
  return `${error.name}: ${error.message}`.replace(/\s+/g, ' ').slice(0, 300);
}
