import type { AlsoInTransaction, Database, Queryable } from '../../kernel/database/database.js';
import { sha256 } from '../../kernel/hash.js';
import { isLanguage, type Language } from '../../kernel/i18n/locale-negotiation.js';
import { makeLinkToken } from '../invitations/one-time-token.js';
import { EMAIL_CHANGED_NOTICE } from './events.js';
import { addNotice } from '../notices/notices.js';
import { queueMail } from '../mail/outgoing-mail.js';

/** How long a link to confirm an address is valid, in hours. */
export const CONFIRMATION_HOURS = 24;

/** The addresses of a user. */
export interface EmailState {
  /** The confirmed address. */
  readonly email: string | undefined;
  /** The address that waits to be confirmed. */
  readonly pending: string | undefined;
}

/** An address whose link was opened, and its user. */
export interface EmailConfirmation {
  readonly accountId: string;
  readonly username: string;
  readonly email: string;
}

/** The e-mail addresses of users. An address counts only after its user opened a link that was sent there. */
export class EmailAddresses {
  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
  ) {}

  async of(accountId: string): Promise<EmailState> {
    const [row] = await this.database.query<{ email: string | null; pending: string | null }>(
      `SELECT CASE WHEN email_confirmed_at IS NOT NULL THEN accounts.email END AS email,
              email_confirmations.email AS pending
         FROM accounts LEFT JOIN email_confirmations
           ON account_id = accounts.id AND expires_at > $2
        WHERE accounts.id = $1`,
      [accountId, this.now()],
    );
    return { email: row?.email ?? undefined, pending: row?.pending ?? undefined };
  }

  /** Queues the link that confirms an address. It replaces the user's earlier one. */
  async request(accountId: string, email: string, locale: Language): Promise<void> {
    const now = this.now();
    await this.database.transaction(async (transaction) => {
      // A hash of nothing that anybody has, until the mail is sent.
      await transaction.query(
        `INSERT INTO email_confirmations (account_id, email, token_sha256, expires_at)
         VALUES ($1, $2, $3, $4)
         ON CONFLICT (account_id) DO UPDATE SET email = excluded.email,
           token_sha256 = excluded.token_sha256, expires_at = excluded.expires_at`,
        [accountId, email, sha256(makeLinkToken('svc_eml_')), this.expiry(now)],
      );
      const mail = { kind: 'email_confirmation', recipient: email, locale } as const;
      await queueMail(transaction, { ...mail, about: { accountId } }, now);
    });
  }

  /**
   * Creates the token of the link, for the mail. It replaces that of an earlier mail.
   * @returns undefined when the address no longer waits to be confirmed.
   */
  async makeToken(
    accountId: string,
    email: string,
  ): Promise<{ readonly token: string; readonly username: string } | undefined> {
    const token = makeLinkToken('svc_eml_');
    const [row] = await this.database.query<{ username: string }>(
      `UPDATE email_confirmations SET token_sha256 = $3 FROM accounts
        WHERE account_id = $1 AND email_confirmations.email = $2 AND expires_at > $4
          AND accounts.id = account_id
        RETURNING username`,
      [accountId, email, sha256(token), this.now()],
    );
    return row && { token, username: row.username };
  }

  /** The address that the token of a link is for; undefined when the token is unknown, used, replaced or expired. */
  async find(token: string): Promise<EmailConfirmation | undefined> {
    const [row] = await this.database.query<{ id: string; username: string; email: string }>(
      `SELECT accounts.id, username, email_confirmations.email
         FROM email_confirmations JOIN accounts ON accounts.id = account_id
        WHERE token_sha256 = $1 AND expires_at > $2`,
      [sha256(token), this.now()],
    );
    return row && { accountId: row.id, username: row.username, email: row.email };
  }

  /**
   * Makes an address that of its user, with the token of a link, which then stops working. The former address gets a mail,
   * and links for a new password that were sent there stop working.
   * @param locale the language for later mails.
   * @param also called in the same transaction, after the change.
   * @returns 'gone' when the link does not work any more; 'taken' when another user has the address.
   */
  confirm(
    token: string,
    locale: Language,
    also: (transaction: Queryable, accountId: string) => Promise<void>,
  ): Promise<EmailConfirmation | 'gone' | 'taken'> {
    return this.database.transaction(async (transaction) => {
      const [used] = await transaction.query<{ account_id: string; email: string }>(
        `DELETE FROM email_confirmations WHERE token_sha256 = $1 AND expires_at > $2
          RETURNING account_id, email`,
        [sha256(token), this.now()],
      );
      if (used === undefined) {
        return 'gone';
      }
      const { account_id: accountId, email } = used;
      // Of two users who confirm the same address at once, the second waits here, and finds it taken.
      await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended(lower($1), 0))', [
        email,
      ]);
      const others = await transaction.query(
        `SELECT 1 FROM accounts
          WHERE lower(email) = lower($1) AND email_confirmed_at IS NOT NULL AND id <> $2`,
        [email, accountId],
      );
      if (others.length > 0) {
        return 'taken';
      }
      const username = await this.set(transaction, accountId, { email, locale });
      if (username === undefined) {
        return 'gone';
      }
      await also(transaction, accountId);
      return { accountId, username, email };
    });
  }

  /**
   * Removes the address of a user, which gets a mail about it.
   * @param also called in the same transaction, if there was one.
   */
  async remove(accountId: string, also: AlsoInTransaction): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query('DELETE FROM email_confirmations WHERE account_id = $1', [accountId]);
      const [row] = await transaction.query<{ email: string | null }>(
        'SELECT email FROM accounts WHERE id = $1 FOR NO KEY UPDATE',
        [accountId],
      );
      await this.set(transaction, accountId, { email: null, locale: null });
      if (row?.email != null) {
        await also(transaction);
      }
    });
  }

  /** @returns the username; undefined when the account was deleted. */
  private async set(
    transaction: Queryable,
    accountId: string,
    to: { readonly email: string | null; readonly locale: Language | null },
  ): Promise<string | undefined> {
    const [before] = await transaction.query<{
      username: string;
      email: string | null;
      email_locale: string | null;
    }>('SELECT username, email, email_locale FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [
      accountId,
    ]);
    if (before === undefined) {
      return undefined;
    }
    const now = this.now();
    await transaction.query(
      `UPDATE accounts SET email = $2, email_locale = $3, email_confirmed_at = $4 WHERE id = $1`,
      [accountId, to.email, to.locale, to.email === null ? null : now],
    );
    await transaction.query('DELETE FROM password_resets WHERE account_id = $1', [accountId]);
    const { username, email: recipient } = before;
    if (recipient !== null && recipient !== to.email) {
      const locale = mailLocale(before.email_locale);
      const mail = { kind: 'email_changed', recipient, locale, about: { username } } as const;
      await queueMail(transaction, mail, now);
      await addNotice(transaction, accountId, EMAIL_CHANGED_NOTICE, {}, now);
    }
    return username;
  }

  private expiry(now: Date): Date {
    return new Date(now.getTime() + CONFIRMATION_HOURS * 3_600_000);
  }
}

/** The language of mails to a user. @param stored `accounts.email_locale`, or `outgoing_mail.locale`. */
export function mailLocale(stored: string | null): Language {
  return stored !== null && isLanguage(stored) ? stored : 'en';
}
