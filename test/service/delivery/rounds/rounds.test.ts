import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DigestTable } from '../../../../service/delivery/digests/digest-table.js';
import {
  lastDayOf,
  REMIND_BEFORE_MS,
  RoundTable,
  SETTLE_DELAY_MS,
} from '../../../../service/delivery/rounds/round-table.js';
import { settleRounds } from '../../../../service/delivery/rounds/settle-rounds.js';
import { roundLinks } from '../../../../service/delivery/shares/round-link.js';
import { ShareTable } from '../../../../service/delivery/shares/share-table.js';
import { auditInto } from '../../../../service/identity/accounts/audit.js';
import { PersonalTokens } from '../../../../service/identity/accounts/personal-access-tokens.js';
import { eventAppender } from '../../../../service/kernel/events/event-log.js';
import { FeedbackTable } from '../../../../service/library/feedback/feedback-table.js';
import { GuestAddresses } from '../../../../service/library/feedback/guest-addresses.js';
import { PhotoTable } from '../../../../service/library/photos/data/photo-table.js';
import { TestBrowser } from '../../support/browser-client.js';
import type { MailServer, ReceivedMail } from '../../support/mail-server.js';
import type { TestService } from '../../support/running-service.js';
import { jpeg } from '../../support/tus-client.js';
import { connectAs, openSettings, send, type TestUser } from '../../support/users.js';
import { startMailingStudio, type MailingStudio } from '../mailing-studio.js';
import { shareAs } from '../shares/sharing.js';

const DAY_MS = 24 * 3_600_000;

describe('the decision that a link asks for', () => {
  let now = Date.parse('2026-11-28T12:00:00Z');
  let studio: MailingStudio;
  let mail: MailServer;
  let service: TestService;
  let member: TestUser;
  let workspaceId: string;
  let harbour: string;
  let link: string;
  let shareId: string;
  /** The last day of the decision, and the end of it in a zone an hour ahead of UTC. */
  let day: string;
  let until: number;
  let asked = 0;

  beforeAll(async () => {
    studio = await startMailingStudio({
      now: () => new Date(now),
    });
    ({ service, mail, member, workspaceId, harbour } = studio);
  });
  afterAll(() => studio.close());
  beforeEach(async () => {
    await service.database.query('DELETE FROM shares');
    await service.database.query('DELETE FROM share_answers');
    await service.database.query('DELETE FROM digest_opt_outs');
    now += 3 * DAY_MS;
    asked += 1;
    link = await shareAs(service, member, { photo: harbour });
    const [row] = await service.database.query<{ id: string }>(
      `UPDATE shares SET title = $1 RETURNING id`,
      [`Coast ${asked}`],
    );
    shareId = row?.id ?? '';
    day = new Date(now + 5 * DAY_MS).toISOString().slice(0, 10);
    until = Date.parse(`${day}T22:59:59Z`);
  });

  const ask = async (values: Readonly<Record<string, string>> = {}): Promise<TestBrowser> => {
    const form = await openSettings(service, member, `/shares/${shareId}`);
    await form.submit('Save changes', {
      ...{ decision: '1', feedback: '1', decide: day, 'decide-offset': '-60' },
      reviewers: 'Noor <noor@client.example>\nMia',
      ...values,
    });
    return form;
  };
  const answersPage = (): Promise<TestBrowser> =>
    openSettings(service, member, `/shares/${shareId}/answers`);
  /** A reviewer with the address of their own, on the page of a photo. */
  const visitAs = async (name: string, photo = harbour): Promise<TestBrowser> => {
    const [{ guest_id: guest } = { guest_id: '' }] = await service.database.query<{
      guest_id: string;
    }>('SELECT guest_id FROM known_guests WHERE guest_name = $1', [name]);
    const { markup } = (await answersPage()).page;
    const addresses = [...markup.matchAll(/value="http:\/\/[^/]+(\/s\/[^"]+\?guest=[^"]+)"/g)];
    const [, address = ''] = addresses.find(([, path]) => path?.includes(`guest=${guest}.`)) ?? [];
    const browser = new TestBrowser(service.baseUrl);
    await browser.open(address);
    expect(browser.page.text).toContain(`Your name here: ${name}`);
    await browser.open(`${link}/photo?photo=${photo}`);
    return browser;
  };
  const deps = (clock: () => Date) => ({
    rounds: new RoundTable(service.database, clock),
    answers: new FeedbackTable(service.database, clock),
    digests: new DigestTable(service.database, clock),
    guestAddresses: new GuestAddresses(service.database),
    linkOf: roundLinks({
      shares: new ShareTable(service.database, { make: () => '' }, clock),
      photos: new PhotoTable(service.database),
    }),
    audit: auditInto({
      ...{ log: () => undefined, database: service.database, addressOf: () => '' },
      append: eventAppender(() => Promise.resolve([]), []),
      now: clock,
    }),
    now: clock,
  });
  /** Moves the clock to a time, and does what several processes do. */
  const waitUntil = async (time: number): Promise<void> => {
    now = time;
    const clock = (): Date => new Date(time);
    await Promise.all([settleRounds(deps(clock)), settleRounds(deps(clock))]);
  };
  const isAbout =
    (subject: string) =>
    (one: ReceivedMail): boolean =>
      one.subject === `${subject}: Coast ${asked}`;
  /** How many mails with a subject there are: that wait, or that came. */
  const mailsOf = async (subject: string): Promise<number> => {
    const kinds: Readonly<Record<string, boolean | undefined>> = {
      [REMINDER]: undefined,
      [ALL]: true,
      [OVER]: false,
    };
    const waiting = async (): Promise<{ attempts: number; complete: boolean | null }[]> =>
      service.database.query(
        `SELECT attempts, (about #>> '{about,isComplete}')::boolean AS complete FROM outgoing_mail
          WHERE about #>> '{about,title}' = $1 AND about ->> 'name' LIKE 'decision%'`,
        [`Coast ${asked}`],
      );
    // A mail that is being sent counts once it has come.
    let received = mail.received.length;
    let rows = await waiting();
    while (received !== mail.received.length || rows.some(({ attempts }) => attempts > 0)) {
      await sleep(20);
      received = mail.received.length;
      rows = await waiting();
    }
    const wanted = rows.filter(({ complete }) => (complete ?? undefined) === kinds[subject]);
    return wanted.length + mail.received.filter(isAbout(subject)).length;
  };
  const REMINDER = 'Please decide by tomorrow';
  const ALL = 'All reviewers have decided';
  const OVER = 'The date for the decision has passed';

  it.each([
    ['a day that has passed', { decide: '2026-11-01' }, 'Choose a day for the decision'],
    ['no day', { decide: '' }, 'Choose a day for the decision'],
    ['a day after the link', { decide: '2030-01-01' }, 'Choose a day for the decision'],
    ['no reviewer', { reviewers: ' \n' }, 'Enter 1 to 20 reviewers'],
    ['an address that is none', { reviewers: 'Mia <mia@>' }, 'Enter 1 to 20 reviewers'],
    ['two of one name', { reviewers: 'Mia\nMia <mia@client.example>' }, 'Enter 1 to 20 reviewers'],
    [
      'too many',
      { reviewers: Array.from({ length: 21 }, (_, index) => `Mia ${index}`).join('\n') },
      'Enter 1 to 20 reviewers',
    ],
  ])('is refused for %s, and keeps what was typed', async (_what, values, problem) => {
    const form = await ask(values);
    expect([form.page.status, form.page.text]).toEqual([400, expect.stringContaining(problem)]);
    expect(form.page.markup).toMatch(/name="decision"\s+value="1"\s+checked/);
    expect(await service.database.query('SELECT 1 FROM share_rounds')).toEqual([]);
    expect(await service.database.query('SELECT 1 FROM known_guests')).toEqual([]);
  });

  it('is on the page of the link with the reviewers, until it is asked for no more', async () => {
    await ask({ reviewers: 'Noor <noor@client.example>\nmia@client.example\n' });
    const [round] = await service.database.query<{ until: Date }>('SELECT until FROM share_rounds');
    expect(round?.until.getTime()).toBe(until);
    const guest = new TestBrowser(service.baseUrl);
    expect((await guest.open(link)).text).toMatch(/Noor, mia: please decide until /);
    const form = await openSettings(service, member, `/shares/${shareId}`);
    expect(form.page.markup).toContain(
      'Noor &lt;noor@client.example&gt;\nmia &lt;mia@client.example&gt;',
    );
    await form.submit('Save changes', { title: 'Pier', feedback: '1', decision: '1' });
    expect((await guest.open(link)).text).toMatch(/Noor, mia: please decide until /);
    const [kept] = await service.database.query<{ until: Date }>('SELECT until FROM share_rounds');
    expect(kept?.until.getTime()).toBe(until);

    const end = await openSettings(service, member, `/shares/${shareId}`);
    await end.submit('Save changes', { decision: '', feedback: '1' });
    expect((await guest.open(link)).text).not.toContain('please decide');
    expect((await answersPage()).page.markup).not.toContain('id="reviewers"');
    expect(await service.database.query('SELECT 1 FROM guest_addresses')).toEqual([]);
  });

  it('has one reminder on the day before, to those with an address who have not decided', async () => {
    await ask({
      reviewers: 'Noor <noor@client.example>\nMia\nIda <ida@client.example>',
    });
    await (await visitAs('Ida')).submit('Approve');
    await waitUntil(until - REMIND_BEFORE_MS - 1);
    expect(await mailsOf(REMINDER)).toBe(0);
    now = until - REMIND_BEFORE_MS + 1;
    // The same date does not begin a new round.
    await ask({ reviewers: 'Noor <noor@client.example>\nMia\nIda <ida@client.example>' });
    await waitUntil(now);
    const sent = await mail.next(isAbout(REMINDER));
    expect(sent.to).toEqual(['noor@client.example']);
    const named = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });
    expect(sent.source).toContain(`until the end of ${named.format(new Date(day))}.`);
    expect(await mailsOf(REMINDER)).toBe(1);
    await waitUntil(until - 1);
    await ask({ reviewers: 'Noor <noor@client.example>\nMia' });
    await waitUntil(until - 1);
    expect(await mailsOf(REMINDER)).toBe(1);

    const [, path = ''] = /(\/s\/[^\s"]+\?guest=[^\s"]+)/.exec(sent.source) ?? [];
    const guest = new TestBrowser(service.baseUrl);
    expect((await guest.open(path)).text).toContain('Your name here: Noor');
  });

  it('has no reminder where less time is left, and another one for another date', async () => {
    await ask();
    await waitUntil(until - REMIND_BEFORE_MS);
    await mail.next(isAbout(REMINDER));
    day = new Date(now + 2 * DAY_MS).toISOString().slice(0, 10);
    await ask({ 'decide-offset': '0' });
    await waitUntil(Date.parse(`${day}T23:59:59Z`) - REMIND_BEFORE_MS);
    expect(await mailsOf(REMINDER)).toBe(2);
    const soon = new Date(now + DAY_MS / 2).toISOString().slice(0, 10);
    await ask({ decide: soon, 'decide-offset': '0' });
    await waitUntil(Date.parse(`${soon}T23:59:58Z`));
    expect(await mailsOf(REMINDER)).toBe(2);
  });

  it('has no more reminders for a reader who ends them, until another address is entered', async () => {
    await ask({ reviewers: 'Noor <noor@client.example>' });
    await waitUntil(until - REMIND_BEFORE_MS);
    const { source } = await mail.next(isAbout(REMINDER));
    expect(source).toMatch(/^List-Unsubscribe:\s+<http/m);
    const url = source.split('Get no more of these mails:')[1]?.trim().split(/\s/)[0] ?? '';
    expect(await (await fetch(url)).text()).not.toContain('End for all links');
    const forged = new URL(url);
    forged.searchParams.set('guest', 'other');
    const post = { method: 'POST', body: new URLSearchParams('List-Unsubscribe=One-Click') };
    expect((await fetch(forged, post)).status).toBe(404);
    expect((await fetch(url, post)).status).toBe(200);
    const ended = async (): Promise<unknown> =>
      (await service.database.query('SELECT email, is_ended FROM guest_addresses'))[0];
    expect(await ended()).toEqual({ email: 'noor@client.example', is_ended: true });

    day = new Date(until + 3 * DAY_MS).toISOString().slice(0, 10);
    await ask({ decision: '' });
    await ask({ reviewers: 'Noor <noor@client.example>', 'decide-offset': '0' });
    await waitUntil(Date.parse(`${day}T23:59:59Z`) - REMIND_BEFORE_MS);
    expect(await mailsOf(REMINDER)).toBe(1);
    await ask({ reviewers: 'Noor <noor@other.example>' });
    expect(await ended()).toEqual({ email: 'noor@other.example', is_ended: false });
  });

  it('has one mail to the studio when all have decided', async () => {
    await ask();
    const noor = await visitAs('Noor');
    await noor.submit('Approve');
    await waitUntil(now + SETTLE_DELAY_MS);
    expect(await mailsOf(ALL)).toBe(0);
    await (await visitAs('Mia')).submit('Request changes');
    await waitUntil(now + SETTLE_DELAY_MS - 1);
    expect(await mailsOf(ALL)).toBe(0);
    await waitUntil(now + 1);
    const sent = await mail.next(isAbout(ALL));
    expect(sent.to).toEqual(['member@studio.example']);
    expect(sent.source).toContain('- Noor has decided · Approvals: 1');
    expect(sent.source).toContain('- Mia has decided · Changes requested: 1');
    expect(sent.source).toContain(`${service.baseUrl}/shares/${shareId}/answers`);
    await noor.submit('Approved');
    await waitUntil(until + DAY_MS);
    expect(await mailsOf(ALL)).toBe(1);
    expect(await mailsOf(OVER)).toBe(0);
    expect(await mailsOf(REMINDER)).toBe(0);
  });

  it('has one mail to the studio when the date passes, unless its mails are off', async () => {
    await ask();
    await (await visitAs('Noor')).submit('Approve');
    await waitUntil(until - 1);
    expect(await mailsOf(OVER)).toBe(0);
    await waitUntil(until);
    const { source } = await mail.next(isAbout(OVER));
    expect(source).toContain('- Noor has decided · Approvals: 1');
    expect(source).toContain('- Mia has not decided');
    await (await visitAs('Mia')).submit('Approve');
    await waitUntil(until + DAY_MS);
    expect(await mailsOf(OVER)).toBe(1);

    asked += 1;
    day = new Date(until + 4 * DAY_MS).toISOString().slice(0, 10);
    await (await answersPage()).submit('End mails');
    await ask({ title: `Coast ${asked}` });
    await waitUntil(Date.parse(`${day}T23:59:59Z`));
    expect(await mailsOf(ALL)).toBe(0);
    expect(await mailsOf(OVER)).toBe(0);
  });

  it.each([
    ['2026-12-01T22:59:59Z', -60],
    ['2026-12-02T07:59:59Z', 480],
  ])('has the day of %s at a place %i minutes behind UTC', (end, offset) => {
    expect(lastDayOf({ until: new Date(end), offset })).toBe('2026-12-01');
  });

  it('is settled by another process after one that was killed', async () => {
    await ask();
    const clock = (): Date => new Date(until);
    const { rounds } = deps(clock);
    const round = await rounds.of(shareId);
    if (round === undefined) throw new Error('there is no round');
    const settled = { isReminded: false, isClosed: true, dueAt: undefined };
    const killed = rounds.settle(round, settled, () => Promise.reject(new Error('killed')));
    await expect(killed).rejects.toThrow('killed');
    await waitUntil(until);
    expect(await mailsOf(OVER)).toBe(1);
  });

  it('has no mails while the link is revoked', async () => {
    await ask();
    await service.database.query('UPDATE shares SET revoked_at = $1', [new Date(now)]);
    await waitUntil(until - 1);
    await waitUntil(until + 1);
    expect(await mailsOf(REMINDER)).toBe(0);
    expect(await mailsOf(OVER)).toBe(0);
  });

  it('is shown to the studio with versions: what was decided, withdrawn, and is missing', async () => {
    const token = await connectAs(service, member);
    const pier = await send(service, token, `Pier ${asked}.jpg`, jpeg(400, 31));
    link = await shareAs(service, member, { photo: pier });
    const [row] = await service.database.query<{ id: string }>(
      'SELECT id FROM shares ORDER BY title NULLS FIRST LIMIT 1',
    );
    shareId = row?.id ?? '';
    await ask({ reviewers: 'Noor\nMia\nIda' });
    await (await visitAs('Noor', pier)).submit('Approve');
    const mia = await visitAs('Mia', pier);
    await mia.submit('Request changes');
    await mia.submit('Changes requested');
    now += 1000;
    await send(service, token, `Pier ${asked}.jpg`, jpeg(400, 32));
    const { text } = (await answersPage()).page;
    expect(text).toContain('Noor has decided');
    expect(text).toContain('About an earlier version: 1');
    expect(text).toMatch(/Noor approved version 1\. Version 2 is newer\. v1 · [0-9a-f]{8}/);
    expect(text).toContain('Mia has not decided');
    expect(text).toContain('Mia withdrew the request for changes to version 1.');
    expect(text).toContain('Ida has not decided');
  });

  it('about several files counts for each file, or when the reviewer finishes', async () => {
    const token = await connectAs(service, member);
    const files = [
      await send(service, token, `Reef ${asked}.jpg`, jpeg(90, 41)),
      await send(service, token, `Bay ${asked}.jpg`, jpeg(90, 42)),
    ];
    await service.database.query(
      `INSERT INTO share_photos (share_id, photo_id) SELECT $1, jsonb_array_elements_text($2::jsonb)`,
      [shareId, JSON.stringify(files)],
    );
    await ask();
    const noor = await visitAs('Noor', files[0]);
    await noor.submit('Approve');
    const { text: some, markup } = (await answersPage()).page;
    expect(some).toMatch(/Noor has not decided 1 of 3 files decided · Approvals: 1/);
    const [, missing = ''] = /Not decided:(.*?)<\/p>/s.exec(markup) ?? [];
    const named = [...missing.matchAll(/<a href="\/photos\/([^"]+)">/g)].map(([, id]) => id);
    expect(new Set(named)).toEqual(new Set([harbour, files[1]]));
    expect(some).not.toContain('0 of 3');
    await noor.open(link);
    await noor.submit('Finish');
    const mia = await visitAs('Mia');
    await mia.open(link);
    await mia.submit('Finish');
    now += 1000;
    await mia.open(`${link}/photo?photo=${harbour}`);
    await mia.submit('Approve');
    const { text } = (await answersPage()).page;
    expect(text).toContain('Noor has decided 1 of 3 files decided');
    expect(text).toContain('Mia has not decided 1 of 3 files decided');
    for (const photo of files) {
      await mia.open(`${link}/photo?photo=${photo}`);
      await mia.submit('Approve');
    }
    await waitUntil(now + SETTLE_DELAY_MS);
    const { source } = await mail.next(isAbout(ALL));
    expect(source).toContain('- Mia has decided · Approvals: 3');
    expect(source).toContain('- Noor has decided · 1 of 3 files decided · Approvals: 1');
  });

  it('counts no decision about a file that the link no longer shows', async () => {
    const token = await connectAs(service, member);
    const reef = await send(service, token, `Reef ${asked}.jpg`, jpeg(90, 43));
    const shown = (photo: string): Promise<unknown> =>
      service.database.query('INSERT INTO share_photos (share_id, photo_id) VALUES ($1, $2)', [
        ...[shareId, photo],
      ]);
    await shown(reef);
    await ask({ reviewers: 'Noor' });
    await (await visitAs('Noor', reef)).submit('Approve');
    const cove = await send(service, token, `Cove ${asked}.jpg`, jpeg(90, 44));
    await shown(cove);
    await service.database.query('DELETE FROM share_photos WHERE photo_id = $1', [reef]);
    await (await visitAs('Noor')).submit('Approve');
    const { text } = (await answersPage()).page;
    expect(text).toContain('Noor has not decided 1 of 2 files decided');
    expect(text).toContain(`Not decided: Cove ${asked}.jpg`);
  });

  it('is in the activity: asked, decided by each, decided by all, and over', async () => {
    const events = (): Promise<Record<string, unknown>[]> =>
      service.database.query(
        `SELECT action, about - 'photo' - 'link' - 'guest' AS about, by FROM audit_events
          WHERE about ->> 'link' = $1 AND action LIKE 'decision%' ORDER BY id`,
        [shareId],
      );
    const of = (action: string, about: object, by: string | null = null): object => ({
      ...{ action: `decision_${action}`, about: expect.objectContaining(about), by },
    });
    await ask({ reviewers: 'Noor\nMia' });
    await ask({ reviewers: 'Noor\nMia' });
    const requested = { until: new Date(until).toISOString(), reviewers: 2 };
    const begun = of('requested', requested, member.accountId);
    expect(await events()).toEqual([begun]);
    const noor = await visitAs('Noor');
    await noor.submit('Approve');
    await waitUntil(now + SETTLE_DELAY_MS);
    await waitUntil(now + SETTLE_DELAY_MS);
    const counts = { files: 1, decided: 1, approvals: 1, changes: 0 };
    const first = of('made', { name: 'Noor', ...counts });
    expect(await events()).toEqual([begun, first]);
    // Who withdraws a decision may decide again.
    await noor.submit('Approved');
    await waitUntil(now + SETTLE_DELAY_MS);
    await noor.submit('Approve');
    await waitUntil(now + SETTLE_DELAY_MS);
    expect(await events()).toEqual([begun, first, first]);
    await (await visitAs('Mia')).submit('Request changes');
    await waitUntil(now + SETTLE_DELAY_MS);
    const second = of('made', { name: 'Mia', ...counts, approvals: 0, changes: 1 });
    const all = of('completed', { reviewers: 2, approvals: 1, changes: 1 });
    expect(await events()).toEqual([begun, first, first, second, all]);
    await waitUntil(until);

    day = new Date(until + 3 * DAY_MS).toISOString().slice(0, 10);
    await ask({ reviewers: 'Noor\nMia\nIda', 'decide-offset': '0' });
    await waitUntil(Date.parse(`${day}T23:59:59Z`));
    await waitUntil(now + DAY_MS);
    const later = (await events()).slice(5);
    expect(later.map(({ action }) => action)).toEqual([
      ...['decision_requested', 'decision_made', 'decision_made', 'decision_expired'],
    ]);
    expect(later.at(-1)).toEqual(of('expired', { reviewers: 3, decided: 2 }));
    await (await answersPage()).submit('Remove guest');
    expect(JSON.stringify(await events())).not.toContain('Noor');
  });

  it('is in the API with the states of reviewers and their addresses', async () => {
    const tokens = new PersonalTokens(service.database, () => new Date(now));
    const entry = { workspaceId, name: 'Script', scopes: ['shares:write'] as const, days: 7 };
    const token = await tokens.create(member.accountId, entry);
    const change = async (decision: unknown): Promise<[number, Record<string, unknown>]> => {
      const answer = await fetch(`${service.baseUrl}/api/v1/shares/${shareId}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ decision }),
      });
      return [answer.status, (await answer.json()) as Record<string, unknown>];
    };
    await service.database.query(`UPDATE accounts SET email_locale = 'fr' WHERE id = $1`, [
      member.accountId,
    ]);
    const email = 'noor@client.example';
    const reviewers = [
      ...[{ name: 'Noor', email }, { name: 'Mia' }],
      { name: 'Ida', email: 'ida@client.example', language: 'ja' },
    ];
    const [status, made] = await change({ until: `${day}T23:59:59+01:00`, reviewers });
    expect(status).toBe(200);
    const none = {
      ...{ has_decided: false, approvals: 0, changes: 0, outdated: 0, withdrawn: 0 },
      ...{ files: 1, decided: 0, missing: [{ id: harbour, name: expect.any(String) }] },
    };
    const own = { guest: expect.any(String), url: expect.stringContaining(`${link}?guest=`) };
    expect(made['decision']).toEqual({
      until: new Date(until).toISOString(),
      reviewers: [
        { name: 'Noor', email, language: 'fr', ...own, ...none },
        { name: 'Mia', email: null, language: null, ...own, ...none },
        { name: 'Ida', email: 'ida@client.example', language: 'ja', ...own, ...none },
      ],
    });
    const [stored] = await service.database.query('SELECT offset_minutes FROM share_rounds');
    expect(stored).toEqual({ offset_minutes: -60 });
    await (await visitAs('Noor')).submit('Approve');
    const list = await fetch(`${service.baseUrl}/api/v1/shares`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { shares } = (await list.json()) as { shares: Record<string, unknown>[] };
    expect(shares[0]?.['decision']).toMatchObject({
      reviewers: [
        { has_decided: true, approvals: 1, decided: 1, missing: [] },
        ...[{ has_decided: false }, { has_decided: false }],
      ],
    });
    await service.database.query('UPDATE accounts SET email_locale = NULL');
    await change({
      until: `${day}T23:59:59+01:00`,
      reviewers: [
        { name: 'Noor', email },
        { name: 'Ida', email: 'ida@client.example', language: 'de' },
      ],
    });
    await waitUntil(until - REMIND_BEFORE_MS);
    const reminder = await mail.next(
      ({ subject, to }) =>
        to[0] === 'ida@client.example' &&
        subject === `Bitte entscheiden Sie bis morgen: Coast ${asked}`,
    );
    expect(reminder.source).toContain('Keine solchen E-Mails mehr bekommen');
    expect(
      await service.database.query('SELECT locale FROM guest_addresses WHERE email = $1', [email]),
    ).toEqual([{ locale: 'fr' }]);
    for (const wrong of [
      { until: '2026-01-01T00:00:00Z', reviewers },
      { until: `${day}T23:59:59Z`, reviewers: [{ name: ' ' }] },
      { until: `${day}T23:59:59Z`, reviewers: [] },
    ]) {
      expect((await change(wrong))[0]).toBe(400);
    }
    expect((await change(null))[1]).toMatchObject({ decision: null });
  });
});
