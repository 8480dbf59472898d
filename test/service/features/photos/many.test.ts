import { beforeAll, describe, expect, it } from '@jest/globals';
import { PhotoTable } from '../../../../service/features/photos/data/photo-table.js';
import type { Page as ListPage } from '../../../../service/features/photos/data/photo-table.js';
import type { TestBrowser } from '../../support/browser-client.js';
import { addUser, addWorkspace, openSettings } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';

const COUNT = 127;

describe('a workspace with many photos', () => {
  let workspaceId: string;
  let owner: TestUser;

  const service = useService();
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    // Three at the same millisecond: the id decides.
    await service.database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at,
                            finished_at, sha256)
       SELECT 'photo-' || lpad(n::text, 6, '0'), $1, $2, 10, 'DSC_' || lpad(n::text, 6, '0') || '.jpg', '', '{}',
              now(), timestamptz '2026-01-01' + n / 3 * interval '1 millisecond', repeat('a', 64)
         FROM generate_series(1, ${COUNT}) AS n`,
      [owner.accountId, workspaceId],
    );
    // Which index is chosen must not hang on whether the service has done so already.
    await service.database.query('ANALYZE uploads');
  });

  const names = (browser: TestBrowser): string[] =>
    [...browser.page.markup.matchAll(/<bdi>([^<]+)<\/bdi>/g)].map(([, name]) => name ?? '');
  const follow = async (browser: TestBrowser, rel: 'next' | 'prev'): Promise<boolean> => {
    const link = new RegExp(`rel="${rel}"\\s+href="([^"]+)"`).exec(browser.page.markup)?.[1];
    if (link === undefined) return false;
    await browser.open(link.replaceAll('&amp;', '&'));
    return true;
  };
  const all = Array.from(
    { length: COUNT },
    (_, index) => `DSC_${String(COUNT - index).padStart(6, '0')}.jpg`,
  );

  it('lists each photo once, page by page, in both directions', async () => {
    const browser = await openSettings(service, owner, '/photos');
    expect(names(browser)).toEqual(all.slice(0, 50));
    expect(await follow(browser, 'prev')).toBe(false);
    await follow(browser, 'next');
    expect(names(browser)).toEqual(all.slice(50, 100));
    await follow(browser, 'next');
    expect(names(browser)).toEqual(all.slice(100));
    expect(await follow(browser, 'next')).toBe(false);
    await follow(browser, 'prev');
    expect(names(browser)).toEqual(all.slice(50, 100));
    await follow(browser, 'prev');
    expect(names(browser)).toEqual(all.slice(0, 50));
    // Back at the beginning the page is the first one, and a full one.
    expect(await follow(browser, 'prev')).toBe(false);
  });

  it('keeps the search from page to page', async () => {
    const browser = await openSettings(service, owner, '/photos?name=dsc_0000');
    expect(names(browser)).toEqual(all.slice(-99).slice(0, 50));
    await follow(browser, 'next');
    expect(names(browser)).toEqual(all.slice(-49));
    expect(new URL(browser.page.url).searchParams.get('name')).toBe('dsc_0000');
  });

  it('searches names in batches, and misses none', async () => {
    const table = new PhotoTable(service.database, 20);
    const filter = { name: '5.jpg', day: undefined };
    const found: string[] = [];
    let from: ListPage['from'];
    let rounds = 0;
    for (;;) {
      rounds += 1;
      const page = { order: 'uploaded', filter, from, limit: 51 } as const;
      const photos = await table.page({ workspaceId, accountId: undefined }, page);
      expect(photos.length).toBe(rounds < 7 ? 2 : 1);
      found.push(...photos.map(({ name }) => name));
      const to = await table.searchedTo({ workspaceId, accountId: undefined }, page);
      if (to === undefined) break;
      from = { place: to, direction: 'older' };
    }
    expect(rounds).toBe(7);
    expect(found).toEqual(all.filter((name) => name.endsWith('5.jpg')));
  });

  it('returns no search position without a name', async () => {
    const table = new PhotoTable(service.database, 20);
    const page = {
      order: 'uploaded',
      filter: { name: '', day: undefined },
      from: undefined,
      limit: 51,
    } as const;
    const view = { workspaceId, accountId: undefined };
    expect(await table.page(view, page)).toHaveLength(51);
    expect(await table.searchedTo(view, page)).toBeUndefined();
  });

  describe('reads its pages by index', () => {
    const place = { at: new Date('2026-01-01T00:00:00.020Z'), id: 'photo-000060' };
    const page = (change: Partial<ListPage>): ListPage => ({
      order: 'uploaded',
      filter: { name: '', day: undefined },
      from: undefined,
      limit: 51,
      ...change,
    });

    /** The database's query plan for a page. */
    const planOf = async (user: string | undefined, change: Partial<ListPage>): Promise<string> =>
      service.database.transaction(async (transaction) => {
        // The planner scans so few rows; this asks for a plan with indexes.
        await transaction.query('SET LOCAL enable_seqscan = off');
        await transaction.query('SET LOCAL enable_sort = off');
        let plan = '';
        const table = new PhotoTable({
          ...service.database,
          query: async (sql, params) => {
            const rows = await transaction.query<{ 'QUERY PLAN': string }>(
              `EXPLAIN ${sql}`,
              params,
            );
            plan = rows.map((row) => row['QUERY PLAN']).join('\n');
            return [];
          },
        });
        await table.page({ workspaceId, accountId: user }, page(change));
        return plan;
      });

    it.each([
      ['the newest', {}, 'uploads_listed'],
      ['older ones', { from: { place, direction: 'older' } }, 'uploads_listed'],
      ['newer ones', { from: { place, direction: 'newer' } }, 'uploads_listed'],
      ['a day', { filter: { name: '', day: new Date('2026-01-01') } }, 'uploads_listed'],
      [
        'a project',
        { filter: { name: '', day: undefined, project: 'x' } },
        'uploads_listed_in_project',
      ],
      [
        'in no project',
        { filter: { name: '', day: undefined, project: 'none' } },
        'uploads_listed_in_no_project',
      ],
      ['the trash', { order: 'trashed' }, 'uploads_trashed'],
    ] as const)('%s', async (_what, change, index) => {
      const plan = await planOf(undefined, change);
      expect(plan).toMatch(new RegExp(`Index Scan( Backward)? using ${index} on uploads`));
    });

    it('a user', async () => {
      // For the sender of all photos any index would do.
      expect(await planOf('somebody', {})).toContain('using uploads_listed_of_account');
    });

    it('a name, in list order, so that a full page ends the search', async () => {
      const plan = await planOf(undefined, { filter: { name: 'dsc', day: undefined } });
      expect(plan).toContain('using uploads_listed on uploads');
    });
  });
});
