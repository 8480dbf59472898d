import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unzipSync } from 'fflate';
import type { Database, SqlValue } from '../../../../service/kernel/database/database.js';
import { IS_LONG } from '../../../support/long-runs.js';
import { openReadyDatabase } from '../../support/database-templates.js';
import { addUser, addWorkspace, elementText, openSettings } from '../../support/users.js';
import type { TestUser } from '../../support/users.js';
import { startTestService } from '../../support/running-service.js';
import type { TestService } from '../../support/running-service.js';
import { markAsSearched } from '../../support/searched-photos.js';
import { photo } from '../../support/tus-client.js';

const COUNT = 210;
/** How many photos have a unique name; the others repeat these names. */
const NAMES = 200;

describe('a ZIP of more photos than a page shows', () => {
  let service: TestService;
  let workspaceId: string;
  let owner: TestUser;
  let member: TestUser;
  let link: string;

  const insert = (id: string, count: number, by: TestUser, project: string): Promise<unknown> =>
    service.database.transaction(async (transaction) => {
      await transaction.query(
        `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at,
                              search_text, sha256, project_id)
         SELECT $1 || n, $2, $3, n % 7 * 1000, 'DSC_' || n % $6::int || '.jpg', '', '{}', now(),
                timestamptz '2026-01-01' + n * interval '1 second', 'dsc_' || n % $6::int || '.jpg', repeat('a', 64), $4
           FROM generate_series(1, $5::int) AS n`,
        [id, by.accountId, workspaceId, project, count, NAMES],
      );
      // Their bytes are written later or never, so the thumbnail worker must not search for them.
      await markAsSearched(transaction);
    });
  /** The statements that the service has sent to the database. */
  const questions: string[] = [];
  /** Answers as if the project `endless` had the requested number of photos: creating these rows would take seconds. */
  const withEndless =
    (database: Database): Database['query'] =>
    async <Row extends object>(sql: string, params: readonly SqlValue[] = []) => {
      questions.push(sql);
      if (params.includes('endless') && sql.includes('JOIN photo_counts') && !IS_LONG)
        return [{ photos: 10_001, replaced: 0, trashed: 0 } as unknown as Row];
      const limit = Number(params.at(-1));
      if (!params.includes('endless') || !sql.includes('FROM uploads') || IS_LONG)
        return database.query<Row>(sql, params);
      const one = { id: 'endless-1', name: 'a.jpg', size: 1, at: '2026-01-01T00:00:00Z' };
      return [{ count: limit, part: Array.from({ length: limit }, () => one) } as unknown as Row];
    };
  const addProject = (id: string, name: string): Promise<unknown> =>
    service.database.query(
      'INSERT INTO projects (id, workspace_id, name, created_at) VALUES ($1, $2, $3, now())',
      [id, workspaceId, name],
    );
  const bytesOf = (index: number): Uint8Array<ArrayBuffer> => photo((index % 7) * 1000, index);
  /** Makes a link to a project; gives its address. */
  const share = async (user: TestUser, project: string): Promise<string> => {
    const browser = await openSettings(service, user, `/shares/new?project=${project}`);
    return elementText(await browser.submit('Create link'), 'secret');
  };
  const fetchZip = async (address: string, cookie = ''): Promise<Record<string, Uint8Array>> => {
    const answer = await fetch(address, { headers: { cookie } });
    expect([address, answer.status]).toEqual([address, 200]);
    const whole = new Uint8Array(await answer.arrayBuffer());
    expect(answer.headers.get('content-length')).toBe(String(whole.length));
    return unzipSync(whole);
  };

  beforeAll(async () => {
    const database = await openReadyDatabase();
    service = await startTestService({
      database: { ...database, query: withEndless(database) },
    });
    workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    member = await addUser(service, { [workspaceId]: 'member' });
    await addProject('wedding', 'Küste: 2026');
    await insert('many-', COUNT, owner, 'wedding');
    for (let index = 1; index <= COUNT; index += 1)
      await service.stored.add(`many-${index}`, bytesOf(index));
    link = await share(owner, 'wedding');
  });
  afterAll(() => service.close());

  it('holds a whole project, by a link, byte for byte', async () => {
    const page = await (await fetch(link)).text();
    expect(page).toMatch(/href="\/s\/[^"?]+\/zip"/);
    const files = await fetchZip(`${link}/zip`);
    expect(Object.keys(files)).toHaveLength(COUNT);
    // The newest first; names that are there twice were numbered.
    expect(Object.keys(files)[0]).toBe('DSC_10.jpg');
    for (let index = 1; index <= COUNT; index += 1) {
      const name = `DSC_${index % NAMES}${index <= COUNT - NAMES ? ' (2)' : ''}.jpg`;
      const content = Buffer.from(files[name] ?? photo(9999));
      expect([name, content.equals(bytesOf(index))]).toEqual([name, true]);
    }
  });

  it('holds the photos of one page', async () => {
    const page = await (await fetch(link)).text();
    const address = /href="(\/s\/[^"]+only=page[^"]*)"/.exec(page)?.[1] ?? '';
    const first = await fetchZip(service.baseUrl + address.replaceAll('&amp;', '&'));
    expect(Object.keys(first)).toHaveLength(100);
    const next = /href="([^"]+)"\s+rel="next"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = await (await fetch(service.baseUrl + next)).text();
    const other = /href="(\/s\/[^"]+only=page[^"]*)"/.exec(second)?.[1] ?? '';
    const files = await fetchZip(service.baseUrl + other.replaceAll('&amp;', '&'));
    expect(Object.keys(files)).toHaveLength(100);
    expect(Object.keys(files).some((name) => name in first)).toBe(false);
  });

  it('holds only the photos that a member sees in the list', async () => {
    await addProject('shared', 'Shared');
    await insert('by-owner-', 70, owner, 'shared');
    await insert('by-member-', 60, member, 'shared');
    for (let index = 1; index <= 70; index += 1)
      for (const by of ['by-owner-', 'by-member-'])
        await service.stored.add(`${by}${index}`, bytesOf(index));
    const list = `/photos?workspace=${workspaceId}&project=shared`;
    for (const [user, count] of [
      [owner, 130],
      [member, 60],
    ] as const) {
      const browser = await openSettings(service, user, list);
      const address = /href="(\/photos\/zip[^"]*)"/.exec(browser.page.markup)?.[1] ?? '';
      const all = service.baseUrl + address.replaceAll('&amp;', '&');
      expect(Object.keys(await fetchZip(all, browser.sessionCookie))).toHaveLength(count);
      const manage = await browser.open('/projects/shared');
      expect(manage.text).toContain('Download all as ZIP');
    }
    const found = await openSettings(service, owner, '/photos');
    const some = `${service.baseUrl}/photos/zip?project=wedding&q=sc_10`;
    // 10 and 100 to 109, of which 10 is there twice.
    expect(Object.keys(await fetchZip(some, found.sessionCookie))).toHaveLength(12);
  });

  it('is described by HEAD with one look at the list, whose locations are known', async () => {
    const before = questions.length;
    const response = await fetch(`${link}/zip`, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-disposition')).toContain("UTF-8''K%C3%BCste_%202026.zip");
    expect(response.headers.has('content-length')).toBe(false);
    const asked = questions
      .slice(before)
      .filter((sql) => /(FROM uploads|JOIN photo_counts)/.test(sql));
    expect(asked).toEqual([expect.stringMatching(/json_agg/)]);
  });

  it('has a limit, which the page shows', async () => {
    await addProject('endless', 'Endless');
    await insert('endless-', IS_LONG ? 10_001 : 1, owner, 'endless');
    const endless = await share(owner, 'endless');
    const browser = await openSettings(service, owner, '/photos');
    for (const address of [
      `${endless}/zip`,
      `${service.baseUrl}/photos/zip?workspace=${workspaceId}&project=endless`,
    ]) {
      for (const method of ['HEAD', 'GET']) {
        const response = await fetch(address, {
          method,
          headers: { cookie: browser.sessionCookie },
        });
        expect([method, response.status]).toEqual([method, 400]);
        expect((await response.text()).includes('A ZIP can hold 10,000 files at most')).toBe(
          method === 'GET',
        );
      }
    }
  });

  it('is not served for an empty selection or an unknown user', async () => {
    const browser = await openSettings(service, member, '/photos');
    for (const method of ['HEAD', 'GET']) {
      const response = await fetch(`${service.baseUrl}/photos/zip?q=nothing-like-it`, {
        method,
        headers: { cookie: browser.sessionCookie },
      });
      expect([method, response.status]).toEqual([method, 404]);
    }
    const empty = await browser.open('/photos/zip?q=nothing-like-it');
    expect([empty.status, empty.text.includes('No files match')]).toEqual([404, true]);
    const outsider = await fetch(`${service.baseUrl}/photos/zip`, { redirect: 'manual' });
    expect(outsider.headers.get('location')).toContain('/settings/sign-in?to=');
  });
});
