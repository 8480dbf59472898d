import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EmailAddresses } from '../../../service/identity/accounts/email-addresses.js';
import { createAccount } from '../../../service/identity/accounts/accounts.js';
import { Invitations } from '../../../service/identity/invitations/invitations.js';
import { EVENTS } from '../../../service/app/events.js';
import { noticesOf } from '../../../service/identity/notices/notice-words.js';
import { MailComposer } from '../../../service/identity/mail/mail-composer.js';
import { MailSender } from '../../../service/identity/mail/mail-sender.js';
import { queueMail } from '../../../service/identity/mail/outgoing-mail.js';
import { PasswordChanges } from '../../../service/identity/passwords/password-changes.js';
import type { Database } from '../../../service/kernel/database/database.js';
import { MailError, type Mail } from '../../../service/kernel/mail/mail-transport.js';
import { NOOP_METRICS } from '../../../service/kernel/metrics/metrics-port.js';
import { RateLimiter } from '../../../service/kernel/rate-limit/rate-limiter.js';
import { openMigratedDatabase } from '../support/database-templates.js';

const MINUTE = 60_000;
const AWAY = new MailError('away', false);

describe('the sender of mail', () => {
  let database: Database;
  let time: number;
  let sent: Mail[];
  let reported: unknown[];
  let failure: MailError | undefined;

  const now = (): Date => new Date(time);
  const sender = (): MailSender =>
    new MailSender({
      database,
      now,
      counts: NOOP_METRICS,
      reportError: (error) => reported.push(error),
      transport: {
        send: async (mail) => {
          await Promise.resolve();
          if (failure !== undefined) throw failure;
          sent.push(mail);
        },
      },
      composer: new MailComposer({
        database,
        limit: new RateLimiter(database, now),
        notices: noticesOf(EVENTS),
        mails: [],
        proof: () => '',
        baseUrl: 'https://service.example',
        passwordChanges: new PasswordChanges(database, now, () => Promise.resolve()),
        invitations: new Invitations(database, now),
        emailAddresses: new EmailAddresses(database, now),
        helpContact: undefined,
      }),
    });
  const queued = async (): Promise<number> =>
    (await database.query('SELECT 1 FROM outgoing_mail')).length;
  const queueChanged = (recipient: string): Promise<void> => {
    const about = { username: 'ada' };
    return queueMail(database, { kind: 'email_changed', recipient, locale: 'en', about }, now());
  };
  const queueReset = (): Promise<void> => {
    const about = { login: 'ada' };
    const mail = { kind: 'password_reset', recipient: '', locale: 'en', about } as const;
    return queueMail(database, mail, now());
  };
  const runAfter = async (minutes: number): Promise<void> => {
    time += minutes * MINUTE;
    await sender().run();
  };

  beforeAll(async () => {
    database = await openMigratedDatabase();
    const user = { username: 'ada', displayName: 'Ada', password: 'x' };
    await createAccount(database, user);
    await database.query(
      `UPDATE accounts SET email = 'ada@studio.example', email_confirmed_at = now()`,
    );
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    await database.query('DELETE FROM outgoing_mail');
    await database.query('DELETE FROM attempts');
    [time, sent, reported, failure] = [Date.parse('2026-11-26T08:00:00Z'), [], [], undefined];
  });

  it('sends a mail again after growing pauses while the server is away', async () => {
    failure = AWAY;
    await queueReset();
    const attempts: number[] = [];
    for (let minute = 0; minute < 25; minute += 1) {
      await sender().run();
      if (reported.length > attempts.length) attempts.push(minute);
      time += MINUTE;
    }
    failure = undefined;
    await runAfter(0);

    expect(attempts).toEqual([0, 1, 6, 21]);
    await runAfter(60);
    expect([sent.map(({ to }) => to), await queued()]).toEqual([[], 0]);
  });

  it('sends a late mail with a new link, which is the only valid one', async () => {
    failure = AWAY;
    await queueReset();
    await runAfter(0);
    failure = undefined;
    await runAfter(1);

    const [link = ''] = /svc_rst_[\w-]+/.exec(sent[0]?.text ?? '') ?? [];
    const changes = new PasswordChanges(database, now, () => Promise.resolve());
    expect(await changes.findReset(link)).toMatchObject({ username: 'ada' });
    expect([sent.length, await queued()]).toEqual([1, 0]);
  });

  it('lets other mails wait while the server is away', async () => {
    failure = AWAY;
    await queueChanged('a@b.example');
    await queueChanged('c@d.example');

    await runAfter(0);

    expect([reported.length, await queued()]).toEqual([1, 2]);
  });

  it('drops a mail that the server refuses for good, and sends the next', async () => {
    await queueChanged('a@b.example');
    failure = new MailError('no such user', true);
    await runAfter(0);
    expect([reported, await queued()]).toEqual([[failure], 0]);
  });

  it('sends each mail once when several processes send', async () => {
    for (let count = 0; count < 10; count += 1) await queueChanged(`a${count}@b.example`);

    await Promise.all([sender().run(), sender().run(), sender().run()]);

    expect(new Set(sent.map(({ to }) => to)).size).toBe(10);
    expect([sent.length, await queued()]).toEqual([10, 0]);
  });

  it('mails no notice from a time without mail', async () => {
    await database.query(
      `INSERT INTO notices (id, account_id, kind, about, created_at)
       SELECT kind, id, kind, '{}', at FROM accounts,
         (VALUES ('passkey_added', $1::timestamptz), ('password_changed', $2::timestamptz)) AS made (kind, at)`,
      [new Date(time - 25 * 60 * MINUTE), now()],
    );

    await runAfter(0);

    expect(sent.map(({ subject }) => subject)).toEqual(['Your password was changed']);
  });

  it('sends a mail that was put off while the clock was ahead', async () => {
    const year = 365 * 24 * 60;
    await runAfter(year);
    await queueChanged('ada@studio.example');
    failure = AWAY;
    await runAfter(0);
    failure = undefined;
    await runAfter(-year);
    expect([sent.length, await queued()]).toEqual([1, 0]);
  });

  it('tries a mail from a time when the clock was ahead no longer than others', async () => {
    const year = 365 * 24 * 60;
    await runAfter(year);
    await queueReset();
    failure = AWAY;
    await runAfter(-year);
    await runAfter(61);
    expect(await queued()).toBe(0);
  });
});
