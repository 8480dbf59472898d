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

  /** @returns a function that gives the place back, or undefined when all are taken. */
  enter(key: string): (() => void) | undefined {
    const count = this.counts.get(key) ?? 0;
    if (count >= this.most) {
      return undefined;
    }
    this.counts.set(key, count + 1);
    return () => {
      const left = (this.counts.get(key) ?? 1) - 1;
      if (left === 0) {
        this.counts.delete(key);
      } else {
        this.counts.set(key, left);
      }
    };
  }
}
