import { beforeAll, describe, expect, it } from '@jest/globals';
import { csvCell } from '../../../../service/kernel/csv.js';
import { addUser, openSettings, type TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { addSharedPhotos, getAsAnybody, shareAs } from './sharing.js';

describe('the feedback of a link on paper and in a spreadsheet', () => {
  let member: TestUser;
  let workspaceId: string;
  let shareId: string;
  let night: string;

  const service = useService();
  beforeAll(async () => {
    let harbour: string;
    ({ member, workspaceId, harbour, night } = await addSharedPhotos(service));
    await shareAs(service, member, { photo: harbour });
    const [share] = await service.database.query<{ id: string }>('SELECT id FROM shares');
    shareId = share?.id ?? '';
    await service.database.query(
      `INSERT INTO share_answers (id, share_id, photo_id, kind, value, guest_id, guest_name, upload_id, version, sha256, comment, reply, replied_at, created_at)
       SELECT kind, $2, $1, kind, value, 'guest', '=1+1', $1, 2, 'ab', text, reply, replied_at, '2026-11-28T12:00:00Z'
         FROM (VALUES ('stars', 4, NULL, NULL, NULL), ('label', 3, NULL, NULL, NULL),
                      ('comment', NULL, 'Two' || chr(10) || '"lines"', 'Done', '2026-11-29T12:00:00Z'::timestamptz))
           AS given (kind, value, text, reply, replied_at)`,
      [harbour, shareId],
    );
  });

  it('is exported as CSV without formulas', async () => {
    const browser = await openSettings(service, member, `/shares/${shareId}/answers`);
    const answer = await getAsAnybody(service, `/shares/${shareId}/answers.csv`, {
      headers: { cookie: browser.allCookies },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toContain('attachment');
    expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox;/);
    const text = await answer.text();
    expect(text.split('\r\n')).toEqual([
      '"file","guest","kind","value","text","page","start","end","done","reply","version","sha256","at"',
      `"Harbour <b>.jpg","'=1+1","comment","","Two\n""lines""","","","","","Done","2","ab","2026-11-28T12:00:00.000Z"`,
      `"Harbour <b>.jpg","'=1+1","label","Green","","","","","","","2","ab","2026-11-28T12:00:00.000Z"`,
      `"Harbour <b>.jpg","'=1+1","stars","4","","","","","","","2","ab","2026-11-28T12:00:00.000Z"`,
      '',
    ]);
  });

  it('names the version that the guest saw, also once a link shows another one', async () => {
    const browser = await openSettings(service, member, `/shares/${shareId}/answers`);
    const answer = await getAsAnybody(service, `/shares/${shareId}/answers.txt`, {
      headers: { cookie: browser.allCookies },
    });
    expect(await answer.text()).toContain('- ✎ =1+1, v2, 2026-11-28 12:00 UTC\r\n');
  });

  it('has the names of files under their stars and their label only', async () => {
    const { page } = await openSettings(service, member, `/shares/${shareId}/answers`);
    const lists = [...page.markup.matchAll(/<strong>([^<]*)<\/strong> \((\d+)\)/g)];
    expect(lists.map(([, list, files]) => [list, files])).toEqual([
      ['Stars: 4', '1'],
      ['Green', '1'],
    ]);
  });

  it('names a raw file and its JPEG once for Lightroom', async () => {
    await shareAs(service, member, { photo: night });
    const [other] = await service.database.query<{ id: string }>(
      'SELECT id FROM shares WHERE id <> $1',
      [shareId],
    );
    await service.database.query(`UPDATE uploads SET name = 'Harbour <b>.CR3' WHERE id = $1`, [
      night,
    ]);
    await service.database.query(
      `INSERT INTO share_answers (id, share_id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256, created_at)
       SELECT 'heart' || id, $1, id, 'favourite', 'mia', 'Mia', id, 1, sha256, '2026-11-28T12:00:00Z' FROM uploads`,
      [other?.id ?? ''],
    );
    const { page } = await openSettings(service, member, `/shares/${other?.id ?? ''}/answers`);
    const texts = [...page.markup.matchAll(/<textarea[^>]*>(.*?)<\/textarea>/gs)];
    expect(texts.map(([, text]) => text)).toEqual(['Harbour &lt;b&gt;', 'Harbour &lt;b&gt;']);
  });

  it.each(['=1', '+1', '-1', '@a', '\t=1', '\r=1', ' =1', '|a', '%a'])('has %j as text', (cell) => {
    expect(csvCell(cell)).toBe(`"'${cell}"`);
  });

  it('is on a contact sheet with names and marks', async () => {
    const { page } = await openSettings(service, member, `/shares/${shareId}/contact-sheet`);
    expect(page.text).toContain('Harbour <b>.jpg');
    expect(page.text).toMatch(/★★★★ =1\+1/);
    expect(page.text).toMatch(/Green =1\+1/);
  });

  it('has the number of files for which a contact sheet has no room', async () => {
    const sheet = async (): Promise<string> =>
      (await openSettings(service, member, `/shares/${shareId}/contact-sheet?answer=favourite`))
        .page.text;
    await service.database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, sha256)
       SELECT 'many-' || n, account_id, workspace_id, size, 'Many ' || n || '.jpg', type, '{}', now(), now(), sha256
         FROM uploads, generate_series(1, 502) AS n WHERE id = $1`,
      [night],
    );
    await service.database.query(
      `INSERT INTO share_answers (id, share_id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256, created_at)
       SELECT 'heart-' || id, $1, id, 'favourite', 'noor', 'Noor', id, 1, sha256, now() FROM uploads WHERE id LIKE 'many-%'`,
      [shareId],
    );
    expect(await sheet()).toContain('Files that are not on this sheet: 2.');
    await service.database.query(
      `DELETE FROM share_answers WHERE guest_id = 'noor' AND photo_id < 'many-2'`,
    );
    expect(await sheet()).not.toContain('not on this sheet');
    await service.database.query(`DELETE FROM share_answers WHERE guest_id = 'noor'`);
    await service.database.query(`DELETE FROM uploads WHERE id LIKE 'many-%'`);
  });

  it.each(['answers.csv', 'contact-sheet'])('is not in %s for others', async (path) => {
    const stranger = await addUser(service, { [workspaceId]: 'member' });
    const browser = await openSettings(service, stranger);
    const answer = await getAsAnybody(service, `/shares/${shareId}/${path}`, {
      headers: { cookie: browser.allCookies },
    });
    expect([answer.status, await answer.text()]).toEqual([
      404,
      expect.not.stringContaining('Harbour'),
    ]);
  });
});
