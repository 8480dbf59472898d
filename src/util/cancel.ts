/**
 * Cancelling without AbortSignal: the host documents AbortSignal for web streams only, with no event.
 */
export interface CancelSignal {
  readonly cancelled: boolean;
  /** Calls `listener` once when cancelled (at once if it already is). Returns a function that stops listening. */
  onCancel(listener: () => void): () => void;
}

/** What cancelled work rejects with. It is no failure, so there is nothing to show. */
export class CancelledError extends Error {
  constructor() {
    super('cancelled');
    this.name = 'CancelledError';
  }
}

/** Makes a {@link CancelSignal} and fires it: keep the source, hand out `signal`. A second `cancel` does nothing. */
export class CancelSource {
  private readonly listeners = new Set<() => void>();
  private done = false;

  readonly signal: CancelSignal;

  constructor() {
    const isDone = (): boolean => this.done;
    this.signal = {
      get cancelled() {
        return isDone();
      },
      onCancel: (listener) => {
        if (this.done) {
          listener();
          return () => undefined;
        }
        this.listeners.add(listener);
        return () => {
          this.listeners.delete(listener);
        };
      },
    };
  }

  cancel(): void {
    if (this.done) {
      return;
    }
    this.done = true;
    const listeners = [...this.listeners];
    this.listeners.clear();
    for (const listener of listeners) {
      listener();
    }
  }
}

/** A signal that never fires. */
export const NEVER_CANCELLED: CancelSignal = {
  cancelled: false,
  onCancel: () => () => undefined,
};

/** @throws {CancelledError} when the signal has fired. */
export function throwIfCancelled(signal: CancelSignal): void {
  if (signal.cancelled) {
    throw new CancelledError();
  }
}

/** What `promise` gives, unless the signal fires first. @throws {CancelledError} */
export function orCancelled<T>(promise: Promise<T>, signal: CancelSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopListening = signal.onCancel(() => {
      reject(new CancelledError());
    });
    promise.then(resolve, reject).finally(stopListening);
  });
}
