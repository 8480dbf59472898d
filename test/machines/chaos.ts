import { setTimeout as sleep } from 'node:timers/promises';
import type { TemporaryPostgres } from '../service/postgres/server.js';
import type { TemporarySwift } from '../service/s3/swift.js';
import type { Balancer } from './balancer.js';
import type { Machine } from './machine.js';

/** The faults, each several times in a run. */
const KINDS = [
  'one process killed',
  'one process ended',
  'all processes killed',
  'database restarted (fast)',
  'database restarted (immediate)',
  'process killed while the database restarts',
  'storage away',
  'storage silent',
] as const;
type Kind = (typeof KINDS)[number];

export interface ChaosParts {
  readonly machines: readonly Machine[];
  readonly balancer: Balancer;
  readonly database: TemporaryPostgres;
  readonly storage: TemporarySwift;
  readonly random: () => number;
  readonly log: (line: string) => void;
}

/** Kills and restarts the service and its dependencies, one after the other, in random order. */
export class Chaos {
  readonly counts = new Map<Kind, number>();
  /** Signals that processes of the service were sent, and starts. */
  kills = 0;
  ends = 0;
  starts = 0;
  private bag: Kind[] = [];
  private readonly starting = new Set<Promise<void>>();

  constructor(private readonly parts: ChaosParts) {}

  async run(isOver: () => boolean): Promise<void> {
    const { random, log } = this.parts;
    while (!isOver()) {
      await sleep(1000 + random() * 2500);
      const kind = this.next();
      this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
      log(kind);
      await this.happen(kind);
    }
    while (this.starting.size > 0) await Promise.all(this.starting);
  }

  /** Starts the process in a slot and registers it with the balancer. */
  async start(place: number): Promise<void> {
    const { machines, balancer } = this.parts;
    this.starts += 1;
    const port = await machines[place]?.start();
    if (port !== undefined) balancer.use(place, port);
  }

  private next(): Kind {
    if (this.bag.length === 0) this.bag = [...KINDS];
    const [kind] = this.bag.splice(Math.floor(this.parts.random() * this.bag.length), 1);
    return kind ?? 'one process killed';
  }

  private async happen(kind: Kind): Promise<void> {
    switch (kind) {
      case 'one process killed':
        return this.end(this.any(), 'SIGKILL');
      case 'one process ended':
        return this.end(this.any(), 'SIGTERM');
      case 'all processes killed':
        await Promise.all(this.parts.machines.map((_, place) => this.end(place, 'SIGKILL')));
        return;
      case 'database restarted (fast)':
        return this.restartDatabase('fast');
      case 'database restarted (immediate)':
        return this.restartDatabase('immediate');
      case 'process killed while the database restarts':
        await Promise.all([this.restartDatabase('immediate'), this.end(this.any(), 'SIGKILL')]);
        return;
      case 'storage away':
        return this.storageAway('ended');
      case 'storage silent':
        return this.storageAway('frozen');
    }
  }

  private any(): number {
    return Math.floor(this.parts.random() * this.parts.machines.length);
  }

  /** Ends a process; another one takes its place, in the background. */
  private async end(place: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const { machines, random } = this.parts;
    if (signal === 'SIGKILL') this.kills += 1;
    else this.ends += 1;
    await machines[place]?.end(signal);
    // If it is killed during its start, the killer starts the next one.
    const starting = sleep(random() * 1000)
      .then(() => this.start(place))
      .catch(() => undefined)
      .finally(() => this.starting.delete(starting));
    this.starting.add(starting);
  }

  private async restartDatabase(mode: 'fast' | 'immediate'): Promise<void> {
    const { database, random } = this.parts;
    await database.halt(mode);
    await sleep(random() * 2000);
    await database.resume();
  }

  private async storageAway(how: 'ended' | 'frozen'): Promise<void> {
    const { storage, random } = this.parts;
    await storage.halt(how);
    await sleep(1000 + random() * 3000);
    await storage.resume();
  }
}
