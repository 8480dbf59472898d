import { expect, it } from '@jest/globals';
import { testRuns, testSeed } from '../support/seeded-random.js';
import { crashRun } from './crash-run.js';
import type { ServiceKind } from './services.js';

/** The short runs, which meet everything once; TEST_TIMES makes them longer, and `npm run test:crash` is the long one. */
const KILLS: readonly (readonly [ServiceKind, number])[] = [
  ['ours', testRuns(4)],
  ['plain', testRuns(2)],
  ['creation-only', testRuns(2)],
];
// Ten times what it takes on an idle machine.
const LIMIT_MS = testRuns(5) * 40_000;
const seed = testSeed();

it.each(KILLS)(
  `a plugin whose photos go to a service (%s), killed %d times in the middle of its work, loses and doubles none (TEST_SEED=${seed})`,
  async (service, kills) => {
    const report = await crashRun({
      service,
      seed,
      kills,
      photos: 3 * kills,
      largest: 9_500_000,
      // Each kill in the middle of a refresh keeps the next run waiting for twenty seconds.
      accessTokenSeconds: 60,
      restartEvery: 2,
      limitMs: LIMIT_MS,
    });
    // The run itself fails when a photo is lost, doubled or changed; this is that there was something to lose.
    expect(report.killsWithWork).toBeGreaterThan(kills / 3);
    expect(report.cuts).toBeGreaterThan(0);
    expect(report.lostAnswers).toBeGreaterThan(0);
    expect(report.serviceRestarts).toBeGreaterThan(0);
  },
  LIMIT_MS + 30_000,
);
