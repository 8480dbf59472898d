import {
  CancelledError,
  CancelSource,
  throwIfCancelled,
  type CancelSignal,
} from '../../util/cancel.js';
import { sleep, type Clock } from '../../util/clock.js';
import { toCwError, type CwError } from '../../util/errors.js';
import { SkippableDelay } from '../../util/skippable-delay.js';
import type { Redactor } from '../../util/redact.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { SecretStore } from '../../host/storage.js';
import type { SendHttp } from '../../host/http.js';
import type { OAuthClient } from '../client.js';
import {
  isUsable,
  requestDeviceAuthorization,
  type DeviceAuthorization,
  type DeviceDetails,
} from './authorization.js';
import { pollForTokens } from './polling.js';
import type { ReplacedSession } from './sign-in-codec.js';
import { SignInStore } from './sign-in-store.js';
import { retryTransient } from '../retry.js';
import type { Session } from '../session/session.js';
import type { TokenSet } from '../token-endpoint.js';

/** The state of a sign-in. It never contains the device code. */
export type SignInState =
  | { readonly kind: 'idle' }
  | CodeRequested
  | CodeShown
  /** Over without a session: denied, expired, refused or failed. */
  | { readonly kind: 'ended'; readonly error: CwError };

/** Waiting for the service's code. Transient errors are retried. */
export interface CodeRequested {
  readonly kind: 'requesting';
  /** Set when the service requested a pause: the next poll is at this wall-clock time, in milliseconds. */
  readonly until?: number;
  /** Set when the request takes longer than usual. */
  readonly isSlow?: true;
}

export interface CodeShown {
  readonly kind: 'code';
  readonly userCode: string;
  /** The address for the user to type. */
  readonly verificationUri: string;
  /** The address to open: with the code in it when the service offers that. */
  readonly addressToOpen: string;
  /** Wall-clock time in milliseconds. */
  readonly expiresAt: number;
  /** Why the browser did not open, if it did not. */
  readonly browserError: CwError | null;
  /** Why polling does not get through at the moment, if it does not. */
  readonly trouble: CwError | null;
  /**
   * Whether the panel offers `checkNow`: it is `offered` after an error, or after the user has waited long enough.
   * `asked`: the user has chosen it, and its outcome is pending.
   */
  readonly check: 'later' | 'offered' | 'asked';
  /** The numbers to choose from; null while the service requests no choice. */
  readonly numbers: NumberChoice | null;
}

/** The user has chosen Allow, and the service requests the number that the browser shows (docs/oauth.md). */
export interface NumberChoice {
  readonly choices: readonly string[];
  /** What the user chose, {@link NO_NUMBER} for none of them; null before the choice. It is sent with the next poll. */
  readonly chosen: string | null;
}

/** The choice of a user whose browser shows none of the numbers. */
export const NO_NUMBER = 'none';

/** When the code has been shown for this long, the user may want to see that the plugin polls. Milliseconds. */
const OFFER_CHECK_AFTER_MS = 60_000;
/** Getting a code counts as slow when it takes longer than this. Milliseconds. */
const SLOW_AFTER_MS = 5_000;

/** The part of the session that a sign-in uses. */
export interface SignInSession extends Pick<Session, 'state' | 'id'> {
  /**
   * Adopts the tokens of a sign-in.
   * @param isAnother  whether they replace a session because the user switches the account
   * @throws {CwError} when they cannot be stored; the session is then as before
   */
  adopt(tokens: TokenSet, isAnother: boolean): Promise<void>;
}

export interface SignInOptions {
  readonly send: SendHttp;
  readonly client: OAuthClient;
  readonly secrets: SecretStore;
  readonly clock: Clock;
  readonly random: () => number;
  readonly redactor: Redactor;
  readonly session: SignInSession;
  readonly openInBrowser: (url: string) => Promise<void>;
  /** The scopes of the session, or of the one that has ended; null when they are not known. */
  readonly grantedScopes?: () => readonly string[] | null;
  /** What the consent page shows about this computer. */
  readonly deviceDetails?: () => DeviceDetails;
}

/** One sign-in in progress: its cancellation and its wait. */
interface Attempt {
  readonly source: CancelSource;
  readonly waits: SkippableDelay;
}

/**
 * Runs one sign-in at a time, from the button to the session. A sign-in in progress is kept in secure
 * storage, so it outlives a closed panel and a restart of the host until its code expires.
 */
export class DeviceSignIn {
  private readonly store = new Observable<SignInState>({ kind: 'idle' });
  private readonly kept: SignInStore;
  private running: Attempt | null = null;
  private openingBrowser = false;
  /** The session that the last sign-in was to replace; null when there was none, or it has been replaced. */
  private replacedSession: ReplacedSession | null = null;
  /** The scope that the last sign-in requested besides those of the session; null when there was none. */
  private addedScope: string | null = null;
  /** The pause that the service's last refusal requested: until when (wall clock), and how long. Milliseconds. */
  private retryAfter = { until: 0, ms: 0 };

  readonly state: ReadableObservable<SignInState> = this.store;

  constructor(private readonly options: SignInOptions) {
    this.kept = new SignInStore(options.secrets);
  }

  /** Whether the last sign-in was begun to replace a session, and has not replaced it. */
  get isAccountSwitch(): boolean {
    return this.replacedSession !== null;
  }

  /** The scope that the last sign-in was begun for; null when it was begun for an account. */
  get requestedScope(): string | null {
    return this.addedScope;
  }

  /**
   * Starts a sign-in and opens the browser. Does nothing while a sign-in is in progress. A session that there is stays
   * in use until the sign-in has succeeded.
   */
  start(): void {
    if (this.running) {
      return;
    }
    this.startFor(this.connectedSession(), null);
  }

  /**
   * Starts a sign-in that requests one more scope than the session has. The session stays in use until the sign-in has
   * succeeded. Does nothing while a sign-in is in progress.
   */
  startForScope(scope: string): void {
    if (!this.running) {
      this.startFor(this.connectedSession(), scope);
    }
  }

  private connectedSession(): ReplacedSession | null {
    const { session } = this.options;
    return session.state.get().kind === 'signed-in' ? { id: session.id } : null;
  }

  /** The scopes to request. Another account needs those of the app only. */
  private scopesFor(replaces: ReplacedSession | null): string {
    const { client, grantedScopes } = this.options;
    const isOther = replaces !== null && this.addedScope === null;
    const granted = isOther ? [] : (grantedScopes?.() ?? []);
    const all = [...client.scope.split(' '), ...granted, this.addedScope ?? ''];
    return [...new Set(all)].filter((scope) => scope !== '').join(' ');
  }

  private startFor(replaces: ReplacedSession | null, scope: string | null): void {
    this.replacedSession = replaces;
    this.addedScope = scope;
    this.begin(async (attempt) => {
      const { signal } = attempt.source;
      await this.waitRetryAfter(signal);
      const authorization = await this.request(attempt, this.scopesFor(replaces));
      this.options.redactor.remember(authorization.deviceCode);
      await this.kept.keep({ authorization, replaces: this.replacedSession, scope });
      throwIfCancelled(signal);
      this.show(authorization);
      void this.openBrowser();
      return authorization;
    });
  }

  /** Ends a sign-in in progress and starts another. */
  startOver(): void {
    const { replacedSession: replaces, addedScope } = this;
    this.cancel();
    this.startFor(replaces ?? this.connectedSession(), addedScope);
  }

  /**
   * Continues a sign-in that was in progress when the host closed. The browser is not opened again. While there is a
   * session, only a sign-in that was to replace it continues: any other has already succeeded.
   */
  async resume(): Promise<void> {
    const { clock, client, redactor, session } = this.options;
    const { isEmpty, kept } = await this.kept.read();
    if (this.running) {
      return;
    }
    const isOurs =
      kept !== null &&
      kept.authorization.expiresAt > clock.now() &&
      isUsable(kept.authorization, client) &&
      (session.state.get().kind !== 'signed-in' || kept.replaces?.id === session.id);
    if (!isOurs) {
      if (!isEmpty) {
        await this.kept.forget();
      }
      return;
    }
    const { authorization } = kept;
    redactor.remember(authorization.deviceCode);
    this.replacedSession = kept.replaces;
    this.addedScope = kept.scope;
    this.begin(() => {
      this.show(authorization);
      return Promise.resolve(authorization);
    });
  }

  /** Ends a sign-in at any point. Also clears the error that a failed sign-in left in `state`. */
  cancel(): void {
    const wasRunning = this.running;
    this.running = null;
    wasRunning?.source.cancel();
    this.store.set({ kind: 'idle' });
    if (wasRunning) {
      void this.kept.forget();
    }
  }

  /**
   * Polls as soon as it is allowed: however often this is called, never sooner after the last poll than the interval or
   * the delay that the service requested. Without a sign-in in progress, does nothing.
   */
  checkNow(): void {
    this.running?.waits.skip();
    const state = this.store.get();
    if (state.kind === 'code' && state.check === 'offered') {
      this.update({ check: 'asked' });
    }
  }

  /**
   * Chooses a number, or {@link NO_NUMBER}. The next poll contains it. Only the first choice counts, and only one of the
   * offered numbers.
   */
  chooseNumber(number: string): void {
    const state = this.store.get();
    const numbers = state.kind === 'code' ? state.numbers : null;
    if (numbers?.chosen === null && [...numbers.choices, NO_NUMBER].includes(number)) {
      this.update({ numbers: { ...numbers, chosen: number } });
      this.running?.waits.skip();
    }
  }

  /** Opens the browser at the sign-in page; a failure is part of the state. While it is opening, does nothing. */
  async openBrowser(): Promise<void> {
    const state = this.store.get();
    if (state.kind !== 'code' || this.openingBrowser) {
      return;
    }
    this.openingBrowser = true;
    try {
      await this.options.openInBrowser(state.addressToOpen);
      this.update({ browserError: null });
    } catch (thrown) {
      this.update({
        browserError: toCwError(thrown, 'CW-105', 'the system browser could not be opened'),
      });
    } finally {
      this.openingBrowser = false;
    }
  }

  /** Waits until the Retry-After of the service's last refusal is over, however often Connect is pressed. */
  private async waitRetryAfter(signal: CancelSignal): Promise<void> {
    const { clock } = this.options;
    // Never longer than the service requested: the wall clock may have been set back.
    const left = Math.min(this.retryAfter.until - clock.now(), this.retryAfter.ms);
    if (left <= 0) {
      return;
    }
    this.store.set({ kind: 'requesting', until: clock.now() + left });
    await sleep(clock, left, signal);
  }

  /** Requests a code. Retries transient errors for half a minute. */
  private async request({ source, waits }: Attempt, scope: string): Promise<DeviceAuthorization> {
    const { send, client, clock, random, deviceDetails } = this.options;
    const details = deviceDetails?.() ?? null;
    let state: CodeRequested = { kind: 'requesting' };
    const tell = (next: CodeRequested): void => {
      state = next;
      if (!source.signal.cancelled) {
        this.store.set(next);
      }
    };
    const stopTimer = clock.startTimer(SLOW_AFTER_MS, () => {
      tell({ ...state, isSlow: true });
    });
    const ask = (): Promise<DeviceAuthorization> => {
      tell(state.isSlow ? { kind: 'requesting', isSlow: true } : { kind: 'requesting' });
      const scoped = { ...client, scope };
      return requestDeviceAuthorization(send, scoped, details, () => clock.now(), source.signal);
    };
    try {
      return await retryTransient(ask, {
        clock,
        random,
        signal: source.signal,
        waits,
        onWait: (until) => {
          if (until !== null) {
            tell({ ...state, until });
          }
        },
      });
    } finally {
      stopTimer();
    }
  }

  private begin(prepare: (attempt: Attempt) => Promise<DeviceAuthorization>): void {
    const attempt = { source: new CancelSource(), waits: new SkippableDelay(this.options.clock) };
    this.running = attempt;
    void this.run(attempt, prepare).catch((thrown: unknown) => {
      if (this.running !== attempt || thrown instanceof CancelledError) {
        return;
      }
      this.running = null;
      const error = toCwError(thrown, 'CW-901', 'a sign-in failed in an unknown way');
      const { retryAfterMs } = error;
      if (retryAfterMs !== undefined) {
        this.retryAfter = { until: this.options.clock.now() + retryAfterMs, ms: retryAfterMs };
      }
      this.store.set({ kind: 'ended', error });
      void this.kept.forget();
    });
  }

  private async run(
    attempt: Attempt,
    prepare: (attempt: Attempt) => Promise<DeviceAuthorization>,
  ): Promise<void> {
    const tokens = await this.poll(attempt, await prepare(attempt));
    await this.options.session.adopt(tokens, this.isAccountSwitch);
    if (this.running === attempt) {
      this.replacedSession = null;
    }
    await this.kept.forget();
    if (this.running !== attempt) {
      return;
    }
    this.running = null;
    this.store.set({ kind: 'idle' });
  }

  /** Polls until the user has decided. Offers `checkNow` after some time or an error. */
  private async poll(attempt: Attempt, authorization: DeviceAuthorization): Promise<TokenSet> {
    const { send, client, clock, random } = this.options;
    const stopTimer = clock.startTimer(OFFER_CHECK_AFTER_MS, () => {
      const state = this.store.get();
      if (state.kind === 'code' && state.check === 'later') {
        this.update({ check: 'offered' });
      }
    });
    try {
      return await pollForTokens({
        send,
        client,
        clock,
        random,
        authorization,
        signal: attempt.source.signal,
        waits: attempt.waits,
        onTrouble: (trouble) => {
          if (this.running === attempt) {
            this.polled(trouble);
          }
        },
        chosenNumber: () => {
          const state = this.store.get();
          return state.kind === 'code' ? (state.numbers?.chosen ?? null) : null;
        },
        onNumbers: (choices, sent) => {
          if (this.running === attempt) {
            this.offerNumbers(choices, sent);
          }
        },
      });
    } finally {
      stopTimer();
    }
  }

  /** Shows the outcome of a poll. A requested check is done now, and is offered again. */
  private polled(trouble: CwError | null): void {
    const state = this.store.get();
    if (state.kind === 'code') {
      const isEarly = trouble === null && state.check === 'later';
      this.update({ trouble, check: isEarly ? 'later' : 'offered' });
    }
  }

  /** A choice that was not sent yet stays, unless the numbers are others. */
  private offerNumbers(choices: readonly string[] | null, sent: string | null): void {
    const state = this.store.get();
    if (state.kind !== 'code') {
      return;
    }
    const known = state.numbers;
    const isKnown = choices?.join() === known?.choices.join();
    if (!isKnown || (known !== null && sent !== null)) {
      this.update({ numbers: choices && { choices, chosen: null } });
    }
  }

  private show(authorization: DeviceAuthorization): void {
    this.store.set({
      kind: 'code',
      userCode: authorization.userCode,
      verificationUri: authorization.verificationUri,
      addressToOpen: authorization.verificationUriComplete ?? authorization.verificationUri,
      expiresAt: authorization.expiresAt,
      browserError: null,
      trouble: null,
      check: 'later',
      numbers: null,
    });
  }

  private update(
    change: Partial<Pick<CodeShown, 'browserError' | 'trouble' | 'check' | 'numbers'>>,
  ): void {
    const state = this.store.get();
    if (state.kind !== 'code') {
      return;
    }
    const next = { ...state, ...change };
    const isChange =
      next.browserError !== state.browserError ||
      next.trouble !== state.trouble ||
      next.check !== state.check ||
      next.numbers !== state.numbers;
    if (isChange) {
      this.store.set(next);
    }
  }
}
