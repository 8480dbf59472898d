import {
  array,
  boolean,
  integer,
  number,
  object,
  optional,
  pipe,
  safeParse,
  string,
  type InferOutput,
} from 'valibot';
import type { MailDeclaration } from '../../kernel/mail/mail-declaration.js';
import { plainName } from '../../kernel/mail/mail-layout.js';
import { studioMail, unsubscribeUrl } from '../digests/index.js';
import { decidedOf } from './reviewer-list.js';

const COUNT = pipe(number(), integer());

const RESULT = object({
  share: string(),
  account: string(),
  title: string(),
  isComplete: boolean(),
  reviewers: array(
    object({
      ...{ name: string(), approvals: COUNT, changes: COUNT, hasDecided: boolean() },
      // Missing in mails that were queued before they were counted.
      ...{ files: optional(COUNT, 0), decided: optional(COUNT, 0) },
    }),
  ),
});

/** What {@link RESULT_MAIL} is about. Names are as they were typed. */
export type RoundResult = InferOutput<typeof RESULT>;

/** The mail to the creator of a link when all reviewers have decided, or when the date has passed. */
export const RESULT_MAIL = studioMail('decision_result', RESULT, (translator, about) => {
  const title = plainName(about.title);
  const lines = about.reviewers.map(({ approvals, changes, hasDecided, ...reviewer }) => {
    const name = plainName(reviewer.name);
    return [
      translator.t(hasDecided ? 'reviewerDecided' : 'reviewerUndecided', { name }),
      ...decidedOf(translator, reviewer),
      ...(approvals === 0 ? [] : [`${translator.t('approvals')}: ${approvals}`]),
      ...(changes === 0 ? [] : [`${translator.t('changesRequested')}: ${changes}`]),
    ].join(' · ');
  });
  return {
    subject: translator.t(about.isComplete ? 'mailDecidedSubject' : 'mailDecisionOverSubject', {
      title,
    }),
    lines,
  };
});

const REMINDER = object({
  share: string(),
  guest: string(),
  title: string(),
  studio: string(),
  day: string(),
});

/** What the reminder is about. `day` is `YYYY-MM-DD`. */
export type RoundReminder = InferOutput<typeof REMINDER>;

export const REMINDER_NAME = 'decision_reminder';

/**
 * The mail to a reviewer who has not decided on the day before the end.
 * @param addressOf the address of the link for one guest, which is a secret of theirs
 */
export function reminderMail(
  addressOf: (about: { readonly share: string; readonly guest: string }) => string,
): MailDeclaration {
  return {
    name: REMINDER_NAME,
    compose: (translator, stored, { baseUrl, proof }) => {
      const parsed = safeParse(REMINDER, stored);
      if (!parsed.success) {
        return undefined;
      }
      const { output: about } = parsed;
      const studio = plainName(about.studio);
      const day = translator.calendar(about.day, 'day');
      return {
        subject: translator.t('mailReminderSubject', { title: plainName(about.title) }),
        paragraphs: [translator.t('mailReminderText', { studio, day })],
        link: { label: translator.t('mailReminderOpen'), url: addressOf(about) },
        advice: translator.t('mailReminderAdvice', { studio }),
        unsubscribe: {
          label: translator.t('mailFeedbackEnd'),
          url: unsubscribeUrl(baseUrl, proof, about),
        },
      };
    },
  };
}
