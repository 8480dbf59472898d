import PQueue, { type Queue, type QueueAddOptions } from 'p-queue';
import { Lanes } from './lanes.js';

type Run = () => Promise<unknown>;

interface LaneOptions extends QueueAddOptions {
  /** Who asks. Whoever asks for much waits behind their own work, not in front of that of others. */
  readonly lane?: string;
}

/** {@link Lanes} as `p-queue` wants its queue. */
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
 * Does costly work for strangers a few at a time. The lanes take turns. How much may wait is limited, in
 * one lane and in all.
 */
export class FairQueue {
  private readonly queue: PQueue<QueueOfLanes, LaneOptions>;
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
   * @returns its result; `full`, at once, when too much waits already, in its lane or, if the lane already
   * has something waiting, in all: a lane's first piece of work is always taken.
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
