import { expect, it } from '@jest/globals';
import { testRuns, testSeed } from '../support/seeded-random.js';
import { crashRun } from './crash-run.js';

/** The short run; `npm run test:crash` is the long one. */
const KILLS = testRuns(5);
// Ten times what it takes on an idle machine.
const LIMIT_MS = KILLS * 40_000;
const seed = testSeed();

it(
  `the plugin killed ${KILLS} times in the middle of its work loses and doubles no photo (TEST_SEED=${seed})`,
  async () => {
    const report = await crashRun({
      seed,
      kills: KILLS,
      photos: 20,
      largest: 9_500_000,
      // Each kill in the middle of a refresh keeps the next run waiting for twenty seconds.
      accessTokenSeconds: 60,
      restartEvery: 4,
      limitMs: LIMIT_MS,
    });
    // The run itself fails when a photo is lost, doubled or changed; this is that there was something to lose.
    expect(report.killsWithWork).toBeGreaterThan(KILLS / 3);
    expect(report.cuts + report.lostAnswers).toBeGreaterThan(0);
    expect(report.serviceRestarts).toBeGreaterThan(0);
  },
  LIMIT_MS + 30_000,
);
