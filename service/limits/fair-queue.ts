import PQueue, { type Queue, type QueueAddOptions } from 'p-queue';
import { Lanes } from './lanes.js';

type Run = () => Promise<unknown>;

interface LaneOptions extends QueueAddOptions {
  /** Whose work it is. Lanes take turns, so that much work in one lane does not delay the others. */
  readonly lane?: string;
}

/** {@link Lanes} with the methods that `p-queue` asks of a `queueClass`. */
class QueueOfLanes implements Queue<Run, LaneOptions> {
  private readonly lanes = new Lanes<Run>();

  get size(): number {
    return this.lanes.size;
  }

  enqueue(run: Run, options: Partial<LaneOptions> = {}): void {
    this.lanes.add(options.lane ?? '', run);
  }

  dequeue(): Run | undefined {
    return this.lanes.next();
  }

  filter({ lane }: Readonly<Partial<LaneOptions>>): Run[] {
    return [...this.lanes.of(lane ?? '')];
  }

  setPriority(): void {
    throw new Error('lanes have no priorities');
  }
}

/**
 * Does costly work for strangers, a few pieces at a time. Lanes, such as networks, take turns. One lane may have
 * `maxPerLane` pieces of work here, those that are running included; in all lanes together `maxInAll` may wait.
 */
export class FairQueue {
  private readonly queue: PQueue<QueueOfLanes, LaneOptions>;
  /** By lane, how many pieces of work are waiting or running. */
  private readonly waiting = new Map<string, number>();
  private readonly maxPerLane: number;
  private readonly maxInAll: number;

  constructor(limits: { atOnce: number; maxPerLane: number; maxInAll: number }) {
    this.queue = new PQueue({ concurrency: limits.atOnce, queueClass: QueueOfLanes });
    this.maxPerLane = limits.maxPerLane;
    this.maxInAll = limits.maxInAll;
  }

  /**
   * Does `work` when its turn comes.
   * @returns its result; `full`, at once, when its lane has too much here already, or when too much waits in all lanes.
   *   The latter never refuses a lane that has nothing here yet.
   */
  async run<T>(lane: string, work: () => Promise<T>): Promise<{ readonly result: T } | 'full'> {
    const own = this.waiting.get(lane) ?? 0;
    if (own >= this.maxPerLane || (own > 0 && this.queue.size >= this.maxInAll)) {
      return 'full';
    }
    this.waiting.set(lane, own + 1);
    try {
      return { result: await this.queue.add(work, { lane }) };
    } finally {
      const left = (this.waiting.get(lane) ?? 1) - 1;
      if (left > 0) {
        this.waiting.set(lane, left);
      } else {
        this.waiting.delete(lane);
      }
    }
  }
}
