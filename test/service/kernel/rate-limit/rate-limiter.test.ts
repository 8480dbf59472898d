import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../../service/kernel/database/database.js';
import { RateLimiter } from '../../../../service/kernel/rate-limit/rate-limiter.js';
import type {
  RateLimitRule,
  CountedAttempt,
  RejectedAttempt,
} from '../../../../service/kernel/rate-limit/rate-limiter.js';
import { RejectionCache } from '../../../../service/kernel/rate-limit/rejection-cache.js';
import { openMigratedDatabase } from '../../support/database-templates.js';

const START = Date.parse('2026-01-01T00:00:00Z');
/** From then on a refusal is looked up again. */
const REPEAT_MS = 2000;

describe('RateLimiter', () => {
  let database: Database;
  let limit: RateLimiter;
  let clock = START;

  beforeAll(async () => {
    database = await openMigratedDatabase();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    await database.query('DELETE FROM attempts');
    clock = START;
    limit = new RateLimiter(database, () => new Date(clock));
  });

  const take = (...rules: RateLimitRule[]): Promise<CountedAttempt | RejectedAttempt> =>
    limit.consume(rules);
  const counted = async (...rules: RateLimitRule[]): Promise<CountedAttempt> => {
    const taken = await take(...rules);
    if ('waitSeconds' in taken) throw new Error(`refused for ${taken.waitSeconds} s`);
    return taken;
  };
  /** How many more this rule lets through. */
  const left = async (...rules: RateLimitRule[]): Promise<number> => {
    let through = 0;
    clock += REPEAT_MS;
    while ('counted' in (await take(...rules))) through += 1;
    return through;
  };

  it('allows its maximum, and again after its window', async () => {
    const rule: RateLimitRule = { key: ['test', 'a'], max: 3 };
    expect(await left(rule)).toBe(3);
    clock = START + REPEAT_MS + 900_000 - 1;
    expect(await take(rule)).toEqual({ waitSeconds: 1 });
    clock += 1;
    expect(await left(rule)).toBe(3);
  });

  it('uses the window of a rule and returns the remaining time', async () => {
    const rule: RateLimitRule = { key: ['test', 'a'], max: 1, windowSeconds: 10 };
    await counted(rule);
    clock += 2500;
    expect(await take(rule)).toEqual({ waitSeconds: 8 });
    clock += REPEAT_MS + 500;
    expect(await take(rule)).toEqual({ waitSeconds: 5 });
    clock = START + 10_000;
    await counted(rule);
  });

  it('starts the window at the first attempt', async () => {
    const rule: RateLimitRule = { key: ['test', 'a'], max: 5, windowSeconds: 10 };
    for (let second = 0; second < 5; second += 1) {
      await counted(rule);
      clock += 1000;
    }
    expect(await take(rule)).toEqual({ waitSeconds: 5 });
  });

  it('forgets what it counted while the clock was ahead, but not what another clock counts', async () => {
    const escalation = { key: ['group'], above: 0 } as const;
    const rule: RateLimitRule = { key: ['test', 'a'], max: 1 };
    const closed: RateLimitRule = {
      key: ['test', 'b'],
      max: 1,
      whenEscalated: [{ escalation, max: 0 }],
    };
    clock = START + 365 * 86_400_000;
    await counted(rule);
    await counted(closed);
    clock = START;
    await counted(rule);
    await counted(closed);
    clock = START - 5000;
    expect(await take(rule)).toEqual({ waitSeconds: 905 });
    expect(await take(closed)).toHaveProperty('waitSeconds');
  });

  it.each<[string, RateLimitRule]>([
    ['other parts', { key: ['test', 'b'], max: 1 }],
    ['parts that read the same together', { key: ['test a'], max: 1 }],
    ['another time', { key: ['test', 'a'], max: 1, windowSeconds: 60 }],
  ])('does not count an attempt that has %s', async (_name, other) => {
    await counted({ key: ['test', 'a'], max: 1 });
    await counted(other);
  });

  it('counts an attempt for no rule when one refuses it', async () => {
    const small: RateLimitRule = { key: ['test', 'small'], max: 1 };
    for (const name of ['a', 'b', 'c', 'd']) {
      const wide: RateLimitRule = { key: ['test', name], max: 2 };
      await counted(wide, { ...small, key: ['test', 'small', name] });
      for (let turn = 0; turn < 5; turn += 1) {
        clock += REPEAT_MS;
        expect(await take(wide, { ...small, key: ['test', 'small', name] })).toHaveProperty(
          'waitSeconds',
        );
      }
      expect(await left(wide)).toBe(1);
    }
  });

  it('returns the longest time when several limits are exceeded', async () => {
    // Which one is found first depends on the names.
    for (const name of ['a', 'b', 'c', 'd']) {
      const minute: RateLimitRule = { key: ['minute', name], max: 2, windowSeconds: 60 };
      const hour: RateLimitRule = { key: ['hour', name], max: 2, windowSeconds: 3600 };
      const day: RateLimitRule = { key: ['day', name], max: 3, windowSeconds: 86_400 };
      await counted(minute, hour, day);
      await counted(minute, hour, day);
      expect(await take(minute, hour, day)).toEqual({ waitSeconds: 3600 });
      clock += REPEAT_MS;
      expect(await take(minute, hour, day)).toEqual({ waitSeconds: 3598 });
    }
  });

  it('refunds a successful attempt', async () => {
    const rule: RateLimitRule = { key: ['test', 'a'], max: 2 };
    const other: RateLimitRule = { key: ['test', 'b'], max: 2 };
    await limit.refund(await counted(rule, other));
    expect(await left(rule)).toBe(2);
    expect(await left(other)).toBe(2);
  });

  it('refunds nothing to a new window', async () => {
    const rule: RateLimitRule = { key: ['test', 'a'], max: 2 };
    const old = await counted(rule);
    clock += 900_000;
    await counted(rule);
    await limit.refund(old);
    expect(await left(rule)).toBe(1);
  });

  it('does not refund twice', async () => {
    const rule: RateLimitRule = { key: ['test', 'a'], max: 2 };
    const one = await counted(rule);
    await limit.refund(one);
    await limit.refund(one);
    expect(await left(rule)).toBe(2);
  });

  it('counts in one statement and refunds in one', async () => {
    const made: string[] = [];
    const watched = new RateLimiter(
      {
        ...database,
        query: (sql, params) => {
          made.push('alone');
          return database.query(sql, params);
        },
        transaction: (work) =>
          database.transaction((transaction) =>
            work({
              ...transaction,
              query: (sql, params) => {
                made.push('together');
                return transaction.query(sql, params);
              },
            }),
          ),
      },
      () => new Date(clock),
    );
    const rules = ['a', 'b', 'c', 'd'].map((name): RateLimitRule => ({ key: [name], max: 9 }));
    const taken = await watched.consume(rules);
    await watched.consume(rules.slice(0, 1));
    await watched.refund(taken as CountedAttempt);
    expect(made).toEqual(['together', 'alone', 'alone']);
  });

  it('distinguishes a database failure from a limit', async () => {
    const broken = new RateLimiter(
      {
        ...database,
        query: () => Promise.reject(new Error('the connection is gone')),
        transaction: () => Promise.reject(new Error('the connection is gone')),
      },
      () => new Date(clock),
    );
    const rules = ['a', 'b'].map((name): RateLimitRule => ({ key: [name], max: 1 }));
    await expect(broken.consume(rules)).rejects.toThrow('connection');
    await expect(broken.consume(rules.slice(1))).rejects.toThrow('connection');
  });

  describe('RateLimiter under escalation', () => {
    const escalation = { key: ['wide'] as const, above: 3 };
    const user = (name: string): RateLimitRule => ({
      key: ['person', name],
      max: 4,
      whenEscalated: [{ escalation, max: 1 }],
    });
    /** Attempts of others that the escalation counts. */
    const press = async (times: number, one = escalation): Promise<void> => {
      for (let turn = 0; turn < times; turn += 1) {
        await counted({
          key: ['others', `${clock} ${turn}`],
          max: 1,
          whenEscalated: [{ escalation: one, max: 1 }],
        });
      }
    };

    it('allows less above the threshold', async () => {
      await press(2);
      await counted(user('a'));
      // Three, of which one is this user's: not above three.
      await counted(user('a'));
      expect(await take(user('a'))).toHaveProperty('waitSeconds');
      await counted(user('b'));
      expect(await take(user('b'))).toHaveProperty('waitSeconds');
    });

    it('refuses no client under global escalation alone', async () => {
      await press(30);
      expect(await left(user('a'))).toBe(1);
    });

    it('allows the usual maximum after the window', async () => {
      await press(4, { ...escalation, windowSeconds: 60 } as typeof escalation);
      const rule: RateLimitRule = {
        ...user('a'),
        whenEscalated: [{ escalation: { ...escalation, windowSeconds: 60 }, max: 1 }],
      };
      clock += 60_000 - 1;
      await counted(rule);
      expect(await take(rule)).toHaveProperty('waitSeconds');
      clock += REPEAT_MS;
      await counted(rule);
    });

    it('uses the smallest of several maxima', async () => {
      const rule: RateLimitRule = {
        key: ['person', 'a'],
        max: 4,
        whenEscalated: [
          { escalation, max: 2 },
          { escalation: { key: ['wider'], above: 0 }, max: 3 },
        ],
      };
      await press(1, { key: ['wider'] as never, above: 0 });
      expect(await left(rule)).toBe(3);
      await press(1);
      expect(await left({ ...rule, key: ['person', 'b'] })).toBe(2);
    });

    it('may allow nothing during a window', async () => {
      await press(4);
      const rule: RateLimitRule = { ...user('new'), whenEscalated: [{ escalation, max: 0 }] };
      expect(await take(rule)).toEqual({ waitSeconds: 900 });
      expect(
        await database.query(
          'SELECT 1 FROM attempts WHERE window_ends > $1 GROUP BY count HAVING count > 4',
          [new Date(clock)],
        ),
      ).toEqual([]);
    });

    it('returns the remaining time of the escalation', async () => {
      const rule: RateLimitRule = { ...user('again'), whenEscalated: [{ escalation, max: 0 }] };
      await counted(rule);
      clock += 2 * 900_000;
      await press(4);
      expect(await take(rule)).toEqual({ waitSeconds: 900 });
    });

    it('never raises the maximum', async () => {
      await press(4);
      expect(await left({ ...user('a'), whenEscalated: [{ escalation, max: 100 }] })).toBe(4);
    });
  });
});

describe('a recent refusal', () => {
  const at = (ms: number): Date => new Date(START + ms);
  const WINDOW_ENDS = at(900_000);

  it('is repeated for two seconds without a query', () => {
    const refusals = new RejectionCache();
    refusals.note('a', at(0), WINDOW_ENDS);
    expect(refusals.waitFor(['a'], at(0))).toBe(900);
    expect(refusals.waitFor(['a'], at(1999))).toBe(899);
    expect(refusals.waitFor(['a'], at(2000))).toBeUndefined();
    expect(refusals.waitFor(['a'], at(0))).toBeUndefined();
  });

  it.each([
    ['the limit starts again', 1500, at(1500)],
    ['the clock was set back', -1, WINDOW_ENDS],
  ])('is checked again when %s', (_name, now, windowEnds) => {
    const refusals = new RejectionCache();
    refusals.note('a', at(0), windowEnds);
    expect(refusals.waitFor(['a'], at(now))).toBeUndefined();
  });

  it('is found among other keys', () => {
    const refusals = new RejectionCache();
    refusals.note('a', at(0), WINDOW_ENDS);
    refusals.note('b', at(1500), WINDOW_ENDS);
    expect(refusals.waitFor(['c', 'a', 'b'], at(2500))).toBe(898);
    expect(refusals.waitFor(['c'], at(2500))).toBeUndefined();
    expect(refusals.waitFor([], at(2500))).toBeUndefined();
  });

  it('is evicted, oldest first, when there are too many', () => {
    const refusals = new RejectionCache();
    for (let number = 0; number < 10_000; number += 1)
      refusals.note(`key ${number}`, at(0), WINDOW_ENDS);
    expect(refusals.waitFor(['key 0'], at(0))).toBe(900);
    refusals.note('key 0', at(1), WINDOW_ENDS);
    refusals.note('one more', at(1), WINDOW_ENDS);
    expect(refusals.waitFor(['key 0'], at(1))).toBe(900);
    expect(refusals.waitFor(['key 1'], at(1))).toBeUndefined();
    expect(refusals.waitFor(['key 2'], at(1))).toBe(900);
  });
});
