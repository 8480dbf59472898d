import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { unzipSync } from 'fflate';
import { PersonalTokens } from '../../../../service/identity/accounts/personal-access-tokens.js';
import type { Scope } from '../../../../service/identity/scopes.js';
import { VersionTable } from '../../../../service/library/photos/data/version-table.js';
import type { TestBrowser } from '../../support/browser-client.js';
import {
  addUser,
  addWorkspace,
  connectAs,
  openSettings,
  send,
  type TestUser,
} from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { authorization, create, jpeg, photo } from '../../support/tus-client.js';
import { addWorkspaceFixture } from '../../support/workspace-fixture.js';
import { getAsAnybody, shareAs, statusAt } from '../../delivery/shares/sharing.js';

describe('the versions of a photo', () => {
  let workspaceId: string;
  let owner: TestUser;
  let member: TestUser;
  let colleague: TestUser;
  let token: string;
  let count = 0;
  /** The name of the photo of each test, and its two versions. */
  let name: string;
  let first: string;
  let second: string;

  const service = useService();
  beforeAll(async () => {
    ({ workspaceId, owner, member } = await addWorkspaceFixture(service));
    colleague = await addUser(service, { [workspaceId]: 'member' });
    token = await personalToken(member, [
      'uploads:write',
      'uploads:read',
      'uploads:delete',
      'projects:write',
    ]);
  });
  beforeEach(async () => {
    count += 1;
    name = `Harbour ${count}.jpg`;
    first = await send(service, token, name, jpeg(1000));
    second = await send(service, token, name, jpeg(2000));
  });

  const personalToken = async (
    user: TestUser,
    scopes: readonly Scope[],
    inWorkspace = workspaceId,
  ): Promise<string> => {
    const tokens = new PersonalTokens(service.database, () => new Date());
    const entry = { workspaceId: inWorkspace, name: 'test', scopes, days: 1 };
    return (await tokens.create(user.accountId, entry)) ?? '';
  };
  const ask = (path: string, as: string, body?: object): Promise<Response> =>
    fetch(service.baseUrl + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...authorization(as), 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const json = async <T>(path: string, body?: object): Promise<T> =>
    (await (await ask(path, token, body)).json()) as T;
  const use = (browser: TestBrowser, on: string, version: string): Promise<Response> =>
    fetch(`${service.baseUrl}/photos/${on}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: browser.sessionCookie },
      body: new URLSearchParams({ csrf: browser.csrf, action: 'use', version }),
    });
  const currentOf = async (id: string): Promise<unknown> => {
    const { current } = await json<{ current: boolean }>(`/api/v1/uploads/${id}`);
    return current;
  };

  it('appear on the page of the photo, which shows the current one under each of their addresses', async () => {
    for (const id of [first, second]) {
      const { page } = await openSettings(service, member, `/photos/${id}`);
      expect(page.text).toMatch(
        /Versions Version 2 · .* Current · a personal access token · 2 kB · edited Make separate file Download Version 1 · .* a personal access token · 1 kB Compare Make current Download Lists and links show the current version\. .*2,000 bytes/,
      );
      expect(page.markup).toContain(`href="/photos/${first}/file" download`);
      expect(page.markup).toContain(`<a href="/photos/${second}/preview" class="picture"`);
    }
  });

  it('do not appear on the page of a photo with only one', async () => {
    const lone = await send(service, token, `Alone ${count}.jpg`, photo(10));
    const { page } = await openSettings(service, member, `/photos/${lone}`);
    expect(page.text).not.toContain('Versions');
  });

  it.each([
    ['en', 'Version 1', 'Make current'],
    ['de', 'Version 1', 'Als aktuelle verwenden'],
    ['ja', 'バージョン1', 'このバージョンに戻す'],
  ])('are named in the language %s', async (language, heading, button) => {
    const browser = await openSettings(service, member, '/photos');
    browser.reads(language);
    const { text } = await browser.open(`/photos/${first}`);
    expect(text).toContain(heading);
    expect(text).toContain(button);
  });

  it('count as one photo in lists, in ZIPs and in a search', async () => {
    const browser = await openSettings(service, member, '/photos');
    for (const path of ['/photos', `/photos?q=${encodeURIComponent(name)}`]) {
      const { markup } = await browser.open(path);
      expect(markup.match(new RegExp(`data-name="${name}"`, 'g'))).toHaveLength(1);
      expect(markup).toMatch(new RegExp(`/photos/${second}[?"][^]*\\bv2\\b`));
    }
    const query = new URLSearchParams({ workspace: workspaceId, q: name });
    const zip = await fetch(`${service.baseUrl}/photos/zip?${query.toString()}`, {
      headers: { cookie: browser.sessionCookie },
    });
    const files = unzipSync(new Uint8Array(await zip.arrayBuffer()));
    expect(Object.entries(files).map(([file, { length }]) => [file, length])).toEqual([
      [name, 2000],
    ]);
  });

  it('are replaced by one that is brought back, and the other can be chosen again', async () => {
    const browser = await openSettings(service, member, `/photos/${second}`);
    const { text, url } = await browser.submit('Make current');
    expect(text).toContain('Current version changed.');
    expect(text).toContain('1,000 bytes');
    expect(new URL(url).pathname).toBe(`/photos/${first}`);
    expect((await browser.open('/photos')).markup).toContain(`/photos/${first}"`);
    await browser.open(`/photos/${first}`);
    await browser.submit('Make current');
    expect(await Promise.all([first, second].map(currentOf))).toEqual([false, true]);
  });

  it('are chosen by those who may change the photo, with a form of the page', async () => {
    const others = await openSettings(service, colleague, '/settings/account');
    expect((await use(others, first, first)).status).toBe(404);
    const own = await openSettings(service, member, `/photos/${first}`);
    const foreign = await send(service, await connectAs(service, owner), 'Own.jpg', photo(10));
    for (const version of [foreign, 'nothing', '']) {
      const answer = await use(own, first, version);
      expect(answer.headers.get('location')).toBe(`/photos/${first}`);
    }
    const forged = Object.assign(own.copy(), {});
    forged.show({ ...own.page, forms: [] });
    expect((await use(forged, first, first)).status).toBe(403);
    expect(await Promise.all([first, second].map(currentOf))).toEqual([false, true]);
    const byOwner = await openSettings(service, owner, `/photos/${first}`);
    expect((await use(byOwner, first, first)).status).toBe(303);
    expect(await currentOf(first)).toBe(true);
  });

  it('go to the trash together and come back whole', async () => {
    const third = await send(service, token, name, jpeg(3000));
    const browser = await openSettings(service, member, `/photos/${first}`);
    await browser.submit('Move to trash');
    for (const id of [first, second, third]) {
      expect((await ask(`/api/v1/uploads/${id}`, token)).status).toBe(404);
    }
    const { markup } = await browser.open('/photos/trash');
    expect(markup.match(new RegExp(`<bdi\\b[^>]*>${name}</bdi>`, 'g'))).toHaveLength(1);
    const trashed = await browser.open(`/photos/${second}`);
    expect(trashed.text).toContain('Version 1 · ');
    expect(trashed.text).not.toContain('Make current');
    expect((await use(browser, first, first)).headers.get('location')).toBe(`/photos/${first}`);
    await browser.open(`/photos/${second}`);
    await browser.submit('Restore');
    expect(await Promise.all([first, second, third].map(currentOf))).toEqual([false, false, true]);
    expect((await browser.open(`/photos/${third}`)).text).toMatch(/Version 3 · [^·]* Current/);
  });

  it('go to the trash and to a project together by the API', async () => {
    const project = await json<{ id: string }>('/api/v1/projects', { name: `Spring ${count}` });
    await json(`/api/v1/uploads/${first}/project`, { project: project.id });
    for (const id of [first, second]) {
      expect(await json(`/api/v1/uploads/${id}`)).toMatchObject({ project: { id: project.id } });
    }
    expect((await ask(`/api/v1/uploads/${first}/trash`, token, {})).status).toBe(204);
    expect((await ask(`/api/v1/uploads/${second}`, token)).status).toBe(404);
    expect((await ask(`/api/v1/uploads/${first}/restore`, token, {})).status).toBe(204);
    expect((await ask(`/api/v1/uploads/${second}`, token)).status).toBe(200);
  });

  it('are read by the API with their photo and whether they are current', async () => {
    const { uploads } = await json<{ uploads: { id: string }[] }>(
      `/api/v1/uploads?name=${encodeURIComponent(name)}`,
    );
    expect(uploads).toEqual([
      expect.objectContaining({ id: first, photo: first, current: false }),
      expect.objectContaining({ id: second, photo: first, current: true }),
    ]);
    expect(await json(`/api/v1/uploads/${second}`)).toMatchObject({
      photo: first,
      current: true,
      versions: [{ id: first, name, size: 1000, current: false }],
    });
    await service.database.query(`UPDATE uploads SET client_id = 'another' WHERE id = $1`, [first]);
    expect(await json(`/api/v1/uploads/${second}`)).toMatchObject({ versions: [{ id: first }] });
    const ofApp = await personalToken(member, ['uploads:write']);
    expect(await (await ask(`/api/v1/uploads/${second}`, ofApp)).json()).toMatchObject({
      versions: [],
    });
  });

  it('become photos of their own by the API, for the app that has sent them', async () => {
    const third = await send(service, token, name, jpeg(3000));
    const detach = async (id: string, as = token): Promise<number> =>
      (await ask(`/api/v1/uploads/${id}/detach`, as, {})).status;
    expect(await detach(third, await personalToken(member, ['uploads:read']))).toBe(403);
    expect(await detach(third, await personalToken(owner, ['uploads:write']))).toBe(404);
    expect(await detach(third, await connectAs(service, member))).toBe(404);
    expect(await detach('nothing')).toBe(404);
    expect(await detach(first)).toBe(409);

    expect(await detach(third)).toBe(204);
    expect(await detach(third)).toBe(204);
    expect(await json(`/api/v1/uploads/${third}`)).toMatchObject({ photo: third, current: true });
    expect(await Promise.all([first, second].map(currentOf))).toEqual([false, true]);

    // One that is not current leaves the others as they are.
    const fourth = await send(service, token, name, photo(4000));
    const fifth = await send(service, token, name, photo(5000));
    expect(await detach(fourth)).toBe(204);
    expect(await Promise.all([third, fourth, fifth].map(currentOf))).toEqual([false, true, true]);

    await ask(`/api/v1/uploads/${fifth}/trash`, token, {});
    expect(await detach(fifth)).toBe(404);
    expect(await detach(third)).toBe(404);
  });

  it('stay versions for other users, for other workspaces, and on the page of another photo', async () => {
    const elsewhere = await addWorkspace(service, 'South Agency');
    const outsider = await addUser(service, { [elsewhere]: 'owner' });
    const both = await addUser(service, { [workspaceId]: 'member', [elsewhere]: 'member' });
    const sending = await personalToken(both, ['uploads:write', 'uploads:read']);
    const [earlier, version] = [
      await send(service, sending, name, jpeg(1000)),
      await send(service, sending, name, jpeg(2000)),
    ];
    for (const [user, inWorkspace] of [
      [colleague, workspaceId],
      [outsider, elsewhere],
      [both, elsewhere],
    ] as const) {
      const theirs = await personalToken(user, ['uploads:write'], inWorkspace);
      expect((await ask(`/api/v1/uploads/${version}/detach`, theirs, {})).status).toBe(404);
    }
    const detachOn = async (user: TestUser, on: string): Promise<number> => {
      const browser = await openSettings(service, user, '/settings/account');
      const { status } = await fetch(`${service.baseUrl}/photos/${on}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie: browser.sessionCookie },
        body: new URLSearchParams({ csrf: browser.csrf, detach: version }),
      });
      return status;
    };
    const own = await send(
      service,
      await personalToken(outsider, ['uploads:write'], elsewhere),
      'Own.jpg',
      photo(20),
    );
    expect(await detachOn(colleague, version)).toBe(404);
    expect(await detachOn(outsider, version)).toBe(404);
    expect(await detachOn(outsider, own)).toBe(303);
    const now = await ask(`/api/v1/uploads/${version}`, sending);
    expect(await now.json()).toMatchObject({ photo: earlier });
  });

  it('become photos of their own on the page, with what guests said about them', async () => {
    const say = (upload: string, id: string): Promise<unknown> =>
      service.database.query(
        `INSERT INTO share_answers (id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256, created_at)
         SELECT $3, photo_id, 'approval', 'guest', 'Guest', id, 2, sha256, now() FROM uploads WHERE id = $1 AND $2 = $2`,
        [upload, '', id],
      );
    await say(first, `on-first-${count}`);
    await say(second, `on-second-${count}`);
    const browser = await openSettings(service, member, `/photos/${second}`);
    const { text, url } = await browser.submit('Make separate file');
    expect(text).toContain('Now a separate file.');
    expect(new URL(url).pathname).toBe(`/photos/${second}`);
    expect(text).not.toContain('Version 2');
    expect(await Promise.all([first, second].map(currentOf))).toEqual([true, true]);
    expect(
      await service.database.query(
        'SELECT photo_id FROM share_answers WHERE upload_id IN ($1, $2) ORDER BY id',
        [first, second],
      ),
    ).toEqual([{ photo_id: first }, { photo_id: second }]);
    // The first of several has no such button.
    expect((await browser.open(`/photos/${first}`)).text).not.toContain('Make separate file');
    expect((await browser.open('/photos')).markup.split(`data-name="${name}"`)).toHaveLength(3);
  });

  it('are named in the answer to their last byte', async () => {
    const versionOf = async (filename: string): Promise<string | null> => {
      const body = photo(10, count);
      const metadata = { filename, document: `xmp.did:${count}`, version_by: 'document' };
      const answer = await create(service.baseUrl, token, { length: 10, metadata, body });
      expect(answer.status).toBe(201);
      const address = service.baseUrl + (answer.headers.get('location') ?? '');
      const headers = { ...authorization(token), 'tus-resumable': '1.0.0' };
      const again = await fetch(address, { method: 'HEAD', headers });
      const said = answer.headers.get('photo-version');
      expect(again.headers.get('photo-version')).toBe(said);
      expect(answer.headers.get('access-control-expose-headers')).toContain('Photo-Version');
      return said;
    };
    expect(await versionOf('"Küste" 50%.psd')).toBeNull();
    expect(await versionOf('Final.psd')).toBe('2; of=%"%22K%c3%bcste%22 50%25.psd"');
    expect(await versionOf('Final.psd')).toBe('3; of=%"Final.psd"');
  });

  it('need the scope for projects if an upload names one', async () => {
    const project = await json<{ id: string }>('/api/v1/projects', { name: `Autumn ${count}` });
    const creation = (as: string, id: string): Promise<Response> =>
      fetch(`${service.baseUrl}/api/v1/uploads`, {
        method: 'POST',
        headers: {
          ...authorization(as),
          'tus-resumable': '1.0.0',
          'upload-length': '10',
          'upload-metadata': `project ${Buffer.from(id).toString('base64')}`,
        },
      });
    const refused = await creation(await connectAs(service, member, 'uploads:write'), project.id);
    expect([refused.status, await refused.json()]).toEqual([
      403,
      {
        error: 'insufficient_scope',
        error_description: 'the scope projects:write is required',
      },
    ]);
    expect(refused.headers.get('www-authenticate')).toContain('scope="projects:write"');
    const unknown = await creation(token, 'nothing');
    expect([unknown.status, await unknown.json()]).toMatchObject([
      422,
      { error: 'unknown_project' },
    ]);
    expect((await creation(token, project.id)).status).toBe(201);
  });

  describe('behind a link', () => {
    it('are shown by the current one, in its page, its file and its ZIP', async () => {
      const link = await shareAs(service, member, { photo: first });
      const third = await send(service, token, name, jpeg(3000));
      const shown = await (await getAsAnybody(service, link)).text();
      expect(shown).toContain(third);
      for (const other of [first, second]) expect(shown).not.toContain(`photo=${other}`);
      // A page that was opened before still has the address of an earlier one.
      for (const id of [first, second, third]) {
        const file = await getAsAnybody(service, `${link}/file?photo=${id}`);
        expect((await file.arrayBuffer()).byteLength).toBe(3000);
        expect(await statusAt(service, `${link}/thumbnail?photo=${id}`)).toBe(200);
      }
      const zip = await getAsAnybody(service, `${link}/zip`);
      const files = unzipSync(new Uint8Array(await zip.arrayBuffer()));
      expect(Object.keys(files)).toEqual([name]);
      const list = (await openSettings(service, member, '/shares')).page;
      expect(list.text).toContain(name);
    });

    it('are followed by the link to a project', async () => {
      const project = await json<{ id: string }>('/api/v1/projects', { name: `Wedding ${count}` });
      await json(`/api/v1/uploads/${first}/project`, { project: project.id });
      const link = await shareAs(service, member, { project: project.id });
      const third = await send(service, token, name, jpeg(3000));
      const shown = await (await getAsAnybody(service, link)).text();
      expect(shown).toContain(`photo=${third}`);
      expect(shown).not.toContain(`photo=${second}`);
      expect(await statusAt(service, `${link}/file?photo=${third}`)).toBe(200);
    });

    it('end with the photo, whichever of them was deleted, and return with it', async () => {
      const link = await shareAs(service, member, { photo: second });
      await ask(`/api/v1/uploads/${first}/trash`, token, {});
      expect(await statusAt(service, link)).toBe(404);
      await ask(`/api/v1/uploads/${second}/restore`, token, {});
      expect(await statusAt(service, link)).toBe(200);
    });
  });

  describe('if there are very many', () => {
    beforeAll(async () => {
      await service.database.query(
        `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at,
                              finished_at, sha256, version_of, is_current)
         SELECT 'many-' || n, $1, $2, 10, 'image.jpg', '', '{}', now(),
                timestamptz '2025-01-01' + n * interval '1 second', repeat('a', 64),
                CASE WHEN n BETWEEN 2 AND 1000 THEN 'many-1' END, n >= 1000
           FROM generate_series(1, 4000) AS n`,
        [member.accountId, workspaceId],
      );
      await service.database.query('ANALYZE uploads');
    });

    it('are shown part by part and counted to a limit', async () => {
      const browser = await openSettings(service, member, '/photos/many-7');
      const shown = (): string[] =>
        [...browser.page.markup.matchAll(/name="version"\s+value="many-(\d+)"/g)].map(
          ([, n]) => n ?? '',
        );
      expect(shown()).toEqual(Array.from({ length: 49 }, (_, index) => String(999 - index)));
      const next = /rel="next"\s+href="([^"]+)"/.exec(browser.page.markup)?.[1] ?? '';
      await browser.open(next);
      expect(shown()).toEqual(Array.from({ length: 50 }, (_, index) => String(950 - index)));
      const counts = await new VersionTable(service.database).counts(['many-1', first]);
      expect([...counts]).toEqual([
        ['many-1', 100],
        [first, 2],
      ]);
    });

    it('are read by an index in their order, and not to the end', async () => {
      const asked: { sql: string; params: readonly unknown[] }[] = [];
      const table = new VersionTable({
        query: async (sql, params = []) => {
          asked.push({ sql, params });
          return service.database.query(sql, params);
        },
      });
      await table.of('many-1', { limit: 51 });
      await table.counts(['many-1', first]);
      for (const { sql, params } of asked) {
        const plan = await service.database.query<{ 'QUERY PLAN': string }>(
          `EXPLAIN (ANALYZE, TIMING OFF) ${sql}`,
          params as never,
        );
        const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
        expect(lines).toContain('uploads_versions');
        expect(lines).not.toContain('Seq Scan on uploads');
        // Rows that a step has read.
        const read = [...lines.matchAll(/on uploads.*actual rows=([\d.]+) loops=(\d+)/g)];
        for (const [, rows, loops] of read) expect(Number(rows) * Number(loops)).toBeLessThan(500);
      }
      expect(asked).toHaveLength(2);
    });
  });
});
