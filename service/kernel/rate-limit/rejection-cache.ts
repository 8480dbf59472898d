import { BoundedMap } from '../bounded-map.js';

/** For how long a refusal is repeated without asking the database again, in milliseconds. */
const REPEAT_MS = 2000;
/**
 * The maximum number of kept refusals. Legitimate users cause far fewer within that time; the oldest are dropped first.
 */
const MAX_KEYS = 10_000;

interface Refusal {
  readonly at: number;
  readonly windowEnds: number;
}

/**
 * Remembers which limits have just been found used up. Further attempts against them are refused without the database,
 * so that a flood of attempts costs the others who use the database next to nothing.
 */
export class RejectionCache {
  private readonly refusals = new BoundedMap<Refusal>(MAX_KEYS);

  /** Records that the limit with this key refused an attempt at `now`. Its count restarts at `windowEnds`. */
  note(key: string, now: Date, windowEnds: Date): void {
    this.refusals.set(key, { at: now.getTime(), windowEnds: windowEnds.getTime() });
  }

  /** After how many seconds to try again, if the limit with one of these keys has just refused; else undefined. */
  waitFor(keys: readonly string[], now: Date): number | undefined {
    for (const key of keys) {
      const refusal = this.refusals.get(key);
      if (refusal === undefined) {
        continue;
      }
      const age = now.getTime() - refusal.at;
      if (age >= 0 && age < REPEAT_MS && now.getTime() < refusal.windowEnds) {
        return Math.ceil((refusal.windowEnds - now.getTime()) / 1000);
      }
      this.refusals.delete(key);
    }
    return undefined;
  }
}
