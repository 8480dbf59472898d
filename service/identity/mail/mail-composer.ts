import { plainName, type MailContent } from '../../kernel/mail/mail-layout.js';
import type { MailDeclaration, MailLinks } from '../../kernel/mail/mail-declaration.js';
import type { Database } from '../../kernel/database/database.js';
import type { Language } from '../../kernel/i18n/locale-negotiation.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import { Translator } from '../../kernel/i18n/translator.js';
import { linkTo, PEOPLE_PATHS } from '../../site/addresses/people-paths.js';
import type { RateLimiter } from '../../kernel/rate-limit/rate-limiter.js';
import { foldUsername } from '../../kernel/typed-text.js';
import {
  CONFIRMATION_HOURS,
  mailLocale,
  type EmailAddresses,
} from '../accounts/email-addresses.js';
import type { Invitations } from '../invitations/invitations.js';
import { noticeAdvice, noticeMessage, type Notices } from '../notices/notice-words.js';
import type { PasswordChanges } from '../passwords/password-changes.js';
import type { MailKind, MailSubjects, NewMail } from './outgoing-mail.js';

/** Mails with a link for a new password to one user in an hour. */
const MAX_RESETS = 3;

const HOUR_SECONDS = 3600;

/** A mail that a process has taken from the queue. */
export type TakenMail = {
  readonly [K in MailKind]: NewMail<K> & {
    readonly id: string;
    readonly createdAt: Date;
    /** How often it was taken, with this time. */
    readonly attempts: number;
  };
}[MailKind];

/** A mail that can be sent. */
export interface ComposedMail {
  readonly to: string;
  readonly locale: Language;
  readonly content: MailContent;
}

export interface MailComposerDeps {
  readonly database: Database;
  readonly passwordChanges: Pick<PasswordChanges, 'makeReset'>;
  readonly invitations: Pick<Invitations, 'makeMailToken'>;
  readonly emailAddresses: Pick<EmailAddresses, 'makeToken'>;
  readonly limit: RateLimiter;
  /** The declared notices, with their sentences. */
  readonly notices: Notices;
  /** The mails that modules declare. */
  readonly mails: readonly MailDeclaration[];
  /** See {@link MailLinks}. */
  readonly proof: MailLinks['proof'];
  readonly baseUrl: string;
  /** Whom users ask for help, see the setting `HELP_CONTACT`. */
  readonly helpContact: string | undefined;
}

/** Finds the recipient of a mail, makes its link and writes its text. */
export class MailComposer {
  constructor(private readonly deps: MailComposerDeps) {}

  /**
   * @returns undefined for a mail that is not to be sent: nobody has the address or the name, the invitation was used, or
   *   the user gets too many.
   */
  compose(mail: TakenMail): Promise<ComposedMail | undefined> {
    switch (mail.kind) {
      case 'password_reset':
        return this.passwordReset(mail.about, mail.attempts === 1);
      case 'email_confirmation':
        return this.confirmation(mail, mail.about.accountId);
      case 'email_changed':
        return Promise.resolve(this.emailChanged(mail, mail.about.username));
      case 'invitation':
        return this.invitation(mail, mail.about.invitationId);
      case 'notice':
        return Promise.resolve(this.notice(mail, mail.about));
      case 'declared':
        return this.declared(mail, mail.about);
    }
  }

  private async passwordReset(
    { login }: MailSubjects['password_reset'],
    isFirst: boolean,
  ): Promise<ComposedMail | undefined> {
    const { database, limit, passwordChanges, baseUrl } = this.deps;
    const [user] = await database.query<{
      id: string;
      username: string;
      email: string;
      email_locale: string | null;
    }>(
      // A username may look like the address of another user. The name counts first.
      `SELECT id, username, email, email_locale FROM accounts
        WHERE (username = $1 OR lower(email) = $2) AND email_confirmed_at IS NOT NULL
        ORDER BY username = $1 DESC LIMIT 1`,
      [foldUsername(login), login.trim().toLowerCase()],
    );
    if (user === undefined) {
      return undefined;
    }
    const rule = { key: ['reset mails of user', user.id], max: MAX_RESETS } as const;
    if (
      isFirst &&
      'waitSeconds' in (await limit.consume([{ ...rule, windowSeconds: HOUR_SECONDS }]))
    ) {
      return undefined;
    }
    const locale = mailLocale(user.email_locale);
    const { t } = textsIn(locale);
    const token = await passwordChanges.makeReset(user.id);
    return {
      to: user.email,
      locale,
      content: {
        subject: t(message('chooseNewPassword')),
        paragraphs: [t(message('mailResetText', { username: user.username, time: ONE_HOUR }))],
        link: {
          label: t(message('chooseNewPassword')),
          url: linkTo(baseUrl, PEOPLE_PATHS.reset, token),
        },
        advice: t(message('mailResetIgnore')),
      },
    };
  }

  private async confirmation(
    { recipient: to, locale }: TakenMail,
    accountId: string,
  ): Promise<ComposedMail | undefined> {
    const made = await this.deps.emailAddresses.makeToken(accountId, to);
    if (made === undefined) {
      return undefined;
    }
    const { t } = textsIn(locale);
    const { username } = made;
    const time = { amount: CONFIRMATION_HOURS, unit: 'hour' } as const;
    return {
      to,
      locale,
      content: {
        subject: t(message('confirmEmail')),
        paragraphs: [t(message('mailConfirmText', { username, time }))],
        link: {
          label: t(message('confirmEmail')),
          url: linkTo(this.deps.baseUrl, PEOPLE_PATHS.confirmEmail, made.token),
        },
        advice: t(message('mailConfirmIgnore')),
      },
    };
  }

  private emailChanged({ recipient: to, locale }: TakenMail, username: string): ComposedMail {
    const { t } = textsIn(locale);
    return {
      to,
      locale,
      content: {
        subject: t(message('mailChangedSubject')),
        paragraphs: [t(message('mailChangedText', { username }))],
        advice: t(this.askForHelp()),
      },
    };
  }

  private async invitation(
    { recipient: to, locale }: TakenMail,
    id: string,
  ): Promise<ComposedMail | undefined> {
    const found = await this.deps.invitations.makeMailToken(id);
    if (found === undefined) {
      return undefined;
    }
    const { t, translator } = textsIn(locale);
    const workspace = plainName(found.workspaceName);
    const text =
      found.invitedBy === undefined
        ? message('mailInvitePlain', { workspace })
        : message('mailInviteText', { workspace, user: plainName(found.invitedBy) });
    const day = translator.calendar(found.expiresAt.toISOString().slice(0, 10), 'day');
    return {
      to,
      locale,
      content: {
        subject: t(message('mailInviteSubject', { workspace })),
        paragraphs: [t(text), t(message('mailInviteValid', { day }))],
        link: {
          label: t(message('mailInviteOpen')),
          url: linkTo(this.deps.baseUrl, PEOPLE_PATHS.invitation, found.token),
        },
        advice: t(message('mailInviteIgnore')),
      },
    };
  }

  private notice(
    { recipient: to, locale }: TakenMail,
    { notice: kind, username, at, about }: MailSubjects['notice'],
  ): ComposedMail | undefined {
    const notice = this.deps.notices.get(kind);
    if (notice === undefined) {
      return undefined;
    }
    const { t } = textsIn(locale);
    const time = new Intl.DateTimeFormat(locale, {
      dateStyle: 'long',
      timeStyle: 'short',
      timeZone: 'UTC',
    }).format(new Date(at));
    return {
      to,
      locale,
      content: {
        subject: t(noticeMessage(notice, about, plainName)),
        paragraphs: [t(message('mailNoticeText', { username, time: `${time} UTC` }))],
        link: { label: t(message('noticeReview')), url: this.deps.baseUrl + notice.path },
        advice: t(noticeAdvice(notice)),
      },
    };
  }

  private async declared(
    { recipient: to, locale }: TakenMail,
    { name, about }: MailSubjects['declared'],
  ): Promise<ComposedMail | undefined> {
    const { mails, baseUrl, proof } = this.deps;
    const content = await mails
      .find((one) => one.name === name)
      ?.compose(new Translator(locale), about, { baseUrl, proof });
    return content && { to, locale, content };
  }

  private askForHelp(): Message {
    const { helpContact: contact } = this.deps;
    return contact === undefined
      ? message('mailChangedAdvice')
      : message('mailChangedAsk', { contact });
  }
}

const ONE_HOUR = { amount: 1, unit: 'hour' } as const;

function textsIn(locale: Language): {
  readonly translator: Translator;
  readonly t: (text: Message) => string;
} {
  const translator = new Translator(locale);
  return { translator, t: (text) => translator.format(text) };
}
