import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MAX_DELAY_MS, SILENCE_MS } from '../../../../service/delivery/digests/digest-table.js';
import { delivery } from '../../../../service/delivery/module.js';
import { queueReplies } from '../../../../service/delivery/replies/reply-mails.js';
import { SubscriptionTable } from '../../../../service/delivery/replies/subscription-table.js';
import { ENDED_SHARE_DAYS } from '../../../../service/delivery/shares/share.js';
import { ShareTable } from '../../../../service/delivery/shares/share-table.js';
import type { Scope } from '../../../../service/identity/scopes.js';
import { PersonalTokens } from '../../../../service/identity/accounts/personal-access-tokens.js';
import { purgeExpired } from '../../../../service/kernel/database/cleanup.js';
import { TestBrowser, type Page } from '../../support/browser-client.js';
import { startMailServer, type MailServer, type ReceivedMail } from '../../support/mail-server.js';
import { startTestService, type TestService } from '../../support/running-service.js';
import { openSettings, type TestUser } from '../../support/users.js';
import { addSharedPhotos, shareAs } from '../shares/sharing.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('replies by mail', () => {
  let now = Date.parse('2026-11-28T12:00:00Z');
  let mail: MailServer;
  let service: TestService;
  let member: TestUser;
  let workspaceId: string;
  let harbour: string;
  let token: string | undefined;
  let link: string;
  let shareId: string;
  let asked = 0;
  /** An address that no other test enters. */
  let email: string;

  beforeAll(async () => {
    mail = await startMailServer();
    service = await startTestService({
      now: () => new Date(now),
      mail: { smtpUrl: mail.url, from: 'North Studio <mail@studio.example>' },
    });
    ({ member, workspaceId, harbour } = await addSharedPhotos(service));
    token = await tokenFor('feedback:write', 'uploads:read');
  });
  afterAll(async () => {
    await service.close();
    await mail.close();
  });
  beforeEach(async () => {
    await service.database.query('DELETE FROM shares');
    await service.database.query('DELETE FROM share_answers');
    // After the limits of an hour.
    now += 2 * HOUR_MS;
    asked += 1;
    email = `mia${asked}@client.example`;
    link = await shareAs(service, member, { photo: harbour });
    const [row] = await service.database.query<{ id: string }>(
      'UPDATE shares SET title = $1 RETURNING id',
      [`Coast ${asked}`],
    );
    shareId = row?.id ?? '';
  });

  /** A token of the member that belongs to no app. */
  const tokenFor = (...scopes: readonly Scope[]): Promise<string | undefined> =>
    new PersonalTokens(service.database, () => new Date(now)).create(member.accountId, {
      ...{ workspaceId, name: 'Outbox', days: 366, scopes },
    });
  const api = (path: string, init: RequestInit = {}, as = token): Promise<Response> =>
    fetch(`${service.baseUrl}/api/v1/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${as ?? ''}`, 'content-type': 'application/json' },
    });
  /** A guest who asks for replies at an address. */
  const ask = async (
    address = email,
    { browser = new TestBrowser(service.baseUrl), language = 'en' } = {},
  ): Promise<TestBrowser> => {
    browser.reads(language);
    await browser.open(`${link}/replies`);
    await browser.submit(BUTTONS[language] ?? '', { email: address });
    return browser;
  };
  const comment = async (browser: TestBrowser, text: string, name = 'Mia'): Promise<string> => {
    browser.reads('en');
    await browser.open(`${link}/photo?photo=${harbour}`);
    await browser.submit('Send', { text });
    if (browser.page.text.includes('What is your name?')) {
      await browser.submit('Continue', { name });
    }
    const [row] = await service.database.query<{ id: string }>(
      'SELECT id FROM share_answers WHERE comment = $1',
      [text],
    );
    return row?.id ?? '';
  };
  const reply = async (id: string, text: string, as = token): Promise<void> => {
    const answer = await api(
      `feedback/${id}/reply`,
      { method: 'POST', body: JSON.stringify({ text }) },
      as,
    );
    expect(answer.status).toBe(200);
  };
  const isTo =
    (address: string, subject?: string) =>
    (one: ReceivedMail): boolean =>
      one.to[0] === address && (subject === undefined || one.subject.startsWith(subject));
  const linkIn = ({ source }: ReceivedMail, path: string): string =>
    new RegExp(`http://[^\\s"<>]+${path}[^\\s"<>]*`).exec(source)?.[0] ?? '';
  const confirmation = (address = email): Promise<ReceivedMail> =>
    mail.next((one) => isTo(address)(one) && one.source.includes('/shares/confirm-replies'));
  const confirm = async (address = email): Promise<void> => {
    const url = linkIn(await confirmation(address), '/shares/confirm-replies');
    expect((await fetch(url, { method: 'POST', body: '' })).status).toBe(200);
  };
  /** A guest who commented and confirmed the address. */
  const subscriber = async (text: string): Promise<{ browser: TestBrowser; id: string }> => {
    const browser = new TestBrowser(service.baseUrl);
    const id = await comment(browser, text);
    await ask(email, { browser });
    await confirm();
    return { browser, id };
  };
  /** Moves the clock, and does what several processes do. */
  const pass = async (ms: number): Promise<void> => {
    now += ms;
    const time = new Date(now);
    const table = new SubscriptionTable(service.database, () => time);
    const run = (): Promise<void> => queueReplies({ subscriptions: table, now: () => time });
    await Promise.all([run(), run(), run()]);
  };
  /** The mails with replies to an address, once none is on its way. */
  const repliesTo = async (address = email): Promise<ReceivedMail[]> => {
    const waiting = (): Promise<unknown[]> =>
      service.database.query('SELECT 1 FROM outgoing_mail WHERE recipient = $1', [address]);
    while ((await waiting()).length > 0) {
      await sleep(20);
    }
    return mail.received.filter(isTo(address, 'New replies'));
  };

  it('need a confirmed address, and come in the language of the guest', async () => {
    const browser = new TestBrowser(service.baseUrl);
    const id = await comment(browser, 'Too dark.');
    await reply(id, 'Before the address was entered.');
    await ask(email, { browser, language: 'de' });
    expect(browser.page.text).toContain(`Noch nicht bestätigt: ${email}.`);
    const asking = await confirmation();
    expect(asking.subject).toBe(`Möchten Sie Antworten per E-Mail? Coast ${asked}`);
    expect(asking.source).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m);
    const other = await comment(browser, 'And crooked.');
    await reply(other, 'Straightened.');
    await pass(MAX_DELAY_MS);
    const url = linkIn(asking, '/shares/confirm-replies');
    // Programs that scan mail open links.
    expect(await (await fetch(url)).text()).toContain('Confirm address');
    await pass(MAX_DELAY_MS);
    expect(mail.received.filter(isTo(email))).toHaveLength(1);

    const forged = new URL(url);
    forged.searchParams.set('proof', 'x');
    const post = { method: 'POST', body: '' };
    expect((await fetch(forged, post)).status).toBe(404);
    expect(await (await fetch(url, post)).text()).toContain('You get replies by mail');
    expect((await fetch(url, post)).status).toBe(200);
    await pass(SILENCE_MS);
    const sent = await mail.next(isTo(email, 'Neue Antworten'));
    expect(sent.subject).toBe(`Neue Antworten: Coast ${asked}`);
    expect(sent.source).toMatch(
      /^- Harbour <b>\.\u200Bjpg · “And crooked\.” · [^:]+: “Straightened\.”$/m,
    );
    expect(sent.source).not.toContain('Before the address');
    expect(sent.source).toContain(`${service.baseUrl}${link}/photo?photo=${harbour}`);
    expect(sent.source).toMatch(/^List-Unsubscribe:\s+<http/m);
    expect(sent.source).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m);
    expect(sent.source).not.toMatch(/image\/|attachment/);
    expect((await browser.open(`${link}/replies`)).text).toContain(`Replies go to ${email}.`);
  });

  it('come in one mail for those of some minutes, and once when an outbox repeats them', async () => {
    const { browser, id } = await subscriber('First');
    const second = await comment(browser, 'Second');
    await reply(id, 'One');
    await pass(SILENCE_MS - 1);
    await reply(second, 'Two');
    await reply(id, 'One, corrected');
    await pass(SILENCE_MS - 1);
    expect(await repliesTo()).toEqual([]);
    await pass(1);
    const [sent, ...more] = await repliesTo();
    expect(more).toEqual([]);
    expect(sent?.source).toContain('“First” · ');
    expect(sent?.source).toContain('“One, corrected”');
    expect(sent?.source).toContain('“Two”');
    await reply(id, 'One, corrected');
    // Another member sends what is there already.
    await service.database.query(`UPDATE share_answers SET reply_by = 'other' WHERE id = $1`, [
      second,
    ]);
    await reply(second, 'Two');
    await pass(MAX_DELAY_MS);
    expect(await repliesTo()).toHaveLength(1);
    await reply(second, 'Three');
    await pass(SILENCE_MS);
    const [, later] = await repliesTo();
    expect(later?.source).toContain('“Three”');
    expect(later?.source).not.toContain('corrected');
  });

  it('come from a program that did not send the file, too', async () => {
    const { browser, id } = await subscriber('Whose?');
    // The file is of the plugin, and this token may not read it.
    await reply(id, 'Sent by a script', await tokenFor('feedback:write'));
    await pass(SILENCE_MS);
    const [sent] = await repliesTo();
    expect(sent?.source).toContain('“Sent by a script”');
    const { text } = await browser.open(`${link}/photo?photo=${harbour}`);
    expect(text).toContain('Sent by a script');
  });

  it('are delayed by further ones for an hour at most', async () => {
    const { id } = await subscriber('Slow');
    const steps = MAX_DELAY_MS / (SILENCE_MS / 2);
    for (let step = 0; step < steps; step += 1) {
      await reply(id, `Step ${step}`);
      expect(await repliesTo()).toEqual([]);
      await pass(SILENCE_MS / 2);
    }
    expect(await repliesTo()).toHaveLength(1);
  });

  it.each([
    ['a link that has expired', 'UPDATE shares SET expires_at = $2 WHERE id = $1'],
    ['a link that was revoked', 'UPDATE shares SET revoked_at = $2 WHERE id = $1'],
    [
      'a link that takes no answers',
      'UPDATE shares SET takes_feedback = $2::timestamptz IS NULL WHERE id = $1',
    ],
  ])('about %s are not sent', async (_what, change) => {
    const { id } = await subscriber('Late');
    await reply(id, 'Reply');
    await service.database.query(change, [shareId, new Date(now)]);
    await pass(SILENCE_MS);
    expect(await repliesTo()).toEqual([]);
  });

  it('to a guest who was removed are not sent, and end with the removal', async () => {
    const { id } = await subscriber('Gone');
    const [row] = await service.database.query<{ guest_id: string }>(
      'SELECT guest_id FROM share_answers WHERE id = $1',
      [id],
    );
    const guest = row?.guest_id ?? '';
    const shown = (await (await api(`guests/${guest}?link=${shareId}`)).json()) as object;
    expect(shown).toMatchObject({
      replies_by_mail: { email, language: 'en', confirmed: new Date(now).toISOString() },
    });
    const studio = await openSettings(service, member, `/shares/${shareId}/answers`);
    expect(studio.page.text).toContain('Gets replies by mail');
    expect(studio.page.markup).not.toContain(email);
    await reply(id, 'Reply');
    expect((await api(`guests/${guest}?link=${shareId}`, { method: 'DELETE' })).status).toBe(204);
    await pass(SILENCE_MS);
    expect(await repliesTo()).toEqual([]);
    await (await openSettings(service, member, `/shares/${shareId}/answers`)).submit('Undo');
    await reply(id, 'Restored');
    await pass(SILENCE_MS);
    expect((await repliesTo())[0]?.source).toContain('“Restored”');
    await api(`guests/${guest}?link=${shareId}`, { method: 'DELETE' });
    const rows = (): Promise<unknown[]> =>
      service.database.query('SELECT 1 FROM reply_subscriptions WHERE email = $1', [email]);
    const purge = (): Promise<void> =>
      purgeExpired(service.database, new Date(now), delivery.expiring);
    await purge();
    expect(await rows()).toHaveLength(1);
    now += 31 * DAY_MS;
    await purge();
    expect(await rows()).toEqual([]);
  });

  it('of a guest without a name are exported and deleted, too', async () => {
    await ask();
    const [row] = await service.database.query<{ guest_id: string }>(
      'SELECT guest_id FROM reply_subscriptions WHERE email = $1',
      [email],
    );
    const path = `guests/${row?.guest_id ?? ''}?link=${shareId}`;
    expect(await (await api(path)).json()).toMatchObject({
      ...{ name: '', feedback: [], replies_by_mail: { email, confirmed: null } },
    });
    expect((await api(path, { method: 'DELETE' })).status).toBe(204);
    expect((await api(path)).status).toBe(404);
    await repliesTo();
    expect(mail.received.filter(isTo(email)).length).toBeLessThanOrEqual(1);
  });

  it('need an address that is confirmed in two days, and goes with the link', async () => {
    await ask();
    const url = linkIn(await confirmation(), '/shares/confirm-replies');
    now += 2 * DAY_MS + 1;
    expect((await fetch(url, { method: 'POST', body: '' })).status).toBe(404);
    await purgeExpired(service.database, new Date(now), delivery.expiring);
    const rows = (): Promise<unknown[]> =>
      service.database.query('SELECT 1 FROM reply_subscriptions WHERE email = $1', [email]);
    expect(await rows()).toEqual([]);
    email = `later-${email}`;
    await ask();
    await confirm();
    now += (30 + ENDED_SHARE_DAYS) * DAY_MS;
    const shares = new ShareTable(service.database, { make: () => '' }, () => new Date(now));
    await shares.removeEnded(10, async () => {});
    expect(await rows()).toEqual([]);
  });

  it('end for a reader with one click, also when the address is entered again', async () => {
    const { id } = await subscriber('Stop');
    await reply(id, 'Reply');
    await pass(SILENCE_MS);
    const [sent] = await repliesTo();
    if (sent === undefined) throw new Error('there is no mail');
    const url = sent.source.split('Get no more of these mails:')[1]?.trim().split(/\s/)[0] ?? '';
    expect(await (await fetch(url)).text()).toContain('End for this link');
    const forged = new URL(url);
    forged.searchParams.set('replies', 'other');
    const click = { method: 'POST', body: new URLSearchParams('List-Unsubscribe=One-Click') };
    expect((await fetch(forged, click)).status).toBe(404);
    expect((await fetch(url, click)).status).toBe(200);
    await reply(id, 'Another');
    await pass(SILENCE_MS);
    expect(await repliesTo()).toHaveLength(1);
    const stranger = await ask(email.toUpperCase().replace('@CLIENT.EXAMPLE', '@client.example'));
    expect([stranger.page.status, stranger.page.text]).toEqual([
      ...[403, expect.stringContaining('The reader of this address ended the mails')],
    ]);
    const again = { method: 'POST', body: new URLSearchParams({ again: '1' }) };
    expect(await (await fetch(url, again)).text()).toContain(
      'You can ask for replies by mail again',
    );
    expect((await ask(email, { browser: stranger })).page.status).toBe(200);
  });

  it('end with a button of the guest, whose address can be entered again', async () => {
    const { browser, id } = await subscriber('Button');
    await browser.open(`${link}/replies`);
    await browser.submit('End mails');
    expect(browser.page.text).not.toContain(email);
    await reply(id, 'Reply');
    await pass(SILENCE_MS);
    expect(await repliesTo()).toEqual([]);
    expect((await ask(email, { browser })).page.text).toContain(`Not confirmed yet: ${email}`);
  });

  it('go to another address only once that one is confirmed', async () => {
    const { browser, id } = await subscriber('Moved');
    const former = email;
    email = `new-${email}`;
    await ask(email, { browser });
    await reply(id, 'Reply');
    await pass(SILENCE_MS);
    expect(await repliesTo(former)).toEqual([]);
    await confirm();
    await pass(SILENCE_MS);
    expect(await repliesTo(former)).toEqual([]);
    expect(await repliesTo()).toHaveLength(1);
  });

  it('cause three confirmations to one address in a day, by any guest and link', async () => {
    const results: number[] = [];
    for (let guest = 0; guest < 4; guest += 1) {
      if (guest === 2) {
        link = await shareAs(service, member, { photo: harbour });
      }
      results.push((await ask(email)).page.status);
      now += 2 * HOUR_MS;
    }
    expect(results).toEqual([200, 200, 200, 429]);
    await repliesTo();
    expect(mail.received.filter(isTo(email))).toHaveLength(3);
    now += DAY_MS;
    expect((await ask(email)).page.status).toBe(200);
  });

  it.each([
    ['five of one guest', 5, true],
    ['ten of one client', 10, false],
  ])('cause %s in an hour', async (_what, most, isOneGuest) => {
    const results: number[] = [];
    let browser = new TestBrowser(service.baseUrl);
    for (let count = 0; count <= most; count += 1) {
      browser = isOneGuest ? browser : new TestBrowser(service.baseUrl);
      results.push((await ask(`${count}.${email}`, { browser })).page.status);
    }
    expect(results).toEqual([...Array.from({ length: most }, () => 200), 429]);
    expect(browser.page.text).toContain('Too many at once');
  });

  it.each<[string, (browser: TestBrowser) => Promise<Page>, number]>([
    ['no address', (one) => one.submit('Mail me replies', { email: 'mia@' }), 400],
    ['two addresses', (one) => one.submit('Mail me replies', { email: 'a@b.de,c@d.de' }), 400],
    [
      'the form of another guest',
      (one) => one.submit('Mail me replies', { email: 'mia@client.example', csrf: 'x' }),
      403,
    ],
  ])('are refused for %s', async (_what, act, status) => {
    const browser = new TestBrowser(service.baseUrl);
    await browser.open(`${link}/replies`);
    expect((await act(browser)).status).toBe(status);
    expect(
      await service.database.query('SELECT 1 FROM reply_subscriptions WHERE share_id = $1', [
        shareId,
      ]),
    ).toEqual([]);
  });

  it('are offered on the page of the link until it is closed, and leave no trace in the log', async () => {
    const browser = await ask();
    expect((await browser.open(link)).markup).toContain(`href="${link}/replies"`);
    await (
      await openSettings(service, member, `/shares/${shareId}/answers`)
    ).submit('Close for feedback');
    expect((await browser.open(link)).markup).not.toContain(`${link}/replies`);
    expect((await browser.open(`${link}/replies`)).status).toBe(403);
    await repliesTo();
    expect(JSON.stringify(service.logLines)).not.toContain(email);
    expect(
      await service.database.query(`SELECT 1 FROM audit_events WHERE about::text LIKE $1`, [
        `%${email}%`,
      ]),
    ).toEqual([]);
  });
});

const BUTTONS: Readonly<Record<string, string>> = {
  en: 'Mail me replies',
  de: 'Antworten per E-Mail bekommen',
};
