import { parseArgs } from 'node:util';
import { testSeed } from '../support/seeded-random.js';
import { crashRun } from './crash-run.js';
import { SERVICES } from './services.js';

/** The full crash run: `npm run test:all -- crash`, with `--kills N`, `--seed N` (or TEST_SEED) and `--service NAME`. */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '300' },
    seed: { type: 'string' },
    service: { type: 'string', default: 'ours' },
  },
});
const service = SERVICES.find((name) => name === values.service);
if (service === undefined) throw new Error(`--service is one of ${SERVICES.join(', ')}`);
const seed = Number(values.seed ?? testSeed());
const kills = Number(values.kills);
console.log(`crash run: ${service}, ${kills} kills, seed ${seed}`);
const report = await crashRun({
  service,
  seed,
  kills,
  photos: 50,
  projects: true,
  largest: 18_000_000,
  accessTokenSeconds: 12,
  restartEvery: 20,
  limitMs: 3_600_000,
  log: (line) => {
    console.log(line);
  },
});
console.table(report);
console.log('Every photo arrived exactly once, byte for byte; nothing is left behind.');
