import type { ServerResponse } from 'node:http';
import type { Account, Membership } from '../accounts/accounts.js';
import type { WholeRequest } from '../http/whole-request.js';
import type { BrowserSession } from '../oauth/browser-session.js';
import type { Frame } from './frame.js';

/** A request of a person who is signed in. */
export interface Visit {
  readonly request: WholeRequest;
  readonly response: ServerResponse;
  /** What stands in the address in the place of `:id`; empty where nothing does. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** The form, when the request is a POST; its anti-forgery token has been checked. */
  readonly form: URLSearchParams | undefined;
  readonly session: BrowserSession;
  readonly account: Account;
  readonly memberships: readonly Membership[];
  readonly frame: Frame;
}

/** Answers at one address. */
export type VisitHandler = (visit: Visit) => Promise<void>;
