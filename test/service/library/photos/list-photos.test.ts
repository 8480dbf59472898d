import { beforeAll, describe, expect, it } from '@jest/globals';
import { PhotoTable } from '../../../../service/library/photos/data/photo-table.js';
import { listPhotos } from '../../../../service/library/photos/api/list-photos.js';
import { authorization } from '../../support/tus-client.js';
import {
  addUser,
  addWorkspace,
  connectAs,
  openSettings,
  type TestUser,
} from '../../support/users.js';
import { useService } from '../../support/use-service.js';

const COUNT = 60;
const NUMBERS = Array.from({ length: COUNT }, (_, index) => index + 1);
const ALL = 'uploads:read workspace:read';

interface Listed {
  readonly photos: readonly {
    readonly id: string;
    readonly name: string;
    readonly current: boolean;
    readonly thumbnail: string;
    readonly version: number | null;
  }[];
  readonly next?: string;
}

describe('the list of photos for programs', () => {
  const service = useService();
  let workspaceId: string;
  let owner: TestUser;
  let member: TestUser;
  let token: string;

  /** Those of the member have numbers that are multiples of 3. One more is in the trash, one is an earlier version. */
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    member = await addUser(service, { [workspaceId]: 'member' });
    await service.database.query(
      `INSERT INTO projects (id, workspace_id, name, created_by, created_at)
       VALUES ('coast', $1, 'Coast wedding', $2, now())`,
      [workspaceId, owner.accountId],
    );
    await service.database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, taken_at,
                            search_text, project_id, sha256, media_type, trashed_at, version_of, is_current)
       SELECT 'browse-' || n, CASE n % 3 WHEN 0 THEN $2 ELSE $1 END, $3, 10, name, '', '{}', now(),
              timestamptz '2026-01-01' + n / 3 * interval '1 second', timestamptz '2025-06-30' - n / 4 * interval '1 day',
              lower(name) || CASE n % 10 WHEN 0 THEN ' canon eos r5' ELSE ' nikon z9' END,
              CASE n % 2 WHEN 0 THEN 'coast' END, repeat('a', 64), CASE n % 5 WHEN 4 THEN 'video/mp4' END,
              CASE WHEN n = ${COUNT + 1} THEN now() END, CASE WHEN n = ${COUNT + 2} THEN 'browse-1' END, n < ${COUNT + 2}
         FROM (SELECT n, 'DSC_' || n || (ARRAY['.psd', '.pdf', '.jpg', '.indd', '.mp4'])[1 + n % 5]
                 FROM generate_series(1, ${COUNT + 2}) AS n) AS made (n, name)`,
      [owner.accountId, member.accountId, workspaceId],
    );
    await service.database.query(
      `INSERT INTO share_answers (id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256, created_at, withdrawn_at)
       SELECT 'yes-' || n, 'browse-' || n, 'approval', 'guest', 'Guest', 'browse-' || n, 1, repeat('a', 64), now(),
              CASE n WHEN 9 THEN now() END
         FROM unnest(ARRAY[7, 8, 9]) AS n`,
    );
    await service.database.query('ANALYZE uploads');
    token = await connectAs(service, owner, ALL);
  });

  const get = (path: string, as = token): Promise<Response> =>
    fetch(service.baseUrl + path, { headers: authorization(as) });
  const page = async (path: string, as = token): Promise<Listed> => {
    const answer = await get(path, as);
    expect([path, answer.status]).toEqual([path, 200]);
    return (await answer.json()) as Listed;
  };
  const numberOf = ({ id }: { id: string }): number => Number(id.replace('browse-', ''));
  /** The numbers of all photos, page by page. */
  const numbers = async (query: string, as = token): Promise<number[]> => {
    const found: number[] = [];
    let next: string | undefined = `/api/v1/photos?${query}`;
    while (next !== undefined) {
      const part: Listed = await page(next, as);
      found.push(...part.photos.map(numberOf));
      next = part.next;
    }
    return found;
  };

  it.each(['captured-desc', 'captured', 'uploaded-desc', 'uploaded', 'name', 'name-desc'])(
    'has the photos of the page by %s, each once',
    async (sort) => {
      const browser = await openSettings(service, owner, `/photos?sort=${sort}`);
      const shown = [...browser.page.markup.matchAll(/data-id="browse-(\d+)"/g)].map(([, digits]) =>
        Number(digits),
      );
      const listed = await numbers(`sort=${sort}&limit=7`);
      expect(shown).toHaveLength(50);
      expect(listed.slice(0, 50)).toEqual(shown);
      expect(listed.toSorted((a, b) => a - b)).toEqual(NUMBERS);
    },
  );

  const isImage = (n: number): boolean => [0, 2].includes(n % 5);
  it.each([
    ['q=dsc_5', (n: number) => n === 5 || (n >= 50 && n < 60)],
    ['q=CANON%20dsc', (n: number) => n % 10 === 0],
    ['q=r5%20nikon', () => false],
    ['project=coast', (n: number) => n % 2 === 0],
    ['project=none', (n: number) => n % 2 === 1],
    ['project=unknown', () => false],
    ['kind=image', isImage],
    ['kind=document', (n: number) => n % 5 === 1],
    ['kind=video', (n: number) => n % 5 === 4],
    ['kind=other', (n: number) => n % 5 === 3],
    ['approved=true', (n: number) => n === 7 || n === 8],
    ['mine=true', (n: number) => n % 3 !== 0],
    [
      'mine=true&project=coast&kind=image&q=nikon',
      (n: number) => n % 3 !== 0 && n % 2 === 0 && isImage(n) && n % 10 !== 0,
    ],
  ])('filters by %s, page by page', async (query, isWanted) => {
    const found = await numbers(`${query}&limit=4`);
    expect(found.toSorted((a, b) => a - b)).toEqual(NUMBERS.filter((n) => isWanted(n)));
  });

  it('has what GET /uploads has of each, with the address of a small picture', async () => {
    const [first] = (await page('/api/v1/photos?limit=1&sort=name')).photos;
    const answer = await get('/api/v1/uploads/browse-1');
    const { versions, feedback, ...upload } = (await answer.json()) as Record<string, unknown>;
    expect(first).toEqual({
      ...upload,
      version: 1,
      thumbnail: '/api/v1/uploads/browse-1/thumbnail',
    });
    expect([versions, feedback]).toEqual([
      [expect.objectContaining({ id: `browse-${COUNT + 2}` })],
      [],
    ]);
  });

  it('has the number of the current version, without high ones', async () => {
    const studio = await addWorkspace(service, 'Versions');
    const user = await addUser(service, { [studio]: 'owner' });
    await service.database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, taken_at,
                            search_text, sha256, version_of, is_current)
       SELECT name || n, $1, $2, 10, name, '', '{}', now(), timestamptz '2026-01-01' + n * interval '1 second', now(),
              name, repeat('a', 64), CASE WHEN n > 1 THEN name || 1 END, n = current
         FROM (VALUES ('made-current', 3, 2), ('many', 102, 102), ('newest', 3, 3)) AS photos (name, versions, current),
              generate_series(1, versions) AS n`,
      [user.accountId, studio],
    );
    const listed = await page('/api/v1/photos?sort=name', await connectAs(service, user, ALL));
    expect(listed.photos.map(({ id, version }) => [id, version])).toEqual([
      ['made-current2', 2],
      ['many102', null],
      ['newest3', 3],
    ]);
  });

  it('shows with uploads:read the own photos, and with workspace:read what the browser shows', async () => {
    const count = async (user: TestUser, scope: string): Promise<number> =>
      (await numbers('limit=200', await connectAs(service, user, scope))).length;
    expect(await count(owner, 'uploads:read')).toBe(40);
    expect(await count(member, 'uploads:read')).toBe(20);
    const before = await count(member, 'workspace:read');
    await service.database.query(
      `UPDATE workspaces SET members_see_all = NOT members_see_all WHERE id = $1`,
      [workspaceId],
    );
    expect([before, await count(member, 'workspace:read')].toSorted((a, b) => a - b)).toEqual([
      20, 60,
    ]);
    expect(
      (await get('/api/v1/photos', await connectAs(service, owner, 'uploads:write'))).status,
    ).toBe(403);
    const stranger = await addUser(service, { [await addWorkspace(service, 'South')]: 'owner' });
    expect(await count(stranger, ALL)).toBe(0);
  });

  it.each([
    ['limit=0'],
    ['limit=201'],
    ['limit=5&limit=6'],
    ['name=x'],
    ['kind=gif'],
    ['sort=size'],
    ['approved=false'],
    ['mine='],
    [`q=${'x'.repeat(256)}`],
    ['after=harbour.browse-1&sort=uploaded'],
    ["after=1.'"],
  ])('refuses %s', async (query) => {
    const answer = await get(`/api/v1/photos?${query}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('continues a search beyond the photos that one request compares', async () => {
    const photos = new PhotoTable(service.database, 10);
    const view = { workspaceId, accountId: undefined };
    const asked: number[] = [];
    const found: unknown[] = [];
    let query: URLSearchParams | undefined = new URLSearchParams({ q: 'canon', sort: 'uploaded' });
    while (query !== undefined) {
      asked.push(1);
      const response = new FakeResponse();
      const shown = {
        reachOf: () => Promise.resolve(view),
        several: (_caller: unknown, ids: readonly string[]) => {
          found.push(...ids);
          return Promise.resolve([]);
        },
        versionNumbers: () => Promise.resolve(new Map()),
      };
      await listPhotos({ photos, shown } as never, { response, query } as never, {} as never);
      const { next } = JSON.parse(response.text) as Listed;
      query = next === undefined ? undefined : new URL(next, service.baseUrl).searchParams;
    }
    expect(found).toEqual([10, 20, 30, 40, 50, 60].map((n) => `browse-${n}`));
    expect(asked.length).toBe(7);
  });
});

/** Keeps what a handler sends. */
class FakeResponse {
  text = '';
  readonly setHeader = (): void => undefined;
  readonly hasHeader = (): boolean => false;
  readonly end = (text: string): void => {
    this.text = text;
  };
}
