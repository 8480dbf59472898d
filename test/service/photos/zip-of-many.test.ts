import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unzipSync } from 'fflate';
import { request, type IncomingMessage } from 'node:http';
import type { Database, SqlValue } from '../../../service/database/database.js';
import { namesInZip } from '../../../service/photos/zip.js';
import { IS_LONG } from '../../support/long-runs.js';
import { openReadyDatabase } from '../kept-databases.js';
import { addPerson, addWorkspace, elementText, openSettings } from '../people.js';
import type { Person } from '../people.js';
import { startTestService } from '../running.js';
import type { TestService } from '../running.js';
import { photo } from '../tus.js';

const COUNT = 210;
/** How many photos have a name of their own; the others have one of these again. */
const NAMES = 200;

describe('a ZIP of more photos than a page shows', () => {
  let now = Date.parse('2026-11-22T12:00:00Z');
  let service: TestService;
  let studio: string;
  let owner: Person;
  let member: Person;
  let link: string;

  const insert = (id: string, count: number, by: Person, project: string): Promise<unknown> =>
    service.database.transaction(async (transaction) => {
      await transaction.query(
        `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at,
                              sha256, project_id)
         SELECT $1 || n, $2, $3, n % 7 * 1000, 'DSC_' || n % $6::int || '.jpg', '', '{}', now(),
                timestamptz '2026-01-01' + n * interval '1 second', repeat('a', 64), $4
           FROM generate_series(1, $5::int) AS n`,
        [id, by.accountId, studio, project, count, NAMES],
      );
      // Their bytes come later or never: a service that looks for what nobody has looked at would miss them.
      await transaction.query(`UPDATE thumbnails SET state = 'failed', lease_until = NULL`);
    });
  /** How many photos the database has yet to give of the project `endless`: so many rows take seconds to make. */
  let yetToGive = 0;
  let photoOfMany: object | undefined;
  /** Gives the one photo of that project again and again, page by page. */
  const withEndless =
    (database: Database): Database['query'] =>
    async <Row extends object>(sql: string, params: readonly SqlValue[] = []) => {
      const rows = await database.query<Row>(sql, params);
      if (yetToGive === 0 || !params.includes('endless') || !sql.includes('FROM uploads'))
        return rows;
      photoOfMany ??= rows[0];
      const given = Math.min(yetToGive, Number(params.at(-1)));
      yetToGive -= given;
      return Array.from({ length: given }, () => photoOfMany as Row);
    };
  const addProject = (id: string, name: string): Promise<unknown> =>
    service.database.query(
      'INSERT INTO projects (id, workspace_id, name, created_at) VALUES ($1, $2, $3, now())',
      [id, studio, name],
    );
  const bytesOf = (index: number): Uint8Array<ArrayBuffer> => photo((index % 7) * 1000, index);
  /** Makes a link to a project; gives its address. */
  const share = async (person: Person, project: string): Promise<string> => {
    const browser = await openSettings(service, person, `/shares/new?project=${project}`);
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
      now: () => new Date(now),
      database: { ...database, query: withEndless(database) },
    });
    studio = await addWorkspace(service, 'North Studio');
    owner = await addPerson(service, { [studio]: 'owner' });
    member = await addPerson(service, { [studio]: 'member' });
    await addProject('wedding', 'Küste: 2026');
    await insert('many-', COUNT, owner, 'wedding');
    for (let index = 1; index <= COUNT; index += 1)
      await service.stored.add(`many-${index}`, bytesOf(index));
    link = await share(owner, 'wedding');
  });
  afterAll(() => service.close());

  it('holds a whole project, by a link, byte for byte', async () => {
    const page = await (await fetch(link)).text();
    expect(page).toContain('Download all as ZIP');
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

  it('or the photos of one page of it', async () => {
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

  it('holds for members what a list shows them, and no more', async () => {
    await addProject('shared', 'Shared');
    await insert('by-owner-', 70, owner, 'shared');
    await insert('by-member-', 60, member, 'shared');
    for (let index = 1; index <= 70; index += 1)
      for (const by of ['by-owner-', 'by-member-'])
        await service.stored.add(`${by}${index}`, bytesOf(index));
    const list = `/photos?workspace=${studio}&project=shared`;
    for (const [person, count] of [
      [owner, 130],
      [member, 60],
    ] as const) {
      const browser = await openSettings(service, person, list);
      const address = /href="(\/photos\/zip[^"]*)"/.exec(browser.page.markup)?.[1] ?? '';
      const all = service.baseUrl + address.replaceAll('&amp;', '&');
      expect(Object.keys(await fetchZip(all, browser.sessionCookie))).toHaveLength(count);
      const manage = await browser.open('/projects/shared');
      expect(manage.text).toContain('Download all as ZIP');
    }
    const found = await openSettings(service, owner, '/photos');
    const some = `${service.baseUrl}/photos/zip?project=wedding&name=sc_10`;
    // 10 and 100 to 109, of which 10 is there twice.
    expect(Object.keys(await fetchZip(some, found.sessionCookie))).toHaveLength(12);
  });

  it('is told by HEAD without being made', async () => {
    const answer = await fetch(`${link}/zip`, { method: 'HEAD' });
    expect(answer.headers.get('content-disposition')).toContain("UTF-8''K%C3%BCste_%202026.zip");
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(COUNT * 1000);
    expect(await answer.text()).toBe('');
  });

  it('has a bound, which people are told', async () => {
    await addProject('endless', 'Endless');
    await insert('endless-', IS_LONG ? 10_001 : 1, owner, 'endless');
    const endless = await share(owner, 'endless');
    const browser = await openSettings(service, owner, '/photos');
    for (const address of [
      `${endless}/zip`,
      `${service.baseUrl}/photos/zip?workspace=${studio}&project=endless`,
    ]) {
      yetToGive = IS_LONG ? 0 : 10_001;
      const answer = await fetch(address, { headers: { cookie: browser.sessionCookie } });
      expect([answer.status, yetToGive]).toEqual([400, 0]);
      expect(await answer.text()).toContain('One ZIP holds 10,000 photos at most');
    }
  });

  it('has none of nothing, of nobody', async () => {
    const browser = await openSettings(service, member, '/photos');
    const empty = await browser.open('/photos/zip?name=nothing-like-it');
    expect([empty.status, empty.text.includes('No photo matches')]).toEqual([404, true]);
    const stranger = await fetch(`${service.baseUrl}/photos/zip`, { redirect: 'manual' });
    expect(stranger.headers.get('location')).toContain('/settings/sign-in?to=');
  });

  describe('ends soon after the permission for it, and looks cut off then', () => {
    let partner: Person;

    beforeAll(async () => {
      partner = await addPerson(service, { [studio]: 'owner' });
      await addProject('long', 'Long');
      await insert('long-', 3, owner, 'long');
      // The newest is larger than what lies on the way to a client that rests.
      const size = 24 * 1024 * 1024;
      for (const index of [1, 2, 3]) await service.stored.add(`long-${index}`, bytesOf(index));
      await service.stored.resize('long-3', size);
      await service.database.query(`UPDATE uploads SET size = $1 WHERE id = 'long-3'`, [size]);
    });
    afterAll(() => {
      expect(service.logLines.filter(({ event }) => event === 'server_error')).toEqual([]);
    });

    const setRole = (person: Person, role: string): Promise<unknown> =>
      service.database.query('UPDATE workspace_members SET role = $1 WHERE account_id = $2', [
        role,
        person.accountId,
      ]);
    const setViewing = (isOpen: boolean): Promise<unknown> =>
      service.database.query('UPDATE workspaces SET members_see_all = $1', [isOpen]);

    /** Begins to read a ZIP, rests while something is changed, and reads on. Gives whether it came whole. */
    async function isWhole(
      { address, cookie, form }: Zip,
      change: () => Promise<unknown>,
    ): Promise<boolean> {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const headers = {
          ...(cookie !== undefined && { cookie }),
          ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        };
        const method = form === undefined ? 'GET' : 'POST';
        request(address, { agent: false, headers, method }, resolve).on('error', reject).end(form);
      });
      expect(answer.statusCode).toBe(200);
      const ended = new Promise((resolve) => answer.once('error', resolve).once('close', resolve));
      now += 31_000;
      await change();
      answer.resume();
      await ended;
      return answer.complete;
    }

    interface Zip {
      readonly address: string;
      readonly cookie?: string;
      readonly form?: string;
    }
    const ofLink = async (person: Person): Promise<Zip> => ({
      address: `${await share(person, 'long')}/zip`,
    });
    const ofList = async (person: Person): Promise<Zip> => {
      const { sessionCookie } = await openSettings(service, person, '/photos');
      const address = `${service.baseUrl}/photos/zip?workspace=${studio}&project=long`;
      return { address, cookie: sessionCookie };
    };
    const ofChosen = async (person: Person): Promise<Zip> => {
      const browser = await openSettings(service, person, '/photos?project=long');
      const csrf = /name="csrf" value="([^"]+)"/.exec(browser.page.markup)?.[1] ?? '';
      const photos = ['long-3', 'long-2'].map((id) => ['photo', id]);
      const form = new URLSearchParams([['csrf', csrf], ...photos]).toString();
      return { address: `${service.baseUrl}/photos/zip`, cookie: browser.sessionCookie, form };
    };
    const nothing = (): Promise<unknown> => Promise.resolve();

    it.each([
      ['by a link', () => ofLink(owner)],
      ['of a list', () => ofList(partner)],
      ['of chosen ones', () => ofChosen(partner)],
    ])('and not before: %s', async (_what, begin) => {
      expect(await isWhole(await begin(), nothing)).toBe(true);
    });

    it('when the link is revoked', async () => {
      const revoke = (): Promise<unknown> =>
        service.database.query('DELETE FROM shares WHERE project_id = $1', ['long']);
      expect(await isWhole(await ofLink(owner), revoke)).toBe(false);
    });

    it.each([
      ['a link', ofLink],
      ['a list', ofList],
      ['chosen photos', ofChosen],
    ])('when who made it, of %s, no longer owns the workspace', async (_what, begin) => {
      const isCut = !(await isWhole(await begin(partner), () => setRole(partner, 'member')));
      await setRole(partner, 'owner');
      expect(isCut).toBe(true);
    });

    it.each([
      ['a link', ofLink],
      ['a list', ofList],
      ['chosen photos', ofChosen],
    ])('when viewing is closed, for a member: %s', async (_what, begin) => {
      await setViewing(true);
      expect(await isWhole(await begin(member), () => setViewing(false))).toBe(false);
    });

    it('but goes on where a member loses the view of others and reads only their own', async () => {
      await service.database.query(`UPDATE uploads SET account_id = $1 WHERE id LIKE 'long-%'`, [
        member.accountId,
      ]);
      const zip = await ofList(member);
      const isStill = await isWhole(zip, () => setViewing(false));
      await service.database.query(`UPDATE uploads SET account_id = $1 WHERE id LIKE 'long-%'`, [
        owner.accountId,
      ]);
      expect(isStill).toBe(true);
    });
  });

  it('has no name that Windows gives to a device', () => {
    expect(namesInZip(['NUL.jpg', 'con', 'Com1.a.tif', 'aux .psd', 'console.jpg', 'prn1'])).toEqual(
      ['_NUL.jpg', '_con', '_Com1.a.tif', '_aux .psd', 'console.jpg', 'prn1'],
    );
  });

  it('has a name for each of very many that are called alike', () => {
    const names = namesInZip(Array.from({ length: 10_000 }, () => 'image.jpg'));
    expect(new Set(names).size).toBe(10_000);
    expect(names.slice(0, 3)).toEqual(['image.jpg', 'image (2).jpg', 'image (3).jpg']);
    expect(names.at(-1)).toBe('image (10000).jpg');
  });
});
