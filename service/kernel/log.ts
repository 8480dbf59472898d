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
  readonly action?: AuditAction;
  /** The id of the account that acted. */
  readonly by?: string;
  /** The id of the affected account. */
  readonly user?: string;
  readonly workspace?: string;
  /** The role that was given, or offered by an invitation. */
  readonly role?: 'owner' | 'member';
  readonly invitation?: string;
  /** The id of a link, which is not its token: it opens nothing. */
  readonly link?: string;
  /** The id of the photo or the project that a link is for, or how many photos it is for. */
  readonly photo?: string;
  readonly photos?: number;
  readonly project?: string;
  /** The id of the OAuth client. */
  readonly client?: string;
}

/** What happened to accounts and workspaces, to find out later how access was obtained. */
export type AuditAction =
  | 'signed_in'
  | 'browser_signed_out'
  | 'app_connected'
  | 'app_disconnected'
  | 'app_renamed'
  | 'app_number_refused'
  | 'token_made'
  | 'token_revoked'
  | 'policy_changed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'authenticator_added'
  | 'authenticator_removed'
  | 'second_factors_removed'
  | 'recovery_codes_made'
  | 'recovery_code_used'
  | 'email_changed'
  | 'identity_linked'
  | 'identity_unlinked'
  | 'identity_provider_changed'
  | 'application_made'
  | 'application_changed'
  | 'application_secret_made'
  | 'application_deleted'
  | 'webhook_made'
  | 'webhook_changed'
  | 'webhook_deleted'
  | 'webhook_turned_off'
  | 'password_changed'
  | 'password_reset'
  | 'access_ended'
  | 'renamed'
  | 'user_added'
  | 'invited'
  | 'invitation_revoked'
  | 'joined'
  | 'role_changed'
  | 'removed'
  | 'left'
  | 'link_made'
  | 'link_opened'
  | 'link_password_refused'
  | 'link_changed'
  | 'link_revoked'
  | 'link_restored'
  | 'link_expired'
  | 'feedback_approved'
  | 'feedback_approval_withdrawn'
  | 'feedback_favourite_added'
  | 'feedback_favourite_removed'
  | 'feedback_comment_created'
  | 'feedback_comment_deleted'
  | 'feedback_guest_removed'
  | 'feedback_guest_restored'
  | 'feedback_left_out';

/** Receives each log line; must not throw. */
export type Log = (line: LogLine) => void;

/** An error in one line of at most 300 characters: its name and message, never its other members or its cause. */
export function lineAbout(error: unknown): string {
  if (!(error instanceof Error)) {
    return 'unknown error';
  }
  return `${error.name}: ${error.message}`.replace(/\s+/g, ' ').slice(0, 300);
}
