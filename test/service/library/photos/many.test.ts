import { beforeAll, describe, expect, it } from '@jest/globals';
import { countPhotos, NO_PROJECT } from '../../../../service/library/projects/index.js';
import { sumPhotoCounts } from '../../../../service/library/projects/photo-counts.js';
import { ProjectTable } from '../../../../service/library/projects/project-table.js';
import { PhotoTable } from '../../../../service/library/photos/data/photo-table.js';
import type { Page as ListPage } from '../../../../service/library/photos/data/photo-table.js';
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
    await service.database.query(
      `INSERT INTO projects (id, workspace_id, name, created_by, created_at)
       VALUES ('coast', $1, 'Coast wedding', $2, now())`,
      [workspaceId, owner.accountId],
    );
    // Three uploads at one millisecond and four captures at one time: the id decides. The later the upload, the earlier
    // the capture.
    await service.database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at,
                            finished_at, taken_at, search_text, project_id, sha256)
       SELECT 'photo-' || lpad(n::text, 6, '0'), $1, $2, 10, name, '', '{}', now(),
              timestamptz '2026-01-01' + n / 3 * interval '1 millisecond',
              timestamptz '2025-06-30 12:00Z' - n / 4 * interval '1 day',
              lower(name) || CASE n % 10 WHEN 0 THEN ' canon eos r5' ELSE ' nikon z9' END,
              CASE n % 2 WHEN 0 THEN 'coast' END, repeat('a', 64)
         FROM (SELECT n, 'DSC_' || lpad(n::text, 6, '0') || CASE n % 5 WHEN 0 THEN '.PSD' WHEN 1 THEN '.cr3' ELSE '.jpg' END
                 FROM generate_series(1, ${COUNT}) AS n) AS made (n, name)`,
      [owner.accountId, workspaceId],
    );
    // Which index is chosen must not hang on whether the service has done so already.
    await service.database.query('ANALYZE uploads');
  });

  const numbers = (browser: TestBrowser): number[] =>
    [...browser.page.markup.matchAll(/data-name="DSC_(\d+)/g)].map(([, digits]) => Number(digits));
  const follow = async (browser: TestBrowser, rel: 'next' | 'prev'): Promise<boolean> => {
    const link = new RegExp(`rel="${rel}"\\s+href="([^"]+)"`).exec(browser.page.markup)?.[1];
    if (link === undefined) return false;
    await browser.open(link.replaceAll('&amp;', '&'));
    return true;
  };
  const all = Array.from({ length: COUNT }, (_, index) => index + 1);
  /** The ids are in the order of upload, and of capture only among those of the same time. */
  const byCapture = all.toSorted((a, b) => Math.floor(b / 4) - Math.floor(a / 4) || a - b);

  it.each([
    ['captured-desc', byCapture.toReversed()],
    ['captured', byCapture],
    ['uploaded-desc', all.toReversed()],
    ['uploaded', all],
    ['name', all],
    ['name-desc', all.toReversed()],
  ])('lists each photo once by %s, page by page, in both directions', async (sort, expected) => {
    const browser = await openSettings(service, owner, `/photos?sort=${sort}`);
    expect(numbers(browser)).toEqual(expected.slice(0, 50));
    expect(await follow(browser, 'prev')).toBe(false);
    await follow(browser, 'next');
    expect(numbers(browser)).toEqual(expected.slice(50, 100));
    await follow(browser, 'next');
    expect(numbers(browser)).toEqual(expected.slice(100));
    expect(await follow(browser, 'next')).toBe(false);
    await follow(browser, 'prev');
    expect(numbers(browser)).toEqual(expected.slice(50, 100));
    await follow(browser, 'prev');
    expect(numbers(browser)).toEqual(expected.slice(0, 50));
    // Back at the beginning the page is the first one, and a full one.
    expect(await follow(browser, 'prev')).toBe(false);
  });

  it('begins with the latest capture in a workspace, and with the first in a project', async () => {
    const browser = await openSettings(service, owner, '/photos');
    expect(numbers(browser)).toEqual(byCapture.toReversed().slice(0, 50));
    expect(browser.page.text).toContain('June 2025');
    await browser.open('/projects/coast');
    expect(numbers(browser)).toEqual(byCapture.filter((n) => n % 2 === 0).slice(0, 50));
    expect(browser.page.text).toContain('63 files');
    expect(browser.page.text).toContain('May 30, 2025 ');
    await follow(browser, 'next');
    expect(numbers(browser)).toEqual(byCapture.filter((n) => n % 2 === 0).slice(50));
  });

  it.each([
    ['q=dsc_00005', (n: number) => n >= 50 && n < 60],
    ['q=CANON', (n: number) => n % 10 === 0],
    ['q=r5%20psd%20canon', (n: number) => n % 10 === 0],
    ['q=r5%20nikon', () => false],
    ['type=psd', (n: number) => n % 5 === 0],
    ['type=raw', (n: number) => n % 5 === 1],
    ['type=jpeg', (n: number) => n % 5 > 1],
    ['type=other', () => false],
    ['from=2025-06-01&to=2025-06-02', (n: number) => [28, 29].includes(Math.floor(n / 4))],
    ['to=2025-05-31', (n: number) => Math.floor(n / 4) >= 30],
    ['from=2025-06-10&type=psd&sort=name', (n: number) => n < 84 && n % 5 === 0],
    ['project=none', (n: number) => n % 2 === 1],
    ['project=coast&q=nikon', (n: number) => n % 2 === 0 && n % 10 !== 0],
    ['user=nobody', () => false],
    ['from=yesterday&to=2025-02-30&type=gif&sort=size', () => true],
  ])('filters by %s, page by page', async (query, isWanted) => {
    const browser = await openSettings(service, owner, `/photos?${query}`);
    const found = numbers(browser);
    while (await follow(browser, 'next')) found.push(...numbers(browser));
    expect(found.toSorted((a, b) => a - b)).toEqual(all.filter((n) => isWanted(n)));
  });

  it.each(['captured-desc', 'name'] as const)(
    'searches by %s in batches, and misses none',
    async (order) => {
      const table = new PhotoTable(service.database, 20);
      const view = { workspaceId, accountId: undefined };
      const found: string[] = [];
      let from: ListPage['from'];
      let rounds = 0;
      for (;;) {
        rounds += 1;
        const page = { order, filter: { text: '5.psd' }, from, limit: 51 };
        const photos = await table.page(view, page);
        found.push(...photos.map(({ name }) => name));
        const to = await table.resumeAfter(view, page);
        if (to === undefined) break;
        from = { place: to, direction: 'after' };
      }
      expect(rounds).toBe(7);
      const wanted = (order === 'name' ? all : byCapture.toReversed()).filter((n) => n % 10 === 5);
      expect(found).toEqual(wanted.map((n) => `DSC_${String(n).padStart(6, '0')}.PSD`));
    },
  );

  it('returns no search position when an index answers the filter', async () => {
    const table = new PhotoTable(service.database, 20);
    const view = { workspaceId, accountId: undefined };
    for (const filter of [{}, { project: 'coast' }, { takenFrom: new Date(0) }]) {
      const page = { order: 'captured', filter, from: undefined, limit: 51 } as const;
      expect(await table.page(view, page)).toHaveLength(51);
      expect(await table.resumeAfter(view, page)).toBeUndefined();
    }
  });

  it('ignores a place of another order', async () => {
    const browser = await openSettings(service, owner, '/photos?sort=name');
    await follow(browser, 'next');
    const place = new URL(browser.page.url).searchParams.get('after') ?? '';
    await browser.open(`/photos?after=${place}`);
    expect(numbers(browser)).toEqual(byCapture.toReversed().slice(0, 50));
  });

  describe('reads its pages by index', () => {
    const place = { at: new Date('2026-01-01T00:00:00.020Z'), id: 'photo-000060' };
    const page = (change: Partial<ListPage>): ListPage => ({
      order: 'uploaded-desc',
      filter: {},
      from: undefined,
      limit: 51,
      ...change,
    });

    /** The database's query plan for a page. */
    const planOf = async (user: string | undefined, change: Partial<ListPage>): Promise<string> =>
      service.database.transaction(async (transaction) => {
        // The planner scans so few rows; this forces a plan with indexes.
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
      ['the latest captures', { order: 'captured-desc' }, 'uploads_captured'],
      [
        'a range of captures',
        { order: 'captured', filter: { takenFrom: place.at } },
        'uploads_captured',
      ],
      [
        'captures in a project',
        { order: 'captured', filter: { project: 'x' } },
        'uploads_captured_in_project',
      ],
      ['the newest', {}, 'uploads_listed'],
      ['older ones', { from: { place, direction: 'after' } }, 'uploads_listed'],
      ['newer ones', { from: { place, direction: 'before' } }, 'uploads_listed'],
      ['a project', { filter: { project: 'x' } }, 'uploads_listed_in_project'],
      ['names', { order: 'name' }, 'uploads_named'],
      [
        'names further on',
        { order: 'name', from: { place: { at: 'DSC_000060.jpg', id: '' }, direction: 'after' } },
        'uploads_named',
      ],
      [
        'names in a project',
        { order: 'name', filter: { project: 'x' } },
        'uploads_named_in_project',
      ],
      ['words, in list order', { order: 'captured', filter: { text: 'dsc' } }, 'uploads_captured'],
      ['a kind, in list order', { order: 'name-desc', filter: { kind: 'psd' } }, 'uploads_named'],
      ['the trash', { order: 'trashed' }, 'uploads_trashed'],
    ] as const)('%s', async (_what, change, index) => {
      const plan = await planOf(undefined, change);
      expect(plan).toMatch(new RegExp(`Index Scan( Backward)? using ${index} on uploads`));
    });

    it.each([
      ['uploaded', 'uploads_listed_of_account'],
      ['captured', 'uploads_captured_of_account'],
      ['name', 'uploads_named_of_account'],
    ] as const)('of a user by %s', async (order, index) => {
      // For the sender of all photos any index would do.
      expect(await planOf('somebody', { order })).toContain(`using ${index}`);
    });
  });

  describe('keeps the numbers of photos', () => {
    const steps = {
      'some photos': `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, sha256)
          SELECT 'counted-' || n, $1, $2, 10, 'a.jpg', '', '{}', now(), now(), 'x' FROM generate_series(1, 9) AS n
         RETURNING $3::text`,
      'an unfinished upload': `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, sha256)
          VALUES ('counted-10', $1, $2, 10, 'a.jpg', '', '{}', now(), NULL) RETURNING $3::text`,
      'its end': `UPDATE uploads SET finished_at = now(), sha256 = 'x' WHERE id = 'counted-10' RETURNING $1::text, $2::text, $3::text`,
      'a move': `UPDATE uploads SET project_id = $3 WHERE id IN ('counted-1', 'counted-2', 'counted-3') RETURNING $1::text, $2::text`,
      'a later version': `UPDATE uploads SET version_of = 'counted-2', is_current = false WHERE id = 'counted-3' RETURNING $1::text, $2::text, $3::text`,
      'the trash': `UPDATE uploads SET trashed_at = now() WHERE id IN ('counted-2', 'counted-3', 'counted-4') RETURNING $1::text, $2::text, $3::text`,
      'the end of the trash': `UPDATE uploads SET trashed_at = 'epoch' WHERE id = 'counted-4' RETURNING $1::text, $2::text, $3::text`,
      'a restored photo': `UPDATE uploads SET trashed_at = NULL WHERE photo_id = 'counted-2' RETURNING $1::text, $2::text, $3::text`,
      'removed photos': `DELETE FROM uploads WHERE id IN ('counted-1', 'counted-3', 'counted-4') RETURNING $1::text, $2::text, $3::text`,
    };

    it('after each change, and after they were added up', async () => {
      const { database } = service;
      const workspace = await addWorkspace(service, 'Counted');
      const { accountId } = await addUser(service, { [workspace]: 'owner' });
      const projects = new ProjectTable(database, () => new Date());
      const made = await projects.create(workspace, 'One', accountId);
      const project = typeof made === 'string' ? made : made.id;
      for (const [step, sql] of Object.entries(steps)) {
        await database.query(sql, [accountId, workspace, project]);
        for (const [one, condition] of [
          [undefined, 'true'],
          [project, `project_id = '${project}'`],
          [NO_PROJECT, 'project_id IS NULL'],
        ] as const) {
          const [expected] = await database.query(
            `SELECT (count(*) FILTER (WHERE trashed_at IS NULL AND is_current))::integer AS photos,
                    (count(*) FILTER (WHERE trashed_at IS NULL AND NOT is_current))::integer AS replaced,
                    (count(*) FILTER (WHERE trashed_at > timestamptz 'epoch' AND is_current))::integer AS trashed
               FROM uploads WHERE workspace_id = $1 AND finished_at IS NOT NULL AND ${condition}`,
            [workspace],
          );
          const view = { workspaceId: workspace, accountId };
          expect([step, one, await countPhotos(database, view, one)]).toEqual([
            step,
            one,
            expected,
          ]);
          await sumPhotoCounts(database);
          expect([step, one, await countPhotos(database, view, one)]).toEqual([
            step,
            one,
            expected,
          ]);
        }
      }
      const rows = await database.query('SELECT 1 FROM photo_counts WHERE workspace_id = $1', [
        workspace,
      ]);
      expect(rows).toHaveLength(2);
    });
  });
});
