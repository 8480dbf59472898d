/** Runs no work twice at the same time under one key: whoever comes later waits for the one that runs. */
export class OnceAtATime<Result = void> {
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

/** Counts what each key has under way, up to a bound. */
export class Bounded {
  private readonly counts = new Map<string, number>();

  constructor(private readonly most: number) {}

  /**
   * Does the work in a place of this key.
   * @returns whether there was one; when all are taken, nothing is done.
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
