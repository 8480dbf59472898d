import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { PersonalTokens } from '../../../../service/identity/accounts/personal-access-tokens.js';
import type { Database, Queryable } from '../../../../service/kernel/database/database.js';
import { expiringRows } from '../../../../service/app/modules.js';
import { purgeExpired } from '../../../../service/kernel/database/cleanup.js';
import { preparedName } from '../../../../service/kernel/database/prepared.js';
import { sha256 } from '../../../../service/kernel/hash.js';
import {
  FeedbackTable,
  type FeedbackFilter,
} from '../../../../service/library/feedback/feedback-table.js';
import { feedbackOnBytes } from '../../../../service/library/feedback/photo-feedback.js';
import { PhotoTable } from '../../../../service/library/photos/data/photo-table.js';
import { VersionTable } from '../../../../service/library/photos/data/version-table.js';
import { ThumbnailTable } from '../../../../service/library/previews/thumbnail-table.js';
import { UnfinishedUploads } from '../../../../service/library/uploads/repository/unfinished-uploads.js';
import type { TestBrowser } from '../../support/browser-client.js';
import {
  listUploads,
  poll,
  refresh,
  revoke,
  startDevice,
  tokensOf,
} from '../../support/oauth-client.js';
import { addGrants } from './many-grants.js';
import { addPhotos, WORKSPACE_ID } from './many-photos.js';
import { analyse, planning, planOf, type Planned } from './plans.js';
import { openMigratedDatabase, openReadyDatabase } from '../../support/database-templates.js';
import { addUser, openSettings } from '../../support/users.js';
import { startTestService, type TestService } from '../../support/running-service.js';
import { authorization, create, photo } from '../../support/tus-client.js';

/**
 * Enough that the planner prefers an index where there is one, and that reading a table, or all photos of a workspace,
 * is visible. With so many photos, PostgreSQL would rather join all users by hash. The full size:
 * `GRANTS=200000 PHOTOS=100000 npm run test:all -- postgres test/service/kernel/database/query-plans.test.ts`.
 */
const GRANTS = Number(process.env['GRANTS'] ?? 4000);
const PHOTOS = Number(process.env['PHOTOS'] ?? 6000);

/** The maximum of rows that one statement of a request reads: some per shown row. */
const MAX_ROWS = 1500;

/** The others stay small: polls, locks, attempts, projects, links. */
const GROWN =
  /^(oidc_records|consents|accounts|workspaces|workspace_members|personal_access_tokens|uploads|thumbnails|workspace_usage|share_answers)$/;

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** Those that read what grows from end to end. */
const scansOf = (planned: readonly Planned[]): readonly Planned[] =>
  planned.filter(({ scanned }) => scanned.some((table) => GROWN.test(table)));

/** Takes longer than a request may. */
const fill = (database: Database, work: (transaction: Queryable) => Promise<void>): Promise<void> =>
  database.transaction(work, { noTimeout: true });

describe(`the cleanup of a database with ${GRANTS} connections`, () => {
  let database: Database;

  beforeAll(async () => {
    // No service uses it, because its jobs would remove the expired rows.
    database = await openMigratedDatabase();
    await fill(database, (transaction) => addGrants(transaction, GRANTS));
    await analyse(database);
  });
  afterAll(() => database.close());

  it.each([
    [
      'the end of a grant',
      `DELETE FROM oidc_records WHERE grant_id = $1 OR (kind = 'Grant' AND id = $1)`,
    ],
    ['the workspaces of a user', 'SELECT 1 FROM workspace_members WHERE account_id = $1'],
    ['a workspace that goes, for consents', 'DELETE FROM consents WHERE workspace_id = $1'],
    [
      'a workspace that goes, for tokens',
      'DELETE FROM personal_access_tokens WHERE workspace_id = $1',
    ],
    ['a deleted user, for consents', 'DELETE FROM consents WHERE account_id = $1'],
  ])('scans no whole table for %s', async (_what, sql) => {
    expect((await planOf(database, sql, ['one'])).scanned).toEqual([]);
  });

  it('removes expired rows in small batches by index, consents with their grants', async () => {
    await database.query(
      `INSERT INTO oidc_records (kind, id, payload, expires_at)
       SELECT kind, kind || n, '{}', now() - interval '2 hours' FROM generate_series(1, ${GRANTS} / 4) AS n
        CROSS JOIN (VALUES ('Session'), ('Interaction'), ('DeviceCode')) AS made (kind)`,
    );
    await analyse(database);
    const steps: Planned[] = [];

    await purgeExpired(planning(database, steps), new Date(), expiringRows());

    // Five records of each tenth connection and the three quarters made here, five hundred in one step.
    expect(steps.length).toBeGreaterThan((GRANTS * 1.25) / 500);
    expect(scansOf(steps)).toEqual([]);
    expect(await consents('grant-10')).toBe(0);
    expect(await consents('grant-11')).toBe(1);
    const left = `SELECT 1 FROM oidc_records WHERE expires_at < now() - interval '1 day' OR
      (kind <> 'RefreshToken' AND expires_at < now() - interval '1 hour') LIMIT 1`;
    expect(await database.query(left)).toEqual([]);
  });

  it('finds pending thumbnails by index for any statistics', async () => {
    await fill(database, (transaction) => addPhotos(transaction, 1000));
    await analyse(database);
    const done = `UPDATE thumbnails SET state = 'made', location = '{}', location_version = 100
      WHERE upload_id <> md5('photo1')`;
    // A third was pending when statistics were collected, and is done since.
    await database.query(
      `UPDATE thumbnails SET state = 'none', attempts = 0, lease_until = 'epoch' WHERE upload_id < '5'`,
    );
    await database.query('ANALYZE thumbnails');
    await database.query(done);
    const free = `SELECT upload_id FROM thumbnails JOIN uploads ON uploads.id = upload_id
      WHERE state = 'none' AND lease_until < now() AND attempts < 3 AND trashed_at IS NULL
      ORDER BY upload_id LIMIT 500`;
    expect((await planOf(database, free)).scanned).toContain('thumbnails');
    const made: Planned[] = [];

    const table = new ThumbnailTable(planning(database, made));
    const [first, ...others] = await table.pending(new Date());
    await table.retryOlder();

    expect(others).toEqual([]);
    expect(first?.id).toMatch(/^[0-9a-f]{32}$/);
    expect(made).toHaveLength(5);
    expect(made.flatMap(({ scanned }) => scanned).filter((table) => GROWN.test(table))).toEqual([]);
    // The photo, its workspace, and the search for a next one.
    expect(made.filter(({ rowsRead }) => rowsRead > 10)).toEqual([]);
  });

  async function consents(grantId: string): Promise<number> {
    const rows = await database.query('SELECT 1 FROM consents WHERE grant_id = $1', [grantId]);
    return rows.length;
  }
});

describe(`the statements of a service with ${GRANTS} connections and ${PHOTOS} photos`, () => {
  let database: Database;
  let service: TestService;
  const planned: Planned[] = [];

  beforeAll(async () => {
    database = await openReadyDatabase();
    await fill(database, async (transaction) => {
      await addGrants(transaction, GRANTS);
      await addPhotos(transaction, PHOTOS);
    });
    // A server does this automatically, the embedded database soon after its start.
    await analyse(database);
    service = await startTestService({ database: planning(database, planned) });
  });
  afterAll(() => service.close());

  const during = async (work: () => Promise<unknown>): Promise<Planned[]> => {
    const from = planned.length;
    await work();
    return planned.slice(from);
  };

  it('scan no whole table in background jobs', async () => {
    const made = await during(async () => {
      await service.purge();
      const watched = planning(database, planned);
      await new ThumbnailTable(watched).pending(new Date());
      const unfinished = new UnfinishedUploads(watched).all(new AbortController().signal);
      expect((await unfinished.next()).done).toBe(false);
    });

    expect(made.length).toBeGreaterThan(15);
    expect(scansOf(made)).toEqual([]);
    expect(made.filter(({ rowsRead }) => rowsRead > MAX_ROWS)).toEqual([]);
  });

  it('note files of unknown kind by index, with a plan for the table as it is', async () => {
    const asked: string[] = [];
    const watched: Database = {
      ...planning(database, planned),
      query: (sql, params) => {
        asked.push(sql);
        return planning(database, planned).query(sql, params);
      },
    };
    const made = await during(() => new ThumbnailTable(watched).recordUnknownKind(['one', 'two']));

    expect(scansOf(made)).toEqual([]);
    expect(asked.map(preparedName)).toEqual([undefined]);
  });

  it('scan no whole table for a plugin request', async () => {
    const { baseUrl } = service;
    const tokens = await service.connect();
    const { deviceCode } = await startDevice(baseUrl);

    const made = await during(async () => {
      await poll(baseUrl, deviceCode);
      const attempt = randomBytes(32).toString('base64url');
      const answer = await refresh(baseUrl, tokens.refreshToken, { refresh_attempt: attempt });
      const { accessToken, refreshToken } = tokensOf(answer);
      await listUploads(baseUrl, accessToken);
      await create(baseUrl, accessToken, { length: 10, body: photo(10) });
      await revoke(baseUrl, refreshToken);
    });

    expect(made.length).toBeGreaterThanOrEqual(10);
    expect(scansOf(made)).toEqual([]);
  });

  describe('in a workspace with most of the photos', () => {
    let owner: TestBrowser;
    let member: TestBrowser;
    let token: string;
    /** One that is in no trash. */
    let id: string;
    const link = 'of-a-test';
    const projectLink = 'of-another-test';

    beforeAll(async () => {
      const user = await addUser(service, { [WORKSPACE_ID]: 'owner' });
      owner = await openSettings(service, user, '/photos');
      member = await openSettings(
        service,
        await addUser(service, { [WORKSPACE_ID]: 'member' }),
        '/photos',
      );
      const entry = {
        workspaceId: WORKSPACE_ID,
        name: 'test',
        scopes: ['workspace:read', 'uploads:write'],
        days: 1,
      } as const;
      const personal = new PersonalTokens(database, () => new Date());
      token = (await personal.create(user.accountId, entry)) ?? '';
      const [row] = await database.query<{ id: string }>(`SELECT md5('photo40') AS id`);
      id = row?.id ?? '';
      for (const [name, project] of [
        [link, null],
        [projectLink, 'project-8'],
      ] as const) {
        await database.query(
          `INSERT INTO shares (id, token_sha256, workspace_id, created_by, project_id, created_at, expires_at)
           SELECT $1, $2, $3, $4, $5, now(), now() + interval '1 day'`,
          [name, sha256(name), WORKSPACE_ID, user.accountId, project],
        );
      }
      await database.query('INSERT INTO share_photos (share_id, photo_id) VALUES ($1, $2)', [
        link,
        id,
      ]);
    });

    const day = (): string => new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10);

    it.each([
      ['the photos', '/photos'],
      ['the photos of a day', `/photos?from=${day()}&to=${day()}`],
      ['the photos by name', '/photos?sort=name'],
      ['the photos of a kind', '/photos?type=psd'],
      ['the photos of a user', '/photos?user=person-7'],
      ['the photos of a project', '/photos?project=project-8'],
      ['the photos of no project', '/photos?project=none'],
      ['a word that many have', '/photos?q=dsc'],
      ['the photos that clients approved', '/photos?answer=approval'],
      ['the trash', '/photos/trash'],
      ['a project', '/projects/project-8'],
      ['the projects', '/projects'],
      ['the links', '/shares'],
      ['the people', '/settings/people'],
    ])('read few rows for %s, for every user', async (_what, path) => {
      const address = `${path}${path.includes('?') ? '&' : '?'}workspace=${WORKSPACE_ID}`;
      const made = await during(async () => {
        for (const browser of [owner, member]) {
          expect((await browser.open(address)).status).toBe(200);
        }
      });

      expect(made.length).toBeGreaterThanOrEqual(4);
      expectFewRows(made);
    });

    it('read few rows for older and newer pages and for an unknown name', async () => {
      const searched = 500;
      const table = new PhotoTable(planning(database, planned), searched);
      const view = { workspaceId: WORKSPACE_ID, accountId: undefined };
      const place = { at: new Date(Date.now() - 20 * 86_400_000 + PHOTOS * 500), id: '' };
      const list = { order: 'captured-desc', from: undefined, limit: 51 } as const;
      const made = await during(async () => {
        for (const direction of ['after', 'before'] as const) {
          const filter = {};
          const page = { ...list, filter, from: { place, direction } };
          expect(await table.page(view, page)).toHaveLength(51);
        }
        const page = { ...list, filter: { text: 'nobody has it' } };
        expect(await table.page(view, page)).toEqual([]);
        expect(await table.resumeAfter(view, page)).toBeDefined();
      });

      expectFewRows(made);
    });

    it('look each of 200 photos up by index', async () => {
      const ids = Array.from({ length: 200 }, (_, n) => md5(`photo${n * 10 + 1}`));
      const watched = planning(database, planned);
      const table = new PhotoTable(watched);
      const made = await during(async () => {
        expect(await table.several(ids)).toHaveLength(200);
        expect(await table.severalCurrent(ids)).toHaveLength(200);
        await table.waiting(ids);
        await new VersionTable(watched).numbers(ids);
        await feedbackOnBytes(watched, ids, 1000);
        await get('/api/v1/photos?sort=name&limit=200');
        const headers = { ...authorization(token), 'Content-Type': 'application/json' };
        const body = JSON.stringify({ uploads: ids });
        const receipt = await fetch(`${service.baseUrl}/api/v1/receipts`, {
          ...{ method: 'POST', headers, body },
        });
        expect(receipt.status).toBe(200);
      });

      expect(made.length).toBeGreaterThanOrEqual(9);
      expectFewRows(made);
    });

    it.each<[string, FeedbackFilter]>([
      ['a document', { document: { id: 'xmp.did:40', accountId: 'person-1' } }],
      ['a version', { upload: md5('photo40') }],
    ])('read few rows for the feedback of %s', async (_of, filter) => {
      const made: Planned[] = [];
      const feedback = new FeedbackTable(planning(database, made), () => new Date());

      await feedback.list({ workspaceId: WORKSPACE_ID, accountId: undefined }, filter, 51);

      expect(made.length).toBe(1);
      expectFewRows(made);
    });

    it('read few rows for one photo, its thumbnail, links and their answers', async () => {
      const made = await during(async () => {
        for (const path of [
          `/photos/${id}`,
          `/photos/${id}/thumbnail`,
          `/photos/${id}/preview`,
          `/photos/${id}/compare?with=${id}`,
          '/shares/share-1',
          '/shares/share-1/answers',
        ]) {
          expect([path, (await owner.open(path)).status]).toEqual([path, 200]);
        }
        for (const path of [
          `/s/${link}`,
          `/s/${link}/thumbnail?photo=${id}`,
          `/s/${link}/preview?photo=${id}`,
          `/s/${projectLink}`,
        ]) {
          const answer = await fetch(service.baseUrl + path);
          await answer.arrayBuffer();
          expect(answer.status).toBe(200);
        }
      });

      expect(made.length).toBeGreaterThanOrEqual(10);
      expectFewRows(made);
    });

    it('read few rows for API requests', async () => {
      const made = await during(async () => {
        for (const query of [
          'limit=50',
          'limit=50&name=dsc',
          'limit=50&user=one-of-many-7',
          `limit=50&sha256=${'a'.repeat(64)}`,
          'document=xmp.did:40',
        ]) {
          await get(`/api/v1/uploads?${query}`);
        }
        await get(`/api/v1/uploads/${id}`);
        await get('/api/v1/projects');
        await get('/api/v1/me');
      });

      expect(made.length).toBeGreaterThanOrEqual(13);
      expectFewRows(made);
    });

    async function get(path: string): Promise<void> {
      const answer = await fetch(service.baseUrl + path, { headers: authorization(token) });
      await answer.arrayBuffer();
      expect([path, answer.status]).toEqual([path, 200]);
    }

    function expectFewRows(made: readonly Planned[]): void {
      expect(scansOf(made)).toEqual([]);
      expect(made.filter(({ rowsRead }) => rowsRead > MAX_ROWS)).toEqual([]);
    }
  });
});
