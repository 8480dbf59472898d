import { backoffDelay } from '../../util/backoff.js';
import { CancelledError, CancelSource } from '../../util/cancel.js';
import type { Clock } from '../../util/clock.js';
import { CwError, isTransient, toCwError } from '../../util/errors.js';
import type { SendHttp } from '../../host/http.js';
import type { OAuthClient } from '../client.js';
import { LEASE_MS, type RefreshLease } from './refresh-lease.js';
import type { RefreshAttempt } from './refresh-attempt.js';
import type { Revocations } from './revocations.js';
import { refreshTokens, type TokenSet } from '../token-endpoint.js';
import type { TokenStore } from './token-store.js';

export interface RefresherOptions {
  readonly send: SendHttp;
  readonly client: OAuthClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly tokens: TokenStore;
  readonly lease: RefreshLease;
  readonly attempt: RefreshAttempt;
  readonly revocations: Revocations;
  /** Called when new tokens are stored and in use. */
  readonly onRefreshed?: () => void;
}

/** The same as the delays of the request queue: a refresh must not delay a waiting user for longer. */
const BACKOFF = { firstMs: 1_000, longestMs: 15_000 };
/** Delays after a refusal that does not end the session: only the operators of the service can fix it. */
const SLOW_BACKOFF = { firstMs: 15_000, longestMs: 5 * 60_000 };
/** A refresh stops this long before its lease ends, so that no other instance sends the same token. Milliseconds. */
const LEASE_RESERVE_MS = 5_000;
const MAX_LEASE_ATTEMPTS = 200;
/**
 * The refusal that ends the session ([RFC 6749 §5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2)). Any other may
 * pass: `invalid_client` and `unauthorized_client` come from a service that was set up without this client.
 */
const ENDING_ERROR = 'invalid_grant';

/** Counts failed refreshes of one set of tokens. Other tokens begin at zero. */
interface Failures {
  readonly tokens: TokenSet;
  readonly count: number;
  /** Set while no refresh may be sent. A timer ends it, because the wall clock may jump. */
  pause: { readonly ms: number; readonly stop: () => void } | null;
}

/** Refreshes the tokens in use: one refresh at a time, with pauses after failures. */
export class Refresher {
  private underWay: Promise<void> | null = null;
  private failures: Failures | null = null;

  constructor(private readonly options: RefresherOptions) {}

  /**
   * Refreshes the tokens in use. A caller that comes while a refresh is under way shares it.
   * @throws {CwError} CW-201 not connected, CW-202 the session has ended, CW-701 storage refuses the new
   *   tokens, or a transient error
   */
  refresh(): Promise<void> {
    this.underWay ??= this.refreshOnce().finally(() => {
      this.underWay = null;
    });
    return this.underWay;
  }

  /**
   * Runs `change`, which changes the session, while no refresh runs. A `refresh` called during it sends nothing, and
   * settles when the change is over.
   * @throws {unknown} any error of `change`
   */
  async alone<T>(change: () => Promise<T>): Promise<T> {
    while (this.underWay) {
      await this.underWay.catch(() => undefined);
    }
    const changing = change();
    const over = changing.then(
      () => undefined,
      () => undefined,
    );
    this.underWay = over.finally(() => {
      this.underWay = null;
    });
    return changing;
  }

  /** Ends the pause after failures, so that a refresh may be sent at once. */
  retryNow(): void {
    this.failures?.pause?.stop();
    this.failures = null;
  }

  private async refreshOnce(): Promise<void> {
    const { tokens, lease } = this.options;
    const { generation, unsaved } = tokens;
    if (unsaved) {
      await this.save(unsaved, generation);
      return;
    }
    const old = tokens.current();
    this.throwIfPaused(old);
    if (old.refreshAttemptSupported) {
      // The service gives two instances of the plugin the same new tokens, so neither has to wait for the other.
      if (!(await this.useFromAnotherCopy(old, generation))) {
        await this.replace(old, generation);
      }
      return;
    }
    if (await this.anotherCopyRefreshed(old, generation)) {
      return;
    }
    try {
      await this.replace(old, generation);
    } finally {
      await lease.release();
    }
  }

  /** Takes the lease, unless nothing is left to refresh (see `useFromAnotherCopy`). Gives whether that is so. */
  private async anotherCopyRefreshed(old: TokenSet, generation: number): Promise<boolean> {
    const { lease } = this.options;
    for (let attempt = 0; attempt < MAX_LEASE_ATTEMPTS; attempt += 1) {
      if (await this.useFromAnotherCopy(old, generation)) {
        return true;
      }
      if (!(await lease.tryTake())) {
        continue;
      }
      if (!(await this.useFromAnotherCopy(old, generation))) {
        return false;
      }
      await lease.release();
      return true;
    }
    throw new CwError('CW-303', 'another instance of the plugin keeps refreshing');
  }

  /**
   * Uses the tokens that another instance of the plugin has stored, if there are any.
   * @returns whether nothing is left to refresh: another instance has stored new tokens, or the session is another one
   */
  private async useFromAnotherCopy(old: TokenSet, generation: number): Promise<boolean> {
    const { tokens } = this.options;
    const stored = await tokens.readTokens();
    if (generation !== tokens.generation) {
      return true;
    }
    // Tokens are stored before they are used, so stored tokens that differ from ours are newer.
    if (!stored || stored.accessToken === old.accessToken) {
      return false;
    }
    tokens.adopt(stored);
    return true;
  }

  /** Exchanges `old` for new tokens, and applies a failure to the session. */
  private async replace(old: TokenSet, generation: number): Promise<void> {
    if (old.refreshToken === null) {
      throw await this.ended(
        new CwError('CW-202', 'the access token cannot be refreshed'),
        generation,
      );
    }
    const attempt = await this.options.attempt.valueFor(old, generation);
    if (attempt === null) {
      await this.useFromAnotherCopy(old, generation);
      return;
    }
    let successor: TokenSet;
    try {
      successor = await this.exchange({ refreshToken: old.refreshToken, attempt });
    } catch (thrown) {
      const error = toCwError(thrown, 'CW-901', 'a refresh failed in an unknown way');
      if (!endsSession(error)) {
        throw this.pauseAfter(error, old);
      }
      // The refresh token may be refused because another instance has used it.
      if (await this.useFromAnotherCopy(old, generation)) {
        return;
      }
      // The service refuses a repeat when the tokens of the first refresh have been used. Only another party can have
      // used them, so the grant has to end.
      if (old.refreshAttemptSupported) {
        await this.revoke(old);
      }
      throw await this.ended(error, generation);
    }
    await this.save(successor, generation);
  }

  /**
   * Sends one refresh. No other code does.
   *
   * It stops before the lease ends, since another instance could then assume that this instance is dead.
   */
  private async exchange(refresh: {
    readonly refreshToken: string;
    readonly attempt: string;
  }): Promise<TokenSet> {
    const { send, client, clock } = this.options;
    const limit = new CancelSource();
    const stopTimer = clock.startTimer(LEASE_MS - LEASE_RESERVE_MS, () => {
      limit.cancel();
    });
    try {
      return await refreshTokens(send, client, refresh, () => clock.now(), limit.signal);
    } catch (error) {
      if (error instanceof CancelledError) {
        throw new CwError('CW-302', 'the service took too long to refresh', { cause: error });
      }
      throw error;
    } finally {
      stopTimer();
    }
  }

  /** Stores new tokens. If the session has changed since, they have no owner and are revoked. */
  private async save(successor: TokenSet, generation: number): Promise<void> {
    if (await this.options.tokens.save(successor, generation)) {
      this.options.onRefreshed?.();
    } else {
      await this.revoke(successor);
    }
  }

  private async revoke({ refreshToken, accessToken }: TokenSet): Promise<void> {
    await this.options.revocations.add(refreshToken ?? accessToken);
    this.options.revocations.flush();
  }

  /** Notes that the session has ended, then gives `error` for the caller to throw. */
  private async ended(error: CwError, generation: number): Promise<CwError> {
    await this.options.tokens.end(error, generation);
    return error;
  }

  /** After a transient error: delays the next refresh. Returns the error for the callers. */
  private pauseAfter(error: CwError, old: TokenSet): CwError {
    const { clock, random } = this.options;
    const count = this.failures?.tokens === old ? this.failures.count + 1 : 1;
    const policy = isTransient(error) ? BACKOFF : SLOW_BACKOFF;
    const ms = backoffDelay(policy, count, random(), error.retryAfterMs);
    this.failures?.pause?.stop();
    const failures: Failures = { tokens: old, count, pause: null };
    const stop = clock.startTimer(ms, () => {
      failures.pause = null;
    });
    failures.pause = { ms, stop };
    this.failures = failures;
    // An intercepted response was about the refresh: it is no verdict on the request that waits for the token.
    if (isTransient(error) && !error.isIntercepted) {
      return error;
    }
    return new CwError('CW-303', 'a refresh failed for now', {
      cause: error,
      retryAfterMs: ms,
    });
  }

  private throwIfPaused(old: TokenSet): void {
    const pause = this.failures?.tokens === old ? this.failures.pause : null;
    if (pause) {
      throw new CwError('CW-303', 'the last refresh failed; waiting', { retryAfterMs: pause.ms });
    }
  }
}

function endsSession(error: CwError): boolean {
  return error.code === 'CW-202' && error.oauthError === ENDING_ERROR;
}
