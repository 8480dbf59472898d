import type { Clock } from '../../util/clock.js';
import { CwError, isTransient } from '../../util/errors.js';
import type { ReadableObservable } from '../../util/observable.js';
import { tokenExpiry, type TokenExpiry } from './token-expiry.js';
import { RefreshAttempt, type RefreshAttemptOptions } from './refresh-attempt.js';
import { RefreshLease, type RefreshLeaseOptions } from './refresh-lease.js';
import { Refresher, type RefresherOptions } from './refresher.js';
import { TokenStore, type SessionState, type TokenStoreOptions } from './token-store.js';
import type { TokenSet } from '../token-endpoint.js';

/** `instanceId` names this instance of the plugin among others on the same storage. */
export type SessionOptions = TokenStoreOptions &
  RefreshLeaseOptions &
  Omit<RefresherOptions, 'tokens' | 'lease' | 'attempt'> &
  Omit<RefreshAttemptOptions, 'tokens'>;

/**
 * How many refreshes one call waits for. More than one, because tokens that another instance of the plugin
 * has stored may need a refresh themselves, and the computer may have slept through one. Limited,
 * because tokens may expire as soon as they are issued.
 */
const MAX_REFRESHES: Readonly<Record<TokenExpiry, number>> = {
  fresh: 0,
  due: 2,
  urgent: 2,
  expired: 4,
};

/**
 * The session with the service. Hands out a fresh access token. All callers share one refresh request:
 * a thousand callers cause one refresh.
 */
export class Session {
  private readonly clock: Clock;
  private readonly tokens: TokenStore;
  private readonly refresher: Refresher;
  private readonly revocations: SessionOptions['revocations'];
  /** An access token that the service refused while storage refused to keep new ones. It is not handed out again. */
  private refused: string | null = null;

  readonly state: ReadableObservable<SessionState>;

  constructor(options: SessionOptions) {
    this.clock = options.clock;
    this.revocations = options.revocations;
    this.tokens = new TokenStore(options);
    this.refresher = new Refresher({
      ...options,
      tokens: this.tokens,
      lease: new RefreshLease(options),
      attempt: new RefreshAttempt({ ...options, tokens: this.tokens }),
    });
    this.state = this.tokens.state;
  }

  /** Reads secure storage. Never fails: when storage cannot be read, the user must connect. */
  async load(): Promise<void> {
    const { tokens } = this;
    const stored = await tokens.read();
    if (this.state.get().kind !== 'loading') {
      return;
    }
    if (stored.kind === 'tokens' && (await this.isRevoked(stored.tokens))) {
      // An earlier disconnect was cut short after it had noted what to revoke: finish it.
      await tokens.remove();
      tokens.startEmpty({ kind: 'signed-out' });
    } else if (stored.kind === 'tokens') {
      const { replacedToken } = stored.tokens;
      if (replacedToken !== null) {
        await this.revocations.add(replacedToken);
      }
      // The next write of these tokens leaves the replaced token out.
      tokens.adopt({ ...stored.tokens, replacedToken: null });
    } else if (stored.kind === 'ended') {
      const error = new CwError('CW-202', 'the stored session has ended or is unreadable');
      tokens.startEmpty({ kind: 'reconnect-needed', error });
    } else {
      tokens.startEmpty({ kind: 'signed-out' });
    }
    this.revocations.flush();
  }

  /** Names the sign-in that the session comes from; null without a session, and for sessions of older versions. */
  get id(): string | null {
    return this.tokens.sessionId;
  }

  /**
   * Adopts the tokens of a new sign-in. An existing session ends and is revoked.
   * @throws {CwError} CW-701 when the tokens cannot be stored; the session is then as before. CW-201 when the session
   *   was disconnected during the call
   */
  async adopt(tokens: TokenSet): Promise<void> {
    await this.refresher.alone(async () => {
      const { active: inUse, unsaved } = this.tokens;
      const old = inUse && (unsaved ?? (await this.tokens.readTokens()) ?? inUse);
      await this.tokens.startSession(tokens, old && tokenToRevoke(old));
      await this.queueRevocation();
    });
    this.revocations.flush();
  }

  /** Revokes unwanted tokens, now or later. Never fails. */
  async discard(tokens: TokenSet): Promise<void> {
    await this.revocations.add(tokenToRevoke(tokens));
    this.revocations.flush();
  }

  /**
   * Returns a valid access token. Shortly before it expires a refresh begins in the background: the old token stays
   * valid until the service has issued a new one, and mostly beyond.
   * @throws {CwError} CW-201 not connected, CW-202 ended, CW-701 storage, or a transient error
   */
  async accessToken(): Promise<string> {
    for (let refreshes = 0; refreshes < MAX_REFRESHES[this.freshness()]; refreshes += 1) {
      const isWaitedFor = this.freshness() !== 'due';
      const refreshing = this.refresher.refresh();
      if (!isWaitedFor) {
        // The refresher stores a failure, and reports it to the first caller that has to wait.
        refreshing.catch(() => undefined);
        break;
      }
      try {
        await refreshing;
      } catch (error) {
        if (!this.canGoOnAfter(error)) {
          throw error;
        }
        break;
      }
    }
    return this.tokens.current().accessToken;
  }

  /**
   * Call when the service has answered 401 to `accessToken`. Refreshes only if that token is still the current one:
   * otherwise a newer one exists already.
   * @throws {CwError} as `accessToken()`
   */
  async rejected(accessToken: string): Promise<void> {
    if (this.tokens.current().accessToken === accessToken) {
      try {
        await this.refresher.refresh();
      } catch (error) {
        if (error instanceof CwError && error.code === 'CW-701') {
          this.refused = accessToken;
        }
        throw error;
      }
    }
  }

  /** The user chose to retry: a refresh that failed may be repeated at once. */
  retryNow(): void {
    this.refresher.retryNow();
  }

  /**
   * Removes the session from this computer at once. The revocation is sent in the background, later if the service is
   * unreachable now. Never fails.
   */
  async disconnect(): Promise<void> {
    const tokens = this.tokens.unsaved ?? this.tokens.active ?? (await this.tokens.readTokens());
    this.tokens.forget();
    // In this order, so that the next start finishes a disconnect that was cut short at any step (see `load`).
    if (tokens) {
      await this.revocations.add(tokenToRevoke(tokens));
    }
    await this.tokens.remove();
    this.revocations.flush();
  }

  /**
   * How fresh the tokens in use are. A token that the service has refused counts as expired while storage keeps no
   * newer one. While new tokens wait to be stored, the ones in use count as urgent: the service may have ended them.
   */
  private freshness(): TokenExpiry {
    if (this.isRefused()) {
      return 'expired';
    }
    const current = tokenExpiry(this.tokens.current(), this.clock.now());
    return this.tokens.unsaved && current !== 'expired' ? 'urgent' : current;
  }

  /**
   * Whether the token in use may still be sent although its refresh failed: the error is transient, and the token has
   * not expired.
   */
  private canGoOnAfter(error: unknown): boolean {
    const passes = error instanceof CwError && (isTransient(error) || error.code === 'CW-701');
    const expiresAt = this.tokens.active?.expiresAt ?? 0;
    return passes && expiresAt > this.clock.now() && !this.isRefused();
  }

  private isRefused(): boolean {
    return this.refused !== null && this.tokens.active?.accessToken === this.refused;
  }

  private isRevoked(tokens: TokenSet): Promise<boolean> {
    return this.revocations.has(tokenToRevoke(tokens));
  }

  /** Notes durably that the previous session is to be revoked. */
  private async queueRevocation(): Promise<void> {
    const { replacedToken } = this.tokens;
    if (replacedToken !== null) {
      await this.revocations.add(replacedToken);
      await this.tokens.forgetReplaced();
    }
  }
}

/**
 * The token whose revocation ends the whole grant, if there is one
 * ([RFC 7009 §2.1](https://www.rfc-editor.org/rfc/rfc7009#section-2.1)).
 */
function tokenToRevoke({ refreshToken, accessToken }: TokenSet): string {
  return refreshToken ?? accessToken;
}
