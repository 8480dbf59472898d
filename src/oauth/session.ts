import { backoffDelay } from '../base/backoff.js';
import { CancelledError, CancelSource } from '../base/cancel.js';
import type { Clock } from '../base/clock.js';
import { CwError, isTransient, toCwError } from '../base/errors.js';
import type { Redactor } from '../base/redact.js';
import { Store, type ReadableStore } from '../base/store.js';
import type { SecretStore } from '../host/host.js';
import type { SendHttp } from '../host/http.js';
import type { OAuthClient } from './client.js';
import { LEASE_MS, RefreshLease } from './refresh-lease.js';
import type { Revocations } from './revocations.js';
import {
  ENDED_SESSION,
  readSession,
  SECRET_KEYS,
  writeSession,
  type StoredSession,
} from './stored-tokens.js';
import { refreshTokens, type TokenSet } from './token-endpoint.js';

/** The signed-in state as the rest of the plugin sees it. No token is ever part of it. */
export type SessionState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'signed-out' }
  /** `trouble` is set while the storage refuses what must be kept (CW-701). */
  | { readonly kind: 'signed-in'; readonly trouble: CwError | null }
  /** The service ended the session; connecting again continues it. */
  | { readonly kind: 'reconnect-needed'; readonly error: CwError };

export interface SessionOptions {
  readonly send: SendHttp;
  readonly client: OAuthClient;
  readonly secrets: SecretStore;
  readonly clock: Clock;
  readonly random: () => number;
  readonly redactor: Redactor;
  readonly revocations: Revocations;
  /** Names this copy of the plugin among others on the same storage. */
  readonly copyId: string;
}

const LEAST_MARGIN_MS = 60_000;
/** As short as the waits of the request queue: whoever watches must not wait longer for a refresh. */
const BACKOFF = { firstMs: 1_000, longestMs: 15_000 };
/** A refresh is given up this long before its lease ends. Milliseconds. */
const LEASE_RESERVE_MS = 5_000;
const MOST_LEASE_ATTEMPTS = 200;
/** Refusals that end the session (RFC 6749 §5.2); any other is trouble that may pass. */
const ENDING_ERRORS = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

/**
 * Keeps the tokens: in secure storage first, in memory second. Hands out an access token that is
 * fresh, refreshing through one shared request; a thousand callers cause one refresh.
 */
export class Session {
  private readonly store = new Store<SessionState>({ kind: 'loading' });
  private tokens: TokenSet | null = null;
  /** Tokens the service has given but storage has not taken yet: nobody uses them before it has. */
  private unsaved: TokenSet | null = null;
  private refreshing: Promise<void> | null = null;
  private failures = 0;
  /** Set while a failed refresh is not to be repeated yet. By a timer: the wall clock may jump. */
  private rest: { readonly ms: number; readonly stop: () => void } | null = null;
  /** Grows with every sign-in and disconnect, so that a refresh under way knows when it is for nobody. */
  private generation = 0;

  readonly state: ReadableStore<SessionState> = this.store;

  private readonly lease: RefreshLease;

  constructor(private readonly options: SessionOptions) {
    this.lease = new RefreshLease(options);
  }

  /** Reads secure storage. Whatever is wrong with it means "connect", never an exception. */
  async load(): Promise<void> {
    const stored = await this.readStored();
    if (this.store.get().kind !== 'loading') return;
    if (stored.kind === 'tokens' && (await this.isRevoked(stored.tokens))) {
      // A disconnect that was cut short after noting what to revoke.
      await this.options.secrets.remove(SECRET_KEYS.session).catch(() => undefined);
      this.store.set({ kind: 'signed-out' });
    } else if (stored.kind === 'tokens') {
      this.tokens = stored.tokens;
      this.store.set({ kind: 'signed-in', trouble: null });
    } else if (stored.kind === 'ended') {
      this.store.set({
        kind: 'reconnect-needed',
        error: new CwError('CW-202', 'the stored session has ended or is unreadable'),
      });
    } else {
      this.store.set({ kind: 'signed-out' });
    }
    this.options.revocations.flush();
  }

  /**
   * Takes over the tokens of a new sign-in.
   * @throws CwError CW-701 when they cannot be kept; the session is then as before
   */
  async adopt(tokens: TokenSet): Promise<void> {
    this.rememberSecrets(tokens);
    this.generation += 1;
    await this.options.secrets.set(SECRET_KEYS.session, writeSession(tokens));
    this.use(tokens);
  }

  /**
   * An access token that is not about to expire. In time before that a refresh begins for which nobody
   * waits: the old token is good until the service has given a new one, and mostly beyond.
   * @throws CwError CW-201 not connected, CW-202 ended, CW-701 storage, or a transient error
   */
  async accessToken(): Promise<string> {
    for (let attempt = 0; this.needsRefresh(this.current()); attempt += 1) {
      // Again: what another copy of the plugin has put into storage may need a refresh itself, and a
      // computer may have slept through a refresh. But not for ever: a lifetime may be a wink.
      if (attempt >= (this.isExpired(this.current()) ? 4 : 2)) break;
      const refreshing = this.refresh();
      if (!this.isUrgent(this.current())) {
        // Its trouble is noted, and met again by whoever cannot do without.
        refreshing.catch(() => undefined);
        break;
      }
      try {
        await refreshing;
      } catch (error) {
        const passes = error instanceof CwError && (isTransient(error) || error.code === 'CW-701');
        const stillGood = (this.tokens?.expiresAt ?? 0) > this.now();
        if (!passes || !stillGood) throw error;
        break;
      }
    }
    return this.current().accessToken;
  }

  /**
   * Tells that the service answered 401 to `accessToken`. Refreshes only if that token is still the
   * current one: otherwise a newer one is there already.
   * @throws as `accessToken()`
   */
  async rejected(accessToken: string): Promise<void> {
    if (this.current().accessToken === accessToken) await this.refresh();
  }

  /** The person asked to try again: a refresh that failed may be repeated at once. */
  retryNow(): void {
    this.failures = 0;
    this.endRest();
  }

  /**
   * Forgets the session on this computer at once; the service is told in the background, later if it
   * cannot be reached now. Never fails.
   */
  async disconnect(): Promise<void> {
    const tokens = this.unsaved ?? this.tokens ?? (await this.storedTokens());
    this.generation += 1;
    this.tokens = null;
    this.unsaved = null;
    this.store.set({ kind: 'signed-out' });
    // In this order: whatever is cut short, the next start finishes it (see `load`).
    if (tokens) await this.options.revocations.add(tokens.refreshToken ?? tokens.accessToken);
    await this.options.secrets.remove(SECRET_KEYS.session).catch(() => undefined);
    this.options.revocations.flush();
  }

  private current(): TokenSet {
    if (this.tokens) return this.tokens;
    const state = this.store.get();
    if (state.kind === 'reconnect-needed') throw state.error;
    throw new CwError('CW-201', 'not connected');
  }

  /** From then on a refresh is begun by whoever asks. */
  private needsRefresh(tokens: TokenSet): boolean {
    return this.isNear(tokens, 1);
  }

  /** From then on nobody gets the old token who could have a new one. */
  private isUrgent(tokens: TokenSet): boolean {
    return this.isNear(tokens, 1 / 4);
  }

  /**
   * Whether expiry is near: nearer than this share of a minute or a twentieth of the lifetime, whichever
   * is more, but never more than half of the lifetime.
   */
  private isNear({ obtainedAt, expiresAt }: TokenSet, share: number): boolean {
    if (this.unsaved) return true;
    if (expiresAt === null) return false;
    const lifetime = expiresAt - obtainedAt;
    const margin = Math.min(Math.max(LEAST_MARGIN_MS, lifetime / 20), lifetime / 2);
    return this.now() >= expiresAt - margin * share;
  }

  private isExpired({ expiresAt }: TokenSet): boolean {
    return expiresAt !== null && expiresAt <= this.now();
  }

  /** At most one refresh is ever under way; whoever needs one while it is shares it. */
  private refresh(): Promise<void> {
    this.refreshing ??= this.refreshOnce().finally(() => {
      this.refreshing = null;
    });
    return this.refreshing;
  }

  private async refreshOnce(): Promise<void> {
    const generation = this.generation;
    if (this.unsaved) {
      await this.save(this.unsaved, generation);
      return;
    }
    const tried = this.current();
    if (this.rest)
      throw new CwError('CW-303', 'the last refresh failed; waiting', {
        retryAfterMs: this.rest.ms,
      });
    if (await this.othersRefreshed(tried, generation)) return;
    try {
      await this.refreshWith(tried, generation);
    } finally {
      await this.lease.release();
    }
  }

  /** Waits until no other copy of the plugin is refreshing. Gives whether one has, so that nothing is left to do. */
  private async othersRefreshed(tried: TokenSet, generation: number): Promise<boolean> {
    for (let attempt = 0; attempt < MOST_LEASE_ATTEMPTS; attempt += 1) {
      if (await this.adoptFromOtherCopy(tried, generation)) return true;
      if (!(await this.lease.tryTake())) continue;
      if (!(await this.adoptFromOtherCopy(tried, generation))) return false;
      await this.lease.release();
      return true;
    }
    throw new CwError('CW-303', 'another copy of the plugin keeps refreshing');
  }

  private async refreshWith(tried: TokenSet, generation: number): Promise<void> {
    if (tried.refreshToken === null) {
      await this.end(
        generation,
        new CwError('CW-202', 'the access token ended and cannot be refreshed'),
      );
      return;
    }
    let tokens: TokenSet;
    try {
      tokens = await this.exchange(tried.refreshToken);
    } catch (thrown) {
      const error = toCwError(thrown, 'CW-901', 'a refresh failed in an unknown way');
      if (error.code !== 'CW-202' || !ENDING_ERRORS.has(error.oauthError ?? ''))
        throw this.laterAgain(error);
      if (!(await this.adoptFromOtherCopy(tried, generation))) await this.end(generation, error);
      return;
    }
    this.rememberSecrets(tokens);
    if (generation !== this.generation) {
      // Disconnected meanwhile: these tokens belong to nobody.
      await this.revoke(tokens);
      return;
    }
    this.unsaved = tokens;
    await this.save(tokens, generation);
  }

  /** The refresh itself; ended before another copy could think this one dead. */
  private async exchange(refreshToken: string): Promise<TokenSet> {
    const { send, client, clock } = this.options;
    const limit = new CancelSource();
    const stopTimer = clock.startTimer(LEASE_MS - LEASE_RESERVE_MS, () => {
      limit.cancel();
    });
    try {
      return await refreshTokens(send, client, refreshToken, () => clock.now(), limit.signal);
    } catch (error) {
      if (error instanceof CancelledError)
        throw new CwError('CW-302', 'the service took too long to refresh', { cause: error });
      throw error;
    } finally {
      stopTimer();
    }
  }

  /** Notes a refusal that may pass, and when to try again at the earliest. Gives the error for the callers. */
  private laterAgain(error: CwError): CwError {
    this.failures += 1;
    const wait = backoffDelay(BACKOFF, this.failures, this.options.random(), error.retryAfterMs);
    this.endRest();
    const stop = this.options.clock.startTimer(wait, () => {
      this.rest = null;
    });
    this.rest = { ms: wait, stop };
    if (isTransient(error)) return error;
    return new CwError('CW-303', 'a refresh was answered in a way that may pass', {
      cause: error,
      retryAfterMs: wait,
    });
  }

  /** Puts tokens into storage, then into use. When storage refuses they wait, and the next caller tries again. */
  private async save(tokens: TokenSet, generation: number): Promise<void> {
    try {
      await this.options.secrets.set(SECRET_KEYS.session, writeSession(tokens));
    } catch (thrown) {
      const error = toCwError(thrown, 'CW-701', 'secure storage refused the new tokens');
      if (generation === this.generation) this.store.set({ kind: 'signed-in', trouble: error });
      throw error;
    }
    if (generation === this.generation) {
      this.use(tokens);
      return;
    }
    // Disconnected or signed in anew while storing: put back what belongs there now.
    if (this.tokens) await this.options.secrets.set(SECRET_KEYS.session, writeSession(this.tokens));
    else await this.options.secrets.remove(SECRET_KEYS.session).catch(() => undefined);
    await this.revoke(tokens);
  }

  private async revoke(tokens: TokenSet): Promise<void> {
    await this.options.revocations.add(tokens.refreshToken ?? tokens.accessToken);
    this.options.revocations.flush();
  }

  private use(tokens: TokenSet): void {
    this.tokens = tokens;
    this.unsaved = null;
    this.failures = 0;
    this.endRest();
    const state = this.store.get();
    if (state.kind !== 'signed-in' || state.trouble !== null)
      this.store.set({ kind: 'signed-in', trouble: null });
  }

  /** Another copy of the plugin on the same storage may have refreshed already: then its tokens are ours. */
  private async adoptFromOtherCopy(tried: TokenSet, generation: number): Promise<boolean> {
    const stored = await this.storedTokens();
    if (generation !== this.generation) return true;
    // What stands in storage and is not ours is newer: nobody uses tokens before they are stored.
    if (!stored || stored.accessToken === tried.accessToken) return false;
    this.use(stored);
    return true;
  }

  private async end(generation: number, error: CwError): Promise<void> {
    if (generation === this.generation) {
      this.generation += 1;
      this.tokens = null;
      this.unsaved = null;
      this.store.set({ kind: 'reconnect-needed', error });
      await this.options.secrets.set(SECRET_KEYS.session, ENDED_SESSION).catch(() => undefined);
    }
    throw error;
  }

  private isRevoked(tokens: TokenSet): Promise<boolean> {
    return this.options.revocations.has(tokens.refreshToken ?? tokens.accessToken);
  }

  private async readStored(): Promise<StoredSession> {
    try {
      const stored = readSession(await this.options.secrets.get(SECRET_KEYS.session));
      if (stored.kind === 'tokens') this.rememberSecrets(stored.tokens);
      return stored;
    } catch {
      return { kind: 'none' };
    }
  }

  private async storedTokens(): Promise<TokenSet | null> {
    const stored = await this.readStored();
    return stored.kind === 'tokens' ? stored.tokens : null;
  }

  private rememberSecrets(tokens: TokenSet): void {
    this.options.redactor.remember(tokens.accessToken);
    if (tokens.refreshToken !== null) this.options.redactor.remember(tokens.refreshToken);
  }

  private endRest(): void {
    this.rest?.stop();
    this.rest = null;
  }

  private now(): number {
    return this.options.clock.now();
  }
}
