import type { Database } from '../../kernel/database/database.js';
import { Translator } from '../../kernel/i18n/translator.js';
import { layoutMail } from '../../kernel/mail/mail-layout.js';
import { MailError, type MailTransport } from '../../kernel/mail/mail-transport.js';
import { mailLocale } from '../accounts/email-addresses.js';
import type { MailComposer, TakenMail } from './mail-composer.js';
import type { MailKind } from './outgoing-mail.js';

/** When a mail is sent again, in minutes after each attempt. The first is longer than one attempt may take. */
const RETRY_MINUTES = [1, 5, 15, 60, 180, 360];

/** A mail that is due later than this was put off while the clock was ahead. In milliseconds. */
const MAX_WAIT_MS = Math.max(...RETRY_MINUTES) * 60_000;

/** How long a mail is tried, in minutes. A late link for a new password helps nobody. */
const TRIED_MINUTES: Readonly<Record<MailKind, number>> = {
  password_reset: 60,
  email_confirmation: 12 * 60,
  email_changed: 3 * 24 * 60,
  invitation: 24 * 60,
  notice: 24 * 60,
};

/** Notices older than this are not mailed: they are from a time without mail. */
const NOTICE_MS = 24 * 3_600_000;

export interface MailSenderDeps {
  readonly database: Database;
  readonly transport: MailTransport;
  readonly composer: MailComposer;
  readonly now: () => Date;
  readonly reportError: (error: unknown) => void;
}

/** Sends queued mails. Several processes may do so: each mail is taken by one of them. */
export class MailSender {
  constructor(private readonly deps: MailSenderDeps) {}

  /** Queues mails for new notices, then sends what is due. @param signal stops it after the current mail. */
  async run(signal?: AbortSignal): Promise<void> {
    await this.queueNotices();
    await this.recallLate();
    let goesOn = true;
    while (goesOn && signal?.aborted !== true) {
      const mail = await this.take();
      goesOn = mail !== undefined && (await this.send(mail));
    }
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

  /** Puts right what was noted while the clock was ahead. */
  private async recallLate(): Promise<void> {
    const now = this.deps.now();
    await this.deps.database.query(
      `UPDATE outgoing_mail SET created_at = LEAST(created_at, $1), due_at = CASE WHEN due_at > $2 THEN $1 ELSE due_at END
        WHERE created_at > $1 OR due_at > $2`,
      [now, new Date(now.getTime() + MAX_WAIT_MS)],
    );
  }

  /** Takes the next mail. If this process ends before it was sent, it is due again after the next pause. */
  private async take(): Promise<TakenMail | undefined> {
    const [row] = await this.deps.database.query<TakenMail>(
      `UPDATE outgoing_mail SET attempts = attempts + 1,
              due_at = $1::timestamptz + interval '1 minute'
                * (ARRAY[${RETRY_MINUTES.join(', ')}])[LEAST(attempts + 1, ${RETRY_MINUTES.length})]
        WHERE id = (SELECT id FROM outgoing_mail WHERE due_at <= $1
                     ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING id, kind, recipient, locale, about, created_at AS "createdAt", attempts`,
      [this.deps.now()],
    );
    return row && { ...row, locale: mailLocale(row.locale) };
  }

  /** @returns false when the server is away, so that the other mails wait, too. */
  private async send(mail: TakenMail): Promise<boolean> {
    const { transport, composer, now, reportError } = this.deps;
    const minutes = (now().getTime() - mail.createdAt.getTime()) / 60_000;
    const composed = minutes > TRIED_MINUTES[mail.kind] ? undefined : await composer.compose(mail);
    if (composed !== undefined) {
      const { to, locale, content } = composed;
      try {
        await transport.send({ to, ...layoutMail(new Translator(locale), content) });
      } catch (error) {
        reportError(error);
        if (!(error instanceof MailError && error.isPermanent)) {
          return false;
        }
      }
    }
    await this.deps.database.query('DELETE FROM outgoing_mail WHERE id = $1', [mail.id]);
    return true;
  }
}
