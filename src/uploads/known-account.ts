import type { Account, AccountInfo } from '../api/account.js';
import { CancelSource } from '../base/cancel.js';
import { sleep, type Clock } from '../base/clock.js';
import { parseJsonObject, textField } from '../base/json.js';
import type { RecordStore } from '../host/host.js';
import type { KnownAccountPort } from './account-guard.js';
import { accountKey } from './whose.js';

export interface KnownAccountOptions {
  readonly account: Pick<AccountInfo, 'state' | 'connected'>;
  readonly records: RecordStore;
  readonly clock: Clock;
}

/** The key of the record; photos' keys are hexadecimal. */
const KEY = 'account-before';
/** Longest wait to learn who is connected. Milliseconds. */
const LONGEST_MS = 5_000;

/**
 * Remembers which account was connected last, because secure storage forgets that when a session is over. Stored with
 * the list of photos, as a digest that names nobody.
 */
export class KnownAccount implements KnownAccountPort {
  private remembered: string | null = null;

  constructor(private readonly options: KnownAccountOptions) {
    // An account that becomes known too late for `compare` is still what the next connection is compared with.
    options.account.state.subscribe((account) => {
      if (account && this.isLate) {
        void this.remember();
      }
    });
  }

  private isLate = false;

  /** Takes up what an earlier run left, from the list's other records. */
  restore(records: ReadonlyMap<string, string>): void {
    const body = parseJsonObject(records.get(KEY) ?? '');
    this.remembered = body?.['version'] === 1 ? textField(body, 'account') : null;
  }

  async compare(): Promise<'same' | 'other' | 'unknown'> {
    this.isLate = false;
    const account = await this.find();
    this.isLate = account === null;
    if (!account) {
      return 'unknown';
    }
    return this.remembered === null || this.remembered === accountKey(account) ? 'same' : 'other';
  }

  async remember(): Promise<void> {
    const account = this.options.account.state.get();
    const key = account && accountKey(account);
    if (key === null || key === this.remembered) {
      return;
    }
    try {
      await this.options.records.put(KEY, JSON.stringify({ version: 1, account: key }));
      this.remembered = key;
    } catch {
      // The next connection is compared with an older account: at worst a question is asked that was not needed.
    }
  }

  /** Whose the session is, as soon as that is known; null when the service does not tell in time. */
  private async find(): Promise<Account | null> {
    const { account, clock } = this.options;
    const over = new CancelSource();
    const told = new Promise<void>((resolve) => {
      const stop = account.state.subscribe((known) => {
        if (known) {
          resolve();
        }
      });
      over.signal.onCancel(stop);
    });
    const waited = sleep(clock, LONGEST_MS, over.signal).catch(() => undefined);
    const asked = account.connected();
    if (account.state.get() === null) {
      await Promise.race([told, asked, waited]);
    }
    over.cancel();
    return account.state.get();
  }
}
