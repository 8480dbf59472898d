import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../../service/kernel/database/database.js';
import {
  WorkQueue,
  type Ended,
  type TakenRow,
  type WorkTable,
} from '../../../../service/kernel/jobs/work-queue.js';
import { openTestDatabase } from '../../support/database-templates.js';

const MINUTE = 60_000;
const WORK: WorkTable = {
  table: 'work',
  columns: 'work.id, attempts',
  batch: 2,
  leaseMs: MINUTE,
  retryMs: [MINUTE, 5 * MINUTE],
};

describe('a work queue', () => {
  let database: Database;
  let time: number;
  let counted: string[];

  const queue = (more: Partial<WorkTable> = {}): WorkQueue<TakenRow> =>
    new WorkQueue(
      { ...WORK, ...more },
      {
        database,
        now: () => new Date(time),
        counts: { attemptEnded: (table, result) => counted.push(`${table} ${result}`) },
      },
    );
  const add = (...ids: readonly string[]): Promise<unknown> =>
    database.query(
      'INSERT INTO work (id, due_at) SELECT id, $2 FROM jsonb_array_elements_text($1) AS id',
      [JSON.stringify(ids), new Date(time)],
    );
  /** The rows: minutes until each is due, and its last failure. */
  const rows = async (): Promise<unknown[]> => {
    const found = await database.query<{ id: string; due_at: Date | null; failure: string | null }>(
      'SELECT id, due_at, failure FROM work ORDER BY id',
    );
    return found.map((row) => [
      row.id,
      row.due_at && (row.due_at.getTime() - time) / MINUTE,
      row.failure,
    ]);
  };
  /** Runs a queue where each attempt ends in the same way. @returns the ids that were worked on, by batch */
  const runWith = async (
    end: Omit<Ended<TakenRow>, 'row'>,
    one = queue(),
    signal?: AbortSignal,
  ): Promise<string[][]> => {
    const seen: string[][] = [];
    await one.run(async (taken) => {
      seen.push(taken.map(({ id }) => id).toSorted());
      await one.end(
        database,
        taken.map((row) => ({ row, ...end })),
      );
      return end.isDone;
    }, signal);
    return seen;
  };

  beforeAll(async () => {
    database = await openTestDatabase();
    await database.query(`CREATE TABLE work (
      id text PRIMARY KEY, attempts integer NOT NULL DEFAULT 0, due_at timestamptz, failure text)`);
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    await database.query('DELETE FROM work');
    [time, counted] = [Date.parse('2026-11-28T08:00:00Z'), []];
  });

  it('takes all due rows in batches, and deletes those that are done', async () => {
    await add('a', 'b', 'c');
    expect((await runWith({ isDone: true })).flat().toSorted()).toEqual(['a', 'b', 'c']);
    expect(await rows()).toEqual([]);
    expect(counted).toEqual(['work done', 'work done', 'work done']);
  });

  it('tries again after growing waits, the last one over and over', async () => {
    await add('a');
    const waits: unknown[] = [];
    for (let attempt = 0; attempt < 4; attempt += 1) {
      expect(await runWith({ isDone: false, failure: `away ${attempt}` })).toEqual([['a']]);
      expect(await runWith({ isDone: false })).toEqual([]);
      const [[, wait, failure] = []] = (await rows()) as [string, number, string][];
      waits.push([wait, failure]);
      time += (wait ?? 0) * MINUTE;
    }
    expect(waits).toEqual([
      [1, 'away 0'],
      [5, 'away 1'],
      [5, 'away 2'],
      [5, 'away 3'],
    ]);
    expect(counted).toEqual(Array.from({ length: 4 }, () => 'work failed'));
  });

  it.each([
    ['that wants a longer wait', { minWaitMs: 3 * MINUTE }, 3],
    ['that wants a shorter wait', { minWaitMs: 1 }, 1],
    ['that is the last', { isLast: true }, null],
  ])('keeps a row after an attempt %s', async (_name, more, due) => {
    await add('a');
    await runWith({ isDone: false, ...more }, queue({ keepsRows: true }));
    expect(await rows()).toEqual([['a', due, null]]);
  });

  it('keeps done rows of a table that does so, and gives a row up after the last wait', async () => {
    const keeping = queue({ keepsRows: true });
    await add('done');
    await runWith({ isDone: true }, keeping);
    await add('lost');
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await runWith({ isDone: false, failure: 'away' }, keeping);
      time += 5 * MINUTE;
    }
    expect(await rows()).toEqual([
      ['done', null, null],
      ['lost', null, 'away'],
    ]);
  });

  it('gives a row to one of several workers while the lease holds', async () => {
    await add('a', 'b', 'c', 'd');
    const seen = await Promise.all([1, 2, 3].map(() => runWith({ isDone: true })));
    expect(seen.flat(2).toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('gives a row of a worker that died to another one when the lease has ended', async () => {
    await add('a');
    const dies = queue().run(() => Promise.reject(new Error('the worker died')));
    await expect(dies).rejects.toThrow('the worker died');
    time += MINUTE - 1;
    expect(await runWith({ isDone: true })).toEqual([]);
    time += 1;
    expect(await runWith({ isDone: true })).toEqual([['a']]);
  });

  it.each([true, false])(
    'ignores the late end (done: %s) of a worker whose row another one has',
    async (isDone) => {
      await add('a');
      const late = queue();
      await late.run(async ([row]) => {
        time += MINUTE;
        await runWith({ isDone: false, failure: 'by the second' });
        await late.end(database, row === undefined ? [] : [{ row, isDone, failure: 'late' }]);
        return false;
      });
      expect(await rows()).toEqual([['a', 5, 'by the second']]);
    },
  );

  it('takes no further rows after an abort', async () => {
    await add('a', 'b', 'c');
    const stop = new AbortController();
    const one = queue();
    await one.run((taken) => {
      stop.abort();
      return one
        .end(
          database,
          taken.map((row) => ({ row, isDone: true })),
        )
        .then(() => true);
    }, stop.signal);
    expect(await rows()).toHaveLength(1);
  });

  it('stops when the handler wants no more', async () => {
    await add('a', 'b', 'c');
    expect(await runWith({ isDone: false })).toHaveLength(1);
  });

  it('takes a row that was put off while the clock was ahead', async () => {
    const year = 365 * 24 * 60 * MINUTE;
    time += year;
    await add('a');
    time -= year;
    expect(await runWith({ isDone: true })).toEqual([['a']]);
  });
});
