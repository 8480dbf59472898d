import { CwError, toCwError } from '../../util/errors.js';
import { randomId, type RandomBytes } from '../../util/random-id.js';
import type { Redactor } from '../../util/redact.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { SecretStore } from '../../host/storage.js';
import {
  ENDED_SESSION,
  readSession,
  SECRET_KEYS,
  writeSession,
  type StoredSession,
  type StoredTokens,
} from './session-codec.js';
import type { TokenSet } from '../token-endpoint.js';

/** The signed-in state as the rest of the plugin sees it. No token is ever part of it. */
export type SessionState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'signed-out' }
  /** `trouble` is set while storage refuses the tokens (CW-701). */
  | { readonly kind: 'signed-in'; readonly trouble: CwError | null }
  /** The service ended the session; connecting again continues it. */
  | { readonly kind: 'reconnect-needed'; readonly error: CwError };

type StateWithoutTokens = Extract<SessionState, { kind: 'signed-out' | 'reconnect-needed' }>;

export interface TokenStoreOptions {
  readonly secrets: SecretStore;
  readonly redactor: Redactor;
  readonly randomBytes: RandomBytes;
}

/**
 * The tokens of the session, in secure storage and in memory, and the state that follows from them. New tokens are
 * stored before they are used.
 *
 * Each sign-in and each end of a session begins a new generation. Asynchronous work remembers the generation it began
 * in. If a new generation has begun when the work ends, its tokens have no owner.
 */
export class TokenStore {
  private readonly store = new Observable<SessionState>({ kind: 'loading' });
  private used: TokenSet | null = null;
  private notStored: TokenSet | null = null;
  private generationNumber = 0;
  private id: string | null = null;
  private replaced: string | null = null;

  readonly state: ReadableObservable<SessionState> = this.store;

  constructor(private readonly options: TokenStoreOptions) {}

  get generation(): number {
    return this.generationNumber;
  }

  /** The tokens that requests are sent with; null when there are none. */
  get active(): TokenSet | null {
    return this.used;
  }

  /** Tokens that the service has issued but that are not stored yet. They must not be used before. */
  get unsaved(): TokenSet | null {
    return this.notStored;
  }

  /** Names the sign-in that the tokens in use come from; null without tokens, and for those of older versions. */
  get sessionId(): string | null {
    return this.id;
  }

  /** A token of the previous session, to be revoked; null when there is none, or it is among the revocations. */
  get replacedToken(): string | null {
    return this.replaced;
  }

  /**
   * The tokens in use, for callers that cannot work without them.
   * @throws {CwError} CW-201 not connected, CW-202 the session has ended
   */
  current(): TokenSet {
    if (this.used) {
      return this.used;
    }
    const state = this.store.get();
    if (state.kind === 'reconnect-needed') {
      throw state.error;
    }
    throw new CwError('CW-201', 'not connected');
  }

  /** The stored text. Storage that cannot be read counts as empty. Never fails. */
  async read(): Promise<StoredSession> {
    try {
      const stored = readSession(await this.options.secrets.get(SECRET_KEYS.session));
      if (stored.kind === 'tokens') {
        this.redactFromNowOn(stored.tokens);
      }
      return stored;
    } catch {
      return { kind: 'none' };
    }
  }

  /** The tokens in storage; null when there are none. Never fails. */
  async readTokens(): Promise<StoredTokens | null> {
    const stored = await this.read();
    return stored.kind === 'tokens' ? stored.tokens : null;
  }

  /** Uses tokens that are stored already. If they are of another sign-in, the session in use ends first. */
  adopt(stored: StoredTokens): void {
    if (this.used && stored.sessionId !== this.id) {
      this.forget();
    }
    this.id = stored.sessionId;
    this.replaced = stored.replacedToken;
    this.use(stored);
  }

  private use(tokens: TokenSet): void {
    this.used = tokens;
    this.notStored = null;
    const state = this.store.get();
    if (state.kind !== 'signed-in' || state.trouble !== null) {
      this.store.set({ kind: 'signed-in', trouble: null });
    }
  }

  /**
   * Stores and uses the tokens of a new sign-in. One write stores both the new session and the revocation of the old
   * one.
   * @param replacedToken  a token of the session that this ends; null when there is none
   * @throws {CwError} CW-701 when storage refuses them; the session is then as before. CW-201 when it was disconnected
   *   during the call
   */
  async startSession(tokens: TokenSet, replacedToken: string | null = null): Promise<void> {
    this.redactFromNowOn(tokens);
    this.generationNumber += 1;
    const generation = this.generationNumber;
    const sessionId = randomId(this.options.randomBytes);
    await this.options.secrets.set(
      SECRET_KEYS.session,
      writeSession(tokens, { sessionId, replacedToken }),
    );
    if (generation !== this.generationNumber) {
      await this.putBack();
      throw new CwError('CW-201', 'disconnected while a sign-in ended');
    }
    this.id = sessionId;
    this.replaced = replacedToken;
    this.use(tokens);
  }

  /**
   * Forgets the token of the previous session, which is among the revocations now. Call it while no refresh runs. Never
   * fails: a token that storage does not forget is revoked twice, which does no harm.
   */
  async forgetReplaced(): Promise<void> {
    const generation = this.generationNumber;
    this.replaced = null;
    if (this.used) {
      await this.write(this.used).catch(() => undefined);
    }
    if (generation !== this.generationNumber) {
      await this.putBack();
    }
  }

  /**
   * Stores and uses the tokens of a refresh that began in `generation`. While storage refuses them they are `unsaved`,
   * and the next caller retries.
   * @returns `false` when they have no owner any more: the session has ended or begun again during the call
   * @throws {CwError} CW-701 when storage refuses them
   */
  async save(tokens: TokenSet, generation: number): Promise<boolean> {
    this.redactFromNowOn(tokens);
    if (generation !== this.generationNumber) {
      return false;
    }
    this.notStored = tokens;
    if (!(await this.writeFor(generation, () => this.write(tokens)))) {
      return false;
    }
    this.use(tokens);
    return true;
  }

  /**
   * Stores, with the tokens in use, the value that names the refresh that is about to be sent. The write that stores
   * the new tokens removes the value.
   * @returns `false` when the session has ended or begun again during the call
   * @throws {CwError} CW-701 when storage refuses it
   */
  async saveAttempt(tokens: TokenSet, attempt: string, generation: number): Promise<boolean> {
    this.options.redactor.remember(attempt);
    return this.writeFor(generation, () => this.write(tokens, attempt));
  }

  /** The service has ended the session of `generation`. Storage remembers that, without any token. */
  async end(error: CwError, generation: number): Promise<void> {
    if (generation !== this.generationNumber) {
      return;
    }
    this.drop({ kind: 'reconnect-needed', error });
    await this.options.secrets.set(SECRET_KEYS.session, ENDED_SESSION).catch(() => undefined);
  }

  /** Forgets the session in memory, at once. Storage is left as it is: see `remove`. */
  forget(): void {
    this.drop({ kind: 'signed-out' });
  }

  /** Removes the session from storage. Never fails. */
  async remove(): Promise<void> {
    await this.options.secrets.remove(SECRET_KEYS.session).catch(() => undefined);
  }

  /** Starts without tokens: signed out, or in need of a reconnect. */
  startEmpty(state: StateWithoutTokens): void {
    this.store.set(state);
  }

  private drop(state: StateWithoutTokens): void {
    this.generationNumber += 1;
    this.used = null;
    this.notStored = null;
    this.id = null;
    this.replaced = null;
    this.store.set(state);
  }

  /**
   * Writes for the session of `generation`.
   * @returns `false` when the session is another one by now; storage then holds that one's tokens again
   * @throws {CwError} CW-701 when storage refuses
   */
  private async writeFor(generation: number, write: () => Promise<void>): Promise<boolean> {
    try {
      await write();
    } catch (thrown) {
      const error = toCwError(thrown, 'CW-701', 'secure storage refused the session');
      if (generation === this.generationNumber) {
        this.store.set({ kind: 'signed-in', trouble: error });
      }
      throw error;
    }
    if (generation === this.generationNumber) {
      return true;
    }
    await this.putBack();
    return false;
  }

  /** After a late write for an old session: stores the current session again, or empties storage if there is none. */
  private async putBack(): Promise<void> {
    if (this.used) {
      await this.write(this.used);
    } else {
      await this.remove();
    }
  }

  private async write(tokens: TokenSet, refreshAttempt: string | null = null): Promise<void> {
    const beside = { refreshAttempt, sessionId: this.id, replacedToken: this.replaced };
    await this.options.secrets.set(SECRET_KEYS.session, writeSession(tokens, beside));
  }

  private redactFromNowOn(tokens: TokenSet | StoredTokens): void {
    const { accessToken, refreshToken } = tokens;
    const beside = 'sessionId' in tokens ? [tokens.refreshAttempt, tokens.replacedToken] : [];
    for (const secret of [accessToken, refreshToken, ...beside]) {
      if (secret !== null) {
        this.options.redactor.remember(secret);
      }
    }
  }
}
