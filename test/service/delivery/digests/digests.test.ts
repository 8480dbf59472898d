import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { queueDigests } from '../../../../service/delivery/digests/digest-mail.js';
import {
  DigestTable,
  FINISH_DELAY_MS,
  MAX_DELAY_MS,
  SILENCE_MS,
} from '../../../../service/delivery/digests/digest-table.js';
import { TestBrowser } from '../../support/browser-client.js';
import { startMailServer, type MailServer, type ReceivedMail } from '../../support/mail-server.js';
import { startTestService, type TestService } from '../../support/running-service.js';
import { openSettings, type TestUser } from '../../support/users.js';
import { addSharedPhotos, shareAs } from '../shares/sharing.js';

describe('mails about the feedback of a link', () => {
  let now = Date.parse('2026-11-28T12:00:00Z');
  /** By how much the clock moves with each look at it, as a real one does. In milliseconds. */
  let tick = 0;
  let mail: MailServer;
  let service: TestService;
  let member: TestUser;
  let owner: TestUser;
  let harbour: string;
  let night: string;
  let link: string;

  beforeAll(async () => {
    mail = await startMailServer();
    service = await startTestService({
      now: () => new Date((now += tick)),
      trustedProxies: 1,
      mail: { smtpUrl: mail.url, from: 'North Studio <mail@studio.example>' },
    });
    ({ member, owner, harbour, night } = await addSharedPhotos(service));
    await service.database.query(
      `UPDATE accounts SET email = 'member@studio.example', email_confirmed_at = now() WHERE id = $1`,
      [member.accountId],
    );
  });
  afterAll(async () => {
    await service.close();
    await mail.close();
  });
  beforeEach(async () => {
    await service.database.query('DELETE FROM shares');
    await service.database.query('DELETE FROM digest_opt_outs');
    // Past the limits of addresses.
    now += 2 * 3_600_000;
    mail.skip();
    link = await makeLink(harbour);
  });

  const makeLink = async (photo: string): Promise<string> => {
    const path = await shareAs(service, member, { photo });
    await service.database.query(`UPDATE shares SET title = 'Coast'`);
    return path;
  };
  const idOfLink = async (): Promise<string> => {
    const [row] = await service.database.query<{ id: string }>('SELECT id FROM shares');
    return row?.id ?? '';
  };
  const approveAs = async (name: string): Promise<TestBrowser> => {
    const guest = new TestBrowser(service.baseUrl);
    await guest.open(`${link}/photo?photo=${harbour}`);
    await guest.submit('Approve');
    await guest.submit('Continue', { name });
    return guest;
  };
  /** Lets time pass, and mails what is due as a process of the service does. */
  const wait = async (ms: number): Promise<void> => {
    now += ms;
    const clock = (): Date => new Date(now);
    await queueDigests({ digests: new DigestTable(service.database, clock), now: clock });
  };
  const isFeedback = ({ to, subject }: ReceivedMail): boolean =>
    to[0] === 'member@studio.example' && subject.includes('Coast');
  const next = (): Promise<ReceivedMail> => mail.next(isFeedback);
  /** The address below the mail, which its header has, too. */
  const endOf = ({ source }: ReceivedMail): string => {
    expect(source).toMatch(/^List-Unsubscribe:\s+<http/m);
    return source.split('Get no more of these mails:')[1]?.trim().split(/\s/)[0] ?? '';
  };
  const queued = async (): Promise<number> =>
    (await service.database.query(`SELECT 1 FROM outgoing_mail WHERE kind = 'declared'`)).length;

  it('come once for many answers, after ten minutes of silence', async () => {
    const guest = await approveAs('Mia');
    await guest.submit('Send', { text: 'Lovely light' });
    for (let click = 0; click < 20; click += 1) {
      await guest.submit('Favorite');
    }
    await approveAs('Noor');
    const before = mail.received.filter(isFeedback).length;
    await wait(SILENCE_MS - 1);
    expect([mail.received.filter(isFeedback).length, await queued()]).toEqual([before, 0]);
    await wait(1);
    const sent = await next();

    expect(sent.subject).toBe('New answers: Coast');
    expect(sent.source).toContain('- Mia · Approvals: 1 · Comments: 1');
    expect(sent.source).toContain('- Noor · Approvals: 1');
    expect(sent.source).toContain(`${service.baseUrl}/shares/${await idOfLink()}/answers`);
    await wait(24 * 3_600_000);
    expect([mail.received.filter(isFeedback).length, await queued()]).toEqual([before + 1, 0]);
  });

  it('have each answer once, while the clock moves between an answer and its event', async () => {
    tick = 1;
    await approveAs('Mia');
    await wait(SILENCE_MS);
    expect((await next()).source).toContain('- Mia · Approvals: 1');
    await approveAs('Noor');
    tick = 0;
    await wait(SILENCE_MS);
    const { source } = await next();
    expect([source.includes('- Noor · Approvals: 1'), source.includes('Mia')]).toEqual([
      true,
      false,
    ]);
  });

  it('come within an hour while guests go on', async () => {
    const guest = await approveAs('Mia');
    for (let passed = 0; passed < MAX_DELAY_MS; passed += SILENCE_MS - 1) {
      await guest.submit('Favorite');
      await wait(SILENCE_MS - 1);
    }
    expect((await next()).subject).toBe('New answers: Coast');
  });

  it('come soon when a guest finishes, with everything of the guest and a sentence', async () => {
    const guest = await approveAs('Mia');
    await wait(SILENCE_MS);
    await next();
    await guest.open(link);
    const page = await guest.submit('Finish');
    expect(page.text).toContain('The studio gets a mail about your answers.');
    await guest.submit('Send', { sentence: 'Print them all.' });
    await wait(FINISH_DELAY_MS);
    const sent = await next();

    expect(sent.subject).toBe('Mia has finished: Coast');
    expect(sent.source).toContain('- Mia has finished · Approvals: 1 · “Print them all.”');
    const answers = await openSettings(service, member, `/shares/${await idOfLink()}/answers`);
    expect(answers.page.text).toContain('Mia has finished');
    expect(answers.page.text).toContain('Print them all.');
  });

  it('name a guest who finishes without an answer, and ask for the name', async () => {
    const guest = new TestBrowser(service.baseUrl);
    await guest.open(link);
    const asked = await guest.submit('Finish');
    expect(asked.text).toContain('Name');
    await guest.submit('Finish', { name: 'Ines' });
    await wait(FINISH_DELAY_MS);
    expect((await next()).subject).toBe('Ines has finished: Coast');
    const events = await service.database.query(
      `SELECT action, about->>'name' AS name FROM audit_events WHERE action = 'link_finished' ORDER BY id DESC LIMIT 1`,
    );
    expect(events).toEqual([{ action: 'link_finished', name: 'Ines' }]);
  });

  it('do not come when what was said is withdrawn', async () => {
    const guest = await approveAs('Mia');
    await guest.submit('Approved');
    await wait(SILENCE_MS);
    expect(await queued()).toBe(0);
  });

  it('do not name a guest whom the studio removed', async () => {
    const guest = await approveAs('Spam');
    await guest.open(link);
    await guest.submit('Finish');
    const answers = await openSettings(service, member, `/shares/${await idOfLink()}/answers`);
    await answers.submit('Remove guest');
    await wait(SILENCE_MS);
    expect(await queued()).toBe(0);
    await guest.open(link);
    expect((await guest.submit('Finish')).status).toBe(403);
    expect(await queued()).toBe(0);
  });

  it('have the answers of a restored guest once', async () => {
    const guest = await approveAs('Mia');
    await guest.open(link);
    await guest.submit('Finish');
    await wait(SILENCE_MS);
    await next();
    const answers = await openSettings(service, member, `/shares/${await idOfLink()}/answers`);
    await answers.submit('Remove guest');
    expect(answers.page.text).not.toContain('Mia has finished');
    await answers.submit('Undo');
    expect(answers.page.text).toContain('Mia has finished');
    await approveAs('Noor');
    await wait(SILENCE_MS);
    const { source } = await next();
    expect(source).toContain('Noor');
    expect(source).not.toContain('Mia');
  });

  it.each([
    ['the link', 'List-Unsubscribe=One-Click', false],
    ['all links', 'all=1', true],
  ])('end for %s by their address, without a session', async (_what, body, endsAll) => {
    await approveAs('Mia');
    await wait(SILENCE_MS);
    const sent = await next();
    const url = endOf(sent);
    expect(sent.source).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');

    const shown = await fetch(url);
    expect([shown.status, await shown.text()]).toEqual([
      200,
      expect.stringContaining('End for this link'),
    ]);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const done = await fetch(url, { method: 'POST', headers, body });
    expect(done.status).toBe(200);
    await approveAs('Noor');
    await wait(SILENCE_MS);
    expect(await queued()).toBe(0);

    link = await makeLink(night);
    const digests = new DigestTable(service.database, () => new Date(now));
    const ids = await service.database.query<{ id: string }>(
      'SELECT id FROM shares ORDER BY created_at DESC LIMIT 1',
    );
    expect(await digests.wantsMails(member.accountId, ids[0]?.id ?? '')).toBe(!endsAll);
  });

  it.each([
    ['another account', 'account'],
    ['another link', 'share'],
  ])('do not end for %s by a changed address', async (_what, field) => {
    await approveAs('Mia');
    await wait(SILENCE_MS);
    const sent = await next();
    const url = endOf(sent);
    const changed = new URL(url);
    changed.searchParams.set(field, owner.accountId);
    const answer = await fetch(changed, {
      method: 'POST',
      body: new URLSearchParams({ all: '1' }),
    });
    expect(answer.status).toBe(404);
    expect(await service.database.query('SELECT 1 FROM digest_opt_outs')).toEqual([]);
  });

  it('end and start again on the page of the answers, for the creator only', async () => {
    const page = `/shares/${await idOfLink()}/answers`;
    const creator = await openSettings(service, member, page);
    const ended = await creator.submit('End mails');
    expect(ended.text).toContain('Mails about this link end.');
    await approveAs('Mia');
    await wait(SILENCE_MS);
    expect(await queued()).toBe(0);
    expect((await creator.submit('Start mails')).text).toContain(
      'You get a mail when clients answer.',
    );
    const other = await openSettings(service, owner, page);
    expect(other.page.text).not.toContain('You get a mail when clients answer.');
  });

  it('are queued by one of several processes, and by another after a failure', async () => {
    await approveAs('Mia');
    now += SILENCE_MS;
    const clock = (): Date => new Date(now);
    const digests = new DigestTable(service.database, clock);
    const taken: string[] = [];
    await expect(
      digests.takeDue(() => Promise.reject(new Error('killed before the mail'))),
    ).rejects.toThrow('killed before the mail');
    await Promise.all(
      Array.from({ length: 4 }, () =>
        digests.takeDue((_transaction, { title }) => {
          taken.push(title);
          return Promise.resolve();
        }),
      ),
    );
    expect(taken).toEqual(['Coast']);
  });
});
