import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Database } from '../../../service/kernel/database/database.js';
import { migrate } from '../../../service/kernel/database/migrate.js';
import {
  RateLimiter,
  type RateLimitRule,
} from '../../../service/kernel/rate-limit/rate-limiter.js';
import { seededRandom, testSeed } from '../../support/seeded-random.js';
import { makeDatabase } from './databases.js';

const SERVER = process.env['TEST_DATABASE_URL'] ?? '';
const NOW = new Date('2026-01-01T00:00:00Z');

let database: Database;

beforeAll(async () => {
  database = await makeDatabase(SERVER);
  await migrate(database);
});
afterAll(() => database.close());

/** In any order. */
function mixed<T>(all: readonly T[], random: () => number): T[] {
  return all
    .map((one) => ({ one, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);
}

const SEED = testSeed();

it(`concurrent attempts do not deadlock (TEST_SEED=${SEED})`, async () => {
  const random = seededRandom(SEED);
  const rules = ['a', 'b', 'c', 'd', 'e', 'f'].map((name): RateLimitRule => ({
    key: ['test', name],
    max: 100_000,
  }));
  let kept = 0;
  const worker = async (): Promise<void> => {
    // As of another process.
    const limit = new RateLimiter(database, () => NOW);
    for (let turn = 0; turn < 40; turn += 1) {
      const taken = await limit.consume(mixed(rules, random));
      if ('waitSeconds' in taken) throw new Error('refused');
      if (random() < 0.5) await limit.refund({ counted: mixed(taken.counted, random) });
      else kept += 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  const rows = await database.query<{ count: number }>('SELECT count FROM attempts');
  expect(rows.map(({ count }) => count)).toEqual(rules.map(() => kept));
});
