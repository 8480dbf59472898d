import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IS_LONG } from '../../support/long-runs.js';
import { seededRandom, testRuns, testSeed } from '../../support/seeded-random.js';
import { firstStarts } from './first-start.js';
import { RecordedRun } from './power-run.js';

/** Once when all was promised, and once at any instant. `npm run test:all -- power-loss` is the long run. */
const LOSSES = testRuns(2);
const FIRST_STARTS = testRuns(1);
const LIMIT_MS = 60_000 * (LOSSES + 4);
const seed = testSeed();

describe(`a service after a power loss (TEST_SEED=${seed})`, () => {
  let run: RecordedRun;

  beforeAll(async () => {
    const load = { devices: 2, smallPhotos: 2, large: IS_LONG ? 10_000_000 : 3_000_000 };
    run = await RecordedRun.record({ seed, restarts: 1, load });
  }, LIMIT_MS);
  afterAll(() => run.dispose());

  it(
    `restarts and keeps all acknowledged data, ${LOSSES} times`,
    async () => {
      const random = seededRandom(seed + 1);
      const checked: string[] = [];
      for (let count = 0; count < LOSSES; count += 1) {
        // The first one when all was promised.
        const instant = count === 0 ? run.answers.at(-1) : run.instant(random);
        checked.push(...Object.keys(await run.lose(instant ?? 0, random)));
      }
      expect(checked).toEqual(expect.arrayContaining(['a refresh token is good']));
      expect(checked).toEqual(expect.arrayContaining(['a photo that arrived is whole']));
    },
    LIMIT_MS,
  );

  // It checks this test, not the service.
  it(
    'loses data when the disk ignores all flushes',
    async () => {
      const end = run.answers.at(-1) ?? 0;
      const ignored = { fate: 'none', believes: () => false } as const;
      await expect(run.lose(end, seededRandom(seed), ignored)).rejects.toThrow('broken: ');
    },
    LIMIT_MS,
  );

  it(
    `restarts after a power loss at its first start, ${FIRST_STARTS} times`,
    async () => {
      expect(await firstStarts({ seed, losses: FIRST_STARTS })).toBe(FIRST_STARTS);
    },
    LIMIT_MS,
  );
});
