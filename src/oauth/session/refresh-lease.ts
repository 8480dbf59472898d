import { sleep, type Clock } from '../../util/clock.js';
import type { SecretStore } from '../../host/storage.js';
import { SECRET_KEYS } from './session-codec.js';

export interface RefreshLeaseOptions {
  readonly secrets: SecretStore;
  readonly clock: Clock;
  /** Names this instance of the plugin. */
  readonly instanceId: string;
}

/** Longer than a storage takes to write. Milliseconds. */
const SETTLE_MS = 250;
/** An instance that was killed while it held the lease keeps the others waiting for this long. Milliseconds. */
export const LEASE_MS = 20_000;

/**
 * Keeps two instances of the plugin on one storage (a reload while the old instance still runs) from using the same refresh
 * token at the same time: the service would take the second use for theft and end the whole grant
 * ([RFC 9700 §4.14.2](https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2)).
 *
 * The storage has no compare-and-swap, so this is Fischer's algorithm: find the lease free, write your name, wait
 * longer than any other instance can take between finding it free and writing its own, and read the name in it. An instance
 * that died is recognised by its lease, which has not changed for longer than a refresh may take. Wall clocks are not
 * used for that, since they jump.
 */
export class RefreshLease {
  private turns = 0;
  /** The other instance's lease last seen, and for how long it has stood unchanged. */
  private seen: { readonly lease: string; readonly forMs: number } | null = null;

  constructor(private readonly options: RefreshLeaseOptions) {}

  /**
   * Tries once to take the lease. Takes 250 ms or more, unless storage refuses to write.
   * @returns `true` when this instance may refresh, `false` when another one holds the lease: then read the stored tokens
   *   and try again
   */
  async tryTake(): Promise<boolean> {
    const { secrets, clock, instanceId } = this.options;
    const held = await this.read();
    if (held !== null && !this.isDead(held)) {
      await sleep(clock, SETTLE_MS);
      return false;
    }
    this.turns += 1;
    const own = `${instanceId} ${this.turns}`;
    try {
      await secrets.set(SECRET_KEYS.refreshLease, own);
    } catch {
      // Storage that refuses this write refuses another instance's lease and tokens too: there is no other instance to wait
      // for.
      return true;
    }
    await sleep(clock, SETTLE_MS);
    const holder = await this.read();
    this.seen = null;
    return holder === null || holder === own;
  }

  async release(): Promise<void> {
    const { secrets, instanceId } = this.options;
    if ((await this.read()) === `${instanceId} ${this.turns}`) {
      await secrets.remove(SECRET_KEYS.refreshLease).catch(() => undefined);
    }
  }

  private isDead(lease: string): boolean {
    const forMs = this.seen?.lease === lease ? this.seen.forMs + SETTLE_MS : 0;
    this.seen = { lease, forMs };
    return forMs > LEASE_MS;
  }

  private read(): Promise<string | null> {
    return this.options.secrets.get(SECRET_KEYS.refreshLease).catch(() => null);
  }
}
