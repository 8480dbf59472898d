import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FeedbackTable } from '../../../../service/library/feedback/feedback-table.js';
import { feedbackOnBytes } from '../../../../service/library/feedback/photo-feedback.js';
import { takeUnmailedFeedback } from '../../../../service/library/feedback/unmailed-feedback.js';
import { TestBrowser } from '../../support/browser-client.js';
import { connectAs, openSettings, send, type TestUser } from '../../support/users.js';
import { jpeg } from '../../support/tus-client.js';
import { useService } from '../../support/use-service.js';
import { addSharedPhotos, getAsAnybody, shareAs } from '../../delivery/shares/sharing.js';

describe('stars, labels, decisions and replies', () => {
  let now = Date.parse('2026-11-28T12:00:00Z');
  let member: TestUser;
  let owner: TestUser;
  let workspaceId: string;
  let harbour: string;
  let link: string;

  const service = useService({ now: () => new Date(now) });
  beforeAll(async () => {
    ({ member, owner, workspaceId, harbour } = await addSharedPhotos(service));
    link = await shareAs(service, member, { photo: harbour });
  });
  beforeEach(async () => {
    now += 2 * 3_600_000;
    await service.database.query('DELETE FROM share_answers');
    await service.database.query('DELETE FROM audit_events');
  });

  const photoPage = (): string => `${link}/photo?photo=${harbour}`;
  const guestNamed = async (name = 'Mia'): Promise<TestBrowser> => {
    const guest = new TestBrowser(service.baseUrl);
    await guest.open(photoPage());
    await guest.submit('Approve');
    await guest.submit('Continue', { name });
    return guest;
  };
  const press = async (guest: TestBrowser, action: string): Promise<number> => {
    const answer = await getAsAnybody(service, `${link}/answers`, {
      method: 'POST',
      headers: { cookie: guest.allCookies },
      body: new URLSearchParams({ csrf: guest.csrf, [action]: harbour, version: harbour }),
    });
    return answer.status;
  };
  const rows = (): Promise<Record<string, unknown>[]> =>
    service.database.query(
      'SELECT kind, value, version FROM share_answers WHERE withdrawn_at IS NULL ORDER BY kind',
    );
  /** The decisions of the photo as the API returns them, oldest first. */
  const decisions = async (): Promise<unknown[]> => {
    const token = await connectAs(service, member);
    const answer = await fetch(`${service.baseUrl}/api/v1/uploads/${harbour}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { feedback } = (await answer.json()) as {
      feedback: { kind: string; guest: { name: string }; withdrawn: string | null }[];
    };
    return feedback.map(({ kind, guest, withdrawn }) => [kind, guest.name, withdrawn]);
  };
  const events = async (): Promise<unknown[]> => {
    const found = await service.database.query<{
      action: string;
      stars: string | null;
      label: string | null;
    }>(
      `SELECT action, about ->> 'stars' AS stars, about ->> 'label' AS label FROM audit_events
        WHERE action LIKE 'feedback%' ORDER BY id`,
    );
    return found.map(({ action, stars, label }) => [
      action.replace('feedback_', ''),
      stars ?? label,
    ]);
  };

  it('are stored once for each guest and photo, with the version, and with one event for each change', async () => {
    const guest = await guestNamed();
    for (const action of ['star3', 'star5', 'star5', 'label2', 'label4', 'unstar', 'unlabel']) {
      expect(await press(guest, action)).toBe(303);
    }
    expect(await rows()).toEqual([{ kind: 'approval', value: null, version: 1 }]);
    expect(await events()).toEqual([
      ['approved', null],
      ['stars_set', '3'],
      ['stars_set', '5'],
      ['label_set', '2'],
      ['label_set', '4'],
      ['stars_removed', '5'],
      ['label_removed', '4'],
    ]);
    expect(await press(guest, 'star6')).toBe(404);
  });

  it('are mailed again when they are changed, not when they are given twice', async () => {
    const guest = await guestNamed();
    // Other tests make further links.
    const [share] = await service.database.query<{ id: string }>(
      'SELECT id FROM shares ORDER BY created_at LIMIT 1',
    );
    const mailed: number[] = [];
    for (const action of ['star3', 'star3', 'star5', 'label2', 'label2', 'label4']) {
      await press(guest, action);
      const taken = await service.database.transaction((transaction) =>
        takeUnmailedFeedback(transaction, share?.id ?? '', []),
      );
      mailed.push(taken[0]?.ratings ?? 0);
    }
    expect(mailed).toEqual([1, 0, 1, 1, 0, 1]);
  });

  it('of known guests are shown before those of a thousand strangers', async () => {
    const [share] = await service.database.query<{ id: string }>('SELECT id FROM shares');
    const shareId = share?.id ?? '';
    await service.database.query(
      `INSERT INTO share_answers (id, share_id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256, comment, created_at)
       SELECT 'said-' || n, $1, $2, 'comment', 'guest-' || n, 'Guest', $2, 1, '', 'Text', $3::timestamptz + n * interval '1 second'
         FROM generate_series(1, 1003) AS n`,
      [shareId, harbour, new Date(now)],
    );
    await service.database.query(
      `INSERT INTO known_guests (share_id, guest_id, guest_name, is_invited, created_at)
       VALUES ($1, 'guest-2', 'Guest', false, now())`,
      [shareId],
    );
    const table = new FeedbackTable(service.database, () => new Date(now));
    const shown = await table.inShare(shareId, harbour, 'guest-1');
    expect([shown.length, ...shown.slice(0, 3).map(({ id }) => id)]).toEqual([
      1000,
      ...['said-1', 'said-2', 'said-6'],
    ]);
    await service.database.query('DELETE FROM known_guests');
  });

  it('replace the other decision of the same guest only', async () => {
    const guest = await guestNamed('Mia');
    await guestNamed('Noor');
    expect(await press(guest, 'change')).toBe(303);
    expect((await rows()).map(({ kind }) => kind)).toEqual(['approval', 'changes']);
    const page = await guest.open(photoPage());
    expect(page.text).toContain('Changes requested by Mia');
    expect(page.text).not.toContain('Approved by Mia');
    expect(page.text).toContain('Mia withdrew the approval of version 1.');
    const studio = await openSettings(service, member, '/photos?answer=changes');
    expect(studio.page.text).toContain('↺ 1');
    expect(await press(guest, 'unchange')).toBe(303);
    expect((await rows()).map(({ kind }) => kind)).toEqual(['approval']);
    expect(await events()).toContainEqual(['changes_withdrawn', null]);
  });

  it('stay as withdrawn, once for the same bytes, and count no more', async () => {
    const guest = await guestNamed();
    const approved = await guest.open(photoPage());
    const [photo] = await service.database.query<{ sha256: string }>(
      'SELECT sha256 FROM uploads WHERE id = $1',
      [harbour],
    );
    const sha256 = photo?.sha256 ?? '';
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(approved.text).toContain(`Approved by Mia v1 · ${sha256.slice(0, 8)}`);
    for (const action of ['unapprove', 'approve', 'unapprove']) {
      now += 1000;
      expect(await press(guest, action)).toBe(303);
    }
    const time = new Date(now).toISOString();
    expect(await decisions()).toEqual([['approval', 'Mia', time]]);
    const page = await guest.open(photoPage());
    expect(page.text).toContain(
      `Mia withdrew the approval of version 1. v1 · ${sha256.slice(0, 8)}`,
    );
    expect(page.markup).toMatch(/name="approve"/);
    const gallery = await guest.open(link);
    // The script has marks in a template.
    expect(gallery.markup.split('<template')[0]).not.toContain('class="is-approved"');
    const studio = await openSettings(service, member, `/photos/${harbour}`);
    expect(studio.page.text).toContain('Mia withdrew the approval of version 1.');
    expect((await studio.open('/photos?answer=approval')).text).not.toContain('Harbour');
    expect((await studio.open('/photos')).text).not.toContain('Approved v1');

    now += 1000;
    expect(await press(guest, 'change')).toBe(303);
    expect(await press(guest, 'unchange')).toBe(303);
    expect(await decisions()).toEqual([
      ['approval', 'Mia', time],
      ['changes', 'Mia', new Date(now).toISOString()],
    ]);
    expect((await guest.open(photoPage())).text).toContain(
      'Mia withdrew the request for changes to version 1.',
    );
    expect(await press(guest, 'approve')).toBe(303);
    expect(await decisions()).toContainEqual(['approval', 'Mia', null]);
  });

  it('that were withdrawn are not on the page of the answers, in exports or receipts', async () => {
    const guest = await guestNamed();
    await press(guest, 'unapprove');
    await press(guest, 'star2');
    const [answer] = await service.database.query<{ id: string }>(
      'SELECT share_id AS id FROM share_answers LIMIT 1',
    );
    const studio = await openSettings(service, member, `/shares/${answer?.id}/answers`);
    expect(studio.page.markup).toContain('<strong>Stars: 2</strong>');
    expect(studio.page.markup).not.toContain('<strong>Approvals</strong>');
    expect((await studio.open(`/shares/${answer?.id}/answers.csv`)).markup).not.toContain(
      'approval',
    );
    expect((await studio.open('/photos')).text).not.toContain('Approved v1');
    const answered = await getAsAnybody(service, `${link}/answers`, {
      method: 'POST',
      headers: { cookie: guest.allCookies, accept: 'application/json' },
      body: new URLSearchParams({ csrf: guest.csrf, star3: harbour, version: harbour }),
    });
    expect(await answered.json()).toMatchObject({ approved: false, stars: 3 });
    await studio.open(`/shares/${answer?.id}/answers`);
    await studio.submit('Remove guest');
    await studio.submit('Undo');
    expect(await decisions()).toContainEqual(['approval', 'Mia', expect.any(String)]);
    const receipts = await feedbackOnBytes(service.database, [harbour], 10);
    expect(receipts.get(harbour)).toBeUndefined();
  });

  it('are seen by the studio, stars and labels not by other guests', async () => {
    const guest = await guestNamed();
    await press(guest, 'star4');
    await press(guest, 'label1');
    const studio = await openSettings(service, member, `/photos/${harbour}`);
    expect(studio.page.text).toMatch(/★★★★ Mia/);
    expect(studio.page.text).toMatch(/Red Mia/);
    expect((await guest.open(photoPage())).markup).toMatch(/name="unstar"/);
    const other = new TestBrowser(service.baseUrl);
    expect((await other.open(photoPage())).markup).not.toMatch(/name="unstar"|name="unlabel"/);
  });

  it('of an earlier version are marked so', async () => {
    const token = await connectAs(service, member);
    const first = await send(service, token, 'Pier.jpg', jpeg(400, 31));
    const own = await shareAs(service, member, { photo: first });
    const guest = new TestBrowser(service.baseUrl);
    await guest.open(`${own}/photo?photo=${first}`);
    await guest.submit('Request changes');
    await guest.submit('Continue', { name: 'Mia' });
    await guest.submit('Send', { text: 'Too dark' });
    now += 1000;
    await send(service, token, 'Pier.jpg', jpeg(400, 32));
    const page = await guest.open(`${own}/photo?photo=${first}`);
    expect(page.text).toContain('Mia requested changes to version 1. This is version 2.');
    expect(page.text).toContain('About version 1');
    expect(page.text).toContain('Request changes');
  });

  it('include replies of the studio and what is done, which guests see', async () => {
    const guest = await guestNamed();
    await guest.submit('Send', { text: 'Could the sign go?' });
    const [comment] = await service.database.query<{ id: string }>(
      `SELECT id FROM share_answers WHERE kind = 'comment'`,
    );
    const id = comment?.id ?? '';
    const studio = await openSettings(service, member, `/photos/${harbour}`);
    const act = async (fields: Readonly<Record<string, string>>): Promise<void> => {
      await fetch(`${service.baseUrl}/photos/${harbour}/answers`, {
        method: 'POST',
        headers: { cookie: studio.allCookies },
        body: new URLSearchParams({ csrf: studio.csrf, ...fields }),
      });
    };
    await act({ reply: id, [`text-${id}`]: ' ' });
    await act({ reply: id, [`text-${id}`]: 'Of course <b>' });
    await act({ done: id });
    await act({ done: id });
    const page = await guest.open(photoPage());
    expect(page.text).toMatch(/Reply by Person \d/);
    expect(page.text).toContain('Of course <b>');
    expect(page.text).toContain('✓ Done');
    await act({ reopen: id });
    expect((await events()).slice(2)).toEqual([
      ['comment_replied', null],
      ['comment_done', null],
      ['comment_reopened', null],
    ]);
    expect(
      (await service.database.query('SELECT 1 FROM share_digests WHERE is_finished')).length,
    ).toBe(0);
    const token = await connectAs(service, member);
    const answer = await fetch(`${service.baseUrl}/api/v1/uploads/${harbour}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await answer.json()).toMatchObject({
      feedback: expect.arrayContaining([
        expect.objectContaining({
          kind: 'comment',
          reply: {
            text: 'Of course <b>',
            by: expect.stringMatching(/^Person \d/),
            at: expect.any(String),
          },
        }),
      ]),
    });
  });

  it('have names of labels that owners change', async () => {
    const path = `/shares/labels?workspace=${workspaceId}`;
    expect((await openSettings(service, member, path)).page.status).toBe(404);
    const page = await openSettings(service, owner, path);
    await page.submit('Save changes', { label1: 'Retouch', label2: 'x'.repeat(41) });
    const guest = await guestNamed();
    await guest.open(photoPage());
    expect(guest.page.text).toContain('Retouch');
    expect(guest.page.text).toContain('Yellow');
    expect(guest.page.text).not.toContain('Red ');
    await page.submit('Save changes', { label1: '' });
    expect((await guest.open(photoPage())).text).toContain('Red');
  });
});
