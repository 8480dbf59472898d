/** A value that can be watched: how state travels from the working parts to the panel. */
export interface ReadableStore<T> {
  get(): T;
  /** Calls `listener` after each change. Returns a function that stops it. */
  subscribe(listener: (value: T) => void): () => void;
}

export class Store<T> implements ReadableStore<T> {
  private readonly listeners = new Set<(value: T) => void>();

  constructor(private value: T) {}

  get(): T {
    return this.value;
  }

  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const listener of [...this.listeners]) listener(value);
  }

  subscribe(listener: (value: T) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }
}
