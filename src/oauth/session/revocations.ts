import { backoffDelay } from '../../util/backoff.js';
import type { Clock } from '../../util/clock.js';
import { CwError, isTransient } from '../../util/errors.js';
import type { Redactor } from '../../util/redact.js';
import { Mutex } from '../../util/mutex.js';
import type { SecretStore } from '../../host/storage.js';
import type { SendHttp } from '../../host/http.js';
import type { OAuthClient } from '../client.js';
import { readRevocations, SECRET_KEYS, writeRevocations } from './session-codec.js';
import { revokeRefreshToken } from '../token-endpoint.js';

export interface RevocationsOptions {
  readonly send: SendHttp;
  readonly client: OAuthClient;
  readonly secrets: SecretStore;
  readonly clock: Clock;
  readonly random: () => number;
  readonly redactor: Redactor;
}

const BACKOFF = { firstMs: 5_000, longestMs: 15 * 60_000 };
/** At most this many tokens wait to be revoked. More can only come from faulty storage; the oldest are then dropped. */
const MAX_PENDING = 20;
/** Refusals of the client, not of the token: they pass when the operators of the service know the client again. */
const ABOUT_CLIENT = new Set(['invalid_client', 'unauthorized_client']);

/**
 * Revokes tokens that this computer no longer uses ([RFC 7009](https://www.rfc-editor.org/rfc/rfc7009)), however long
 * that takes. Tokens that could not be revoked yet stay in secure storage and are retried, also after a restart.
 */
export class Revocations {
  private readonly serial = new Mutex();
  /** Stops the timer of the next try; null while no try is scheduled. */
  private stopTimer: (() => void) | null = null;
  private failures = 0;
  private isRevoking = false;
  /** Set by each `flush`. A `flush` during another one makes that one read the tokens once more. */
  private isWanted = false;

  constructor(private readonly options: RevocationsOptions) {}

  /** Remembers `token` durably; `flush` then revokes it. Never throws. */
  async add(token: string): Promise<void> {
    await this.serial.run(async () => {
      const pending = await this.read();
      if (!pending.includes(token)) {
        await this.write([...pending, token].slice(-MAX_PENDING), token);
      }
    });
  }

  /** Whether `token` is waiting to be revoked. */
  has(token: string): Promise<boolean> {
    return this.serial.run(async () => (await this.read()).includes(token));
  }

  /** Tries to revoke everything pending: at once, then again with growing waits. */
  flush(): void {
    this.stopTimer?.();
    this.stopTimer = null;
    this.isWanted = true;
    if (this.isRevoking) {
      return;
    }
    this.isRevoking = true;
    void this.revokeAll();
  }

  /** If a try is scheduled, makes it at once and lets the waits begin short again; else does nothing. */
  retryNow(): void {
    if (this.stopTimer) {
      this.failures = 0;
      this.flush();
    }
  }

  /** Never holds storage's turn while it waits for the service: a slow service must not delay a disconnect. */
  private async revokeAll(): Promise<void> {
    const done = new Set<string>();
    try {
      while (this.isWanted) {
        this.isWanted = false;
        for (const token of await this.serial.run(() => this.read())) {
          if (done.has(token)) {
            continue;
          }
          if (!(await this.revoke(token))) {
            return;
          }
          // Storage may refuse to delete the token. It is still revoked only once.
          done.add(token);
          await this.serial.run(async () =>
            this.write((await this.read()).filter((other) => other !== token)),
          );
        }
      }
    } finally {
      // At once: a `flush` after the last check must start again.
      this.isRevoking = false;
    }
  }

  /** Gives whether `token` is done with: revoked, or refused for good. If not, another try is scheduled. */
  private async revoke(token: string): Promise<boolean> {
    const { send, client, clock, random } = this.options;
    try {
      await revokeRefreshToken(send, client, token, () => clock.now());
    } catch (error) {
      if (error instanceof CwError && mayPass(error)) {
        this.failures += 1;
        const wait = backoffDelay(BACKOFF, this.failures, random(), error.retryAfterMs);
        this.stopTimer?.();
        this.stopTimer = clock.startTimer(wait, () => {
          this.flush();
        });
        return false;
      }
      // The service will not revoke this token, now or later (RFC 7009 §2.2.1): nothing is left to do.
    }
    this.failures = 0;
    return true;
  }

  /** Tokens that storage refused. They are at least retried while the plugin runs. */
  private unstored: readonly string[] = [];

  private async read(): Promise<readonly string[]> {
    const text = await this.options.secrets.get(SECRET_KEYS.revocations).catch(() => null);
    const stored = readRevocations(text);
    for (const token of stored) {
      this.options.redactor.remember(token);
    }
    return [...stored, ...this.unstored.filter((token) => !stored.includes(token))];
  }

  private async write(tokens: readonly string[], added?: string): Promise<void> {
    this.unstored = this.unstored.filter((token) => tokens.includes(token));
    try {
      if (tokens.length === 0) {
        await this.options.secrets.remove(SECRET_KEYS.revocations);
      } else {
        await this.options.secrets.set(SECRET_KEYS.revocations, writeRevocations(tokens));
      }
    } catch {
      if (added !== undefined) {
        this.unstored = [...this.unstored, added];
      }
    }
  }
}

function mayPass(error: CwError): boolean {
  return isTransient(error) || ABOUT_CLIENT.has(error.oauthError ?? '');
}
