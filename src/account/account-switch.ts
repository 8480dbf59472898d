import type { Session } from '../oauth/session/session.js';
import type { SignInSession } from '../oauth/device-flow/sign-in.js';
import type { TokenSet } from '../oauth/token-endpoint.js';
import type { OwnershipGuard } from './ownership-guard.js';

export interface AccountSwitchOptions {
  readonly session: Pick<Session, 'state' | 'id' | 'adopt' | 'discard'>;
  readonly ownership: Pick<OwnershipGuard, 'beforeSwitch' | 'abortSwitch' | 'afterSwitch'>;
  readonly onUnexpectedError: (error: unknown) => void;
}

/**
 * Replaces the session by that of a new sign-in, in an order that is safe when the plugin is killed at any step. First
 * storage notes that the next session may be another account's. Then one write stores the new session, and that the old
 * one is to be revoked. So no photo goes to another account without a question, and no session stays unrevoked.
 */
export class AccountSwitch implements SignInSession {
  constructor(private readonly options: AccountSwitchOptions) {}

  get state(): SignInSession['state'] {
    return this.options.session.state;
  }

  get id(): string | null {
    return this.options.session.id;
  }

  /**
   * Takes over the tokens of a sign-in.
   * @param isAnother  the user requested another account
   * @throws {CwError} when the tokens, or the note about the photos, cannot be stored: everything is then as before, and
   *   the new tokens are revoked
   */
  async adopt(tokens: TokenSet, isAnother: boolean): Promise<void> {
    const { session, ownership, onUnexpectedError } = this.options;
    if (!isAnother && session.state.get().kind !== 'signed-in') {
      await session.adopt(tokens);
      return;
    }
    let isNoted = false;
    try {
      await ownership.beforeSwitch();
      isNoted = true;
      await session.adopt(tokens);
    } catch (error) {
      await session.discard(tokens);
      if (isNoted) {
        await ownership.abortSwitch();
      }
      throw error;
    }
    // The sign-in is over: it does not wait for the service to report the account.
    void ownership.afterSwitch().catch(onUnexpectedError);
  }
}
