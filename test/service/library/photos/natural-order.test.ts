import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../../service/kernel/database/database.js';
import { formatPlace, readQuery } from '../../../../service/library/photos/data/photo-query.js';
import { PhotoTable, type Page } from '../../../../service/library/photos/data/photo-table.js';
import { placeOf, type ListOrder } from '../../../../service/library/photos/data/photo-order.js';
import { ProjectTable } from '../../../../service/library/projects/project-table.js';
import { openMigratedDatabase } from '../../support/database-templates.js';

const VIEW = { workspaceId: 'studio', accountId: undefined };

/** Names in their order. Those in one row have the same place, so the ids decide; they are in the order of the row. */
const ROWS = [
  ['0.jpg', '000.jpg'],
  // Only the first 16 numbers count.
  [`${'1.'.repeat(16)}10.jpg`],
  [`${'1.'.repeat(16)}9.jpg`],
  ['1.jpg'],
  ['2 of 9.jpg'],
  ['2 of 10.jpg'],
  ['09.jpg', '9.jpg'],
  ['10.jpg'],
  ['20240101_9.jpg'],
  ['20240101_10.jpg'],
  ['99999999.jpg'],
  ['100000000.jpg'],
  ['1700000000000.jpg'],
  [`${'9'.repeat(99)}.jpg`],
  [`1${'0'.repeat(99)}.jpg`],
  ['a1b2.jpg', 'a01b002.jpg', 'A1B2.JPG', 'a1b02.jpg'],
  ['a2b9.jpg'],
  ['a2b10.jpg'],
  ['a10b1.jpg'],
  ['IMG_1.jpg', 'img_01.jpg'],
  ['IMG_2.jpg'],
  ['img_10.jpg'],
  ['IMG_100.jpg'],
  ['\u00FCber 09.jpg', 'u\u0308ber 9.jpg'],
  ['\u00FCber 10.jpg'],
];
const NAMES = ROWS.flat();

describe('lists by name', () => {
  let database: Database;
  let table: PhotoTable;

  beforeAll(async () => {
    database = await openMigratedDatabase();
    await database.query(
      "INSERT INTO accounts (id, username, display_name, password_hash) VALUES ('ann', 'ann', 'Ann', '')",
    );
    await database.query("INSERT INTO workspaces (id, name) VALUES ('studio', 'Studio')");
    // Only in one row are the ids in the order of the names.
    const photos = ROWS.flatMap((names, row) =>
      names.map((name, place) => ({ id: `${place}-${ROWS.length + 10 - row}`, name })),
    );
    await database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, sha256)
       SELECT id, 'ann', 'studio', 1, name, '', '{}', now(), now(), 'x'
         FROM json_to_recordset($1::json) AS photos (id text, name text) ORDER BY id`,
      [JSON.stringify(photos)],
    );
    table = new PhotoTable(database, 10);
  });
  afterAll(() => database.close());

  const namesOf = async (order: ListOrder, from: Page['from'], limit: number) => {
    const photos = await table.page(VIEW, { order, filter: {}, from, limit });
    return { photos, names: photos.map(({ name }) => name) };
  };

  it.each([
    ['name', NAMES],
    ['name-desc', NAMES.toReversed()],
  ] as const)('compare numbers as numbers, and page in both directions: %s', async (order, all) => {
    // Pages of these sizes end in and between rows of equal names.
    for (const limit of [12, 3, 1]) {
      for (const direction of ['after', 'before'] as const) {
        const found: string[] = [];
        let from: Page['from'];
        if (direction === 'before') {
          const last = (await namesOf(order, undefined, 100)).photos.at(-1);
          if (last === undefined) throw new Error('The list is empty.');
          from = { place: placeOf(last, order), direction };
          found.push(last.name);
        }
        for (;;) {
          const { photos, names } = await namesOf(order, from, limit);
          const end = direction === 'after' ? photos.at(-1) : photos[0];
          if (end === undefined) break;
          found.splice(direction === 'after' ? found.length : 0, 0, ...names);
          from = { place: placeOf(end, order), direction };
        }
        expect(found).toEqual(all);
      }
    }
  });

  it('continue a search where its batch has ended', async () => {
    const found: string[] = [];
    let from: Page['from'];
    do {
      const page = { order: 'name', filter: { text: '10' }, from, limit: 50 } as const;
      found.push(...(await table.page(VIEW, page)).map(({ name }) => name));
      const place = await table.resumeAfter(VIEW, page);
      from = place && { place, direction: 'after' };
    } while (from !== undefined);
    expect(found).toEqual(NAMES.filter((name) => name.includes('10')));
  });

  it.each(['IMG_2.jpg', 'img_2.jpg'])(
    'continue at a place that is in an address: %s',
    async (name) => {
      const [place] = await database.query<{ id: string }>(
        "SELECT id FROM uploads WHERE name = 'IMG_2.jpg'",
      );
      const after = formatPlace({ at: name, id: place?.id ?? '' });
      const workspace = {
        id: 'studio',
        name: 'Studio',
        role: 'owner',
        membersSeeAll: true,
      } as const;
      const query = readQuery(new URLSearchParams({ sort: 'name', after }), [workspace]);
      expect((await namesOf('name', query?.from, 2)).names).toEqual(['img_10.jpg', 'IMG_100.jpg']);
    },
  );

  it('have keys that are hardly longer than the longest names', async () => {
    for (const name of ['1a'.repeat(127), '9'.repeat(255), '\u{1F4F7}'.repeat(255), '']) {
      const [row] = await database.query<{ growth: number }>(
        'SELECT octet_length(natural_sort_key($1)) - octet_length($1) AS growth',
        [name],
      );
      expect(row?.growth).toBeLessThanOrEqual(5 * 16);
    }
  });

  it('have projects in the same order', async () => {
    const projects = new ProjectTable(database, () => new Date());
    for (const name of ['Wedding 10', 'wedding 9', 'Wedding 1']) {
      await projects.create('studio', name, 'ann');
    }
    const names = (await projects.of('studio')).map(({ name }) => name);
    expect(names).toEqual(['Wedding 1', 'wedding 9', 'Wedding 10']);
  });
});
