import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { asDatabase } from '../../../../service/kernel/database/pglite.js';
import { prepared } from '../../../../service/kernel/database/prepared.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import type { MemoryDatabase } from '../../../support/memory-databases.js';
import { openEmptyInMemory } from '../../support/database-templates.js';
import { UnavailableError } from '../../../../service/kernel/errors.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What is in use after a collection. */
function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** One for all of them: opening it takes longer than all of them do. */
let pglite: MemoryDatabase;
/** The messages to the embedded database, one entry per call. */
let told: string[];
let breaks = false;
let opened: Database | undefined;

async function open(): Promise<Database> {
  told = [];
  breaks = false;
  opened = await asDatabase({
    execProtocolRawStream: (message, options) => {
      told.push(Buffer.from(message).toString('latin1'));
      return breaks
        ? Promise.reject(new Error('the database is no more'))
        : pglite.execProtocolRawStream(message, options);
    },
    close: () => Promise.resolve(),
  });
  // A test that broke the connection may have left a transaction.
  await opened.query('ROLLBACK');
  await opened.query('DROP TABLE IF EXISTS photos');
  await opened.query('CREATE TABLE photos (name text PRIMARY KEY, made_at timestamptz)');
  told = [];
  return opened;
}

beforeAll(async () => {
  pglite = await openEmptyInMemory();
});

afterAll(() => pglite.close());

afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

describe('the embedded database', () => {
  it('receives each statement with its parameters in one message', async () => {
    const database = await open();
    await database.query('INSERT INTO photos VALUES ($1, $2)', [
      'Coast',
      new Date('2026-03-29T01:30:00.250Z'),
    ]);
    expect(
      await database.query('SELECT name, made_at FROM photos WHERE name = $1', ['Coast']),
    ).toEqual([{ name: 'Coast', made_at: new Date('2026-03-29T01:30:00.250Z') }]);
    expect(told).toHaveLength(2);
  });

  it('takes and gives bytes as bytes, and gives a bigint as a number', async () => {
    const database = await open();
    const bytes = Uint8Array.of(0, 1, 127, 128, 255);
    const [row] = await database.query<{ bytes: Uint8Array; size: number; count: number }>(
      'SELECT $1::bytea AS bytes, 5368709120 AS size, count(*) AS count FROM photos',
      [bytes],
    );
    expect(row).toEqual({ bytes: Buffer.from(bytes), size: 5_368_709_120, count: 0 });
  });

  it('parses a prepared statement once', async () => {
    const database = await open();
    const sql = prepared('SELECT name FROM photos WHERE name = $1');
    for (const name of ['Coast', 'Dunes', 'Surf']) await database.query(sql, [name]);
    expect(told.map((message) => message.includes(sql))).toEqual([true, false, false]);
  });

  it('lets the event loop turn while statements follow one another', async () => {
    const database = await open();
    let turns = 0;
    let isDone = false;
    const turn = (): void => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    // Each takes more than a turn may.
    for (let index = 0; index < 20; index += 1) {
      await database.query('SELECT count(*) FROM generate_series(1, 200000)');
    }
    isDone = true;

    expect(turns).toBeGreaterThanOrEqual(20);
  });

  it('keeps nothing of an answer in memory', async () => {
    const database = await open();
    const letters = 1_000_000;
    const answers = 40;
    const read = async (): Promise<void> => {
      const [row] = await database.query<{ text: string }>(`SELECT repeat('x', $1) AS text`, [
        letters,
      ]);
      expect(row?.text).toHaveLength(letters);
    };
    await read();
    const before = heapBytes();
    for (let index = 0; index < answers; index += 1) await read();

    expect(heapBytes() - before).toBeLessThan((letters * answers) / 4);
  });

  it('continues after a refused statement, with and without a transaction', async () => {
    const database = await open();
    await database.query('INSERT INTO photos VALUES ($1)', ['Coast']);
    await expect(database.query('INSERT INTO photos VALUES ($1)', ['Coast'])).rejects.toMatchObject(
      {
        code: '23505',
      },
    );
    const work = database.transaction(async (on) => {
      await on.query('INSERT INTO photos VALUES ($1)', ['Dunes']);
      await on.query('INSERT INTO photos VALUES ($1)', ['Coast']);
    });
    await expect(work).rejects.toMatchObject({ code: '23505' });
    expect(await database.query('SELECT name FROM photos')).toEqual([{ name: 'Coast' }]);
  });

  it('does not commit a transaction after an ignored error', async () => {
    const database = await open();
    await database.query('INSERT INTO photos VALUES ($1)', ['Coast']);
    const work = database.transaction(async (on) => {
      await on.query('INSERT INTO photos VALUES ($1)', ['Dunes']);
      await on.query('INSERT INTO photos VALUES ($1)', ['Coast']).catch(() => undefined);
    });
    await expect(work).rejects.toThrow('rolled back instead of committed');
    expect(await database.query('SELECT name FROM photos')).toEqual([{ name: 'Coast' }]);
  });

  it('stays unavailable after a crash', async () => {
    const database = await open();
    breaks = true;
    await expect(database.transaction((on) => on.query('SELECT 1'))).rejects.toBeInstanceOf(
      UnavailableError,
    );
    await expect(database.query('SELECT 1')).rejects.toBeInstanceOf(UnavailableError);
  });

  it('reports why a transaction failed, also when it then crashes', async () => {
    const database = await open();
    const work = database.transaction(() => {
      breaks = true;
      return Promise.reject(new Error('the reason'));
    });
    await expect(work).rejects.toThrow('the reason');
  });

  it('ignores environment variables for servers', async () => {
    const before = { ...process.env };
    for (const name of [
      'HOST',
      'PORT',
      'USER',
      'PASSWORD',
      'OPTIONS',
      'SSLMODE',
      'CONNECT_TIMEOUT',
    ])
      process.env[`PG${name}`] = name === 'SSLMODE' ? 'require' : '1';
    try {
      const database = await open();
      expect(await database.query('SELECT current_user::text AS name')).toEqual([
        { name: 'postgres' },
      ]);
    } finally {
      process.env = before;
    }
  });
});
