import { parseArgs } from 'node:util';
import { testSeed } from '../../support/seeded-random.js';
import { firstStarts } from './first-start.js';
import { powerRun } from './power-run.js';

/**
 * The long form: `npm run test:all -- power-loss`, with `--seconds N` (600 when left out), `--losses N` of each recorded run and
 * `--seed N` (or TEST_SEED).
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    losses: { type: 'string', default: '40' },
    seed: { type: 'string' },
  },
});
const losses = Number(values.losses);
const until = Date.now() + Number(values.seconds) * 1000;
const checked: Record<string, number> = {};
const totals = { runs: 0, losses: 0, operations: 0, answers: 0, firstStarts: 0 };
for (let seed = Number(values.seed ?? testSeed()); Date.now() < until; seed += 1) {
  console.log(`power run with seed ${seed}`);
  const report = await powerRun({
    seed,
    losses,
    restarts: 2,
    load: { devices: 4, smallPhotos: 6, large: 30_000_000 },
    log: (line) => {
      console.log(line);
    },
  });
  totals.runs += 1;
  totals.losses += report.losses;
  totals.operations += report.operations;
  totals.answers += report.answers;
  for (const [promise, times] of Object.entries(report.checked))
    checked[promise] = (checked[promise] ?? 0) + times;
  totals.firstStarts += await firstStarts({ seed, losses: Math.ceil(losses / 10) });
}
console.table(totals);
console.table(checked);
console.log('The service started each time, and everything that it had answered was so.');
