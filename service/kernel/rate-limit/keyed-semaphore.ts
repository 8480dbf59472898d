export interface SemaphoreLimits {
  /** How many places each key has. */
  readonly places: number;
  /** How many may wait for a place of one key; without it there is no limit. */
  readonly waiting?: number;
  /** How many may wait for places of all keys together; without it there is no limit. */
  readonly waitingInAll?: number;
  /** How long one may wait, in milliseconds; without it there is no limit. */
  readonly waitMs?: number;
}

interface Line {
  taken: number;
  waiting: (() => void)[];
}

/** A counting semaphore for each key. Callers of one key wait in order. */
export class KeyedSemaphore {
  /** By key; only keys of which a place is taken. */
  private readonly lines = new Map<string, Line>();
  private waiting = 0;

  constructor(private readonly limits: SemaphoreLimits) {}

  /**
   * Takes a place, and waits for it if all are taken.
   * @returns a function that gives the place back; undefined when too many wait, or the wait was too long.
   */
  async acquire(key: string): Promise<(() => void) | undefined> {
    const { places, waiting = Infinity, waitingInAll = Infinity } = this.limits;
    const line = this.lines.get(key) ?? { taken: 0, waiting: [] };
    this.lines.set(key, line);
    if (line.taken < places) {
      line.taken += 1;
    } else if (line.waiting.length >= waiting || this.waiting >= waitingInAll) {
      return undefined;
    } else if (!(await this.wait(line))) {
      return undefined;
    }
    return () => {
      this.release(key, line);
    };
  }

  /** Does `work` with a place. @returns its result; 'full' when there was no place. */
  async run<T>(key: string, work: () => Promise<T>): Promise<{ readonly result: T } | 'full'> {
    const release = await this.acquire(key);
    if (release === undefined) {
      return 'full';
    }
    try {
      return { result: await work() };
    } finally {
      release();
    }
  }

  /**
   * @returns whether a slot became free in time. A released slot passes to the next waiter, so it stays counted as
   *   taken.
   */
  private async wait(line: Line): Promise<boolean> {
    const { waitMs } = this.limits;
    this.waiting += 1;
    try {
      return await new Promise<boolean>((resolve) => {
        const start = (): void => {
          clearTimeout(timer);
          resolve(true);
        };
        const timer =
          waitMs === undefined
            ? undefined
            : setTimeout(() => {
                line.waiting = line.waiting.filter((one) => one !== start);
                resolve(false);
              }, waitMs);
        line.waiting.push(start);
      });
    } finally {
      this.waiting -= 1;
    }
  }

  private release(key: string, line: Line): void {
    const next = line.waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    line.taken -= 1;
    if (line.taken === 0) {
      this.lines.delete(key);
    }
  }
}
