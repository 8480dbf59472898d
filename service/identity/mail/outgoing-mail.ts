import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../kernel/database/database.js';
import type { Language } from '../../kernel/i18n/locale-negotiation.js';
import type { MailAbout, MailDeclaration } from '../../kernel/mail/mail-declaration.js';

/** What a mail is about, by its kind. It holds no secret: a link is made when its mail is sent. */
export interface MailSubjects {
  /** `login`: a username or an e-mail address, as it was typed. */
  readonly password_reset: { readonly login: string };
  /** Goes to the address that is to be confirmed. */
  readonly email_confirmation: { readonly accountId: string };
  /** Goes to the former address of the account. */
  readonly email_changed: { readonly username: string };
  readonly invitation: { readonly invitationId: string };
  /** `about` is that of the notice; `at` is its time in ISO 8601. */
  readonly notice: {
    readonly notice: string;
    readonly username: string;
    readonly at: string;
    readonly about: Readonly<Record<string, unknown>>;
  };
  /** A mail that a module declares. */
  readonly declared: { readonly name: string; readonly about: MailAbout };
}

export type MailKind = keyof MailSubjects;

/** A mail to be sent. */
export interface NewMail<K extends MailKind> {
  readonly kind: K;
  /** An address as `readMailAddress` returns it; empty for `password_reset`, where it is looked up later. */
  readonly recipient: string;
  readonly locale: Language;
  readonly about: MailSubjects[K];
}

/** Queues a mail. Call it in the transaction of the change that the mail is about, if there is one. */
export async function queueMail<K extends MailKind>(
  queryable: Queryable,
  { kind, recipient, locale, about }: NewMail<K>,
  now: Date,
): Promise<void> {
  await queryable.query(
    `INSERT INTO outgoing_mail (id, kind, recipient, locale, about, created_at, due_at)
     VALUES ($1, $2, $3, $4, $5, $6, $6)`,
    [randomUUID(), kind, recipient, locale, JSON.stringify(about), now],
  );
}

/** Queues a mail to a user. Nothing happens without a confirmed address. Call it in the transaction of the change. */
export async function queueUserMail(
  queryable: Queryable,
  accountId: string,
  { name }: Pick<MailDeclaration, 'name'>,
  about: MailAbout,
  now: Date,
): Promise<void> {
  await queryable.query(
    `INSERT INTO outgoing_mail (id, kind, recipient, locale, about, created_at, due_at)
     SELECT $1, 'declared', email, COALESCE(email_locale, 'en'), $2, $3, $3
       FROM accounts WHERE id = $4 AND email_confirmed_at IS NOT NULL`,
    [randomUUID(), JSON.stringify({ name, about }), now, accountId],
  );
}
