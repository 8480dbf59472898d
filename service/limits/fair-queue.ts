import PQueue from 'p-queue';
import type { Queue, QueueAddOptions } from 'p-queue';

type Run = () => Promise<unknown>;

interface LaneOptions extends QueueAddOptions {
  /** Who asks. Those who ask for much wait for themselves, not for others. */
  readonly lane?: string;
}

/** Work that waits, one line for each lane; the lanes take turns. */
class Lanes implements Queue<Run, LaneOptions> {
  /** In the order of their turns. A lane is removed with its last piece of work. */
  private readonly lanes = new Map<string, Run[]>();

  get size(): number {
    return [...this.lanes.values()].reduce((sum, { length }) => sum + length, 0);
  }

  enqueue(run: Run, options: Partial<LaneOptions> = {}): void {
    const lane = options.lane ?? '';
    const waiting = this.lanes.get(lane);
    if (waiting === undefined) this.lanes.set(lane, [run]);
    else waiting.push(run);
  }

  dequeue(): Run | undefined {
    const [next] = this.lanes;
    if (next === undefined) return undefined;
    const [lane, waiting] = next;
    const run = waiting.shift();
    // To the end of the turns.
    this.lanes.delete(lane);
    if (waiting.length > 0) this.lanes.set(lane, waiting);
    return run;
  }

  filter({ lane }: Readonly<Partial<LaneOptions>>): Run[] {
    return [...(this.lanes.get(lane ?? '') ?? [])];
  }

  setPriority(): void {
    throw new Error('lanes have no priorities');
  }
}

/**
 * Does costly work for strangers a few at a time. What waits is served lane by lane in turns, and so
 * much waits at most in one lane and in all.
 */
export class FairQueue {
  private readonly queue: PQueue<Lanes, LaneOptions>;
  private readonly waiting = new Map<string, number>();
  private readonly maxPerLane: number;
  private readonly maxInAll: number;

  constructor(limits: { atOnce: number; maxPerLane: number; maxInAll: number }) {
    this.queue = new PQueue({ concurrency: limits.atOnce, queueClass: Lanes });
    this.maxPerLane = limits.maxPerLane;
    this.maxInAll = limits.maxInAll;
  }

  /**
   * Does `work` when its turn comes.
   * @throws {QueueFullError} at once when too much waits already, in its lane or, if the lane already
   * has something waiting, in all: a lane's first piece of work is always taken.
   */
  async run<T>(lane: string, work: () => Promise<T>): Promise<T> {
    const own = this.waiting.get(lane) ?? 0;
    if (own >= this.maxPerLane || (own > 0 && this.queue.size >= this.maxInAll)) {
      throw new QueueFullError();
    }
    this.waiting.set(lane, own + 1);
    try {
      return await this.queue.add(work, { lane });
    } finally {
      const left = (this.waiting.get(lane) ?? 1) - 1;
      if (left > 0) this.waiting.set(lane, left);
      else this.waiting.delete(lane);
    }
  }
}

/** Too much waits already; it can be tried again in a few seconds. */
export class QueueFullError extends Error {
  constructor() {
    super('too much work waits');
  }
}
