import type { Account, Membership } from '../accounts/accounts.js';
import type { Notice } from '../notices/notices.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import type { BrowserSession } from './browser-session.js';
import type { PageShell } from './page-shell.js';

/** The session of a browser and its signed-in user. */
export interface SessionUser {
  readonly session: BrowserSession;
  readonly account: Account | undefined;
  readonly memberships: readonly Membership[];
  /** The id of the row of the session; undefined without one. */
  readonly sessionId?: string | undefined;
  /** What the user is to be shown. */
  readonly notices: readonly Notice[];
}

/** A request of a signed-in user. The anti-forgery token of the form, if any, has been checked. */
export interface AuthenticatedRequest extends BufferedContext, SessionUser {
  readonly account: Account;
  readonly shell: PageShell;
}

/** Handles the requests of signed-in users to one page. */
export type PageHandler = (context: AuthenticatedRequest) => Promise<void>;

/** Answers the requests to one page, whether or not anybody is signed in. Nothing about a form has been checked. */
export type OpenPageHandler = (context: BufferedContext, user: SessionUser) => Promise<void>;
