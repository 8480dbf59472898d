import type { RandomBytes } from '../../src/util/random-id.js';

/** Numbers from 0 (included) to 1 (excluded) that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Bytes that are the same for the same seed. */
export function seededBytes(seed: number): RandomBytes {
  const random = seededRandom(seed);
  return (count) => Uint8Array.from({ length: count }, () => Math.floor(random() * 256));
}

/**
 * The seed for a randomised test: TEST_SEED from the environment when set, else a new one. Name it in
 * the messages of the test's assertions, so that a failure can be repeated.
 */
export function testSeed(): number {
  const given = Number(process.env['TEST_SEED']);
  return Number.isSafeInteger(given) && given > 0 ? given : Math.ceil(Math.random() * 0xffffffff);
}

/**
 * How many runs a randomised test takes: so many with the other tests, and TEST_SCALE times as many in the long
 * form (`npm run test:all -- long`).
 */
export function testRuns(count: number): number {
  const times = Number(process.env['TEST_SCALE']);
  return times > 0 ? Math.ceil(count * times) : count;
}
