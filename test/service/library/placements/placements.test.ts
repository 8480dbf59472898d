import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PhotoTable } from '../../../../service/library/photos/data/photo-table.js';
import { PlacementTable } from '../../../../service/library/placements/placement-table.js';
import { planning, type Planned } from '../../kernel/database/plans.js';
import type { TestBrowser } from '../../support/browser-client.js';
import { authorization, photo } from '../../support/tus-client.js';
import {
  addUser,
  addWorkspace,
  connectAs,
  createToken,
  openSettings,
  send,
  type TestUser,
} from '../../support/users.js';
import { useService } from '../../support/use-service.js';

interface Use {
  readonly id: string;
  readonly name: string;
  readonly upload: string;
  readonly version: number | null;
  readonly current_version: number | null;
  readonly is_current: boolean;
}

describe('placements', () => {
  const service = useService();
  let workspaceId: string;
  let owner: TestUser;
  let member: TestUser;
  let browser: TestBrowser;
  let token: string;
  let remover: string;
  let memberToken: string;
  let count = 0;
  /** Two versions of a photo, and a brochure. Their names are new in each test. */
  let first: string;
  let second: string;
  let brochure: string;

  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    member = await addUser(service, { [workspaceId]: 'member' });
    token = await connectAs(service, owner, 'uploads:write uploads:read');
    memberToken = await connectAs(service, member, 'uploads:write uploads:read');
    browser = await openSettings(service, owner);
    remover = await createToken(service, owner, 'uploads:delete');
  });
  beforeEach(async () => {
    count += 1;
    first = await send(service, token, `Cover ${count}.jpg`, photo(100, count * 10));
    second = await send(service, token, `Cover ${count}.jpg`, photo(100, count * 10 + 1));
    brochure = await send(service, token, `Brochure ${count}.pdf`, photo(100, count * 10 + 2));
  });

  const request = (
    method: string,
    path: string,
    { as = token, body }: { as?: string; body?: unknown } = {},
  ): Promise<Response> =>
    fetch(`${service.baseUrl}/api/v1/uploads/${path}`, {
      method,
      headers: {
        ...authorization(as),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const place = async (container: string, ids: readonly string[], as = token): Promise<number> => {
    const body = { placements: ids.map((id) => ({ id })) };
    return (await request('PUT', `${container}/placements`, { body, as })).status;
  };
  const usesOf = async (id: string, as = token): Promise<{ contains: Use[]; used_in: Use[] }> =>
    (await (await request('GET', `${id}/placements`, { as })).json()) as {
      contains: Use[];
      used_in: Use[];
    };
  /** The ids of the uploads that are stored for a container. */
  const stored = async (container: string): Promise<string[]> => {
    const rows = await service.database.query<{ upload_id: string }>(
      'SELECT upload_id FROM placements WHERE container_id = $1 ORDER BY upload_id',
      [container],
    );
    return rows.map((row) => row.upload_id);
  };
  const isTrashed = async (id: string): Promise<boolean> =>
    (await new PhotoTable(service.database).find(id))?.trashedAt !== undefined;

  /** Files with these names and a number that use the first version. */
  const addContainers = async (name: string, many: number): Promise<void> => {
    await service.database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, sha256)
       SELECT $1 || '-' || n, $2, $3, 1, $4 || ' ' || n, '', '{}', now(), now(), repeat('b', 64)
         FROM generate_series(1, $5::int) AS n`,
      [first, owner.accountId, workspaceId, name, many],
    );
    await service.database.query(
      `UPDATE thumbnails SET state = 'failed', lease_until = NULL WHERE upload_id LIKE $1 || '-%'`,
      [first],
    );
    await service.database.query(
      `INSERT INTO placements SELECT $1 || '-' || n, $1 FROM generate_series(1, $2::int) AS n`,
      [first, many],
    );
  };

  it('are shown from both sides, with the placed and the current version', async () => {
    expect(await place(brochure, [first])).toBe(204);
    const about = { upload: first, version: 1, current_version: 2, is_current: false };
    expect(await usesOf(brochure)).toEqual({
      contains: [{ id: second, name: `Cover ${count}.jpg`, ...about }],
      used_in: [],
    });
    for (const id of [first, second])
      expect(await usesOf(id)).toEqual({
        contains: [],
        used_in: [{ id: brochure, name: `Brochure ${count}.pdf`, ...about }],
      });
    await browser.open(`/photos/${first}`);
    expect(browser.page.text).toMatch(
      new RegExp(`Used in Brochure ${count}\\.pdf uses version 1, current is 2`),
    );
    expect(browser.page.markup).toContain(`href="/photos/${brochure}"`);
    await browser.open(`/photos/${brochure}`);
    expect(browser.page.text).toMatch(
      new RegExp(`Contains Cover ${count}\\.jpg version 1, current is 2`),
    );
    await place(brochure, [second]);
    await browser.open(`/photos/${first}`);
    expect(browser.page.text).toMatch(/Used in Brochure \d+\.pdf uses the current version/);
  });

  it('are replaced as a whole, and repeating changes nothing', async () => {
    const other = await send(service, token, `Other ${count}.jpg`, photo(100, count * 10 + 3));
    const inside = async (): Promise<string[]> =>
      (await usesOf(brochure)).contains.map(({ upload }) => upload).toSorted();
    for (const ids of [[first, second, other], [first, second, other], [other, other], []]) {
      expect(await place(brochure, ids)).toBe(204);
      expect(await inside()).toEqual([...new Set(ids)].toSorted());
    }
  });

  it('are those of one request when several replace them at once', async () => {
    const other = await send(service, token, `Other ${count}.jpg`, photo(100, count * 10 + 3));
    await Promise.all(
      Array.from({ length: 12 }, (_, n) => place(brochure, [n % 2 === 0 ? first : other])),
    );
    expect((await usesOf(brochure)).contains).toHaveLength(1);
  });

  it('count for the current version of the using file only, and not in the trash', async () => {
    await place(brochure, [first]);
    const later = await send(service, token, `Brochure ${count}.pdf`, photo(100, count * 10 + 4));
    expect((await usesOf(first)).used_in).toEqual([]);
    expect((await usesOf(later)).contains).toEqual([]);
    const table = new PhotoTable(service.database);
    await table.makeCurrent(brochure);
    expect((await usesOf(first)).used_in).toMatchObject([{ id: brochure }]);
    await table.trash(brochure, owner.accountId, new Date());
    expect((await usesOf(first)).used_in).toEqual([]);
    await table.restore(brochure, new Date(0));
    await table.trash(first, owner.accountId, new Date());
    expect((await usesOf(brochure)).contains).toEqual([]);
    await browser.open(`/photos/${brochure}`);
    expect(browser.page.text).not.toContain('Contains');
  });

  it('go with either file', async () => {
    await place(brochure, [first, second]);
    expect(await stored(brochure)).toHaveLength(2);
    await service.database.query('DELETE FROM uploads WHERE id = $1', [second]);
    expect(await stored(brochure)).toEqual([first]);
    await service.database.query('DELETE FROM uploads WHERE id = $1', [brochure]);
    expect(await stored(brochure)).toEqual([]);
  });

  it('leave out what the user does not see, other workspaces and the file itself', async () => {
    const south = await addWorkspace(service, 'South Studio');
    const stranger = await addUser(service, { [south]: 'owner' });
    const strangers = await connectAs(service, stranger, 'uploads:write uploads:read');
    const foreign = await send(service, strangers, 'Foreign.jpg', photo(50, 7));
    const later = await send(service, token, `Brochure ${count}.pdf`, photo(100, count * 10 + 4));
    const own = await send(service, memberToken, `Own ${count}.jpg`, photo(100, count * 10 + 5));
    const layout = await send(
      service,
      memberToken,
      `Layout ${count}.pdf`,
      photo(100, count * 10 + 6),
    );

    expect(await place(later, [foreign, brochure, later, 'nothing', first])).toBe(204);
    expect(await stored(later)).toEqual([first]);
    expect(await place(layout, [first, own], memberToken)).toBe(204);
    expect(await stored(layout)).toEqual([own]);

    // The owner places a file of the member, who does not see where.
    expect(await place(later, [own])).toBe(204);
    expect((await usesOf(own, memberToken)).used_in.map(({ id }) => id)).toEqual([layout]);
    const theirs = await openSettings(service, member, `/photos/${own}`);
    expect([theirs.page.text.includes('Layout'), theirs.page.text.includes('Brochure')]).toEqual([
      true,
      false,
    ]);
    expect((await openSettings(service, owner, `/photos/${own}`)).page.text).toContain('Brochure');
  });

  it('are of the app that sent the file', async () => {
    const south = await addWorkspace(service, 'South Studio');
    const stranger = await addUser(service, { [south]: 'owner' });
    const strangers = await connectAs(service, stranger, 'uploads:write workspace:read');
    for (const as of [memberToken, strangers, remover])
      expect([403, 404]).toContain(await place(brochure, [first], as));
    expect((await request('GET', `${brochure}/placements`, { as: strangers })).status).toBe(404);
    expect((await request('GET', `${brochure}/placements`, { as: memberToken })).status).toBe(404);
    expect(await place('nothing', [first])).toBe(404);
    const otherApp = await createToken(service, owner, 'uploads:write');
    expect(await place(brochure, [first], otherApp)).toBe(404);
    await new PhotoTable(service.database).trash(brochure, owner.accountId, new Date());
    expect(await place(brochure, [first])).toBe(404);
  });

  it.each([
    ['501 entries', { placements: Array.from({ length: 501 }, () => ({ id: 'x' })) }, 400],
    ['no entries', {}, 400],
    ['an id that no upload has', { placements: [{ id: '../x' }] }, 400],
    ['a NUL', '{"placements": [{"id": "\\u0000"}]}', 400],
    ['a large body', `{"placements": [], "more": "${'x'.repeat(64 * 1024)}"}`, 413],
    [
      '500 entries with the longest ids',
      { placements: Array.from({ length: 500 }, (_, n) => ({ id: `${n}`.padStart(64, 'x') })) },
      204,
    ],
  ])('with %s are answered', async (_what, body, expected) => {
    expect((await request('PUT', `${brochure}/placements`, { body })).status).toBe(expected);
  });

  describe('the trash', () => {
    it('asks on the page of a used file, and names where', async () => {
      await place(brochure, [first]);
      await browser.open(`/photos/${first}`);
      const page = await browser.submit('Move to trash');
      expect(page.text).toContain('Move used files to the trash?');
      expect(page.text).toContain(`Cover ${count}.jpg in Brochure ${count}.pdf`);
      expect(await isTrashed(first)).toBe(false);
      await browser.submit('Move to trash');
      expect(await isTrashed(first)).toBe(true);
      expect(browser.page.text).toContain('Undo');
    });

    it('asks for several files, unless the using file is among them', async () => {
      await place(brochure, [first]);
      const other = await send(service, token, `Other ${count}.jpg`, photo(100, count * 10 + 3));
      const select = async (ids: readonly string[]): Promise<string> => {
        await browser.open('/photos');
        const body = new URLSearchParams([
          ['csrf', browser.csrf],
          ['action', 'trash'],
          ...ids.map((id) => ['photo', id] as [string, string]),
        ]);
        const answer = await fetch(`${service.baseUrl}/photos`, {
          method: 'POST',
          headers: { cookie: browser.sessionCookie },
          body,
        });
        return answer.text();
      };
      const asked = await select([second, other]);
      expect(asked).toContain('Move used files to the trash?');
      for (const id of [second, other]) expect(asked).toContain(`name="photo" value="${id}"`);
      expect([await isTrashed(second), await isTrashed(other)]).toEqual([false, false]);
      const table = new PlacementTable(service.database);
      const view = { workspaceId, accountId: undefined };
      expect(await table.used(view, [second, brochure], 1)).toEqual([]);
      expect(await table.used(view, [second], 1)).toHaveLength(1);
      await select([second, other, brochure]);
      expect([await isTrashed(second), await isTrashed(brochure)]).toEqual([true, true]);
    });

    it('asks for a whole list, and moves it once confirmed', async () => {
      const project = `project-${count}`;
      await service.database.query(
        `INSERT INTO projects (id, workspace_id, name, created_by, created_at) VALUES ($1, $2, $1, $3, now())`,
        [project, workspaceId, owner.accountId],
      );
      await service.database.query('UPDATE uploads SET project_id = $1 WHERE photo_id = $2', [
        project,
        first,
      ]);
      await place(brochure, [second]);
      await browser.open(`/projects/${project}`);
      const all = async (confirm: string): Promise<string> => {
        const fields = { csrf: browser.csrf, action: 'trash', all: 'yes', confirm };
        const answer = await fetch(
          `${service.baseUrl}/photos?project=${project}&workspace=${workspaceId}`,
          {
            method: 'POST',
            headers: { cookie: browser.sessionCookie },
            body: new URLSearchParams(fields),
          },
        );
        return answer.text();
      };
      const asked = await all('no');
      expect(asked).toContain(`Brochure ${count}.pdf`);
      expect(asked).toContain('name="all" value="yes"');
      expect(await isTrashed(first)).toBe(false);
      await all('yes');
      expect([await isTrashed(first), await isTrashed(brochure)]).toEqual([true, false]);
    });

    it('names at most twenty files', async () => {
      await addContainers('Layout', 30);
      const page = await browser.open(`/photos/${first}`);
      expect(page.markup.match(/>Layout \d+</g)).toHaveLength(20);
      expect(page.text).toContain('and more');
      const asked = await browser.submit('Move to trash');
      expect(asked.markup.match(/>Layout \d+</g)).toHaveLength(20);
      expect((await usesOf(first)).used_in).toHaveLength(30);
    });

    it('refuses a used file by the API until that is confirmed', async () => {
      await place(brochure, [first]);
      const refused = await request('POST', `${first}/trash`, { as: remover });
      expect(refused.status).toBe(409);
      expect(await refused.json()).toMatchObject({
        error: 'in_use',
        used_in: [{ id: brochure, name: `Brochure ${count}.pdf` }],
      });
      expect(await isTrashed(first)).toBe(false);
      expect((await request('POST', `${first}/trash?used=true`, { as: remover })).status).toBe(204);
      expect(await isTrashed(first)).toBe(true);
      // It is there already.
      expect((await request('POST', `${first}/trash`, { as: remover })).status).toBe(204);
    });

    it('does not ask because of an earlier version of the using file', async () => {
      await place(brochure, [first]);
      await send(service, token, `Brochure ${count}.pdf`, photo(100, count * 10 + 6));
      expect((await request('POST', `${first}/trash`, { as: remover })).status).toBe(204);
    });

    it('does not ask because of a file that the user does not see', async () => {
      const own = await send(service, memberToken, `Own ${count}.jpg`, photo(100, count * 10 + 5));
      await place(brochure, [own]);
      const theirs = await openSettings(service, member, `/photos/${own}`);
      const page = await theirs.submit('Move to trash');
      expect(page.text).not.toContain('Brochure');
      expect(await isTrashed(own)).toBe(true);
    });
  });

  it('show names of strangers as text', async () => {
    const name = `<img src=x onerror=alert(1)> ${count}.pdf`;
    const hostile = await send(service, token, name, photo(100, count * 10 + 8));
    await place(hostile, [first]);
    const page = await browser.open(`/photos/${first}`);
    expect(page.markup).not.toContain('<img src=x');
    const asked = await browser.submit('Move to trash');
    expect(asked.markup).not.toContain('<img src=x');
    expect(asked.text).toContain('onerror=alert(1)');
  });

  it('cost no more for a file that is used a thousand times', async () => {
    await addContainers('many', 1000);
    await service.database.query('ANALYZE uploads, placements');
    const planned: Planned[] = [];
    const table = new PlacementTable(planning(service.database, planned));
    const view = { workspaceId, accountId: undefined };
    const { usedIn } = await table.of({ photoId: first, id: second }, view, 21);
    expect(usedIn).toHaveLength(21);
    expect(planned.map(({ rowsRead }) => rowsRead < 500)).toEqual([true]);
    expect(await table.used(view, [second], 21)).toHaveLength(21);
    await service.database.query(`DELETE FROM uploads WHERE name LIKE 'many %'`);
  });
});
