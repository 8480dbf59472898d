import {
  CancelledError,
  CancelSource,
  throwIfCancelled,
  type CancelSignal,
} from '../base/cancel.js';
import { sleep, type Clock } from '../base/clock.js';
import { toCwError, type CwError } from '../base/errors.js';
import type { Redactor } from '../base/redact.js';
import { SerialRunner } from '../base/serial.js';
import { Store, type ReadableStore } from '../base/store.js';
import type { SecretStore } from '../host/host.js';
import type { SendHttp } from '../host/http.js';
import type { OAuthClient } from './client.js';
import {
  isUsable,
  pollForTokens,
  requestDeviceAuthorization,
  type DeviceAuthorization,
} from './device-authorization.js';
import type { Session } from './session.js';
import { readSignIn, SECRET_KEYS, writeSignIn } from './stored-tokens.js';

/** Where a sign-in stands. The device code is never part of it. */
export type SignInState =
  | { readonly kind: 'idle' }
  /**
   * Waiting for the service to give a code. `until`: it asked for patience, and will be asked again at
   * that wall-clock time, in milliseconds.
   */
  | { readonly kind: 'requesting'; readonly until?: number }
  | CodeShown
  /** Over without a session: denied, expired, refused or failed. */
  | { readonly kind: 'ended'; readonly error: CwError };

export interface CodeShown {
  readonly kind: 'code';
  readonly userCode: string;
  /** The address for the person to type. */
  readonly verificationUri: string;
  /** The address to open: with the code in it when the service offers that. */
  readonly addressToOpen: string;
  /** Wall-clock time in milliseconds. */
  readonly expiresAt: number;
  /** Why the browser did not open, if it did not. */
  readonly browserError: CwError | null;
  /** Why polling does not get through at the moment, if it does not. */
  readonly trouble: CwError | null;
}

export interface SignInOptions {
  readonly send: SendHttp;
  readonly client: OAuthClient;
  readonly secrets: SecretStore;
  readonly clock: Clock;
  readonly random: () => number;
  readonly redactor: Redactor;
  readonly session: Session;
  readonly openInBrowser: (url: string) => Promise<void>;
}

/**
 * One sign-in at a time, from the button to the session. A sign-in in progress lies in secure storage,
 * so it outlives a closed panel and a restart of the host for as long as the code is alive.
 */
export class DeviceSignIn {
  private readonly store = new Store<SignInState>({ kind: 'idle' });
  private readonly storage = new SerialRunner();
  private running: CancelSource | null = null;
  private openingBrowser = false;
  /** The service's last refusal asked for a pause: until when (wall clock), and how long it was (milliseconds). */
  private patience = { until: 0, ms: 0 };

  readonly state: ReadableStore<SignInState> = this.store;

  constructor(private readonly options: SignInOptions) {}

  /** Starts a sign-in and opens the browser. While one is in progress, does nothing. */
  start(): void {
    if (this.running) {
      return;
    }
    this.begin(async (source) => {
      const { send, client, clock } = this.options;
      await this.waitPatiently(source.signal);
      this.store.set({ kind: 'requesting' });
      const authorization = await requestDeviceAuthorization(
        send,
        client,
        () => clock.now(),
        source.signal,
      );
      this.options.redactor.remember(authorization.deviceCode);
      await this.keep(authorization);
      throwIfCancelled(source.signal);
      this.show(authorization);
      void this.openBrowser();
      return authorization;
    });
  }

  /** Ends a sign-in in progress and starts another. */
  startOver(): void {
    this.cancel();
    this.start();
  }

  /** Goes on with a sign-in that was in progress when the host closed. The browser is not opened again. */
  async resume(): Promise<void> {
    const { secrets, clock, client, redactor } = this.options;
    const text = await secrets.get(SECRET_KEYS.signIn).catch(() => null);
    const authorization = readSignIn(text);
    if (this.running || this.options.session.state.get().kind === 'signed-in') {
      return;
    }
    const isOurs =
      authorization !== null &&
      authorization.expiresAt > clock.now() &&
      isUsable(authorization, client);
    if (!isOurs) {
      if (text !== null) {
        await this.forget();
      }
      return;
    }
    redactor.remember(authorization.deviceCode);
    this.begin(() => {
      this.show(authorization);
      return Promise.resolve(authorization);
    });
  }

  /** Ends a sign-in at any point; also clears the message a failed one left. */
  cancel(): void {
    const wasRunning = this.running;
    this.running = null;
    wasRunning?.cancel();
    this.store.set({ kind: 'idle' });
    if (wasRunning) {
      void this.forget();
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

  /** Waits as long as the service's last refusal asked for, however often Connect is pressed meanwhile. */
  private async waitPatiently(signal: CancelSignal): Promise<void> {
    const { clock } = this.options;
    // Never longer than it asked for: the wall clock may have been set back.
    const left = Math.min(this.patience.until - clock.now(), this.patience.ms);
    if (left <= 0) {
      return;
    }
    this.store.set({ kind: 'requesting', until: clock.now() + left });
    await sleep(clock, left, signal);
  }

  private begin(prepare: (source: CancelSource) => Promise<DeviceAuthorization>): void {
    const source = new CancelSource();
    this.running = source;
    void this.run(source, prepare).catch((thrown: unknown) => {
      if (this.running !== source || thrown instanceof CancelledError) {
        return;
      }
      this.running = null;
      const error = toCwError(thrown, 'CW-901', 'a sign-in failed in an unknown way');
      const { retryAfterMs } = error;
      if (retryAfterMs !== undefined) {
        this.patience = { until: this.options.clock.now() + retryAfterMs, ms: retryAfterMs };
      }
      this.store.set({ kind: 'ended', error });
      void this.forget();
    });
  }

  private async run(
    source: CancelSource,
    prepare: (source: CancelSource) => Promise<DeviceAuthorization>,
  ): Promise<void> {
    const authorization = await prepare(source);
    const { send, client, clock, random, session } = this.options;
    const tokens = await pollForTokens({
      send,
      client,
      clock,
      random,
      authorization,
      signal: source.signal,
      onTrouble: (trouble) => {
        if (this.running === source) {
          this.update({ trouble });
        }
      },
    });
    await session.adopt(tokens);
    await this.forget();
    if (this.running !== source) {
      return;
    }
    this.running = null;
    this.store.set({ kind: 'idle' });
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
    });
  }

  private update(change: Partial<Pick<CodeShown, 'browserError' | 'trouble'>>): void {
    const state = this.store.get();
    if (state.kind !== 'code') {
      return;
    }
    const next = { ...state, ...change };
    if (next.browserError !== state.browserError || next.trouble !== state.trouble) {
      this.store.set(next);
    }
  }

  /** Stores the sign-in for a restart. Storage that refuses it does not stop the sign-in. */
  private keep(authorization: DeviceAuthorization): Promise<void> {
    return this.inStorage(() =>
      this.options.secrets.set(SECRET_KEYS.signIn, writeSignIn(authorization)),
    );
  }

  private forget(): Promise<void> {
    return this.inStorage(() => this.options.secrets.remove(SECRET_KEYS.signIn));
  }

  /** Changes storage in the order asked for, so that the last change is the one that stays. */
  private inStorage(write: () => Promise<void>): Promise<void> {
    return this.storage.run(write).catch(() => undefined);
  }
}
