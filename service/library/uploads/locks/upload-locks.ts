import type { Lock, Locker, RequestRelease } from '@tus/server';
import { TusError } from '../tus-error.js';

/** Longer than the holder may take to release the lock, see `lockDrainTimeout` in uploads.ts. In milliseconds. */
const ACQUIRE_TIMEOUT_MS = 10_000;

/** How many requests may wait for one upload. A client that tries again needs one place. */
const MAX_WAITERS = 8;

interface Holder {
  /** Requests the release; set by the holder. */
  readonly requestRelease: RequestRelease;
}

interface Waiter extends Holder {
  readonly wake: () => void;
}

interface Queue {
  holder: Holder;
  readonly waiters: Waiter[];
}

/**
 * One request at a time per upload. A later request requests its release, so that a client
 * that lost its connection can resume even if the service has not noticed the loss yet; the bytes
 * that were received are kept. The locker that comes with @tus/server does the same in a busy loop.
 */
export class UploadLocks implements Locker {
  private readonly queues = new Map<string, Queue>();

  newLock(id: string): Lock {
    return {
      lock: (signal, requestRelease) => this.acquire(id, signal, requestRelease),
      unlock: () => {
        this.release(id);
        return Promise.resolve();
      },
    };
  }

  private async acquire(
    id: string,
    signal: AbortSignal,
    requestRelease: RequestRelease,
  ): Promise<void> {
    const queue = this.queues.get(id);
    if (queue === undefined) {
      this.queues.set(id, { holder: { requestRelease }, waiters: [] });
      return;
    }
    // An already aborted signal emits no event.
    if (signal.aborted || queue.waiters.length >= MAX_WAITERS) {
      throw busy();
    }
    await new Promise<void>((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
      };
      const waiter: Waiter = {
        requestRelease,
        wake: () => {
          settle();
          resolve();
        },
      };
      const giveUp = (): void => {
        settle();
        const position = queue.waiters.indexOf(waiter);
        if (position >= 0) {
          queue.waiters.splice(position, 1);
        }
        reject(busy());
      };
      const timer = setTimeout(giveUp, ACQUIRE_TIMEOUT_MS);
      signal.addEventListener('abort', giveUp, { once: true });
      queue.waiters.push(waiter);
      void queue.holder.requestRelease();
    });
  }

  private release(id: string): void {
    const queue = this.queues.get(id);
    const next = queue?.waiters.shift();
    if (queue === undefined || next === undefined) {
      this.queues.delete(id);
      return;
    }
    queue.holder = next;
    next.wake();
    // Others still wait, so the new holder is requested to release the lock, too.
    if (queue.waiters.length > 0) {
      void next.requestRelease();
    }
  }
}

function busy(): TusError {
  return new TusError(503, 'another request is working on this upload; try again');
}
