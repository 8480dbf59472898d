import { Translator } from '../../kernel/i18n/translator.js';
import {
  WorkQueue,
  type Ended,
  type WorkQueueDeps,
  type WorkTable,
} from '../../kernel/jobs/work-queue.js';
import { lineAbout } from '../../kernel/log.js';
import { layoutMail } from '../../kernel/mail/mail-layout.js';
import { MailError, type MailTransport } from '../../kernel/mail/mail-transport.js';
import { mailLocale } from '../accounts/email-addresses.js';
import type { MailComposer, TakenMail } from './mail-composer.js';
import type { MailKind } from './outgoing-mail.js';

const MINUTE_MS = 60_000;

/** One after another: while the server is away, no further one is tried. */
const QUEUE: WorkTable = {
  table: 'outgoing_mail',
  columns: 'outgoing_mail.id, kind, recipient, locale, about, created_at AS "createdAt", attempts',
  batch: 1,
  // Longer than one attempt may take.
  leaseMs: MINUTE_MS,
  retryMs: [1, 5, 15, 60, 180, 360].map((minutes) => minutes * MINUTE_MS),
};

/** How long a mail is tried, in minutes. A late link for a new password helps nobody. */
const TRIED_MINUTES: Readonly<Record<MailKind, number>> = {
  password_reset: 60,
  email_confirmation: 12 * 60,
  email_changed: 3 * 24 * 60,
  invitation: 24 * 60,
  notice: 24 * 60,
  declared: 24 * 60,
};

/** Notices older than this are not mailed: they are from a time without mail. */
const NOTICE_MS = 24 * 3_600_000;

export interface MailSenderDeps extends WorkQueueDeps {
  readonly transport: MailTransport;
  readonly composer: MailComposer;
  readonly reportError: (error: unknown) => void;
}

/** Sends queued mails. Several processes may do so: each mail is taken by one of them. */
export class MailSender {
  private readonly queue: WorkQueue<TakenMail>;

  constructor(private readonly deps: MailSenderDeps) {
    this.queue = new WorkQueue<TakenMail>(QUEUE, deps);
  }

  /** Queues mails for new notices, then sends what is due. @param signal stops it after the current mail. */
  async run(signal?: AbortSignal): Promise<void> {
    await this.queueNotices();
    await this.limitAges();
    await this.queue.run(async (mails) => {
      const ended = await Promise.all(mails.map((mail) => this.send(mail)));
      await this.queue.end(this.deps.database, ended);
      return ended.every(({ isDone }) => isDone);
    }, signal);
  }

  /**
   * Queues a mail for each new notice of a user with a confirmed address. A changed address has its own mail, to the former
   * one.
   */
  private async queueNotices(): Promise<void> {
    const now = this.deps.now();
    await this.deps.database.query(
      `WITH marked AS (
         UPDATE notices SET mailed_at = $1 WHERE id = ANY (ARRAY(
           SELECT id FROM notices WHERE mailed_at IS NULL
            ORDER BY created_at LIMIT 100 FOR UPDATE SKIP LOCKED))
         RETURNING id, account_id, kind, about, created_at)
       INSERT INTO outgoing_mail (id, kind, recipient, locale, about, created_at, due_at)
       SELECT marked.id, 'notice', accounts.email, COALESCE(accounts.email_locale, 'en'),
              jsonb_build_object('notice', marked.kind, 'username', accounts.username,
                                 'at', marked.created_at, 'about', marked.about),
              $1, $1
         FROM marked JOIN accounts ON accounts.id = marked.account_id
        WHERE accounts.email_confirmed_at IS NOT NULL AND marked.created_at > $2
          AND marked.kind <> 'email_changed'
       ON CONFLICT (id) DO NOTHING`,
      [now, new Date(now.getTime() - NOTICE_MS)],
    );
  }

  /** Puts right what was queued while the clock was ahead: how long a mail is tried depends on its age. */
  private async limitAges(): Promise<void> {
    await this.deps.database.query(
      'UPDATE outgoing_mail SET created_at = $1 WHERE created_at > $1',
      [this.deps.now()],
    );
  }

  private async send(row: TakenMail): Promise<Ended<TakenMail>> {
    const { transport, composer, now, reportError } = this.deps;
    const mail = { ...row, locale: mailLocale(row.locale) };
    const minutes = (now().getTime() - mail.createdAt.getTime()) / MINUTE_MS;
    const composed = minutes > TRIED_MINUTES[mail.kind] ? undefined : await composer.compose(mail);
    if (composed !== undefined) {
      const { to, locale, content } = composed;
      try {
        // Other mails have another link each time.
        const id = mail.kind === 'declared' || mail.kind === 'notice' ? mail.id : undefined;
        await transport.send({ to, id, ...layoutMail(new Translator(locale), content) });
      } catch (error) {
        reportError(error);
        if (!(error instanceof MailError && error.isPermanent)) {
          return { row, isDone: false, failure: lineAbout(error) };
        }
      }
    }
    return { row, isDone: true };
  }
}
