/** The limits of {@link Turns}. */
export interface TurnLimits {
  /** How many pieces of work run at the same time: at least two. */
  readonly atOnce: number;
  /** How many background pieces of one key may wait, and as many urgent ones. */
  readonly waitingOfKey: number;
  /** How many pieces may wait in all. A key of which none waits is always let in. */
  readonly waitingInAll: number;
  /** How long a key stays behind the others after {@link Turns.penalize}, in milliseconds. */
  readonly penaltyMs: number;
}

/** The work of one key. */
interface Line {
  running: number;
  readonly urgent: (() => void)[];
  readonly background: (() => void)[];
}

/**
 * Runs costly work, a few pieces at a time, with fair turns for each key, such as a workspace. One key never takes all
 * places. A key whose work did harm stays behind the others for a while, and all such keys together never take all places.
 */
export class Turns {
  /** Keys with running or waiting work. The one that had its turn last is at the end. */
  private readonly lines = new Map<string, Line>();
  private readonly penalties = new Map<string, number>();
  private running = 0;
  private waiting = 0;

  constructor(private readonly limits: TurnLimits) {}

  /**
   * Does `work` when its turn has come. Urgent work of a key runs before its background work.
   * @returns its result; 'full', at once, when too much waits.
   */
  async run<T>(
    key: string,
    urgency: 'urgent' | 'background',
    work: () => Promise<T>,
  ): Promise<T | 'full'> {
    const line = this.lines.get(key) ?? { running: 0, urgent: [], background: [] };
    if (!this.mayWait(line, urgency)) {
      return 'full';
    }
    this.lines.set(key, line);
    const turn = new Promise<void>((begin) => line[urgency].push(begin));
    this.waiting += 1;
    this.beginNext();
    await turn;
    try {
      return await work();
    } finally {
      line.running -= 1;
      this.running -= 1;
      if (line.running === 0 && isIdle(line)) {
        this.lines.delete(key);
      }
      this.beginNext();
    }
  }

  /** Keeps a key behind the others for a while. */
  penalize(key: string): void {
    const now = performance.now();
    for (const [one, until] of this.penalties) {
      if (until < now) {
        this.penalties.delete(one);
      }
    }
    this.penalties.set(key, now + this.limits.penaltyMs);
  }

  private mayWait(line: Line, urgency: 'urgent' | 'background'): boolean {
    const { waitingOfKey, waitingInAll } = this.limits;
    return line[urgency].length < waitingOfKey && (this.waiting < waitingInAll || isIdle(line));
  }

  private beginNext(): void {
    while (this.running < this.limits.atOnce) {
      const next = this.nextLine();
      if (next === undefined) {
        return;
      }
      const [key, line] = next;
      this.lines.delete(key);
      this.lines.set(key, line);
      line.running += 1;
      this.running += 1;
      this.waiting -= 1;
      (line.urgent.shift() ?? line.background.shift())?.();
    }
  }

  private nextLine(): readonly [string, Line] | undefined {
    const most = Math.max(1, this.limits.atOnce - 1);
    let penalized: readonly [string, Line] | undefined;
    let runningPenalized = 0;
    for (const [key, line] of this.lines) {
      const isPenalized = (this.penalties.get(key) ?? 0) > performance.now();
      runningPenalized += isPenalized ? line.running : 0;
      if (line.running >= most || isIdle(line)) {
        continue;
      }
      if (!isPenalized) {
        return [key, line];
      }
      penalized ??= [key, line];
    }
    return runningPenalized < most ? penalized : undefined;
  }
}

/** Whether none of its work waits. */
function isIdle({ urgent, background }: Line): boolean {
  return urgent.length === 0 && background.length === 0;
}
