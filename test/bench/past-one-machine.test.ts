import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'valibot';

import {
  MACHINES,
  usualAssumptions,
  type Assumptions,
} from '../../bench/past-one-machine/assumptions.js';
import { limitsReached, whereReached } from '../../bench/past-one-machine/limits.js';
import { loadOf, shareOfFirst } from '../../bench/past-one-machine/model.js';
import { tablesOf } from '../../bench/past-one-machine/tables.js';
import { OPTIONS } from '../../service/option-schemas.js';

const USUAL = usualAssumptions(parse(OPTIONS, { dataDir: '.' }).lifetimes);
const DAY = 86_400;

/** A day of one even load. */
const EVEN: Assumptions = { ...USUAL, busiestHour: 1, renewedAt: 1 };

describe('the load of many plugins', () => {
  it('has a refresh for each life of an access token, and one at the beginning of the day', () => {
    const assumed = { ...EVEN, usedOnDay: 0.5, hoursInUse: 3, accessTokenSeconds: 1800 };

    expect(loadOf(DAY, assumed, MACHINES).perSecond.refresh).toBeCloseTo(0.5 * (6 + 1));
    expect(loadOf(DAY, { ...assumed, busiestHour: 4 }, MACHINES).perSecond.refresh).toBeCloseTo(
      4 * 0.5 * 7,
    );
  });

  it('has polls until the person allows, or until the code ends', () => {
    const polls = (abandoned: number): number => {
      const assumed = { ...EVEN, connectingOnDay: 0.01, approvalSeconds: 50, abandoned };
      return loadOf(100 * DAY, assumed, MACHINES).perSecond.poll;
    };

    expect(polls(0)).toBeCloseTo(10);
    expect(polls(1)).toBeCloseTo(900 / 5);
  });

  it('grows as the plugins do', () => {
    const [few, many] = [10_000, 1_000_000].map((plugins) => loadOf(plugins, USUAL, MACHINES));
    const { processes: fewProcesses, ...less } = few ?? { processes: 0 };
    const { processes: manyProcesses, ...more } = many ?? { processes: 0 };

    expect(fewProcesses).toBeLessThan(manyProcesses);
    expect(figuresOf(more)).toEqual(
      figuresOf(less).map((figure) => expect.closeTo(100 * figure, 3)),
    );
  });

  it('keeps photos as long as it is told', () => {
    const kept = (yearsKept: number): number =>
      loadOf(1000, { ...EVEN, usedOnDay: 0.1, photosOnDay: 10, yearsKept }, MACHINES).photos;

    expect(kept(1)).toBeCloseTo(365_000);
    expect(kept(2)).toBeCloseTo(730_000);
  });

  it('takes every change for the first one on many pages, and few of them on few pages', () => {
    expect(shareOfFirst(10, 1e9)).toBeCloseTo(1);
    expect(shareOfFirst(1e6, 10)).toBeCloseTo(1e-5);
    expect(shareOfFirst(0, 10)).toBe(1);
  });
});

describe('the limits', () => {
  it('are found where they are used up', () => {
    expect(whereReached((plugins) => plugins / 12_345) / 12_345).toBeCloseTo(1, 2);
    expect(whereReached(() => 0)).toBe(Infinity);
  });

  it('come in the order in which they are reached', () => {
    const reached = limitsReached(USUAL, MACHINES).map(({ plugins }) => plugins);

    expect(reached).toEqual(reached.toSorted((one, other) => one - other));
    expect(new Set(reached).size).toBeGreaterThan(5);
  });

  it('come later with larger machines, the others as before', () => {
    const of = (photoDiskBytes: number): Map<string, number> =>
      new Map(
        limitsReached(USUAL, { ...MACHINES, photoDiskBytes }).map(({ name, plugins }) => [
          name,
          plugins,
        ]),
      );
    const [small, large] = [of(1e14), of(2e14)];
    const grown = [...small].filter(([name, plugins]) => large.get(name) !== plugins);

    expect(grown.map(([name]) => name)).toEqual(['Disk for photos in a folder']);
    expect((large.get('Disk for photos in a folder') ?? 0) / (grown[0]?.[1] ?? 0)).toBeCloseTo(
      2,
      1,
    );
  });
});

describe('the page', () => {
  it('has the tables that the model gives (npm run growth-model -- --write)', async () => {
    const page = await readFile(join(import.meta.dirname, '../../docs/growth.md'), 'utf8');

    expect(bare(page)).toContain(bare(tablesOf(USUAL, MACHINES)));
  });
});

/** Every number in a load, of whatever depth. */
function figuresOf(load: object): number[] {
  return Object.values(load).flatMap((value: unknown) =>
    typeof value === 'object' && value !== null ? figuresOf(value) : [Number(value)],
  );
}

/** Without what the formatter adds to a table. */
function bare(markdown: string): string {
  return markdown
    .replace(/-{2,}:?/g, '-')
    .replace(/\s+/g, ' ')
    .trim();
}
