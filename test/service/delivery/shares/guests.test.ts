import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FeedbackTable } from '../../../../service/library/feedback/feedback-table.js';
import { GuestTable } from '../../../../service/library/feedback/guest-table.js';
import { TestBrowser } from '../../support/browser-client.js';
import { openSettings, send, connectAs, type TestUser } from '../../support/users.js';
import { jpeg } from '../../support/tus-client.js';
import { useService } from '../../support/use-service.js';
import { addSharedPhotos, getAsAnybody, shareAs } from './sharing.js';

const AT_ONCE = 50;
/** An address from which no further new guest is accepted. */
const BUSY = '198.51.100.7';

describe('the guests of a link', () => {
  let now = Date.parse('2026-11-28T12:00:00Z');
  let member: TestUser;
  let owner: TestUser;
  let harbour: string;
  let photos: string[];
  let link: string;
  let shareId: string;

  const service = useService({ now: () => new Date(now), trustedProxies: 1 });
  beforeAll(async () => {
    let project: string;
    ({ member, owner, harbour, project } = await addSharedPhotos(service));
    const token = await connectAs(service, member);
    photos = [];
    for (let count = 0; count < 5; count += 1) {
      photos.push(await send(service, token, `File-${count}.jpg`, jpeg(50, 20 + count)));
    }
    await service.database.query(
      `UPDATE uploads SET project_id = $1 WHERE id IN (SELECT jsonb_array_elements_text($2::jsonb))`,
      [project, JSON.stringify(photos)],
    );
    await service.database.query('DELETE FROM shares');
    link = await shareAs(service, member, { project });
    const [share] = await service.database.query<{ id: string }>('SELECT id FROM shares');
    shareId = share?.id ?? '';
  });
  beforeEach(async () => {
    for (const table of [
      'share_answers',
      'share_downloads',
      'known_guests',
      'removed_guests',
      'share_finishes',
    ]) {
      await service.database.query(`DELETE FROM ${table}`);
    }
    await service.database.query(
      `UPDATE shares SET takes_feedback = true, max_favourites = NULL, max_downloads = NULL, password_hash = NULL`,
    );
    now += 2 * 3_600_000;
  });

  const visit = async (path = link): Promise<TestBrowser> => {
    const guest = new TestBrowser(service.baseUrl);
    await guest.open(path);
    return guest;
  };
  const post = (
    guest: TestBrowser,
    fields: Readonly<Record<string, string>>,
    address?: string,
  ): Promise<Response> =>
    getAsAnybody(service, `${link}/answers`, {
      method: 'POST',
      headers: {
        cookie: guest.allCookies,
        ...(address !== undefined && { 'x-forwarded-for': address }),
      },
      body: new URLSearchParams({ csrf: guest.csrf, ...fields }),
    });
  /** A guest with a name, who has one favourite. */
  const named = async (name = 'Anna'): Promise<TestBrowser> => {
    const guest = await visit(`${link}/photo?photo=${photos[0] ?? ''}`);
    await guest.submit('Favorite');
    await guest.submit('Continue', { name });
    return guest;
  };
  const like = (guest: TestBrowser, photo: string, name = 'Anna'): Promise<Response> =>
    post(guest, { favourite: photo, name });
  const studio = (user = member): Promise<TestBrowser> =>
    openSettings(service, user, `/shares/${shareId}/answers`);
  const count = async (table: string): Promise<number> =>
    (await service.database.query(`SELECT 1 FROM ${table}`)).length;
  const tally = async (answers: readonly Promise<Response>[]): Promise<Record<number, number>> => {
    const found: Record<number, number> = {};
    for (const { status } of await Promise.all(answers)) {
      found[status] = (found[status] ?? 0) + 1;
    }
    return found;
  };
  /** Uses up what strangers have at {@link BUSY}. */
  const crowd = async (): Promise<void> => {
    let status = 303;
    while (status === 303) {
      ({ status } = await post(await visit(), { favourite: photos[0] ?? '', name: 'Eve' }, BUSY));
    }
    expect(status).toBe(429);
  };

  it('cannot answer while the studio has closed the link, and can afterwards', async () => {
    const guest = await named();
    const page = await studio();
    await page.submit('Close for feedback');
    expect(page.page.text).toContain('Guests can no longer leave feedback through this link.');
    for (const fields of [
      { favourite: photos[1] ?? '' },
      { unfavourite: photos[0] ?? '' },
      { comment: photos[0] ?? '', text: 'Late' },
    ]) {
      expect((await post(guest, fields)).status).toBe(403);
    }
    expect(await count('share_answers')).toBe(1);
    const gallery = await guest.open(link);
    expect(gallery.text).toContain('The studio takes no more feedback here.');
    expect(gallery.markup).not.toContain('name="favourite"');
    expect(gallery.markup).not.toContain('/finish');
    const large = await guest.open(`${link}/photo?photo=${photos[0] ?? ''}`);
    expect(large.markup).not.toContain('name="text"');
    expect((await guest.open(`${link}/finish`)).status).toBe(403);
    await page.submit('Open for feedback');
    expect((await guest.open(link)).markup).toContain('name="favourite"');
  });

  it('have at most as many favourites as the link allows, also at once', async () => {
    await service.database.query('UPDATE shares SET max_favourites = 3');
    const guest = await named();
    const found = await tally(
      Array.from({ length: AT_ONCE }, (_, index) =>
        post(guest, { favourite: photos[1 + (index % 4)] ?? '' }, `192.0.2.${index}`),
      ),
    );
    expect(await count('share_answers')).toBe(3);
    expect(Object.keys(found)).toEqual(['303', '409']);
    expect(found[409]).toBeGreaterThanOrEqual(24);
    const gallery = await guest.open(link);
    expect(gallery.markup).toMatch(/<span class="count">3<\/span>\/3/);
    const other = await visit();
    expect((await like(other, photos[4] ?? '', 'Mia')).status).toBe(303);
  });

  it('download at most as many files as the link allows, also at once, and each again', async () => {
    await service.database.query('UPDATE shares SET max_downloads = 2, shows_location = true');
    const file = (photo = ''): Promise<Response> =>
      getAsAnybody(service, `${link}/file?photo=${photo}`);
    // A part is a download, too.
    const found = await tally(
      Array.from({ length: AT_ONCE }, (_, index) =>
        getAsAnybody(service, `${link}/file?photo=${photos[index % 5] ?? ''}`, {
          headers: { range: 'bytes=1-', 'x-forwarded-for': `192.0.2.${index}` },
        }),
      ),
    );
    expect(await count('share_downloads')).toBe(2);
    expect(found).toEqual({ 206: 20, 403: 30 });
    const [taken] = await service.database.query<{ photo_id: string }>(
      'SELECT photo_id FROM share_downloads',
    );
    expect((await file(taken?.photo_id)).status).toBe(200);
    const refused = await getAsAnybody(service, `${link}/zip`);
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('Guests of this link can download 2 files.'),
    ]);
    await service.database.query('UPDATE shares SET max_downloads = 6');
    expect((await getAsAnybody(service, `${link}/zip`)).status).toBe(200);
    expect(await count('share_downloads')).toBe(6);
  });

  it('have limits that the form of the link sets', async () => {
    const form = await openSettings(service, member, `/shares/${shareId}`);
    const refused = await form.submit('Save changes', { favourites: '0' });
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('Enter a number from 1 to 5,000.'),
    ]);
    await form.submit('Save changes', { favourites: '7', 'max-downloads': '9', feedback: '1' });
    expect(
      await service.database.query(
        'SELECT max_favourites, max_downloads, takes_feedback FROM shares',
      ),
    ).toEqual([{ max_favourites: 7, max_downloads: 9, takes_feedback: true }]);
  });

  it('with an address of their own are never shut out, and keep their name in each browser', async () => {
    const page = await studio();
    await page.submit('Create address', { invite: 'Noor' });
    const own = /value="http:\/\/[^/]+(\/s\/[^"]+\?guest=[^"]+)"/.exec(page.page.markup)?.[1] ?? '';
    await crowd();
    for (const browser of [await visit(own), await visit(own)]) {
      expect(browser.page.text).toContain('Your name here: Noor');
      expect((await post(browser, { favourite: harbour }, BUSY)).status).toBe(404);
      expect((await post(browser, { favourite: photos[0] ?? '' }, BUSY)).status).toBe(303);
    }
    expect(
      await service.database.query(`SELECT 1 FROM share_answers WHERE guest_name = 'Noor'`),
    ).toHaveLength(1);
    const forged = await visit(`${own.slice(0, -2)}xx`);
    expect(forged.page.text).not.toContain('Your name here');
    const other = await studio(owner);
    expect(other.page.markup).not.toContain('?guest=');
    const invitation = await getAsAnybody(service, `/shares/${shareId}/answers`, {
      method: 'POST',
      headers: { cookie: other.allCookies },
      body: new URLSearchParams({ csrf: other.csrf, invite: 'Zoe' }),
    });
    expect(invitation.status).toBe(404);
    await (await studio()).submit('Remove guest');
    expect((await visit(own)).page.text).not.toContain('Your name here');
  });

  it('with the password of the link are never shut out', async () => {
    await crowd();
    const form = await openSettings(service, member, `/shares/${shareId}`);
    await form.submit('Save changes', { password: 'red-harbour', feedback: '1' });
    const guest = await visit();
    await guest.submit('Continue', { password: 'red-harbour' });
    const answer = await post(guest, { favourite: photos[0] ?? '', name: 'Noor' }, BUSY);
    expect(answer.status).toBe(303);
  });

  it('keep a name that they change, also before they answer', async () => {
    const guests = new GuestTable(service.database, () => new Date(now));
    const invited = await guests.invite(shareId, 'Nor');
    const id = invited?.id ?? '';
    await new FeedbackTable(service.database, () => new Date(now)).renameGuest(shareId, {
      id,
      name: 'Noor',
    });
    expect(await guests.find(shareId, id)).toMatchObject({ name: 'Noor', isInvited: true });
  });

  it('can be restored for thirty days', async () => {
    let at = now;
    const guests = new GuestTable(service.database, () => new Date(at));
    const done = (): Promise<void> => Promise.resolve();
    const id = await guests.remove(shareId, [{ id: 'eve', name: 'Eve' }], done);
    at += 30 * 24 * 3_600_000 - 1;
    expect(await guests.removals(shareId)).toEqual([{ id, guests: [{ id: 'eve', name: 'Eve' }] }]);
    at += 1;
    expect(await guests.removals(shareId)).toEqual([]);
  });

  it('stay with what they said while the strangers are removed, if the studio knows them', async () => {
    const noor = await named('Noor');
    await noor.open(link);
    await noor.submit('Finish');
    now += 1000;
    await named('Eve');
    await named('Adam');
    const page = await studio();
    await page.submit('I know this guest');
    await page.submit('Remove all of them');
    expect(await service.database.query('SELECT DISTINCT guest_name FROM share_answers')).toEqual([
      { guest_name: 'Noor' },
    ]);
    expect(page.page.text).toContain('Noor has finished');
    expect(
      await service.database.query('SELECT guest_name FROM removed_guests ORDER BY 1'),
    ).toEqual([{ guest_name: 'Adam' }, { guest_name: 'Eve' }]);
  });

  it('are listed on pages, those whom the studio knows first', async () => {
    await service.database.query(
      `INSERT INTO share_answers (id, share_id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256, created_at)
       SELECT 'answer-' || n, $1, $2, 'favourite', 'guest-' || n, 'Guest ' || n, $2, 1, '', $3::timestamptz + n * interval '1 second'
         FROM generate_series(1, 45) AS n`,
      [shareId, photos[0] ?? '', new Date(now)],
    );
    const page = await studio();
    expect(page.page.text).toContain('Guests you do not know: 45');
    expect(page.page.text).toContain('More guests');
    await page.open(`/shares/${shareId}/answers?from=40`);
    expect(page.page.text).toContain('Guest 45');
    expect(page.page.text).not.toContain('More guests');
    const last = { ...page.page };
    const known = last.forms.filter(({ buttons }) =>
      buttons.some(({ label }) => label === 'I know this guest'),
    );
    expect(known).toHaveLength(5);
    await page.submit('I know this guest');
    expect(page.page.text).toContain('Guests you do not know: 44');
    expect(page.page.text.indexOf('Guest 41')).toBeLessThan(page.page.text.indexOf('Guest 1 '));
  });
});
