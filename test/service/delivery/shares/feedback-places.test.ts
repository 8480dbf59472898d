import { createHash } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { EVENTS } from '../../../../service/app/events.js';
import { listEvents } from '../../../../service/kernel/events/event-log.js';
import { publicEvent } from '../../../../service/kernel/events/event.js';
import { FEEDBACK_KIND } from '../../../../service/library/feedback/events.js';
import type { MediaInfo } from '../../../../service/library/previews/media-info.js';
import { TestBrowser } from '../../support/browser-client.js';
import { becomes } from '../../../e2e/patience.js';
import { connectAs, openSettings, send, type TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { addWorkspaceFixture } from '../../support/workspace-fixture.js';
import { getAsAnybody, shareAs } from './sharing.js';

const FILES = {
  pdf: {
    name: 'Brochure.pdf',
    bytes: Buffer.from('%PDF-1.7\nthree pages'),
    type: 'application/pdf',
    media: { kind: 'document', pages: 3 } satisfies MediaInfo,
  },
  film: {
    name: 'Trailer.mp4',
    bytes: Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isomavc1 ninety seconds', 'latin1'),
    type: 'video/mp4',
    media: { kind: 'video', duration: 92.4, videoCodec: 'h264' } satisfies MediaInfo,
  },
} as const;

type FileName = keyof typeof FILES;
type Fields = Readonly<Record<string, string>>;

describe('comments of guests at a place', () => {
  let now = Date.parse('2026-11-28T12:00:00Z');
  let member: TestUser;
  let workspaceId: string;
  let token: string;
  const ids = { pdf: '', film: '' };
  const links = { pdf: '', film: '' };

  const service = useService({ now: () => new Date(now) });
  beforeAll(async () => {
    ({ member, workspaceId } = await addWorkspaceFixture(service));
    token = await connectAs(service, member);
    for (const file of ['pdf', 'film'] as const) {
      ids[file] = await addFile(file);
      links[file] = await shareAs(service, member, { photo: ids[file] });
    }
  });
  beforeEach(async () => {
    await service.database.query('DELETE FROM share_answers');
    await service.database.query('DELETE FROM audit_events');
    now += 3_600_000;
  });

  /** Resolves when the picture process will not write about a file again. */
  const untilRead = async (id: string): Promise<void> => {
    const sql = `SELECT 1 FROM thumbnails WHERE upload_id = $1 AND state <> 'none' AND location IS NOT NULL`;
    expect(await becomes(async () => (await service.database.query(sql, [id])).length > 0)).toBe(
      true,
    );
  };
  /** Sends a file, and notes what the picture process finds in whole ones. */
  const addFile = async (
    file: FileName,
    bytes: Uint8Array = FILES[file].bytes,
  ): Promise<string> => {
    const { name, type, media } = FILES[file];
    const id = await send(service, token, name, new Uint8Array(bytes));
    await untilRead(id);
    await service.database.query(
      `UPDATE uploads SET media_type = $2, media_info = $3::jsonb, preview_width = 3, preview_height = 2, preview_bytes = 1,
              preview_version = 1 WHERE id = $1`,
      [id, type, JSON.stringify(media)],
    );
    return id;
  };
  const visit = async (file: FileName): Promise<TestBrowser> => {
    const guest = new TestBrowser(service.baseUrl);
    await guest.open(`${links[file]}/photo?photo=${ids[file]}`);
    return guest;
  };
  const post = async (guest: TestBrowser, file: FileName, fields: Fields): Promise<Response> =>
    getAsAnybody(service, `${links[file]}/answers`, {
      method: 'POST',
      headers: { cookie: guest.allCookies, accept: 'application/json' },
      body: new URLSearchParams({ csrf: guest.csrf, name: 'Mia', version: ids[file], ...fields }),
    });
  const comment = (guest: TestBrowser, file: FileName, fields: Fields): Promise<Response> =>
    post(guest, file, { comment: ids[file], text: 'Here', ...fields });
  const rows = (): Promise<Record<string, unknown>[]> =>
    service.database.query('SELECT page, start_ms, end_ms, pin_x, pin_y FROM share_answers');
  const json = async (path: string, init: RequestInit = {}): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (await fetch(service.baseUrl + path, { ...init, headers })).json() as never;
  };
  const sha256 = (file: FileName): string =>
    createHash('sha256').update(FILES[file].bytes).digest('hex');

  const PLACES: readonly (readonly [FileName, Fields, Record<string, number>])[] = [
    ['pdf', { page: '3' }, { page: 3 }],
    ['pdf', { page: '3', x: '0.25', y: '0.5' }, { page: 3, x: 0.25, y: 0.5 }],
    ['film', { start: '0:42' }, { start: 42 }],
    [
      'film',
      { start: '0:42.5', end: '0:51', x: '0.25', y: '0.5' },
      { start: 42.5, end: 51, x: 0.25, y: 0.5 },
    ],
  ];
  it.each(PLACES)('are in the API, events and receipts: %s %j', async (file, fields, place) => {
    const guest = await visit(file);
    expect((await comment(guest, file, fields)).status).toBe(200);
    now += 1000;
    expect((await post(guest, file, { approve: ids[file] })).status).toBe(200);

    const bytes = { version: 1, sha256: sha256(file) };
    const said = { guest: { id: expect.any(String), name: 'Mia' }, at: expect.any(String) };
    const { feedback } = await json(`/api/v1/uploads/${ids[file]}`);
    const about = { link: expect.any(String), photo: ids[file], is_current: true };
    expect(feedback).toEqual([
      {
        ...{ id: expect.any(String), kind: 'comment', text: 'Here', done: false, reply: null },
        ...{ ...about, ...said, ...bytes, ...place },
      },
      { id: expect.any(String), kind: 'approval', withdrawn: null, ...about, ...said, ...bytes },
    ]);

    const stored = await listEvents(service.database, EVENTS, {
      ...{ of: { workspaceId }, kind: FEEDBACK_KIND, after: '0', limit: 20 },
    });
    const events = stored.map((event) => publicEvent(event, new Map()));
    expect(events.map(({ type }) => type)).toEqual([
      'feedback.comment_created',
      'feedback.approved',
    ]);
    expect(events[0]?.data).toMatchObject({ ...bytes, ...place, comment: expect.any(String) });
    for (const member of ['page', 'start', 'end', 'x', 'y']) {
      expect(events[1]?.data).not.toHaveProperty(member);
    }

    const receipt = await fetch(`${service.baseUrl}/api/v1/receipts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ uploads: [ids[file]] }),
    });
    const jws = await receipt.text();
    expect((jwt.decode(jws) as { uploads: unknown }).uploads).toMatchObject([
      {
        ...bytes,
        feedback: [
          { id: expect.any(String), kind: 'approval', by: 'Mia', at: said.at },
          { id: expect.any(String), kind: 'comment', by: 'Mia', at: said.at, ...place },
        ],
      },
    ]);
    expect(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()).not.toContain('Here');
    const body = new FormData();
    body.set('receipt', new File([jws], 'receipt.jws'));
    const verified = await fetch(`${service.baseUrl}/receipts/verify`, { method: 'POST', body });
    expect([verified.status, await verified.text()]).toEqual([
      200,
      expect.stringContaining('Approved by <bdi translate="no">Mia</bdi>'),
    ]);
  });

  it('are links to the page, whose pin only that page shows', async () => {
    const guest = await visit('pdf');
    const at = `${links.pdf}/photo?photo=${ids.pdf}`;
    expect(guest.page.markup).toMatch(/name="page"\s+value="1"/);
    await guest.open(`${at}&page=2`);
    const done = await guest.submit('Send', {
      ...{ text: 'Second', x: '0.5', y: '0.5', page: '2' },
    });
    const named = await guest.submit('Continue', { name: 'Mia' });
    expect(done.text).toContain('What is your name?');
    expect([named.url, named.text]).toEqual([
      expect.stringMatching(/&page=2$/),
      expect.stringContaining('Page 2'),
    ]);
    const address = at.replace('&', '&amp;');
    for (const [page, markup] of [
      ['1', (await guest.open(at)).markup],
      ['2', (await guest.open(`${at}&page=2`)).markup],
      ['3', (await guest.open(`${at}&page=99`)).markup],
    ] as const) {
      expect(markup).toContain(`href="${address}&amp;page=2"`);
      expect(markup).toMatch(new RegExp(`name="page"\\s+value="${page}"`));
      expect(/<g[^>]*class="now"/.test(markup)).toBe(page === '2');
    }
    const studio = (path: string): Promise<string> =>
      openSettings(service, member, `/photos/${ids.pdf}${path}`).then(({ page }) => page.markup);
    expect(await studio('')).toContain('page=2"');
    expect(
      [await studio('?page=2'), await studio('')].map((one) => /<g[^>]*class="now"/.test(one)),
    ).toEqual([true, false]);
  });

  it('are links to the time, in the list and on the time line', async () => {
    const guest = await visit('film');
    await comment(guest, 'film', { start: '0:42.5', end: '0:51', x: '0.5', y: '0.5' });
    for (const { markup, text } of [
      await guest.open(`${links.film}/photo?photo=${ids.film}`),
      (await openSettings(service, member, `/photos/${ids.film}`)).page,
    ]) {
      expect(text).toContain('0:42–0:51');
      const line = /<div class="time-line".*?<\/div>/s.exec(markup)?.[0] ?? '';
      expect(line).toMatch(/<a[^>]*time=42\.5"[^>]*data-start="42\.5"\s+data-end="51"/);
      expect(line).toMatch(/class="moment" x="460\.0" width="92\.0"/);
      expect(markup).toMatch(/<ol class="comments">.*<a[^>]*class="place"[^>]*time=42\.5#pin-/s);
      expect(markup).toMatch(/class="film">\s*<video.*<svg class="pins".*data-start="42\.5"/s);
    }
    expect(guest.page.markup).toMatch(/<input[^>]*name="start"/);
    expect((await visit('pdf')).page.markup).not.toMatch(/name="start"/);
  });

  it('are where the player begins, without scripts', async () => {
    const guest = await visit('film');
    const at = `${links.film}/photo?photo=${ids.film}`;
    const studio = async (query: string): Promise<string> =>
      (await openSettings(service, member, `/photos/${ids.film}${query}`)).page.markup;
    for (const [time, begin] of [
      ['42.5', '42.5'],
      ['900', '92.4'],
      ['soon', undefined],
      ['-1', undefined],
    ] as const) {
      for (const markup of [
        (await guest.open(`${at}&time=${time}`)).markup,
        await studio(`?time=${time}`),
      ]) {
        expect([time, /<video\s+src="[^"]*#t=([^"]*)"/.exec(markup)?.[1]]).toEqual([time, begin]);
      }
    }
  });

  it('are counted on the strip of pages, for the studio and for guests', async () => {
    const guest = await visit('pdf');
    for (const page of ['2', '2', '3']) {
      await comment(guest, 'pdf', { page });
    }
    const at = `${links.pdf}/photo?photo=${ids.pdf}`;
    const counts = (markup: string): [string, string][] =>
      [...markup.matchAll(/<a[^>]*?data-page="(\d)"[^>]*?title="([^"]*)"/gs)].map(
        ([, page = '', title = '']) => [page, title],
      );
    for (const markup of [
      (await guest.open(at)).markup,
      (await openSettings(service, member, `/photos/${ids.pdf}`)).page.markup,
    ]) {
      expect(counts(markup)).toEqual([
        ['2', 'Comments: 2'],
        ['3', 'Comments: 1'],
      ]);
    }
    const { panel } = (await (await comment(guest, 'pdf', { page: '3' })).json()) as {
      panel: string;
    };
    expect(panel).toMatch(/<li\s+data-page="3"\s+data-comments="2"/);
  });

  it.each([
    ['pdf', { page: '4' }, 'no such page'],
    ['pdf', { page: '0' }, 'no such page'],
    ['pdf', { page: 'three' }, 'no such page'],
    ['pdf', { start: '0:42' }, 'a time within the video'],
    ['film', { page: '1' }, 'no such page'],
    ['film', { start: '1:34' }, 'a time within the video'],
    ['film', { start: '0:51', end: '0:42' }, 'a time within the video'],
    ['film', { start: 'soon' }, 'a time within the video'],
  ] as const)(
    'are refused where the file has no such place: %s %j',
    async (file, fields, words) => {
      const answer = await comment(await visit(file), file, fields);
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { problem: expect.stringContaining(words) },
      ]);
      expect(await rows()).toEqual([]);
    },
  );

  it('may have a page that only the version has which the guest saw', async () => {
    const guest = await visit('pdf');
    const shorter = await addFile('pdf', Buffer.from('%PDF-1.7\ntwo pages'));
    await service.database.query(
      `UPDATE uploads SET media_info = '{"kind": "document", "pages": 2}' WHERE id = $1`,
      [shorter],
    );
    expect((await comment(guest, 'pdf', { page: '3', version: shorter })).status).toBe(400);
    expect((await comment(guest, 'pdf', { page: '3' })).status).toBe(200);
    const { feedback } = await json(`/api/v1/uploads/${shorter}`);
    expect(feedback).toMatchObject([{ page: 3, version: 1, is_current: false }]);
    await service.database.query('DELETE FROM uploads WHERE id = $1', [shorter]);
    await service.database.query('UPDATE uploads SET is_current = true WHERE id = $1', [ids.pdf]);
  });

  it('are saved as markers by the page of the film, that of the link, and the API', async () => {
    const guest = await visit('film');
    expect((await comment(guest, 'film', { start: '0:42' })).status).toBe(200);
    const browser = await openSettings(service, member, `/photos/${ids.film}`);
    const save = async (query: string, path = `/photos/${ids.film}/markers`): Promise<Response> =>
      getAsAnybody(service, `${path}?${query}`, {
        headers: path.startsWith('/api')
          ? { authorization: `Bearer ${token}` }
          : { cookie: browser.allCookies },
      });
    // The film does not have its frame rate: a form without scripts requires one.
    expect(browser.page.markup).toMatch(/<select name="rate" required/);
    expect((await save('format=edl&start=&rate=')).status).toBe(422);

    const [share] = await service.database.query<{ id: string }>(
      'SELECT share_id AS id FROM share_answers',
    );
    await browser.open(`/shares/${share?.id}/answers`);
    const [, address = ''] =
      /href="(\/photos\/[^"]+format=edl[^"]*)"/.exec(browser.page.markup) ?? [];
    const [path = '', query = ''] = address.replaceAll('&amp;', '&').split('?');
    expect(new URLSearchParams(query).get('link')).toBe(share?.id);
    for (const sent of [
      await save(`${query}&rate=25`, path),
      await save(`${query}&rate=25`, `/api/v1/uploads/${ids.film}/markers`),
    ]) {
      expect(sent.status).toBe(200);
      expect(sent.headers.get('content-disposition')).toContain(
        'attachment; filename="Trailer.edl"',
      );
      expect(sent.headers.get('content-security-policy')).toMatch(/^sandbox;/);
      expect(await sent.text()).toContain(' |C:ResolveColorBlue |M:Mia: Here |D:1\r\n');
    }
    const other = await save('format=csv&rate=25&link=other');
    expect([other.headers.get('content-type'), await other.text()]).toEqual([
      'text/csv; charset=utf-8',
      expect.not.stringContaining('Here'),
    ]);
  });

  it.each([
    ['film', 'format=pdf', 400, 'invalid_request'],
    ['film', 'format=edl&frames=25', 400, 'invalid_request'],
    ['film', 'format=edl', 422, 'unknown_frame_rate'],
    ['film', 'format=edl&rate=26', 400, 'invalid_request'],
    ['film', 'format=edl&rate=25&start=1', 400, 'invalid_request'],
    ['pdf', 'format=edl', 422, 'no_film'],
  ] as const)(
    'are refused as markers of a %s with %s: %i %s',
    async (file, query, status, error) => {
      const answer = await fetch(
        `${service.baseUrl}/api/v1/uploads/${ids[file]}/markers?${query}`,
        {
          headers: { authorization: `Bearer ${token}` },
        },
      );
      expect([answer.status, await answer.json()]).toEqual([
        status,
        expect.objectContaining({ error }),
      ]);
    },
  );

  it('keep their place when a guest is removed and restored', async () => {
    const guest = await visit('film');
    await comment(guest, 'film', { start: '0:42', end: '0:51' });
    const before = await rows();
    const [share] = await service.database.query<{ id: string }>(
      'SELECT share_id AS id FROM share_answers',
    );
    const studio = await openSettings(service, member, `/shares/${share?.id ?? ''}/answers`);
    await studio.submit('Remove guest');
    expect(await rows()).toEqual([]);
    await studio.submit('Undo');
    expect(await rows()).toEqual(before);
    expect(before).toMatchObject([{ start_ms: 42_000, end_ms: 51_000 }]);
  });
});
