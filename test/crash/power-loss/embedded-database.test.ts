import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openEmbeddedDatabase } from '../../../service/kernel/database/pglite.js';
import { layMigratedDatabase } from '../../service/support/database-templates.js';
import { compiled } from '../../support/compiled.js';
import { seededRandom, testRuns, testSeed } from '../../support/seeded-random.js';
import type { Fate } from './disk-file.js';
import type { Entry } from './journal.js';
import { diskAfter, RecordedFolder } from './recorded-process.js';
import { checkWriteAhead } from './write-ahead.js';

const seed = testSeed();
const LOSSES = testRuns(2);
const LIMIT_MS = 60_000 * (LOSSES + 2);

/** The journal of a database of a test has the smallest segments, in bytes. */
const SEGMENT_SIZE = 1024 * 1024;

/**
 * Many callers at once, more than fits into the memory of the database, and several segments of the journal. A file of the
 * name of a row marks its answer; one of the name of a row that was read, with "seen-", that of a read.
 */
const CALLERS = 12;
const ROWS_EACH = 60;
const PROGRAM = `
const { openEmbeddedDatabase } = await import(${JSON.stringify(compiled('service/kernel/database/pglite.ts'))});
const { randomBytes } = await import('node:crypto');
const database = await openEmbeddedDatabase('database');
await database.query('CREATE TABLE kept (number integer PRIMARY KEY, filler text)');
fs.mkdirSync('answered');
const mark = (name) => fs.closeSync(fs.openSync('answered/' + name, 'w'));
const caller = async (first) => {
  for (let number = first; number < ${CALLERS * ROWS_EACH}; number += ${CALLERS}) {
    const filler = randomBytes(3500).toString('hex');
    const insert = 'INSERT INTO kept VALUES ($1, $2)';
    if (number % 5 === 0) await database.transaction((one) => one.query(insert, [number, filler]));
    else await database.query(insert, [number, filler]);
    mark(number);
  }
};
const reader = async () => {
  for (let count = 0; count < 100; count += 1) {
    const rows = await database.query('SELECT number FROM kept ORDER BY ctid DESC LIMIT 3');
    for (const { number } of rows) mark('seen-' + number + '-' + count);
  }
};
// VACUUM uses few buffers, so its pages are written soon after their journal.
const vacuum = async () => {
  await database.query(
    "INSERT INTO kept SELECT n, repeat(md5(n::text), 60) FROM generate_series(100000, 102000) AS n",
  );
  await database.query('DELETE FROM kept WHERE number >= 100000 AND number % 2 = 0');
  await database.query('VACUUM kept');
};
await Promise.all([...Array.from({ length: ${CALLERS} }, (_, index) => caller(index)), reader(), vacuum()]);
process.exit(0);`;

/** The row of which the answer was given with an operation. */
function answeredBy({ operation }: Entry): number | undefined {
  const name =
    operation.kind === 'open' && operation.created
      ? /^answered\/(?:seen-)?(\d+)/.exec(operation.path)?.[1]
      : undefined;
  return name === undefined ? undefined : Number(name);
}

describe(`the embedded database after a power loss (TEST_SEED=${seed})`, () => {
  const folder = new RecordedFolder();
  let entries: readonly Entry[];

  beforeAll(async () => {
    await layMigratedDatabase(path.join(folder.base, 'database'));
    cpSync(folder.base, folder.data, { recursive: true });
    entries = folder.run(PROGRAM);
  }, LIMIT_MS);
  afterAll(() => {
    folder.dispose();
  });

  it(
    `has all that was answered of many callers, ${LOSSES} times`,
    async () => {
      const random = seededRandom(seed);
      const answers = entries.flatMap((entry, index) =>
        answeredBy(entry) === undefined ? [] : [index],
      );
      expect(answers.length).toBeGreaterThan(CALLERS * ROWS_EACH);
      for (let count = 0; count < LOSSES; count += 1) {
        const upTo = answers[Math.floor(random() * answers.length)] ?? 0;
        const before = entries.slice(0, upTo + 1);
        const promised = before.map(answeredBy).filter((row) => row !== undefined);
        const kept = await rowsAfterLoss(before, random, count === 0 ? 'none' : 'some');
        expect(promised.filter((row) => !kept.has(row))).toEqual([]);
      }
    },
    LIMIT_MS,
  );

  it('writes no page of a table before its journal is on the disk', () => {
    // PostgreSQL builds the indexes of a new table without the journal; nobody sees them before their commit.
    const from = entries.findIndex((entry) => answeredBy(entry) !== undefined);
    const { pages, tooEarly } = checkWriteAhead(entries, { segmentSize: SEGMENT_SIZE, from });
    expect(pages).toBeGreaterThan(100);
    expect(tooEarly).toEqual([]);
  });

  async function rowsAfterLoss(
    before: readonly Entry[],
    random: () => number,
    fate: Fate,
  ): Promise<ReadonlySet<number>> {
    const image = mkdtempSync(path.join(tmpdir(), 'embedded-'));
    try {
      diskAfter(folder.base, before).layAfterLoss(image, random, fate);
      const database = await openEmbeddedDatabase(path.join(image, 'database'));
      try {
        const rows = await database.query<{ number: number }>('SELECT number FROM kept');
        return new Set(rows.map(({ number }) => number));
      } finally {
        await database.close();
      }
    } finally {
      rmSync(image, { recursive: true, force: true });
    }
  }
});
