/** A value that can be watched: how state travels from the working parts to the panel. */
export interface ReadableObservable<T> {
  get(): T;
  /** Calls `listener` with the new value after each change. Returns a function that ends the subscription. */
  subscribe(listener: (value: T) => void): () => void;
}

/** A value that can be set and watched. Setting the same value again (`Object.is`) is no change. */
export class Observable<T> implements ReadableObservable<T> {
  private readonly listeners = new Set<(value: T) => void>();

  constructor(private value: T) {}

  get(): T {
    return this.value;
  }

  set(value: T): void {
    if (Object.is(value, this.value)) {
      return;
    }
    this.value = value;
    // A listener may set another value. The listeners after it then get that value, never an outdated one.
    for (const listener of [...this.listeners]) {
      if (this.listeners.has(listener)) {
        listener(this.value);
      }
    }
  }

  subscribe(listener: (value: T) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }
}
