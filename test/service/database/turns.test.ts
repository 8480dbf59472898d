import { describe, expect, it } from '@jest/globals';
import { onBehalfOf } from '../../../service/database/on-behalf.js';
import { Turns } from '../../../service/database/turns.js';

describe('the turns at the one connection of an embedded database', () => {
  /** Asks for work that ends when it is told to, and notes its name when it begins. */
  function makeWork(turns: Turns) {
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const ask = (who: string, name: string, waitMs?: number): Promise<string> =>
      onBehalfOf(who, () =>
        turns.take(() => {
          begun.push(name);
          return new Promise<string>((resolve) => {
            ends.push(() => {
              resolve(name);
            });
          });
        }, waitMs),
      );
    const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const endOne = async (): Promise<void> => {
      await settle();
      ends.shift()?.();
      await settle();
    };
    return { begun, ask, endOne };
  }

  it('are taken by those who ask, however much one of them asks for', async () => {
    const { begun, ask, endOne } = makeWork(new Turns());
    const all = [
      ...['a1', 'a2', 'a3', 'a4'].map((name) => ask('a', name)),
      ...['b1', 'b2'].map((name) => ask('b', name)),
      ask('c', 'c1'),
    ];

    do await endOne();
    while (begun.length < all.length);
    await endOne();

    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
    expect(await Promise.all(all)).toHaveLength(7);
  });

  it('are lost by who has waited for too long, and by nobody else', async () => {
    const { begun, ask, endOne } = makeWork(new Turns());
    const first = ask('a', 'a1');
    const late = ask('a', 'late', 10);
    const patient = ask('a', 'a2');

    await expect(late).rejects.toThrow('busy for too long');
    await endOne();
    await endOne();

    expect(begun).toEqual(['a1', 'a2']);
    await Promise.all([first, patient]);
  });

  it('end with the work that runs, and nobody gets one after that', async () => {
    const turns = new Turns();
    const { begun, ask, endOne } = makeWork(turns);
    const running = ask('a', 'a1');
    const waiting = ask('b', 'b1');
    let closed = false;
    const closing = turns.close().then(() => {
      closed = true;
    });

    await expect(waiting).rejects.toThrow('closed');
    await expect(ask('c', 'c1')).rejects.toThrow('closed');
    expect(closed).toBe(false);
    await endOne();
    await closing;
    expect(begun).toEqual(['a1']);
    await running;
  });
});
