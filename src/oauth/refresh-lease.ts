import { sleep, type Clock } from '../base/clock.js';
import { numberField, parseJsonObject, textField } from '../base/json.js';
import type { SecretStore } from '../host/host.js';
import { SECRET_KEYS } from './stored-tokens.js';

/**
 * Keeps two copies of the plugin on one storage (a reload while the old copy still runs) from using the
 * same refresh token at the same time: the service would take the second use for theft and end the
 * whole grant (RFC 9700 §4.14.2).
 *
 * The storage has no compare-and-swap, so this is Fischer's algorithm: find the lease free, write your
 * name, wait longer than any other copy can take between finding it free and writing its own, and read
 * whose name is there.
 */
export interface RefreshLeaseOptions {
  readonly secrets: SecretStore;
  readonly clock: Clock;
  /** Names this copy of the plugin. */
  readonly copyId: string;
}

/** Longer than a storage takes to write. Milliseconds. */
const SETTLE_MS = 250;
/** A copy that was killed while it held the lease keeps the others waiting no longer than this. */
export const LEASE_MS = 20_000;

export class RefreshLease {
  constructor(private readonly options: RefreshLeaseOptions) {}

  /**
   * Tries once to take the lease; waits a moment either way.
   * @returns `true` when it is ours, `false` when another copy holds it: look at the stored tokens, then try again
   */
  async tryTake(): Promise<boolean> {
    const { secrets, clock, copyId } = this.options;
    if ((await this.holder()) !== null) {
      await sleep(clock, SETTLE_MS);
      return false;
    }
    const until = clock.now() + LEASE_MS;
    try {
      await secrets.set(SECRET_KEYS.refreshLease, JSON.stringify({ copyId, until }));
    } catch {
      // A storage that takes nothing holds no other copy's tokens either: there is nobody to wait for.
      return true;
    }
    await sleep(clock, SETTLE_MS);
    const holder = await this.holder();
    return holder === null || holder === copyId;
  }

  async release(): Promise<void> {
    if ((await this.holder()) === this.options.copyId)
      await this.options.secrets.remove(SECRET_KEYS.refreshLease).catch(() => undefined);
  }

  /** The copy that holds the lease; null when it is free, over, or unreadable. */
  private async holder(): Promise<string | null> {
    const { secrets, clock } = this.options;
    const text = await secrets.get(SECRET_KEYS.refreshLease).catch(() => null);
    const lease = text === null ? null : parseJsonObject(text);
    if (!lease) return null;
    const left = (numberField(lease, 'until') ?? 0) - clock.now();
    // A lease from the future comes from a clock that was set back since: it counts for nothing.
    return left > 0 && left <= LEASE_MS ? textField(lease, 'copyId') : null;
  }
}
