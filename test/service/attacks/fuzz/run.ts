import { parseArgs } from 'node:util';
import { testSeed } from '../../../support/seeded-random.js';
import type { FuzzRequest } from './fuzz-request.js';
import { describeFailure, fuzzRun } from './fuzz-run.js';

/**
 * The long run: `npm run test:all -- fuzz`, with `--requests N`, `--seed N` (or TEST_SEED), `--connections N`,
 * `--no-holds` (none are held open for seconds), or `--replay JSON` (send one request that failed).
 */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '50000' },
    connections: { type: 'string', default: '16' },
    seed: { type: 'string' },
    'no-holds': { type: 'boolean', default: false },
    replay: { type: 'string', multiple: true },
  },
});
const seed = Number(values.seed ?? testSeed());
const requests = Number(values.requests);
console.log(`fuzzer: ${values.replay?.length ?? requests} requests, seed ${seed}`);
const report = await fuzzRun({
  seed,
  requests,
  connections: Number(values.connections),
  holds: !values['no-holds'],
  ...(values.replay !== undefined && {
    replay: values.replay.map((text) => JSON.parse(text) as FuzzRequest),
  }),
  log: (line) => console.log(`FAILURE ${line}`),
});
const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
console.log(
  `\n${report.requests} requests in ${report.seconds} s, ${report.controlRequests} control requests; slowest control request ${report.slowestControlMs} ms`,
);
console.log(`heap before ${mib(report.heapBefore)}, after ${mib(report.heapAfter)}`);
console.log('answers by status', JSON.stringify(report.statuses));
console.table(
  Object.fromEntries(
    Object.entries(report.after.tables).map(([name, { rows, longest }]) => [
      name,
      { 'rows before': report.before.tables[name]?.rows, 'rows after': rows, longest },
    ]),
  ),
);
console.log(`upload files before ${mib(report.before.folder)}, after ${mib(report.after.folder)}`);
if (report.failures.length > 0) {
  console.log(`\n${report.failures.length} distinct failures (seed ${seed}):`);
  for (const failure of report.failures)
    console.log(`${failure.times} × ${describeFailure(failure)}`);
}
process.exit(report.failures.length > 0 ? 1 : 0);
