import type { Realm } from './modules/realm.js';

/** AbortController and AbortSignal: aborted, reason, throwIfAborted and the static abort. No event, no timeout, no any. */
export function createAbortClasses(
  realm: Realm,
  domException: (message: string, name: string) => Error,
): { AbortController: new () => object; AbortSignal: object } {
  const inside = Symbol('inside');
  let end: (signal: AbortSignal, reason: unknown) => void;

  class AbortSignal {
    #aborted = false;
    #reason: unknown;

    constructor(token?: symbol) {
      if (token !== inside) throw new realm.TypeError('Illegal constructor');
    }
    get aborted(): boolean {
      return this.#aborted;
    }
    get reason(): unknown {
      return this.#reason;
    }
    throwIfAborted(): void {
      // The plugin decides what is thrown: any value may be a reason.

      if (this.#aborted) throw this.#reason;
    }
    static abort(reason?: unknown): AbortSignal {
      const signal = new AbortSignal(inside);
      end(signal, reason);
      return signal;
    }
    static {
      end = (signal, reason) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason = reason ?? domException('the operation was aborted', 'AbortError');
      };
    }
  }

  class AbortController {
    readonly signal = new AbortSignal(inside);

    abort(reason?: unknown): void {
      end(this.signal, reason);
    }
  }
  return { AbortController, AbortSignal };
}
