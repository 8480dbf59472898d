import { seededRandom } from '../../../support/seeded-random.js';

/** Choices that are the same for the same seed. */
export class Chance {
  private readonly random: () => number;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** True in this share of cases. */
  of(share: number): boolean {
    return this.random() < share;
  }

  /** A whole number from 0 to `below`, that excluded. */
  below(below: number): number {
    return Math.floor(this.random() * below);
  }

  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T {
    const one = list[this.below(list.length)];
    if (one === undefined) throw new Error('nothing to choose from');
    return one;
  }
}
