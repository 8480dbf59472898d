import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import {
  FeedbackTable,
  type FeedbackFilter,
} from '../../../../service/library/feedback/feedback-table.js';
import {
  RateLimiter,
  type RateLimitRule,
} from '../../../../service/kernel/rate-limit/rate-limiter.js';
import { eventUsers } from '../../../../service/identity/index.js';
import { PlacementTable } from '../../../../service/library/placements/placement-table.js';
import { PhotoChanges } from '../../../../service/library/photos/data/photo-changes.js';
import { PAGE_SIZE } from '../../../../service/library/photos/data/photo-table.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import { StoredLocations } from '../../../../service/library/previews/stored-locations.js';
import { moveThumbnails } from '../../../../service/library/previews/move-thumbnails.js';
import { ThumbnailTable } from '../../../../service/library/previews/thumbnail-table.js';
import { Watermarks, type MarkablePhoto } from '../../../../service/library/previews/watermarks.js';
import { ProjectTable } from '../../../../service/library/projects/project-table.js';
import { UnfinishedUploads } from '../../../../service/library/uploads/repository/unfinished-uploads.js';
import { sumPhotoCounts } from '../../../../service/library/projects/photo-counts.js';
import { openReadyDatabase } from '../../support/database-templates.js';
import { startTestService } from '../../support/running-service.js';
import { authorization } from '../../support/tus-client.js';
import { addUser, connectAs, openSettings } from '../../support/users.js';
import { addPeople } from './many-grants.js';
import { addPhotos, ONE_PROJECT, ONE_USER, WORKSPACE_ID } from './many-photos.js';
import { analyse, planning, type Planned } from './plans.js';

/**
 * Sizes of a workspace. At the middle one, PostgreSQL would rather read a whole small table than use its index. The full size:
 * `PHOTOS=100000 npm run test:all -- postgres test/service/kernel/database/page-growth.test.ts`, some minutes.
 */
const FEW = 1000;
const MIDDLE = 6000;
const MANY = Number(process.env['PHOTOS'] ?? 20_000);

const DAY_MS = 86_400_000;
const STATUS = '/api/v1/photos/status';
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
/** By id, by digest and by document. The fixture has digests of 32 digits. */
const LINKS = JSON.stringify({
  links: Array.from({ length: 500 }, (_, n) =>
    n % 2 === 0 ? { id: md5(`photo${n + 1}`) } : { document: `xmp.did:${n + 1}` },
  ),
});

describe.each([
  [MIDDLE, 'of all users and projects', true],
  [MANY, 'of all users and projects', true],
  [MANY, 'of one user in one project', false],
])('the pages of a workspace with %d photos %s', (size, _of, isSpread) => {
  const few = new Map<string, number>();
  const many = new Map<string, number>();

  const pages = [
    ['photos', '/photos?'],
    ['the photos of a user', `/photos?user=${ONE_USER}`],
    ['the photos of a user in a project', `/projects/${ONE_PROJECT}?user=${ONE_USER}`],
    ['photos by name', '/photos?sort=name'],
    ['a word that many have', '/photos?q=dsc'],
    ['a word that none has', '/photos?q=nothing'],
    ['the photos of no project', '/photos?project=none'],
    ['the trash', '/photos/trash?'],
    ['a project', `/projects/${ONE_PROJECT}?`],
    ['a project by name', `/projects/${ONE_PROJECT}?sort=name`],
    ['the latest of a project', `/projects/${ONE_PROJECT}?sort=uploaded-desc`],
    ['the projects', '/projects?'],
    ['the list for programs', '/api/v1/photos?'],
    ['the list for programs by name', '/api/v1/photos?sort=name&limit=200'],
    ['a search of programs', '/api/v1/photos?q=dsc&kind=image'],
    ['a search of programs that finds nothing', '/api/v1/photos?q=nothing'],
    ['the status of 500 placed files', STATUS],
  ] as const;

  beforeAll(async () => {
    await countRows(FEW, few);
    await countRows(size, many);
  });

  it.each(pages)(`read for %s at most a fifth more rows than with ${FEW} photos`, (...[page]) => {
    expect(few.get(page)).toBeGreaterThan(50);
    // The trash of few photos is less than a page.
    const missing = page === 'the trash' ? PAGE_SIZE : 0;
    expect(many.get(page)).toBeLessThan(1.2 * ((few.get(page) ?? 0) + missing));
  });

  async function countRows(photos: number, rows: Map<string, number>): Promise<void> {
    const planned: Planned[] = [];
    const database = await openReadyDatabase();
    await database.transaction(
      async (transaction) => {
        await addPeople(transaction, photos + 1);
        await addPhotos(transaction, photos, isSpread);
      },
      { noTimeout: true },
    );
    await sumPhotoCounts(database);
    await analyse(database);
    const service = await startTestService({ database: planning(database, planned) });
    const owner = await addUser(service, { [WORKSPACE_ID]: 'owner' });
    const browser = await openSettings(service, owner, '/photos');
    const headers = authorization(await connectAs(service, owner, 'workspace:read'));
    const ask = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: LINKS };
    const open = async (path: string): Promise<{ readonly status: number }> =>
      path.startsWith('/api')
        ? fetch(
            service.baseUrl + path,
            path === STATUS ? { ...ask, headers: { ...headers, ...ask.headers } } : { headers },
          )
        : browser.open(`${path}&workspace=${WORKSPACE_ID}`);
    for (const [page, path] of pages) {
      // Background jobs read as well: the least of several times is what the page reads.
      let least = Number.POSITIVE_INFINITY;
      for (let time = 0; time < 4; time += 1) {
        planned.length = 0;
        const { status } = await open(path);
        expect([page, status]).toEqual([page, 200]);
        const read = planned.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
        least = Math.min(least, read);
      }
      rows.set(page, least);
    }
    await service.close();
  }
});

describe('the feedback of a workspace when others have 100 times as much', () => {
  const few = new Map<string, number>();
  const many = new Map<string, number>();

  const PHOTO = md5('photo40');
  const lists: readonly (readonly [string, FeedbackFilter])[] = [
    ['all', {}],
    ['comments', { kind: 'comment' }],
    ['a link', { link: 'share-1' }],
    ['a project', { project: 'project-0' }],
    ['a version', { upload: PHOTO }],
    ['a document', { document: { id: 'xmp.did:40', accountId: 'person-1' } }],
    ['one answer', { id: 'answer-40' }],
    ['the last ten days', { since: new Date(Date.now() - 10 * DAY_MS) }],
    ['the next page', { after: { at: new Date(Date.now() - 10 * DAY_MS), id: '' } }],
  ];

  beforeAll(async () => {
    const database = await openReadyDatabase();
    await database.transaction(
      async (transaction) => {
        await addPeople(transaction, FEW);
        await addPhotos(transaction, FEW);
      },
      { noTimeout: true },
    );
    await countRows(database, few);
    await countRows(database, many, 99);
    await database.close();
  });

  it.each(lists)('costs no more rows for %s', (of) => {
    expect(few.get(of)).toBeGreaterThan(0);
    expect(many.get(of)).toBeLessThanOrEqual(few.get(of) ?? 0);
  });

  /** @param more how many answers each earlier one is followed by, on the photos of other workspaces */
  async function countRows(database: Database, rows: Map<string, number>, more = 0): Promise<void> {
    // They are older than those of the workspace.
    await database.query(
      `INSERT INTO share_answers (id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256, comment, created_at, expires_at)
       SELECT answer.id || '-' || n, photo.id, 'comment', 'other-' || n, 'Other', photo.id, 1, photo.sha256, 'Fine',
              now() - interval '5 days', now() + interval '60 days'
         FROM share_answers AS answer CROSS JOIN generate_series(1, ${more}) AS n
         JOIN uploads AS photo ON photo.id = md5('photo' || substr(answer.id, 8)::integer / 10 * 10 + 3)`,
    );
    await analyse(database);
    for (const [of, filter] of lists) {
      const planned: Planned[] = [];
      const table = new FeedbackTable(planning(database, planned), () => new Date());
      const found = await table.list(
        { workspaceId: WORKSPACE_ID, accountId: undefined },
        filter,
        51,
      );
      expect(found).not.toEqual([]);
      rows.set(
        of,
        planned.reduce((sum, { rowsRead }) => sum + rowsRead, 0),
      );
    }
  }
});

describe(`${MIDDLE} photos with short rows beside them`, () => {
  const view = { workspaceId: WORKSPACE_ID, accountId: undefined };
  const now = (): Date => new Date();
  const LARGE = /^(accounts|attempts|thumbnails|uploads|watermarked_pictures)$/;
  let database: Database;
  const planned: Planned[] = [];

  beforeAll(async () => {
    database = await openReadyDatabase();
    await database.transaction(
      async (transaction) => {
        await addPeople(transaction, MIDDLE);
        await addPhotos(transaction, MIDDLE);
        // The planner prefers to read a table of short rows from end to end.
        await transaction.query(`UPDATE thumbnails SET location = '{}' WHERE location IS NOT NULL`);
        await transaction.query(
          `INSERT INTO watermarked_pictures (upload_id, mark, thumbnail_bytes, preview_bytes)
           SELECT id, 'mark', 1000, 1000 FROM uploads WHERE finished_at IS NOT NULL`,
        );
        await transaction.query(
          `INSERT INTO attempts (key, count, window_ends)
           SELECT md5('photo' || n), 1, now() + interval '1 hour' FROM generate_series(1, ${MIDDLE}) AS n`,
        );
      },
      { noTimeout: true },
    );
    await database.query('VACUUM FULL thumbnails');
    await analyse(database);
  });
  afterAll(() => database.close());

  const lookUps: readonly (readonly [string, (ids: readonly string[]) => Promise<unknown>])[] = [
    ['the sizes of marked pictures', (ids) => markedPictures().sizes(ids.map(asPhoto), 'Studio')],
    ['the locations in files', (ids) => new StoredLocations(watched(), now).kinds(ids)],
    ['files of unknown kind', (ids) => new ThumbnailTable(watched()).recordUnknownKind(ids)],
    ['unfinished uploads', (ids) => new UnfinishedUploads(watched()).amongst(ids)],
    ['photos that move', (ids) => new ProjectTable(watched(), now).move(WORKSPACE_ID, ids, '')],
    ['photos that are trashed', (ids) => trash(ids)],
    ['used files', (ids) => new PlacementTable(watched()).used(view, ids, 10)],
    ['thumbnails that move', (ids) => moveSome(ids)],
    ['users', (ids) => eventUsers(watched(), ids)],
    ['refused attempts', (ids) => new RateLimiter(watched(), now).consume(ids.map(asClosed))],
  ];

  it.each(
    lookUps.flatMap(([what, lookUp]) =>
      [1, 50, 200].map((count) => [what, count, lookUp] as const),
    ),
  )('costs one look into an index each for %s, of %d', async (_what, count, lookUp) => {
    planned.length = 0;
    await lookUp(Array.from({ length: count }, (_, n) => md5(`photo${n * 10 + 1}`)));
    expect(planned.length).toBeGreaterThan(0);
    expect(planned.filter(({ scanned }) => scanned.some((table) => LARGE.test(table)))).toEqual([]);
    // All of the 50 projects may be read: they are one page.
    expect(planned.filter(({ rowsRead }) => rowsRead > 80 + 3 * count)).toEqual([]);
  });

  const watched = (): Database => planning(database, planned);
  const trash = (ids: readonly string[]): Promise<unknown> =>
    new PhotoChanges(watched(), now).apply({ kind: 'trashed' }, view, 'person-1', [ids]);
  const moveSome = async (ids: readonly string[]): Promise<void> => {
    await database.query(
      `UPDATE thumbnails SET picture = 'bytes' WHERE upload_id = ANY ($1::text[])`,
      [`{${ids.join()}}`],
    );
    await moveThumbnails({ database: watched(), store: { writePreview: () => Promise.resolve() } });
  };
  const asPhoto = (id: string): MarkablePhoto => ({
    ...{ id, workspaceId: WORKSPACE_ID, preview: undefined },
  });
  const asClosed = (id: string): RateLimitRule => ({ key: ['test', id], max: 0 });
  const markedPictures = (): Watermarks =>
    new Watermarks({
      database: watched(),
      store: { readPreview: unused, readThumbnail: unused, writePreview: unused },
      imageWorker: { mark: unused },
      thumbnailWorker: { remake: unused },
      reportError: unused,
    });
});

function unused(): never {
  throw new Error('a look-up of rows does not need it');
}
