/** Runs the work of one key once at a time: a caller who comes while it runs gets the result of that run. */
export class SingleFlight<Result = void> {
  private readonly running = new Map<string, Promise<Result>>();

  run(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.running.get(key);
    if (before !== undefined) {
      return before;
    }
    const now = work().finally(() => this.running.delete(key));
    this.running.set(key, now);
    return now;
  }
}

/** Limits how many pieces of work each key may have running at the same time. */
export class ConcurrencyLimit {
  private readonly counts = new Map<string, number>();

  constructor(private readonly most: number) {}

  /**
   * Does the work if this key has a free place.
   * @returns whether there was one; when all places are taken, nothing is done.
   */
  async run(key: string, work: () => Promise<void>): Promise<boolean> {
    const count = this.counts.get(key) ?? 0;
    if (count >= this.most) {
      return false;
    }
    this.counts.set(key, count + 1);
    try {
      await work();
      return true;
    } finally {
      this.leave(key);
    }
  }

  private leave(key: string): void {
    const left = (this.counts.get(key) ?? 1) - 1;
    if (left === 0) {
      this.counts.delete(key);
    } else {
      this.counts.set(key, left);
    }
  }
}
