import { beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser, type Page } from '../../support/browser-client.js';
import { addUser, connectAs, openSettings, send, type TestUser } from '../../support/users.js';
import { photo } from '../../support/tus-client.js';
import { useService } from '../../support/use-service.js';
import { addSharedPhotos, shareAs } from '../../delivery/shares/sharing.js';

describe('what clients said, for the photographer', () => {
  let now = Date.parse('2026-11-22T12:00:00Z');
  let member: TestUser;
  let workspaceId: string;
  let harbour: string;
  let night: string;
  let shareId: string;

  const service = useService({ now: () => new Date(now) });
  beforeAll(async () => {
    ({ member, workspaceId, harbour, night } = await addSharedPhotos(service));
    const link = await shareAs(service, member, { photo: harbour });
    const guest = new TestBrowser(service.baseUrl);
    await guest.open(`${link}/photo?photo=${harbour}`);
    await guest.submit('Approve');
    await guest.submit('Continue', { name: 'Anna <i>' });
    await guest.submit('Favorite');
    await guest.submit('Send', { text: 'Could the sign go? <script>' });
    const [share] = await service.database.query<{ id: string }>('SELECT id FROM shares');
    shareId = share?.id ?? '';
  });

  const open = async (path: string, user = member): Promise<Page> =>
    (await openSettings(service, user, path)).page;

  it.each([
    ['favourite', false],
    ['approval', false],
    ['comment', false],
    ['anything', true],
  ])('limits the gallery by answer=%s', async (answer, hasNight) => {
    const page = await open(`/photos?answer=${answer}`);
    expect(page.markup).toContain(`data-id="${harbour}"`);
    expect(page.markup.includes(`data-id="${night}"`)).toBe(hasNight);
    expect(page.text).toContain('♥ 1');
    expect(page.text).toContain('✓ Approved v1');
  });

  it('is on the page of the photo, where a comment is marked as done', async () => {
    const browser = await openSettings(service, member, `/photos/${harbour}`);
    expect(browser.page.text).toContain('Approved by Anna <i>');
    expect(browser.page.text).toContain('Could the sign go? <script>');
    await browser.submit('Mark as done');
    expect(browser.page.text).toContain('Done');
    expect((await open('/photos')).text).not.toContain('✎ 1');
    await browser.submit('Reopen');
    expect((await open('/photos')).text).toContain('✎ 1');
  });

  it('is listed for a link, with file names without extensions', async () => {
    const page = await open(`/shares/${shareId}/answers`);
    expect(page.text).toContain('Anna <i>');
    expect(page.text).toContain('Copy file names');
    expect(page.markup).toMatch(/<textarea[^>]*>Harbour &lt;b&gt;<\/textarea>/);
    const stranger = await addUser(service, { [workspaceId]: 'member' });
    expect((await open(`/shares/${shareId}/answers`, stranger)).status).toBe(404);
  });

  it('is reported by the API, and an approval is not of a later version', async () => {
    const token = await connectAs(service, member);
    const read = async (id: string): Promise<unknown> => {
      const headers = { authorization: `Bearer ${token}` };
      const path = id.startsWith('?') ? id : `/${id}`;
      return (await fetch(`${service.baseUrl}/api/v1/uploads${path}`, { headers })).json();
    };
    const approval = {
      version: 1,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      by: 'Anna <i>',
      at: '2026-11-22T12:00:00.000Z',
    };
    expect(await read(harbour)).toMatchObject({ approval: { ...approval, is_current: true } });
    expect(await read(night)).toMatchObject({ approval: null, comments: 0 });
    now += 1000;
    const later = await send(service, token, 'Harbour <b>.jpg', photo(400, 7));
    expect(await read(later)).toMatchObject({ approval: { ...approval, is_current: false } });
    const inDocument = `UPDATE uploads SET document = 'xmp.did:1#page-2#image/jpeg' WHERE id = $1`;
    await service.database.query(inDocument, [harbour]);
    const ofDocument = async (document: string): Promise<unknown> => read(`?document=${document}`);
    const page = `${service.baseUrl}/photos/${later}`;
    expect(await ofDocument('xmp.did:1')).toEqual({
      uploads: [
        expect.objectContaining({ id: later, comments: 1, page, approval: expect.anything() }),
      ],
    });
    expect(await ofDocument('xmp.did:2')).toEqual({ uploads: [] });
    await service.database.query('UPDATE uploads SET is_current = false WHERE id = $1', [later]);
    await service.database.query('UPDATE uploads SET is_current = true WHERE id = $1', [harbour]);
  });

  it('cannot be changed by others', async () => {
    const stranger = await addUser(service, { [workspaceId]: 'member' });
    const browser = await openSettings(service, stranger);
    const [comment] = await service.database.query<{ id: string }>(
      `SELECT id FROM share_answers WHERE kind = 'comment'`,
    );
    const answer = await fetch(`${service.baseUrl}/photos/${harbour}/answers`, {
      method: 'POST',
      headers: { cookie: browser.allCookies },
      body: new URLSearchParams({ csrf: browser.csrf, delete: comment?.id ?? '' }),
    });
    expect(answer.status).toBe(404);
    expect(await service.database.query('SELECT 1 FROM share_answers')).toHaveLength(3);
  });

  it('can be removed with its guest, and restored', async () => {
    now += 1000;
    const link = await shareAs(service, member, { photo: night });
    const answersOf = async (): Promise<string> => {
      const [share] = await service.database.query<{ id: string }>(
        'SELECT id FROM shares ORDER BY created_at DESC, id DESC',
      );
      return `/shares/${share?.id ?? ''}/answers`;
    };
    const guests: TestBrowser[] = [];
    for (const name of ['Spam', 'Mia']) {
      now += 1000;
      const guest = new TestBrowser(service.baseUrl);
      await guest.open(`${link}/photo?photo=${night}`);
      await guest.submit('Approve');
      await guest.submit('Continue', { name });
      await guest.submit('Send', { text: `${name} wrote this` });
      guests.push(guest);
    }
    const studio = await openSettings(service, member, await answersOf());
    await studio.submit('Remove guest');
    expect(studio.page.text).toContain('Removed guests');
    expect(studio.page.text).not.toContain('Spam wrote this');
    expect(studio.page.text).toContain('Mia wrote this');
    const [stranger, mia] = guests;
    await stranger?.open(`${link}/photo?photo=${night}`);
    expect(stranger?.page.text).not.toContain('Approved by Spam');
    expect((await stranger?.submit('Favorite'))?.status).toBe(403);
    expect((await mia?.submit('Favorite'))?.status).toBe(200);
    const names = await service.database.query(
      `SELECT about ->> 'name' AS name FROM audit_events WHERE action LIKE 'feedback%' AND about ->> 'name' = 'Spam'`,
    );
    expect(names).toEqual([]);
    await studio.submit('Undo');
    expect(studio.page.text).toContain('Spam wrote this');
    expect(studio.page.text).not.toContain('Removed guests');
    expect((await stranger?.open(`${link}/photo?photo=${night}`))?.text).toContain(
      'Approved by Spam',
    );
    await service.database.query('DELETE FROM share_answers WHERE photo_id = $1', [night]);
  });

  it('stays when the link is gone', async () => {
    await service.database.query('UPDATE share_answers SET share_id = NULL');
    expect((await open(`/photos/${harbour}`)).text).toContain('Approved by Anna');
    await service.database.query('UPDATE share_answers SET share_id = $1', [shareId]);
  });
});
