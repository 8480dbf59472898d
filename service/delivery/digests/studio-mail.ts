import { safeParse, type GenericSchema, type InferOutput } from 'valibot';
import type { Translator } from '../../kernel/i18n/translator.js';
import type { MailDeclaration } from '../../kernel/mail/mail-declaration.js';
import type { MailContent } from '../../kernel/mail/mail-layout.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import { unsubscribeUrl } from './unsubscribe-token.js';

type Content = Pick<MailContent, 'subject' | 'lines' | 'pictures'>;

/** What each mail about a link is about: the link, and the account of its creator. */
interface AboutLink {
  readonly share: string;
  readonly account: string;
}

/**
 * A mail to the creator of a link about what guests did there. It leads to the feedback of the link, and its reader can end such mails.
 * @param schema checks what was stored; a mail about something else is not sent
 */
export function studioMail<Schema extends GenericSchema<unknown, AboutLink>>(
  name: string,
  schema: Schema,
  write: (translator: Translator, about: InferOutput<Schema>) => Content | Promise<Content>,
): MailDeclaration {
  return {
    name,
    compose: async (translator, stored, { baseUrl, proof }) => {
      const parsed = safeParse(schema, stored);
      if (!parsed.success) {
        return undefined;
      }
      const { output: about } = parsed;
      return {
        ...(await write(translator, about)),
        paragraphs: [],
        link: {
          label: translator.t('mailFeedbackOpen'),
          url: baseUrl + SHARES.answersOf(about.share),
        },
        advice: translator.t('mailFeedbackAdvice'),
        unsubscribe: {
          label: translator.t('mailFeedbackEnd'),
          url: unsubscribeUrl(baseUrl, proof, about),
        },
      };
    },
  };
}
