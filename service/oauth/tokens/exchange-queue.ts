import type { Queryable } from '../../kernel/database/database.js';
import { UnavailableError } from '../../kernel/errors.js';
import { storeExchange, storeExchanges, type TimedExchange } from './token-exchange.js';

/** How many exchanges one statement makes at most: it runs in this process, and other requests wait for it. */
const MAX_TOGETHER = 64;

interface Waiter {
  readonly wanted: TimedExchange;
  readonly resolve: (isStored: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes exchanges on a database with a single connection. Those that come while a statement runs or the disk flushes it
 * wait, and are then stored together: one statement, one commit and one flush cost little more than those of a single
 * exchange. A second statement during the flush would only take exchanges from the next one.
 */
export class ExchangeQueue {
  private waiting: Waiter[] = [];
  private isRunning = false;

  constructor(private readonly database: Queryable) {}

  /** Like {@link storeExchange}, in the order of arrival for each grant. */
  store(wanted: TimedExchange): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ wanted, resolve, reject });
      void this.storeNext();
    });
  }

  private async storeNext(): Promise<void> {
    if (this.isRunning || this.waiting.length === 0) {
      return;
    }
    this.isRunning = true;
    await this.storeTogether(this.takeNext());
    this.isRunning = false;
    // Not awaited: under lasting load, each call would wait for the next one.
    void this.storeNext();
  }

  /** The first exchange of each grant. A second one must see what the first one has stored. */
  private takeNext(): Waiter[] {
    const next = new Map<string, Waiter>();
    const later: Waiter[] = [];
    for (const waiter of this.waiting) {
      const { grantId } = waiter.wanted.exchange;
      if (next.size === MAX_TOGETHER || next.has(grantId)) {
        later.push(waiter);
      } else {
        next.set(grantId, waiter);
      }
    }
    this.waiting = later;
    return [...next.values()];
  }

  private async storeTogether(waiters: readonly Waiter[]): Promise<void> {
    if (waiters.length === 1) {
      await this.storeEach(waiters);
      return;
    }
    try {
      const stored = await storeExchanges(
        this.database,
        waiters.map(({ wanted }) => wanted),
      );
      for (const { wanted, resolve } of waiters) {
        resolve(stored.has(wanted.exchange.tokens.access.id));
      }
    } catch (error) {
      if (error instanceof UnavailableError) {
        for (const { reject } of waiters) {
          reject(error);
        }
        return;
      }
      // The statement stored nothing. One exchange that fails must not fail the others.
      await this.storeEach(waiters);
    }
  }

  private async storeEach(waiters: readonly Waiter[]): Promise<void> {
    await Promise.all(
      waiters.map(({ wanted: { exchange, now }, resolve, reject }) =>
        storeExchange(this.database, exchange, now).then(resolve, reject),
      ),
    );
  }
}
