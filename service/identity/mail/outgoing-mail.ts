import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../kernel/database/database.js';
import type { Language } from '../../kernel/i18n/locale-negotiation.js';

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
