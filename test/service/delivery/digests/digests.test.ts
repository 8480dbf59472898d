import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { queueDigests } from '../../../../service/delivery/digests/digest-mail.js';
import {
  DigestTable,
  FINISH_DELAY_MS,
  MAX_DELAY_MS,
  recordFeedback,
  SILENCE_MS,
} from '../../../../service/delivery/digests/digest-table.js';
import { FeedbackTable } from '../../../../service/library/feedback/feedback-table.js';
import { TestBrowser } from '../../support/browser-client.js';
import type { MailServer, ReceivedMail } from '../../support/mail-server.js';
import type { TestService } from '../../support/running-service.js';
import { library } from '../../../support/pictures.js';
import { jpeg } from '../../support/tus-client.js';
import { connectAs, openSettings, send, type TestUser } from '../../support/users.js';
import { startMailingStudio, type MailingStudio } from '../mailing-studio.js';
import { shareAs } from '../shares/sharing.js';

interface MailPart {
  readonly type: string;
  readonly id: string | undefined;
  readonly disposition: string | undefined;
  readonly bytes: Buffer;
  readonly body: string;
}

/** The parts of a mail ([RFC 2046 §5.1](https://www.rfc-editor.org/rfc/rfc2046#section-5.1)), without those that have parts. */
function partsOf(source: string): MailPart[] {
  const end = source.indexOf('\r\n\r\n');
  const head = source.slice(0, end).replace(/\r\n[ \t]+/g, ' ');
  const body = source.slice(end + 4);
  const [, boundary] = /^Content-Type: multipart\/[^\r\n]*boundary="([^"]+)"/im.exec(head) ?? [];
  if (boundary !== undefined) {
    const parts = body.split(`--${boundary}`).slice(1, -1);
    return parts.flatMap((part) => partsOf(part.replace(/^\r\n|\r\n$/g, '')));
  }
  const header = (name: string, value: string): string | undefined =>
    new RegExp(`^${name}: ${value}`, 'im').exec(head)?.[1];
  const bytes =
    header('Content-Transfer-Encoding', '(\\S+)') === 'base64'
      ? Buffer.from(body, 'base64')
      : Buffer.from(
          body
            .replaceAll('=\r\n', '')
            .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
          'latin1',
        );
  return [
    {
      type: header('Content-Type', '([^;\\s]+)') ?? '',
      id: header('Content-Id', '<([^>]+)>'),
      disposition: header('Content-Disposition', '(\\w+)'),
      ...{ bytes, body: bytes.toString() },
    },
  ];
}

describe('mails about the feedback of a link', () => {
  let now = Date.parse('2026-11-28T12:00:00Z');
  /** By how much the clock moves with each look at it, as a real one does. In milliseconds. */
  let tick = 0;
  let studio: MailingStudio;
  let mail: MailServer;
  let service: TestService;
  let member: TestUser;
  let owner: TestUser;
  let harbour: string;
  let night: string;
  let link: string;

  beforeAll(async () => {
    studio = await startMailingStudio({
      now: () => new Date((now += tick)),
      trustedProxies: 1,
    });
    ({ service, mail, member, owner, harbour, night } = studio);
  });
  afterAll(() => studio.close());
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
  /** The next mail, once the service has stored that it was sent. */
  const next = async (): Promise<ReceivedMail> => {
    const found = await mail.next(isFeedback);
    const sql = `SELECT 1 FROM outgoing_mail WHERE kind = 'declared' AND attempts > 0`;
    while ((await service.database.query(sql)).length > 0) {
      await sleep(20);
    }
    return found;
  };
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

  it('come once for hundreds of favorites', async () => {
    const shareId = await idOfLink();
    const token = await connectAs(service, member);
    const files = [harbour, night, await send(service, token, 'Pier.jpg', jpeg(60, 51))];
    const answers = new FeedbackTable(service.database, () => new Date(now));
    for (let count = 0; count < 200; count += 1) {
      const photoId = files[count % files.length] ?? '';
      await answers.add(
        {
          ...{ shareId, photoId, uploadId: photoId, kind: 'favourite' },
          guest: { id: `guest-${count % 60}`, name: `Guest ${count % 60}` },
        },
        (transaction) => recordFeedback(transaction, shareId, new Date(now)),
      );
    }
    const before = mail.received.filter(isFeedback).length;
    now += SILENCE_MS;
    await Promise.all([wait(0), wait(0), wait(0)]);
    const { source } = await next();
    expect(source).toContain('Further guests: ');
    await wait(24 * 3_600_000);
    expect([mail.received.filter(isFeedback).length, await queued()]).toEqual([before + 1, 0]);
  });

  // Without an image library there are no thumbnails.
  (library === undefined ? [] : [library]).forEach((sharp) => {
    it('have small pictures of up to six files, and are complete without them', async () => {
      const token = await connectAs(service, member);
      const names = Array.from({ length: 7 }, (_, index) => `Look ${index}.png`);
      const files: string[] = [];
      for (const [index, name] of names.entries()) {
        const background = { r: 30 * index, g: 90, b: 200 };
        const picture = await sharp({
          create: { width: 900, height: 600, channels: 3, background },
        })
          .png()
          .toBuffer();
        files.push(await send(service, token, name, new Uint8Array(picture)));
      }
      const made = async (): Promise<number> =>
        (
          await service.database.query(
            `SELECT 1 FROM thumbnails WHERE state = 'made' AND upload_id IN (SELECT jsonb_array_elements_text($1::jsonb))`,
            [JSON.stringify(files)],
          )
        ).length;
      while ((await made()) < files.length) {
        await sleep(50);
      }
      await service.database.query('DELETE FROM shares');
      link = await makeLink(files[0] ?? '');
      await service.database.query(
        `INSERT INTO share_photos (share_id, photo_id) SELECT $1, jsonb_array_elements_text($2::jsonb)
         ON CONFLICT DO NOTHING`,
        [await idOfLink(), JSON.stringify(files)],
      );
      const guest = new TestBrowser(service.baseUrl);
      await guest.open(link);
      for (const [index, photo] of files.entries()) {
        now += 1000;
        await fetch(`${service.baseUrl}${link}/answers`, {
          method: 'POST',
          headers: { cookie: guest.allCookies },
          redirect: 'manual',
          body: new URLSearchParams({ csrf: guest.csrf, approve: photo, name: `Mia ${index}` }),
        });
      }
      await service.database.query('UPDATE uploads SET trashed_at = $1 WHERE id = $2', [
        ...[new Date(now), files[6] ?? ''],
      ]);
      await wait(SILENCE_MS);
      const { raw } = await next();

      const parts = partsOf(raw);
      expect(parts.map(({ type }) => type).filter((type) => type.startsWith('text/'))).toEqual([
        'text/plain',
        'text/html',
      ]);
      expect(parts[0]?.body).toMatch(/- Mia \d · Approvals: 7/);
      expect(parts[0]?.body).not.toContain('cid:');
      const pictures = parts.filter(({ type }) => type === 'image/jpeg');
      // One of the six newest is in the trash by now.
      expect(pictures).toHaveLength(5);
      const html = parts[1]?.body ?? '';
      for (const { id, disposition, bytes } of pictures) {
        expect(disposition).toBe('inline');
        expect(html).toContain(`src="cid:${id}"`);
        const { format, width, height } = await sharp(bytes).metadata();
        expect([format, width, height]).toEqual(['jpeg', 240, 160]);
        expect(bytes.length).toBeLessThan(24 * 1024);
      }
      expect(html.match(/<img /g)).toHaveLength(5);
      expect(html).toContain('alt="Look 5');
      expect(html).not.toContain('Look 6');
      expect(html).not.toContain('Look 0');
    });
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
