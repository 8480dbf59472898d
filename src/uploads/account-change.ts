import { isSameAccount, type Account, type AccountInfo } from '../api/account.js';
import { CancelSource } from '../base/cancel.js';
import { sleep, type Clock } from '../base/clock.js';
import type { Session } from '../oauth/session.js';
import type { SignInSession } from '../oauth/sign-in.js';
import type { TokenSet } from '../oauth/token-endpoint.js';
import type { Uploader } from './uploader.js';

export interface AccountChangeOptions {
  readonly session: Pick<Session, 'state' | 'id' | 'adopt' | 'discard'>;
  readonly account: Pick<AccountInfo, 'state' | 'connected'>;
  readonly uploader: Pick<Uploader, 'beforeChange' | 'changed' | 'unchanged'>;
  readonly clock: Clock;
  readonly onFault: (fault: unknown) => void;
}

/** Longest wait to learn whose the new session is. If that is not known then, the person is asked. Milliseconds. */
const LONGEST_MS = 5_000;

/**
 * Replaces the session by that of a new sign-in, in an order that is safe when the plugin is killed at any step. First
 * the list notes that the person has to be asked about its photos. Then one write stores the new session, and that the
 * old one is to be revoked. So no photo goes to another account unasked, and no session is left behind.
 */
export class AccountChange implements SignInSession {
  /** Settles when it is known whether the last change was one of the account. */
  private settling: Promise<void> = Promise.resolve();

  constructor(private readonly options: AccountChangeOptions) {}

  get state(): SignInSession['state'] {
    return this.options.session.state;
  }

  get id(): string | null {
    return this.options.session.id;
  }

  /**
   * Takes over the tokens of a sign-in.
   * @param isAnother  the person asked for another account
   * @throws {CwError} when the tokens or the question about the photos cannot be stored: all is then as before, and the
   *   new tokens are revoked
   */
  async adopt(tokens: TokenSet, isAnother: boolean): Promise<void> {
    const { session, account, uploader, onFault } = this.options;
    if (!isAnother && session.state.get().kind !== 'signed-in') {
      await session.adopt(tokens);
      return;
    }
    await this.settling;
    const before = account.state.get();
    let isHeld = false;
    try {
      await uploader.beforeChange();
      isHeld = true;
      await session.adopt(tokens);
    } catch (error) {
      await session.discard(tokens);
      if (isHeld) {
        await uploader.unchanged();
      }
      throw error;
    }
    this.settling = this.settle(before).catch(onFault);
  }

  /** Takes the question back when it is certainly the same account in the same workspace; else asks it. */
  private async settle(before: Account | null): Promise<void> {
    const { account, uploader, clock } = this.options;
    const known = account.connected();
    if (before) {
      const over = new CancelSource();
      const waited = sleep(clock, LONGEST_MS, over.signal).catch(() => undefined);
      await Promise.race([known, waited]);
      over.cancel();
    }
    if (isSameAccount(before, account.state.get())) {
      await uploader.unchanged();
    } else {
      await uploader.changed();
    }
  }
}
