import type { AttemptLimit } from '../limits/attempt-limit.js';
import { tryAgainIn } from '../limits/attempt-limit.js';
import type { Account, Accounts } from './accounts.js';

/** Wrong passwords within the window: of one person from one address, of one address, of one person. */
const MAX_PER_PERSON_AND_ADDRESS = 10;
const MAX_PER_ADDRESS = 50;
const MAX_PER_PERSON = 100;

export type SignInResult =
  | { readonly account: Account }
  | {
      readonly status: 401 | 429;
      /** One sentence for the person. */
      readonly problem: string;
      readonly retryAfterSeconds?: number;
    };

/**
 * Checks a username and a password, and slows down who guesses. The limit on one person from
 * everywhere is loose, so that a stranger cannot easily lock somebody out.
 */
export class SignIn {
  private readonly accounts: Accounts;
  private readonly limit: AttemptLimit;

  constructor(accounts: Accounts, limit: AttemptLimit) {
    this.accounts = accounts;
    this.limit = limit;
  }

  /** @param address of the client, see client-address.ts. */
  async attempt(username: string, password: string, address: string): Promise<SignInResult> {
    const person = username.trim().toLowerCase();
    const rules = [
      { key: `sign-in person ${person} address ${address}`, max: MAX_PER_PERSON_AND_ADDRESS },
      { key: `sign-in address ${address}`, max: MAX_PER_ADDRESS },
      { key: `sign-in person ${person}`, max: MAX_PER_PERSON },
    ];
    const wait = await this.limit.take(rules);
    if (wait !== undefined) {
      return {
        status: 429,
        problem: `Too many attempts to sign in. ${tryAgainIn(wait)}`,
        retryAfterSeconds: wait,
      };
    }
    const account = await this.accounts.signIn(username, password);
    if (account === undefined) {
      return { status: 401, problem: 'The username or the password is not right. Try again.' };
    }
    await this.limit.giveBack(rules);
    return { account };
  }
}
