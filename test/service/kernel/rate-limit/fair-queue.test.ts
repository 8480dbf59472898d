import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTask } from 'node:timers/promises';
import { FairQueue } from '../../../../service/kernel/rate-limit/fair-queue.js';

describe('the fair queue', () => {
  /** A queue, what of its work has begun, and how to end that. */
  function fixture(limits: { atOnce: number; perKey: number; waitingInAll: number }): {
    ask: (key: string, name: string) => Promise<string>;
    begun: string[];
    end: (name: string, error?: Error) => Promise<void>;
  } {
    const queue = new FairQueue(limits);
    const begun: string[] = [];
    const under = new Map<string, (error?: Error) => void>();
    return {
      begun,
      ask: async (key, name) => {
        const done = await queue.run(
          key,
          () =>
            new Promise<string>((resolve, reject) => {
              begun.push(name);
              under.set(name, (error) => (error ? reject(error) : resolve(name)));
            }),
        );
        return done === 'full' ? done : done.result;
      },
      end: async (name, error) => {
        under.get(name)?.(error);
        await nextTask();
      },
    };
  }

  /** The immediate outcome; 'waits' for none. */
  const soon = (asked: Promise<string>): Promise<unknown> =>
    Promise.race([asked.catch((error: unknown) => error), nextTask().then(() => 'waits')]);

  it('runs a few tasks at a time, fairly between keys', async () => {
    const { ask, begun, end } = fixture({ atOnce: 2, perKey: 10, waitingInAll: 100 });
    const all = [
      ...['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => ask('a', name)),
      ...['b1', 'b2'].map((name) => ask('b', name)),
      ask('c', 'c1'),
    ];
    await nextTask();
    expect(begun).toEqual(['a1', 'a2']);
    for (let index = 0; index < 8; index += 1) await end(begun[index] ?? '');
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1']);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'a3', 'a4', 'a5']);
  });

  it('refuses a key with too many tasks until some are done', async () => {
    const { ask, end } = fixture({ atOnce: 1, perKey: 2, waitingInAll: 100 });
    const taken = [ask('a', 'a1'), ask('a', 'a2')];
    await expect(ask('a', 'a3')).resolves.toBe('full');
    const other = ask('b', 'b1');
    await nextTask();
    await end('a1');
    const next = ask('a', 'a4');
    for (const name of ['b1', 'a2', 'a4']) await end(name);
    expect(await Promise.all([...taken, other, next])).toEqual(['a1', 'a2', 'b1', 'a4']);
  });

  it('frees one place per finished task', async () => {
    const { ask, end } = fixture({ atOnce: 1, perKey: 3, waitingInAll: 100 });
    const taken = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3')];
    await nextTask();
    await end('a1');
    taken.push(ask('a', 'a4'));
    expect(await soon(ask('a', 'a5'))).toBe('full');
    await end('a2');
    await end('a3');
    taken.push(ask('a', 'a6'), ask('a', 'a7'));
    expect(await soon(ask('a', 'a8'))).toBe('full');
    for (const name of ['a4', 'a6', 'a7']) await end(name);
    expect(await Promise.all(taken)).toEqual(['a1', 'a2', 'a3', 'a4', 'a6', 'a7']);
  });

  it('refuses tasks when full, except the first of a key', async () => {
    const { ask, begun, end } = fixture({ atOnce: 1, perKey: 10, waitingInAll: 2 });
    const taken = [ask('a', 'a1'), ask('a', 'a2'), ask('b', 'b1'), ask('b', 'b2')];
    await expect(ask('a', 'a3')).resolves.toBe('full');
    await expect(ask('b', 'b3')).resolves.toBe('full');
    taken.push(ask('c', 'c1'));
    await nextTask();
    for (let index = 0; index < 5; index += 1) await end(begun[index] ?? '');
    expect(await Promise.all(taken)).toEqual(['a1', 'a2', 'b1', 'b2', 'c1']);
    const later = [ask('a', 'a5'), ask('a', 'a6'), ask('a', 'a7')];
    await nextTask();
    for (const name of ['a5', 'a6', 'a7']) await end(name);
    expect(await Promise.all(later)).toEqual(['a5', 'a6', 'a7']);
  });

  it('rejects only the failed task and starts the next', async () => {
    const { ask, end } = fixture({ atOnce: 1, perKey: 1, waitingInAll: 1 });
    const first = ask('a', 'a1');
    const failing = expect(first).rejects.toThrow('broken');
    await nextTask();
    await end('a1', new Error('broken'));
    await failing;
    const second = ask('a', 'a2');
    await nextTask();
    await end('a2');
    expect(await second).toBe('a2');
  });
});
