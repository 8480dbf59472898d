import type { Translator } from '../i18n/translator.js';
import type { MailContent } from './mail-layout.js';

/** What a mail is about, as it is stored until it is sent. It holds no secret. */
export type MailAbout = Readonly<Record<string, unknown>>;

/** A mail to users, as the module declares it that queues it. */
export interface MailDeclaration {
  /** Its name in the database. Never change it. */
  readonly name: string;
  /**
   * Writes the mail in the language of its reader.
   * @param links makes addresses of the service
   * @returns undefined for a mail that is not to be sent
   */
  readonly compose: (
    translator: Translator,
    about: MailAbout,
    links: MailLinks,
  ) => MailContent | undefined | Promise<MailContent | undefined>;
}

/** Makes the addresses in a mail. */
export interface MailLinks {
  readonly baseUrl: string;
  /** A token that proves that its holder has got this mail. */
  readonly proof: (...about: readonly string[]) => string;
}
