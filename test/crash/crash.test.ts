import { expect, it } from '@jest/globals';
import { IS_LONG } from '../support/long-runs.js';
import { testRuns, testSeed } from '../support/seeded-random.js';
import { crashRun } from './crash-run.js';
import type { ServiceKind } from './services.js';

const seed = testSeed();
/** Services that others made. `test/features/uploads/tus` uploads to them in the short suite, without kills. */
const ELSEWHERE = IS_LONG ? (['plain', 'creation-only'] as const) : [];
/** The short runs, which meet everything once; TEST_SCALE makes them longer, and `npm run test:all -- crash` is the long one. */
const KILLS: readonly (readonly [ServiceKind, number])[] = [
  ['ours', testRuns(2)],
  // The first kill comes while the photos wait to be sent, and only the others at any instant.
  ...ELSEWHERE.map((kind) => [kind, Math.max(2, testRuns(1))] as const),
];
// Ten times the duration on an idle machine.
const LIMIT_MS = testRuns(5) * 40_000;

it.each(KILLS)(
  `uploads each photo exactly once to a service (%s) although the plugin is killed %d times (TEST_SEED=${seed})`,
  async (service, kills) => {
    const report = await crashRun({
      service,
      seed,
      kills,
      photos: 6 * kills,
      // Changes of projects take more lives than the short run has: `npm run test:all -- crash` makes them.
      projects: false,
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
