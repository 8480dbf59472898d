import { describe, expect, it } from '@jest/globals';
import { Turns } from '../../../../service/library/previews/turns.js';

const LIMITS = { atOnce: 2, waitingOfKey: 5, waitingInAll: 8, penaltyMs: 60_000 };

describe('turns', () => {
  /** Work that lasts until it is ended by its name. */
  const working = (limits = LIMITS) => {
    const turns = new Turns(limits);
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const results: Promise<unknown>[] = [];
    const add = (
      name: string,
      urgency: 'urgent' | 'background' = 'background',
    ): Promise<unknown> => {
      const result = turns.run(name.slice(0, 1), urgency, () => {
        begun.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      });
      results.push(result);
      return result;
    };
    const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const end = async (...names: string[]): Promise<void> => {
      for (const name of names) {
        ends.get(name)?.();
        await settle();
      }
    };
    return { turns, begun, add, end, settle };
  };

  it('leave a place for others, however much waits of one key', async () => {
    const { begun, add, end, settle } = working();
    for (const name of ['a1', 'a2', 'a3']) void add(name);
    await settle();
    expect(begun).toEqual(['a1']);
    void add('b1');
    await settle();
    expect(begun).toEqual(['a1', 'b1']);
    await end('b1', 'a1', 'a2');
    expect(begun).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('come round', async () => {
    const { begun, add, end, settle } = working();
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void add(name);
    await settle();
    await end('a1', 'b1', 'a2', 'b2');
    expect(begun).toEqual(['a1', 'b1', 'a2', 'b2', 'c1', 'a3']);
  });

  it('take urgent work of a key first, and never before that of others', async () => {
    const { begun, add, end, settle } = working();
    for (const name of ['a1', 'a2', 'b1', 'b2']) void add(name);
    void add('a3', 'urgent');
    await settle();
    await end('a1', 'b1', 'a3', 'b2');
    expect(begun).toEqual(['a1', 'b1', 'a3', 'b2', 'a2']);
  });

  it('let keys with a penalty wait behind others, and never have all places', async () => {
    const { turns, begun, add, end, settle } = working();
    turns.penalize('a');
    turns.penalize('b');
    for (const name of ['a1', 'b1']) void add(name);
    await settle();
    // One place stays free.
    expect(begun).toEqual(['a1']);
    for (const name of ['c1', 'c2']) void add(name);
    await settle();
    expect(begun).toEqual(['a1', 'c1']);
    await end('a1');
    // Its own work does not take the last place, so that of a key with a penalty runs.
    expect(begun).toEqual(['a1', 'c1', 'b1']);
    await end('b1', 'c1');
    expect(begun).toEqual(['a1', 'c1', 'b1', 'c2']);
  });

  it('end a penalty after its time', async () => {
    const { turns, begun, add, settle } = working({ ...LIMITS, penaltyMs: 0 });
    turns.penalize('a');
    turns.penalize('b');
    for (const name of ['a1', 'b1']) void add(name);
    await settle();
    expect(begun).toEqual(['a1', 'b1']);
  });

  it('refuse what is too much, and no key of which nothing waits', async () => {
    const { add, settle } = working();
    const ofOne = Array.from({ length: 7 }, (_, n) => add(`a${n}`));
    await settle();
    // One runs, five wait.
    expect(await ofOne[6]).toBe('full');
    const ofOther = Array.from({ length: 6 }, (_, n) => add(`b${n}`));
    await settle();
    expect(await ofOther[5]).toBe('full');
    void add('c1');
    void add('d1');
    expect(await add('d2')).toBe('full');
  });

  it('go on after work that fails', async () => {
    const { turns } = working();
    const fails = turns.run('a', 'background', () => Promise.reject(new Error('broken')));
    await expect(fails).rejects.toThrow('broken');
    expect(await turns.run('a', 'background', () => Promise.resolve(1))).toBe(1);
  });
});
