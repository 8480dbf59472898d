import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EVENTS } from '../../../../service/app/events.js';
import { publicEvent } from '../../../../service/kernel/events/event.js';
import { listEvents } from '../../../../service/kernel/events/event-log.js';
import { FEEDBACK_KIND } from '../../../../service/library/feedback/events.js';
import { GUEST_LIMITS } from '../../../../service/library/feedback/feedback.js';
import { FeedbackTable } from '../../../../service/library/feedback/feedback-table.js';
import { SubscriptionTable } from '../../../../service/delivery/replies/subscription-table.js';
import { DigestTable, SILENCE_MS } from '../../../../service/delivery/digests/digest-table.js';
import { SETTLE_DELAY_MS } from '../../../../service/delivery/rounds/round-table.js';
import { FeedbackEvents } from '../../../../service/delivery/shares/feedback-events.js';
import type { Photo } from '../../../../service/library/photos/data/photo.js';
import { GuestFeedback } from '../../../../service/delivery/shares/guest-feedback.js';
import type { Share } from '../../../../service/delivery/shares/share.js';
import { RateLimiter } from '../../../../service/kernel/rate-limit/rate-limiter.js';
import { TestBrowser, type Page } from '../../support/browser-client.js';
import { connectAs, openSettings, send, type TestUser } from '../../support/users.js';
import { jpeg } from '../../support/tus-client.js';
import { useService } from '../../support/use-service.js';
import { addSharedPhotos, getAsAnybody, shareAs } from './sharing.js';

describe('answers of guests', () => {
  let now = Date.parse('2026-11-22T12:00:00Z');
  let member: TestUser;
  let owner: TestUser;
  let workspaceId: string;
  let harbour: string;
  let night: string;
  let link: string;

  const service = useService({ now: () => new Date(now), trustedProxies: 1 });
  beforeAll(async () => {
    ({ member, owner, workspaceId, harbour, night } = await addSharedPhotos(service));
  });
  beforeEach(async () => {
    await service.database.query('DELETE FROM share_answers');
    // Past the limits of addresses.
    now += 3_600_000;
    link = await shareAs(service, member, { photo: harbour });
  });

  /** A guest with the page of a photo open. */
  const visit = async (path = link, id = harbour): Promise<TestBrowser> => {
    const guest = new TestBrowser(service.baseUrl);
    await guest.open(`${path}/photo?photo=${id}`);
    return guest;
  };
  /** Gives the first answer, and the name that it needs. */
  const approveAs = async (name: string, id = harbour): Promise<TestBrowser> => {
    const guest = await visit(link, id);
    await guest.submit('Approve');
    await guest.submit('Continue', { name });
    return guest;
  };
  const rows = (): Promise<Record<string, unknown>[]> =>
    service.database.query(
      'SELECT kind, guest_name, comment, pin_x, pin_y, version FROM share_answers WHERE withdrawn_at IS NULL ORDER BY kind, created_at',
    );
  /** Sends a form by hand; with the cookies and the token of the guest unless given. */
  const post = (
    guest: TestBrowser,
    fields: Readonly<Record<string, string>>,
    { path = link, headers = {} }: { path?: string; headers?: Record<string, string> } = {},
  ): Promise<Response> =>
    getAsAnybody(service, `${path}/answers`, {
      method: 'POST',
      headers: { cookie: guest.allCookies, ...headers },
      body: new URLSearchParams({ csrf: guest.csrf, ...fields }),
    });

  it('have the name that the guest enters once', async () => {
    const guest = await approveAs('  Anna\n<b>  ');
    expect(guest.page.text).toContain('Approved by Anna <b>');
    expect(guest.page.markup).not.toContain('Anna <b>');
    await guest.submit('Favorite');
    expect(guest.page.text).not.toContain('What is your name?');
    expect((await rows()).map((row) => [row['kind'], row['guest_name']])).toEqual([
      ['approval', 'Anna <b>'],
      ['favourite', 'Anna <b>'],
    ]);
  });

  it('change with the name of the guest', async () => {
    const guest = await approveAs('Ana');
    await guest.open(/href="([^"]*\/name)"/.exec(guest.page.markup)?.[1] ?? '');
    const tooLong = await guest.submit('Save changes', { name: 'x'.repeat(81) });
    expect([tooLong.status, tooLong.text]).toEqual([400, expect.stringContaining('80 characters')]);
    await guest.submit('Save changes', { name: 'Anna' });
    await guest.open(`${link}/photo?photo=${harbour}`);
    expect(guest.page.text).toContain('Approved by Anna');
    expect(guest.page.text).toContain('Your name here: Anna');
    const other = await visit();
    expect(other.page.text).toContain('Approved by Anna');
    expect(other.page.markup).not.toContain('/name"');
    const forged = await getAsAnybody(service, `${link}/name`, {
      method: 'POST',
      headers: { cookie: other.allCookies },
      body: new URLSearchParams({ csrf: guest.csrf, name: 'Eve' }),
    });
    expect(forged.status).toBe(403);
  });

  it('are seen by the other guests of the link, without their favourites', async () => {
    const anna = await approveAs('Anna');
    await anna.submit('Send', { text: 'First line\r\nSecond <i>line</i>' });
    await anna.submit('Favorite');
    const other = await visit();
    expect(other.page.text).toContain('Approved by Anna');
    expect(other.page.text).toContain('Second <i>line</i>');
    expect(other.page.markup).toContain('name="favourite"');
    expect(other.page.text).not.toContain('Delete');
    const elsewhere = await visit(await shareAs(service, member, { photo: harbour }));
    expect(elsewhere.page.text).not.toContain('Anna');
  });

  it('are stored once when a browser sends them again, for each guest', async () => {
    const anna = await approveAs('Anna');
    const again = { comment: harbour, version: harbour, text: 'Too dark', attempt: '12345678-9' };
    expect((await post(anna, again)).status).toBe(303);
    expect((await post(anna, again)).status).toBe(303);
    expect((await post(anna, { ...again, attempt: '12345678-0' })).status).toBe(303);
    expect((await post(await approveAs('Ben'), again)).status).toBe(303);
    const comments = (await rows()).filter(({ kind }) => kind === 'comment');
    expect(comments.map((row) => row['guest_name'])).toEqual(['Anna', 'Anna', 'Ben']);
  });

  // @threat L4
  it('can be taken back by their guest only', async () => {
    const anna = await approveAs('Anna');
    await anna.submit('Send', { text: 'Too dark' });
    const [comment] = await service.database.query<{ id: string }>(
      `SELECT id FROM share_answers WHERE kind = 'comment'`,
    );
    const other = await visit();
    for (const fields of [{ delete: comment?.id ?? '' }, { unapprove: harbour }]) {
      await post(other, { ...fields, version: harbour });
    }
    expect(await rows()).toHaveLength(2);
    await anna.submit('Delete');
    await anna.submit('Approved');
    expect(await rows()).toEqual([]);
  });

  it('keep the version that was seen', async () => {
    const token = await connectAs(service, member);
    const dunes = await send(service, token, 'Dunes.jpg', jpeg(400, 6));
    link = await shareAs(service, member, { photo: dunes });
    const guest = await approveAs('Anna', dunes);
    now += 1000;
    await send(service, token, 'Dunes.jpg', jpeg(400, 7));
    await guest.open(`${link}/photo?photo=${dunes}`);
    expect(guest.page.text).toContain('Anna approved version 1. Version 2 is newer');
    expect(guest.page.text).not.toContain('Approved by');
    await guest.submit('Approve');
    expect(guest.page.text).toContain('Approved by Anna');
    expect((await rows()).map(({ version }) => version)).toEqual([2]);
  });

  it('are shown on the page of the link', async () => {
    const guest = await approveAs('Anna');
    await guest.open(link);
    const heart = /name="(favourite)"\s+value="([^"]+)"/.exec(guest.page.markup);
    await post(guest, { [heart?.[1] ?? '']: heart?.[2] ?? '', back: 'list' });
    await guest.open(`${link}?only=favourites`);
    expect(guest.page.markup).toContain('aria-pressed="true"');
    expect(guest.page.markup).toContain('<span class="count">1</span>');
    await guest.open(`${link}?only=favourites`);
    const other = await visit();
    expect((await other.open(`${link}?only=favourites`)).text).toContain('No favorites yet');
  });

  it('go to the script as JSON', async () => {
    const guest = await visit();
    const headers = { accept: 'application/json' };
    const first = await post(guest, { favourite: harbour, back: 'list' }, { headers });
    expect(await first.json()).toEqual({ needsName: true });
    const second = await post(guest, { favourite: harbour, name: 'Anna' }, { headers });
    expect(await second.json()).toMatchObject({
      favourite: true,
      favourites: 1,
      approved: false,
      comments: 0,
      panel: expect.stringContaining('aria-pressed="true"'),
    });
  });

  const COMMENT = { comment: 'harbour', name: 'Anna', text: 'Fine' };
  const REFUSED: readonly (readonly [string, number, Record<string, string>])[] = [
    ['without the token of the form', 403, { ...COMMENT, csrf: '' }],
    ['with a forged token', 403, { ...COMMENT, csrf: 'x'.repeat(43) }],
    ['to a photo that the link does not show', 404, { ...COMMENT, comment: 'night' }],
    ['to no photo', 404, { ...COMMENT, comment: "'" }],
    ['of a kind that does not exist', 404, { like: 'harbour', name: 'Anna' }],
    ['about a version of another photo', 404, { ...COMMENT, version: 'night' }],
    ['with too long a name', 400, { ...COMMENT, name: 'x'.repeat(81) }],
    ['with an empty comment', 400, { ...COMMENT, text: ' \n ' }],
    ['with too long a comment', 400, { ...COMMENT, text: 'x'.repeat(2001) }],
  ];
  it.each(REFUSED)('are refused %s', async (_title, status, fields) => {
    const guest = await visit();
    const ids: Readonly<Record<string, string>> = { harbour, night };
    const filled = Object.entries(fields).map(([name, value]) => [name, ids[value] ?? value]);
    const answer = await post(guest, Object.fromEntries(filled) as Record<string, string>);
    expect(answer.status).toBe(status);
    expect(await rows()).toEqual([]);
  });

  it('are refused with a cookie that the service has not made for this link', async () => {
    const guest = await approveAs('Anna');
    await service.database.query('DELETE FROM share_answers');
    const cookie = guest.cookie('cws_guest');
    const [id = '', , mac = ''] = cookie.split('.');
    const forged = Buffer.from('Mia').toString('base64url');
    const other = await shareAs(service, member, { photo: night });
    for (const [path, value, subject] of [
      [link, `${id}.${forged}.${mac}`, harbour],
      [link, `${id}..`, harbour],
      [link, '', harbour],
      [other, cookie, night],
    ] as const) {
      const answer = await post(
        guest,
        { approve: subject, name: 'Mia' },
        { path, headers: { cookie: `cws_guest=${value}` } },
      );
      expect([value, answer.status]).toEqual([value, 403]);
    }
    expect(await rows()).toEqual([]);
  });

  it('are stored without characters that are invisible or change the direction', async () => {
    const guest = await visit();
    const text = 'one\u202etwo\u2066\n\u200bthree\ufeff';
    await post(guest, { comment: harbour, name: 'An\u200bna\u202e \u2800', text });
    expect(await rows()).toMatchObject([{ guest_name: 'Anna', comment: 'onetwo\nthree' }]);
  });

  it('are refused in JSON, where the script asked for it', async () => {
    const guest = await visit();
    const fields = { comment: harbour, name: 'Anna', text: 'a\0b' };
    const answer = await post(guest, fields, { headers: { accept: 'application/json' } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      400,
      expect.stringContaining('application/json'),
    ]);
    expect(await answer.json()).toEqual({ problem: expect.stringMatching(/\w/) });
    expect((await post(guest, fields)).headers.get('content-type')).toContain('text/html');
  });

  it.each([
    ['0.25', '1', { pin_x: 0.25, pin_y: 1 }],
    ['0.5', '', { pin_x: null, pin_y: null }],
    ['1.5', '0.5', { pin_x: null, pin_y: null }],
    ['NaN', '0', { pin_x: null, pin_y: null }],
  ])('point to a spot in the picture: %s, %s', async (x, y, stored) => {
    const guest = await visit();
    const answer = await post(guest, { comment: harbour, name: 'Anna', text: 'Here', x, y });
    expect(answer.status).toBe(303);
    expect(await rows()).toMatchObject([stored]);
  });

  const fill = (kind: string, count: number, guest: string): Promise<object[]> =>
    service.database.query(
      `INSERT INTO share_answers (id, share_id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256, comment, created_at)
       SELECT 'full-' || n, shares.id, $1, $2, ${guest}, 'Somebody', $1, 1, '', CASE WHEN $2 = 'comment' THEN 'x' END, now()
         FROM generate_series(1, $3::integer) AS n, shares
        WHERE shares.id = (SELECT share_id FROM share_photos JOIN shares AS one ON one.id = share_id
                            WHERE photo_id = $1 ORDER BY one.created_at DESC LIMIT 1)`,
      [harbour, kind, count],
    );
  it('are limited for each guest, also when they come at once', async () => {
    const guest = await approveAs('Anna');
    const [id = ''] = guest.cookie('cws_guest').split('.');
    await fill('comment', GUEST_LIMITS.comments - 1, `'${id}'`);
    const given = await Promise.all(
      ['One', 'Two', 'Three', 'Four'].map((text) => post(guest, { comment: harbour, text })),
    );
    expect(given.map(({ status }) => status).sort()).toEqual([303, 409, 409, 409]);
    expect((await post(await approveAs('Mia'), { comment: harbour, text: 'More' })).status).toBe(
      303,
    );
  });

  const newestLink = async (): Promise<string> => {
    const [share] = await service.database.query<{ id: string }>(
      'SELECT id FROM shares ORDER BY created_at DESC, id LIMIT 1',
    );
    return share?.id ?? '';
  };
  const from = (address: string): { headers: Record<string, string> } => ({
    headers: { 'x-forwarded-for': address },
  });
  const newGuest = async (address: string, name = 'Somebody'): Promise<number> =>
    (await post(await visit(), { favourite: harbour, name }, from(address))).status;

  // @threat L4
  it('of new guests at one address are limited, also when they come at once', async () => {
    const clock = (): Date => new Date(now);
    // Without the limit of requests per network, as in several processes.
    const receiver = new GuestFeedback({
      answers: new FeedbackTable(service.database, clock),
      limit: new RateLimiter(service.database, clock),
      audit: () => Promise.resolve(),
      digests: new DigestTable(service.database, clock),
      subscriptions: new SubscriptionTable(service.database, clock),
      proof: () => '',
      now: clock,
    });
    const share = {
      ...{ id: await newestLink(), workspace: { id: workspaceId } },
      target: { kind: 'photos', id: harbour, chosen: 1 },
    } as Share;
    const about = {
      ...{ share, address: '192.0.2.1' },
      photo: { id: harbour, photoId: harbour } as Photo,
    };
    const wish = { action: 'favourite', subject: harbour, version: '' } as const;
    const form = new URLSearchParams({ name: 'Anna' });
    const outcomes = await Promise.all(
      Array.from({ length: 14 }, (_, count) =>
        receiver.receive(wish, form, { ...about, guest: { id: `guest-${count}`, name: '' } }),
      ),
    );
    const count = (kind: string): number => outcomes.filter((one) => one.kind === kind).length;
    expect([count('done'), count('refused')]).toEqual([10, 4]);
    expect(await rows()).toHaveLength(10);
  });

  // @threat L4
  it('are taken from clients, however many strangers there are', async () => {
    const anna = await approveAs('Anna');
    let accepted = 0;
    for (let network = 0; network < 5; network += 1) {
      for (let count = 0; count < 11; count += 1) {
        accepted += (await newGuest(`198.51.${network}.7`)) === 303 ? 1 : 0;
      }
    }
    expect(accepted).toBeLessThanOrEqual(50);
    expect(await newGuest('203.0.113.9', 'Mia')).toBe(303);
    for (const address of ['198.51.0.7', '203.0.113.9']) {
      const known = await post(anna, { comment: harbour, text: address }, from(address));
      expect(known.status).toBe(303);
    }
    // A name alone makes no known guest.
    const stranger = await visit();
    const named = await getAsAnybody(service, `${link}/name`, {
      method: 'POST',
      headers: { cookie: stranger.allCookies, ...from('198.51.0.7').headers },
      body: new URLSearchParams({ csrf: stranger.csrf, name: 'Eve' }),
    });
    expect(named.status).toBe(429);
  });

  it('end in one event for each change', async () => {
    await service.database.query('DELETE FROM audit_events');
    const anna = await approveAs('Anna');
    await anna.submit('Favorite');
    await post(anna, { favourite: harbour });
    await anna.submit('Favorite');
    await anna.submit('Send', { text: 'Too dark' });
    await anna.submit('Delete');
    await anna.submit('Approved');
    await post(anna, { unapprove: harbour });
    const shareId = await newestLink();
    const stored = await listEvents(service.database, EVENTS, {
      of: { workspaceId },
      kind: FEEDBACK_KIND,
      after: '0',
      limit: 20,
    });
    const events = stored.map((event) => publicEvent(event, new Map()));
    expect(events.map(({ type }) => type)).toEqual([
      'feedback.approved',
      'feedback.favourite_added',
      'feedback.favourite_removed',
      'feedback.comment_created',
      'feedback.comment_deleted',
      'feedback.approval_withdrawn',
    ]);
    for (const { type, data } of events) {
      expect(data).toEqual({
        id: expect.any(String),
        workspace_id: workspaceId,
        ...{ user: null, by: null, network: null, user_agent: null },
        ...{ link: shareId, photo: harbour, version: 1, name: 'Anna' },
        guest: expect.stringMatching(/^[\w-]{22}$/),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        ...(type.includes('comment') && { comment: expect.any(String) }),
      });
    }
    expect(JSON.stringify(service.logLines)).not.toContain('Anna');
    const activity = await openSettings(service, owner, '/settings/activity?kind=feedback');
    expect(activity.page.text).toContain('Anna approved a file');
    expect(activity.page.text).not.toContain('Too dark');
  });

  it('are not stored without their event', async () => {
    const table = new FeedbackTable(service.database, () => new Date(now));
    const shareId = await newestLink();
    const answer = {
      ...{ shareId, photoId: harbour, uploadId: harbour },
      kind: 'approval',
      guest: { id: 'anna', name: 'Anna' },
    } as const;
    const fails = (): Promise<never> => Promise.reject(new Error('no event'));
    await expect(table.add(answer, fails)).rejects.toThrow('no event');
    expect(await rows()).toEqual([]);
  });

  it('have a bounded number of events, and one for those that were left out', async () => {
    const recorded: string[] = [];
    const events = new FeedbackEvents({
      limit: new RateLimiter(service.database, () => new Date(now)),
      audit: (_response, { action }) => {
        recorded.push(action);
        return Promise.resolve();
      },
      now: () => new Date(now),
    });
    const share = {
      id: 'flooded',
      workspace: { id: workspaceId },
      target: { kind: 'project', id: 'project' },
    } as Share;
    const change = {
      ...{ id: 'answer', shareId: 'flooded', photoId: harbour },
      kind: 'favourite',
      ...{
        guest: { id: 'guest', name: 'Anna' },
        version: 1,
        sha256: '',
        place: {},
        value: undefined,
      },
    } as const;
    for (let count = 0; count < 310; count += 1) {
      const record = await events.prepare(share, '192.0.2.1', 'added');
      await record(service.database, change);
    }
    expect(recorded.filter((action) => action === 'feedback_favourite_added')).toHaveLength(300);
    expect(recorded.slice(300)).toEqual(['feedback_left_out']);
    const other = await events.prepare(share, '203.0.113.9', 'withdrawn');
    await other(service.database, change);
    expect(recorded.at(-1)).toBe('feedback_favourite_removed');
  });

  it('reach the decision and the mails of the link over the limit of events', async () => {
    const shareId = await newestLink();
    await service.database.query(
      `INSERT INTO share_rounds (share_id, until, offset_minutes, asked_at) VALUES ($1, $2, 0, $2)`,
      [shareId, new Date(now)],
    );
    const clock = (): Date => new Date(now);
    const events = new FeedbackEvents({
      limit: { consume: () => Promise.resolve({ waitSeconds: 60 }) },
      audit: () => Promise.reject(new Error('an event')),
      now: clock,
    });
    const share = {
      ...{ id: shareId, workspace: { id: workspaceId } },
      target: { kind: 'photos', id: harbour, chosen: 1 },
    } as Share;
    const record = await events.prepare(share, '192.0.2.1', 'added');
    const added = await new FeedbackTable(service.database, clock).add(
      {
        ...{ shareId, photoId: harbour, uploadId: harbour },
        ...{ kind: 'approval', guest: { id: 'anna', name: 'Anna' } },
      },
      record,
    );
    expect(added).toBe('added');
    const due = await service.database.query(
      `SELECT share_rounds.due_at AS decision, share_digests.due_at AS digest
         FROM share_rounds LEFT JOIN share_digests USING (share_id) WHERE share_id = $1`,
      [shareId],
    );
    expect(due).toEqual([
      { decision: new Date(now + SETTLE_DELAY_MS), digest: new Date(now + SILENCE_MS) },
    ]);
  });

  it('are limited for each guest in a quarter of an hour', async () => {
    const guest = await approveAs('Anna');
    const statuses = new Set<number>();
    let last: Response | undefined;
    for (let count = 0; count < 70 && !statuses.has(429); count += 1) {
      last = await post(guest, { comment: harbour, text: 'Again' });
      statuses.add(last.status);
    }
    expect(statuses).toEqual(new Set([303, 429]));
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0);
    now += 16 * 60_000;
    expect((await post(guest, { comment: harbour, text: 'Later' })).status).toBe(303);
  });

  it('need the password of the link, and end with it', async () => {
    const locked = await shareAs(service, member, { photo: harbour }, { password: 'red-harbour' });
    const guest = await visit(locked);
    expect(guest.page.text).toContain('Password required');
    const blind = await post(guest, { approve: harbour, name: 'Anna' }, { path: locked });
    expect([blind.status, blind.headers.get('location')]).toEqual([303, locked]);
    const answered: Page = (await approveAs('Anna')).page;
    expect(answered.text).toContain('Approved by Anna');
    const guestOfLink = await visit();
    await service.database.query('UPDATE shares SET expires_at = $1', [new Date(now - 1000)]);
    expect((await post(guestOfLink, { approve: harbour, name: 'Mia' })).status).toBe(404);
    expect(await rows()).toHaveLength(1);
  });
});
