import { beforeAll, describe, expect, it } from '@jest/globals';
import { testRuns, testSeed } from '../../support/seeded-random.js';
import { describeFailure, fuzzRun, type FuzzReport } from './fuzz/fuzz-run.js';
import { VALID_REQUESTS } from './fuzz/valid-requests.js';

/** The short run; `npm run test:all -- fuzz` is the long one. */
const REQUESTS = testRuns(150);
/** A busy machine sends fewer. */
const LIMIT_MS = testRuns(15_000);
const seed = testSeed();

describe(`the fuzzer (TEST_SEED=${seed})`, () => {
  let report: FuzzReport;

  beforeAll(async () => {
    report = await fuzzRun({
      ...{ seed, requests: REQUESTS, limitMs: LIMIT_MS },
      connections: 16,
      holds: true,
      first: VALID_REQUESTS,
    });
  });

  // @threat P2, S9
  it(`finds no failure, no hang and no change of another’s uploads with up to ${REQUESTS} requests`, () => {
    expect(report.failures.map(describeFailure)).toEqual([]);
    // Not all of it was turned away at the door, nor let in; and control users sent requests.
    const statuses = Object.entries(report.statuses)
      .filter(([status, times]) => times > (report.firstStatuses[status] ?? 0))
      .map(([status]) => status);
    expect(statuses).toEqual(expect.arrayContaining(['200', '400', '404']));
    // Forty of theirs come with the new sign-ins of the attacker.
    expect(report.controlRequests).toBeGreaterThan(42);
  });

  it('the service accepts the unchanged form of each request that the fuzzer mutates', () => {
    const answers = Object.entries(report.firstStatuses);
    const taken = answers.filter(([status]) => Number(status) < 400);
    // Pages, redirects, JSON, uploads; some are refused on purpose, or because of one before them.
    expect(taken.map(([status]) => status)).toEqual(
      expect.arrayContaining(['200', '201', '204', '303']),
    );
    const refused = answers.filter(([status]) => Number(status) >= 400);
    const count = refused.reduce((sum, [, times]) => sum + times, 0);
    expect([count < VALID_REQUESTS.length * 0.2, refused]).toEqual([true, refused]);
  });
});
