import type { ServerResponse } from 'node:http';
import type { Account, Membership } from '../accounts/accounts.js';
import type { WholeRequest } from '../http/whole-request.js';
import type { BrowserSession } from '../oauth/browser-session.js';
import type { Frame } from './frame.js';

/** A request of a person who is signed in. */
export interface Visit {
  readonly request: WholeRequest;
  readonly response: ServerResponse;
  /** The part of the path for `:id`; empty if the route has none. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** The form, when the request is a POST; its anti-forgery token has been checked. */
  readonly form: URLSearchParams | undefined;
  readonly session: BrowserSession;
  readonly account: Account;
  readonly memberships: readonly Membership[];
  readonly frame: Frame;
}

/** Answers the requests to one page. */
export type VisitHandler = (visit: Visit) => Promise<void>;
