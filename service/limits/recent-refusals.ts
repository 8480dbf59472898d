import { Newest } from '../newest.js';

/** How long a refusal is repeated without another look at the database, in milliseconds. */
const REPEAT_MS = 2000;
/** More keys than any honest crowd has refused within that time; the oldest go first. */
const MAX_KEYS = 10_000;

interface Refusal {
  readonly at: number;
  readonly windowEnds: number;
}

/**
 * Limits that were found used up a moment ago. Whoever goes on against one of them is refused out of
 * memory, so that a flood of attempts costs those who share the database next to nothing.
 */
export class RecentRefusals {
  private readonly refusals = new Newest<Refusal>(MAX_KEYS);

  /** Notes that the limit of this key refused at `now`, and when it starts anew. */
  note(key: string, now: Date, windowEnds: Date): void {
    this.refusals.set(key, { at: now.getTime(), windowEnds: windowEnds.getTime() });
  }

  /** Seconds to wait when one of these keys refused a moment ago, else undefined. */
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
