import { beforeAll, describe, expect, it } from '@jest/globals';
import { VersionTable } from '../../../../service/features/photos/data/version-table.js';
import { addPerson, addWorkspace, connectAs, openSettings, send } from '../../support/users.js';
import type { Person } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { photo } from '../../support/tus-client.js';

describe('the versions of a photo', () => {
  let workspaceId: string;
  let owner: Person;
  let member: Person;
  let token: string;
  let first: string;
  let second: string;
  let third: string;

  const service = useService();
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addPerson(service, { [workspaceId]: 'owner' });
    member = await addPerson(service, { [workspaceId]: 'member' });
    token = await connectAs(service, member);
    first = await send(service, token, 'Harbour.jpg', photo(1000, 1));
    second = await send(service, token, 'Harbour.jpg', photo(2000, 2));
    third = await send(service, token, 'Harbour.jpg', photo(1000, 1));
    await send(service, token, 'harbour.jpg', photo(10));
    await send(service, await connectAs(service, owner), 'Harbour.jpg', photo(3000));
    // However quickly they came one after the other.
    for (const [index, id] of [first, second, third].entries())
      await service.database.query(
        `UPDATE uploads SET finished_at = timestamptz '2026-01-01' + $2 * interval '1 minute' WHERE id = $1`,
        [id, index],
      );
    await service.database.query('UPDATE uploads SET width = 6000, height = 4000 WHERE id = $1', [
      second,
    ]);
  });

  const see = async (person: Person, path: string): Promise<string> =>
    (await openSettings(service, person, path)).page.markup;
  /** The photos to which the page of a photo leads, in this order. */
  const versionsOn = (markup: string): string[] =>
    [...markup.matchAll(/<p><a href="\/photos\/([\w-]+)"><time/g)].map(([, id]) => id ?? '');
  const project = async (name: string): Promise<string> => {
    const id = `project-${name}`;
    await service.database.query(
      `INSERT INTO projects (id, workspace_id, name, created_at) VALUES ($1, $2, $3, now())`,
      [id, workspaceId, name],
    );
    return id;
  };
  const put = (id: string, into: string | null): Promise<unknown> =>
    service.database.query('UPDATE uploads SET project_id = $2 WHERE id = $1', [id, into]);

  it('stand on its page, the newest first, each with whether it is the same', async () => {
    const markup = await see(member, `/photos/${first}`);
    expect(versionsOn(markup)).toEqual([third, second]);
    const { text } = (await openSettings(service, member, `/photos/${first}`)).page;
    expect(text).toMatch(
      /There is a newer version \. .*00:02 UTC 1 kB identical .*00:01 UTC 2 kB · 6,000 × 4,000 pixels edited/,
    );
    expect(markup).toContain(`<a href="/photos/${third}">a newer version</a>`);
    const newest = (await openSettings(service, owner, `/photos/${third}`)).page;
    expect(newest.text).toContain('This is the newest version.');
    expect(versionsOn(newest.markup)).toEqual([second, first]);
  });

  it('are told in the list of photos at the newest one alone', async () => {
    const { text, markup } = (await openSettings(service, member, '/photos')).page;
    expect(text.match(/\d+ versions/g)).toEqual(['3 versions']);
    expect(markup.indexOf('3 versions')).toBeGreaterThan(markup.indexOf(`/photos/${third}"`));
    expect(markup.indexOf('3 versions')).toBeLessThan(markup.indexOf(`/photos/${second}"`));
  });

  it('are of one person: what a colleague sent under the same name is none', async () => {
    expect(versionsOn(await see(owner, `/photos/${first}`))).toEqual([third, second]);
    const lone = await send(service, token, 'Alone.jpg', photo(10));
    expect(await see(member, `/photos/${lone}`)).not.toContain('Versions');
  });

  it('lie in the same project, or all in none', async () => {
    const [autumn, winter] = [await project('Autumn'), await project('Winter')];
    await put(second, autumn);
    expect(versionsOn(await see(member, `/photos/${first}`))).toEqual([third]);
    expect(await see(member, `/photos/${second}`)).not.toContain('Versions');
    await put(first, autumn);
    expect(versionsOn(await see(member, `/photos/${second}`))).toEqual([first]);
    await put(first, winter);
    expect(await see(member, `/photos/${first}`)).not.toContain('Versions');
    for (const id of [first, second]) await put(id, null);
  });

  it('are none in the trash, and are again when they come out of it', async () => {
    const browser = await openSettings(service, member, `/photos/${third}`);
    await browser.submit('Move to trash');
    const { markup, text } = await browser.open(`/photos/${second}`);
    expect(versionsOn(markup)).toEqual([first]);
    expect(text).toContain('This is the newest version.');
    // From the trash the others are seen, and none is called newer.
    const trashed = await browser.open(`/photos/${third}`);
    expect(versionsOn(trashed.markup)).toEqual([second, first]);
    expect(trashed.text).not.toContain('newer version');
    expect((await browser.open('/photos')).text).toContain('2 versions');
    await browser.open(`/photos/${third}`);
    await browser.submit('Restore');
    expect(versionsOn(await see(member, `/photos/${first}`))).toEqual([third, second]);
  });

  it('are not shown by a link to one of them', async () => {
    const browser = await openSettings(service, member, `/shares/new?photo=${first}`);
    const made = await browser.submit('Create link');
    const link = /http[^<\s]+\/s\/[\w-]+/.exec(made.markup)?.[0] ?? '';
    const shown = await (await fetch(link)).text();
    expect(shown).toContain('Harbour.jpg');
    for (const other of [second, third, 'versions']) expect(shown).not.toContain(other);
  });

  describe('for programs', () => {
    const versionsOf = async (id: string, accessToken: string): Promise<string[]> => {
      const answer = await fetch(`${service.baseUrl}/api/v1/uploads/${id}`, {
        headers: { authorization: `Bearer ${accessToken}` },
      });
      const { versions } = (await answer.json()) as { versions: { id: string }[] };
      return versions.map((version) => version.id);
    };

    it('stand with the upload, as far as its list shows them', async () => {
      expect(await versionsOf(first, token)).toEqual([third, second]);
      await service.database.query(`UPDATE uploads SET client_id = 'another' WHERE id = $1`, [
        second,
      ]);
      expect(await versionsOf(first, token)).toEqual([third]);
      const reads = await connectAs(service, member, 'uploads:read');
      expect(await versionsOf(first, reads)).toEqual([third, second]);
    });
  });

  describe('where there are very many', () => {
    beforeAll(async () => {
      await service.database.query(
        `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at,
                              finished_at, sha256)
         SELECT 'many-' || n, $1, $2, 10, 'image.jpg', '', '{}', now(),
                timestamptz '2025-01-01' + n * interval '1 second', repeat('a', 64)
           FROM generate_series(1, 1000) AS n`,
        [member.accountId, workspaceId],
      );
      await service.database.query('ANALYZE uploads');
    });

    it('are shown and counted so far, with the way to all', async () => {
      const page = (await openSettings(service, member, '/photos/many-7')).page;
      expect(versionsOn(page.markup)).toEqual(
        Array.from({ length: 20 }, (_, index) => `many-${1000 - index}`),
      );
      expect(page.markup).toMatch(/href="\/photos\?[^"]*name=image\.jpg[^"]*">Show all photos/);
      const counts = await new VersionTable(service.database).counts(['many-1000', 'many-7']);
      expect([...counts]).toEqual([['many-1000', 100]]);
    });

    it('are read by an index in their order, and not to the end', async () => {
      const asked: { sql: string; params: readonly unknown[] }[] = [];
      const table = new VersionTable({
        query: async (sql, params = []) => {
          asked.push({ sql, params });
          return service.database.query(sql, params);
        },
      });
      await table.of('many-7', 22);
      await table.counts(['many-7', 'many-1000', third]);
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
