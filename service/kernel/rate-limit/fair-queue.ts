import { KeyedSemaphore } from './keyed-semaphore.js';

export interface FairQueueLimits {
  /** How many pieces of work run at the same time. */
  readonly atOnce: number;
  /** The number of running and waiting pieces of one key. */
  readonly perKey: number;
  /** Total number of pieces that may wait behind others with the same key. */
  readonly waitingInAll: number;
}

/**
 * Runs costly tasks, a few at a time. Of each key, such as a network, only as many pieces as run at the same time
 * stand in the common queue; the others wait behind them. So much work of one key delays the others by a few pieces only.
 */
export class FairQueue {
  private readonly ofKey: KeyedSemaphore;
  private readonly ofAll: KeyedSemaphore;

  constructor({ atOnce, perKey, waitingInAll }: FairQueueLimits) {
    this.ofKey = new KeyedSemaphore({ places: atOnce, waiting: perKey - atOnce, waitingInAll });
    this.ofAll = new KeyedSemaphore({ places: atOnce });
  }

  /**
   * Does `work` when there is a place for it.
   * @returns its result; 'full', at once, when too much of its key is here, or too much waits in all. The latter refuses
   *   no key that has nothing here yet.
   */
  async run<T>(key: string, work: () => Promise<T>): Promise<{ readonly result: T } | 'full'> {
    const done = await this.ofKey.run(key, () => this.ofAll.run('', work));
    return done === 'full' ? done : done.result;
  }
}
