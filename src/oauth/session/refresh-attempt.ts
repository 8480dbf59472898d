import { fromUint8Array } from 'js-base64';
import { sleep, type Clock } from '../../util/clock.js';
import type { RandomBytes } from '../../util/random-id.js';
import type { StoredTokens } from './session-codec.js';
import type { TokenSet } from '../token-endpoint.js';
import type { TokenStore } from './token-store.js';

/** Longer than a storage takes to write. Milliseconds. */
const SETTLE_MS = 250;

export interface RefreshAttemptOptions {
  readonly tokens: TokenStore;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

/**
 * The value that identifies one refresh (`refresh_attempt`, docs/oauth.md). It is stored before the refresh is sent.
 * Every repeat sends the same value: this instance of the plugin after a lost answer, the next one after a kill, another
 * one on the same storage. So the service can distinguish a repeat from a theft.
 */
export class RefreshAttempt {
  constructor(private readonly options: RefreshAttemptOptions) {}

  /**
   * The value to send with a refresh of `old`: the one in storage, else a new one that has been stored.
   *
   * Storage has no compare-and-swap. So two instances of the plugin that both find no value each write their
   * own, wait until both have written, and send the value that is in storage then.
   * @param generation  the session's generation ({@link TokenStore}) in which the refresh began
   * @returns null when nothing is to be sent: storage has other tokens by now, or the session is another one
   * @throws {CwError} CW-701 when storage refuses the value: nothing may be sent then
   */
  async valueFor(old: TokenSet, generation: number): Promise<string | null> {
    const { tokens, clock, randomBytes } = this.options;
    const before = await tokens.readTokens();
    if (isReplaced(before, old)) {
      return null;
    }
    if (before?.refreshAttempt) {
      return before.refreshAttempt;
    }
    const made = fromUint8Array(randomBytes(32), true);
    if (!(await tokens.saveAttempt(old, made, generation))) {
      return null;
    }
    if (!old.refreshAttemptSupported) {
      return made;
    }
    await sleep(clock, SETTLE_MS);
    const after = await tokens.readTokens();
    if (generation !== tokens.generation || isReplaced(after, old)) {
      return null;
    }
    return after?.refreshAttempt ?? made;
  }
}

function isReplaced(stored: StoredTokens | null, old: TokenSet): boolean {
  return stored !== null && stored.accessToken !== old.accessToken;
}
