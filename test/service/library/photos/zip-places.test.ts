import { describe, expect, it } from '@jest/globals';
import {
  MAX_OPEN_ZIPS,
  MAX_OPEN_ZIPS_OF_ONE,
  ZipLimit,
} from '../../../../service/library/photos/files/zip-limit.js';

describe('the limit of open ZIPs', () => {
  const places = new ZipLimit();
  const ends: (() => void)[] = [];
  /** Opens a ZIP that stays open. @returns whether it had a place. */
  const open = async (owner: string): Promise<boolean> => {
    const before = ends.length;
    const began = new Promise<true>((resolve) => {
      const refused = places.run(owner, () => {
        resolve(true);
        return new Promise((end) => ends.push(end));
      });
      void refused.then((hadPlace) => hadPlace || resolve(true));
    });
    await began;
    return ends.length > before;
  };
  const openAll = async (owners: readonly string[]): Promise<number> => {
    let opened = 0;
    for (const owner of owners) if (await open(owner)) opened += 1;
    return opened;
  };

  it('applies per user, per link and in total', async () => {
    expect(await openAll(Array.from({ length: 100 }, () => 'one link'))).toBe(MAX_OPEN_ZIPS_OF_ONE);
    const others = Array.from({ length: 100 }, (_, index) => `link ${index}`);
    expect(await openAll(others)).toBe(MAX_OPEN_ZIPS - MAX_OPEN_ZIPS_OF_ONE);
    // They are free again when a ZIP ends.
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await openAll(['one link', 'another link'])).toBe(1);
  });
});
