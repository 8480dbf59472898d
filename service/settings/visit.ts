import type { ServerResponse } from 'node:http';
import type { Account, Membership } from '../accounts/accounts.js';
import type { SettingsFrame } from './frame.js';

/** A request of a person who is signed in. */
interface Visit {
  readonly response: ServerResponse;
  /** What stands in the address in the place of `:id`; empty where nothing does. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** The form, when the request is a POST; its anti-forgery token has been checked. */
  readonly form: URLSearchParams | undefined;
  readonly account: Account;
  readonly memberships: readonly Membership[];
  readonly frame: SettingsFrame;
}

/** Answers at one address of Settings. */
export type VisitHandler = (visit: Visit) => Promise<void>;
