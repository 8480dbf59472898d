import { expect, it } from '@jest/globals';
import { ROUTE_TABLE } from '../../../service/http/route-table.js';
import { testRuns, testSeed } from '../../support/seeded-random.js';
import { describeFailure, fuzzRun } from './fuzz/fuzz-run.js';
import { routeOf } from './fuzz/route-of.js';
import { VALID_REQUESTS } from './fuzz/valid-requests.js';

/** The short run; `npm run test:fuzz` is the long one. */
const REQUESTS = testRuns(400);
/** A busy machine sends fewer. */
const LIMIT_MS = testRuns(15_000);
const seed = testSeed();

it(`up to ${REQUESTS} requests of a fuzzer find no failure, hang nobody and leave another's uploads alone (TEST_SEED=${seed})`, async () => {
  const report = await fuzzRun({
    ...{ seed, requests: REQUESTS, limitMs: LIMIT_MS },
    connections: 16,
    holds: true,
  });
  expect(report.failures.map(describeFailure)).toEqual([]);
  // It got in deep enough: pages, redirects, JSON, uploads; and it was told off.
  const statuses = Object.keys(report.statuses);
  expect(statuses).toEqual(expect.arrayContaining(['200', '201', '303', '400', '401', '404']));
  expect(report.honestRequests).toBeGreaterThan(10);
});

it('the fuzzer begins with a request for each method of each address of the service', () => {
  const known = new Set(
    VALID_REQUESTS.map((request) => `${request.method} ${routeOf(request)?.path ?? ''}`),
  );
  const missing = ROUTE_TABLE.flatMap(({ path, methods }) =>
    methods
      // What comes with every GET.
      .filter((method) => !['HEAD', 'OPTIONS'].includes(method))
      .map((method) => `${method} ${path}`),
  ).filter((one) => !known.has(one));
  expect(missing).toEqual([]);
});
