import { beforeAll, describe, expect, it } from '@jest/globals';
import { queryOf, readAnswerFilter } from '../../../../service/delivery/shares/answer-filter.js';
import { openSettings, type TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { addSharedPhotos, getAsAnybody, shareAs } from './sharing.js';

/** The answers of a link: id, photo, kind, value, guest, version, SHA-256 and place. */
const ANSWERS = `
  ('heart', 'harbour', 'favourite', NULL, 'mia', 'old', NULL, NULL, NULL, NULL),
  ('four', 'harbour', 'stars', 4, 'mia', 'old', NULL, NULL, NULL, NULL),
  ('two', 'night', 'stars', 2, 'mia', 'old', NULL, NULL, NULL, NULL),
  ('green', 'night', 'label', 3, 'ben', 'old', NULL, NULL, NULL, NULL),
  ('five', 'night', 'label', 5, 'mia', 'old', NULL, NULL, NULL, NULL),
  ('yes', 'harbour', 'approval', NULL, 'ben', 'old', NULL, NULL, NULL, NULL),
  ('was', 'harbour', 'changes', NULL, 'mia', 'old', NULL, NULL, NULL, NULL),
  ('now', 'night', 'changes', NULL, 'ben', 'current', NULL, NULL, NULL, NULL),
  ('todo', 'harbour', 'comment', NULL, 'mia', 'current', 'Sky' || chr(10) || 'Night.jpg', 0.25, NULL, NULL),
  ('ready', 'night', 'comment', NULL, 'ben', 'current', 'Page', NULL, 3, '2026-11-28T13:00:00Z')`;

describe('the answers of a link, limited to some', () => {
  let member: TestUser;
  let path: string;
  let harbour: string;
  let night: string;

  const service = useService();
  beforeAll(async () => {
    ({ member, harbour, night } = await addSharedPhotos(service));
    await shareAs(service, member, { photo: harbour });
    const [share] = await service.database.query<{ id: string }>('SELECT id FROM shares');
    path = `/shares/${share?.id ?? ''}/answers`;
    await service.database.query(
      `INSERT INTO share_answers (id, share_id, photo_id, kind, value, guest_id, guest_name, upload_id, version, sha256,
                                  comment, pin_x, pin_y, page, done_at, created_at)
       SELECT given.id, $1, uploads.id, kind, value, guest, initcap(guest), uploads.id, 1,
              CASE bytes WHEN 'current' THEN uploads.sha256 ELSE 'ab' END,
              text, pin, pin, page, done::timestamptz, '2026-11-28T12:00:00Z'
         FROM (VALUES ${ANSWERS}) AS given (id, photo, kind, value, guest, bytes, text, pin, page, done)
         JOIN uploads ON uploads.id = CASE photo WHEN 'harbour' THEN $2 ELSE $3 END`,
      [share?.id ?? '', harbour, night],
    );
    await service.database.query(
      `UPDATE share_answers SET reply = 'Yes', replied_at = created_at WHERE id = 'todo'`,
    );
  });

  const download = async (extension: string): Promise<string> => {
    const browser = await openSettings(service, member, path);
    const answer = await getAsAnybody(service, path + extension, {
      headers: { cookie: browser.allCookies },
    });
    expect(answer.headers.get('content-disposition')).toContain('attachment');
    expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox;/);
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await answer.arrayBuffer());
  };

  it.each([
    ['', 10],
    ['answer=favourite', ['Harbour Mia favourite']],
    ['answer=stars', ['Harbour Mia stars 4', 'Night Mia stars 2']],
    ['answer=stars.2', ['Harbour Mia stars 4', 'Night Mia stars 2']],
    ['answer=stars.3', ['Harbour Mia stars 4']],
    ['answer=label', ['Night Ben label Green', 'Night Mia label Purple']],
    ['answer=label.3', ['Night Ben label Green']],
    ['answer=approval', ['Harbour Ben approval']],
    ['answer=decision', ['Harbour Ben approval', 'Harbour Mia changes', 'Night Ben changes']],
    ['answer=changes&state=open', ['Night Ben changes']],
    ['answer=changes&state=done', ['Harbour Mia changes']],
    ['answer=comment', ['Harbour Mia comment', 'Night Ben comment']],
    ['state=open', ['Harbour Mia comment', 'Night Ben changes']],
    ['state=done', ['Harbour Mia changes', 'Night Ben comment']],
    ['guest=ben&answer=comment', ['Night Ben comment']],
    ['guest=ben&answer=comment&state=open', []],
    ['guest=nobody', []],
    ['answer=constructor&guest=%27&state=x', 10],
    ['answer=stars.9&guest=ben', 4],
    ['answer=approval.1&guest=ben', 4],
  ])('are exported as they are for ?%s', async (query, expected) => {
    const rows = (await download(`.csv?${query}`)).trim().split(/\r\n/).slice(1);
    const found = rows
      .map((row) => row.replaceAll('"', '').split(',').slice(0, 4).join(' ').trim())
      .map((row) => row.replace(' <b>.jpg', '').replace('.jpg', ''));
    expect(typeof expected === 'number' ? found.length : found.toSorted()).toEqual(expected);
  });

  it('are readable text, by file', async () => {
    expect(await download('.txt?guest=mia')).toBe(
      [
        '\uFEFFHarbour <b>.jpg',
        '',
        'Harbour <b>.jpg',
        '- ★★★★ Mia',
        '- ♥ Mia',
        '- ✎ Mia, Spot, v1, 2026-11-28 12:00 UTC',
        '    Sky',
        '    Night.jpg',
        '    Reply by –:',
        '    Yes',
        '- ↺ Changes requested by Mia (v1, SHA-256 ab)',
        '',
        'Night.jpg',
        '- Purple: Mia',
        '- ★★ Mia',
        '',
      ].join('\r\n'),
    );
    const ben = await download('.txt?guest=ben');
    expect(ben).toContain('- ✓ Approved by Ben (v1, SHA-256 ab)\r\n');
    expect(ben).toContain('- ✎ Ben, Page 3, v1, 2026-11-28 12:00 UTC, Done\r\n    Page\r\n');
  });

  it('are on the page with a filter that the downloads follow, and names for Lightroom', async () => {
    const { page } = await openSettings(service, member, `${path}?answer=stars.2&guest=mia`);
    expect(page.markup).toContain('<option value="stars.2" selected>Stars: 2 or more</option>');
    expect(page.markup).toMatch(/<option value="mia" selected>Mia<\/option>/);
    expect(page.markup).toMatch(/<textarea[^>]*>Harbour &lt;b&gt;, Night<\/textarea>/);
    for (const file of ['answers.csv', 'answers.txt', 'contact-sheet']) {
      expect(page.markup).toContain(`/${file}?answer=stars.2&amp;guest=mia"`);
    }
    const sheet = await openSettings(
      service,
      member,
      path.replace('answers', 'contact-sheet?answer=stars.3'),
    );
    expect(sheet.page.markup.match(/<img/g)).toHaveLength(1);
    const sheetOf = (query: string) =>
      openSettings(service, member, path.replace('answers', `contact-sheet${query}`));
    const marks = (await sheetOf('?answer=stars')).page.markup
      .split('<li>')
      .map((item) => /alt="(.*?)".*?<span>(.*?)<\/span>/s.exec(item)?.slice(1));
    expect(marks.filter((one) => one !== undefined)).toEqual([
      ['Harbour &lt;b&gt;.jpg', expect.stringMatching(/^★★★★ .*Mia/)],
      ['Night.jpg', expect.stringMatching(/^★★ .*Mia/)],
    ]);
    // Comments alone choose no file.
    expect((await sheetOf('')).page.text).not.toContain('✎');
    expect((await sheetOf('?answer=comment')).page.text).toContain('✎ Mia');
    const none = await openSettings(service, member, `${path}?guest=nobody`);
    expect(none.page.text).toContain('No feedback matches.');
  });

  it('of one guest are beside the buttons about the guest', async () => {
    const { page } = await openSettings(service, member, `${path}?guest=mia`);
    const about = page.forms.flatMap(({ buttons }) => buttons.map(({ label }) => label));
    expect(about.filter((label) => /guest/.test(label))).toEqual([
      'I know this guest',
      'Remove guest',
    ]);
    const { page: all } = await openSettings(service, member, `${path}?answer=stars`);
    expect(all.text).not.toContain('Remove guest');
  });

  it('have comments with links to their places, which can be marked as done in the list', async () => {
    const studio = await openSettings(service, member, `${path}?answer=comment&state=open`);
    expect(studio.page.markup).toMatch(new RegExp(`href="/photos/${harbour}#pin-todo"\\s*>Spot<`));
    await studio.submit('Mark as done');
    expect(studio.page.url).toMatch(/\/answers\?answer=comment&state=open#comment-todo$/);
    expect(studio.page.text).toContain('No feedback matches.');
    await studio.open(`${path}?answer=comment`);
    expect(studio.page.markup).toMatch(new RegExp(`href="/photos/${night}\\?page=3"[^>]*>Page 3<`));
    expect(studio.page.markup).toContain(`href="/photos/${harbour}#pin-todo"`);
    await studio.submit('Reopen');
    expect((await studio.open(`${path}?state=open`)).text).toContain('Sky');
  });

  it('lead back to lists of answers only', async () => {
    const studio = await openSettings(service, member, path);
    const [comment] = await service.database.query<{ photo: string }>(
      `SELECT photo_id AS photo FROM share_answers WHERE id = 'ready'`,
    );
    for (const back of [
      '//evil.example',
      'https://evil.example/',
      '/settings',
      `${path}/../x#a`,
      `https://evil.example${path}#a`,
      `${path}#a//evil.example`,
    ]) {
      const answer = await getAsAnybody(service, `/photos/${comment?.photo ?? ''}/answers`, {
        method: 'POST',
        headers: { cookie: studio.allCookies },
        body: new URLSearchParams({ csrf: studio.csrf, done: 'ready', back }),
      });
      expect(answer.headers.get('location')).toMatch(/^\/photos\/[^/]+#answers$/);
    }
  });

  it('have a filter that an address keeps', () => {
    const query = '?answer=label.3&guest=a-_b&state=done';
    expect(queryOf(readAnswerFilter(new URLSearchParams(query)))).toBe(query);
    expect(queryOf(readAnswerFilter(new URLSearchParams('from=20')))).toBe('');
  });
});
