import { array, integer, number, object, pipe, safeParse, string, type InferOutput } from 'valibot';
import { queueMail } from '../../identity/index.js';
import type { Queryable } from '../../kernel/database/database.js';
import type { MailDeclaration, MailLinks } from '../../kernel/mail/mail-declaration.js';
import { plainName } from '../../kernel/mail/mail-layout.js';
import type { Comment, FeedbackTable, Listed } from '../../library/index.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import { unsubscribeUrl } from '../digests/index.js';
import {
  CONFIRM_HOURS,
  type DueReplies,
  type Subscription,
  type SubscriptionTable,
} from './subscription-table.js';

/** The most replies that one mail has, and the most characters of a comment or a reply in it. */
const MAX_NAMED = 20;
const MAX_TEXT = 300;

/** A link that works and takes answers, as its mails name it. */
export interface ReplyLink {
  readonly title: string;
  readonly studio: string;
  /** The path of its page. */
  readonly path: string;
  /** The path of the page of a file. */
  readonly pathOf: (fileId: string) => string;
}

export interface ReplyMailDeps {
  readonly subscriptions: Pick<SubscriptionTable, 'of'>;
  readonly answers: Pick<FeedbackTable, 'ofGuest'>;
  /** Undefined for a link that guests cannot answer. */
  readonly linkOf: (shareId: string) => Promise<ReplyLink | undefined>;
}

const CONFIRMATION_NAME = 'reply_confirmation';
const REPLIES_NAME = 'guest_replies';

/** Whom a mail is for. The address is not in it: it may change before the mail is sent. */
const GUEST = { share: string(), guest: string(), key: string() };
const CONFIRMATION = object(GUEST);
const REPLIES = object({
  ...GUEST,
  replies: array(object({ comment: string(), at: pipe(number(), integer()) })),
});

type RepliesAbout = InferOutput<typeof REPLIES>;

/** The address that confirms the address of a guest. It needs no session. */
function confirmRepliesUrl(
  baseUrl: string,
  proof: MailLinks['proof'],
  subscription: Pick<Subscription, 'shareId' | 'guestId' | 'email'>,
): string {
  const query = new URLSearchParams({
    share: subscription.shareId,
    guest: subscription.guestId,
    proof: confirmProof(proof, subscription),
  });
  return `${baseUrl}${SHARES.confirmReplies}?${query.toString()}`;
}

export function confirmProof(
  proof: MailLinks['proof'],
  { shareId, guestId, email }: Pick<Subscription, 'shareId' | 'guestId' | 'email'>,
): string {
  return proof('confirm-replies', shareId, guestId, email);
}

/** Queues the mail that confirms an address. */
export async function queueConfirmation(
  transaction: Queryable,
  {
    shareId: share,
    guestId: guest,
    key,
    email,
    locale,
  }: Omit<Subscription, 'requestedAt' | 'confirmedAt'>,
  now: Date,
): Promise<void> {
  const about = { name: CONFIRMATION_NAME, about: { share, guest, key } };
  await queueMail(transaction, { kind: 'declared', recipient: email, locale, about }, now);
}

/** The mails to guests: about their address, and about replies. Nothing is sent about a link or a guest that is gone. */
export function replyMails(deps: ReplyMailDeps): MailDeclaration[] {
  const find = async (about: { share: string; guest: string; key: string }) => {
    const link = await deps.linkOf(about.share);
    const subscription = await deps.subscriptions.of(about.share, about.guest);
    return link !== undefined && subscription?.key === about.key
      ? { link, subscription }
      : undefined;
  };
  return [
    {
      name: CONFIRMATION_NAME,
      compose: async (translator, stored, { baseUrl, proof }) => {
        const parsed = safeParse(CONFIRMATION, stored);
        const found = parsed.success ? await find(parsed.output) : undefined;
        if (found === undefined || found.subscription.confirmedAt !== undefined) {
          return undefined;
        }
        const { link, subscription } = found;
        const studio = plainName(link.studio);
        const time = { amount: CONFIRM_HOURS, unit: 'hour' } as const;
        return {
          subject: translator.t('mailRepliesConfirm', { title: plainName(link.title) }),
          paragraphs: [translator.t('mailRepliesConfirmText', { studio, time })],
          link: {
            label: translator.t('confirmAddress'),
            url: confirmRepliesUrl(baseUrl, proof, subscription),
          },
          advice: translator.t('mailRepliesConfirmAdvice'),
          unsubscribe: {
            label: translator.t('mailFeedbackEnd'),
            url: unsubscribeUrl(baseUrl, proof, stopped(subscription)),
          },
        };
      },
    },
    {
      name: REPLIES_NAME,
      compose: async (translator, stored, { baseUrl, proof }) => {
        const parsed = safeParse(REPLIES, stored);
        const found = parsed.success ? await find(parsed.output) : undefined;
        if (!parsed.success || found?.subscription.confirmedAt === undefined) {
          return undefined;
        }
        const { link, subscription } = found;
        const said = await deps.answers.ofGuest(subscription.shareId, subscription.guestId);
        const replied = repliesIn(said, parsed.output);
        if (replied.length === 0) {
          return undefined;
        }
        const files = [...new Set(replied.map(({ currentId }) => currentId))];
        const [only] = files;
        const lines = replied.slice(0, MAX_NAMED).map(lineOf);
        const more = replied.length - lines.length;
        return {
          subject: translator.t('mailRepliesSubject', { title: plainName(link.title) }),
          paragraphs: [],
          lines: more === 0 ? lines : [...lines, translator.t('mailRepliesMore', { count: more })],
          link: {
            label: translator.t('mailRepliesOpen'),
            url:
              baseUrl + (files.length === 1 && only !== undefined ? link.pathOf(only) : link.path),
          },
          advice: translator.t('mailRepliesAdvice', { studio: plainName(link.studio) }),
          unsubscribe: {
            label: translator.t('mailFeedbackEnd'),
            url: unsubscribeUrl(baseUrl, proof, stopped(subscription)),
          },
        };
      },
    },
  ];
}

/** Whose mails an address ends: those to this mailbox about the link, of any guest. */
function stopped({ shareId: share, key: replies }: Subscription) {
  return { share, replies };
}

/** The comments with the replies that a mail is about. One that was replaced since comes with a later mail. */
function repliesIn(said: readonly Listed[], { replies }: RepliesAbout): Listed<Comment>[] {
  const times = new Map(replies.map(({ comment, at }) => [comment, at]));
  return said
    .filter((answer) => answer.kind === 'comment')
    .filter(({ id, reply }) => reply !== undefined && times.get(id) === reply.at.getTime());
}

function lineOf({ photoName, text, reply }: Listed<Comment>): string {
  const by = reply?.by === undefined ? '' : `${plainName(reply.by)}: `;
  return [
    plainName(photoName),
    `“${shortened(text)}”`,
    `${by}“${shortened(reply?.text ?? '')}”`,
  ].join(' · ');
}

function shortened(typed: string): string {
  const characters = Array.from(plainName(typed));
  return characters.length <= MAX_TEXT
    ? characters.join('')
    : `${characters.slice(0, MAX_TEXT - 1).join('')}…`;
}

/** Queues the mails that are due, one for each guest. */
export async function queueReplies(
  { subscriptions, now }: { readonly subscriptions: SubscriptionTable; readonly now: () => Date },
  signal?: AbortSignal,
): Promise<void> {
  let wasDue = true;
  while (wasDue && signal?.aborted !== true) {
    wasDue = await subscriptions.takeDue((transaction, due) => queueOne(transaction, due, now()));
  }
}

async function queueOne(
  transaction: Queryable,
  { subscription, replies }: DueReplies,
  now: Date,
): Promise<void> {
  const { shareId: share, guestId: guest, key, email, locale } = subscription;
  const about: RepliesAbout = {
    ...{ share, guest, key },
    replies: replies.map(({ comment, at }) => ({ comment, at: at.getTime() })),
  };
  await queueMail(
    transaction,
    { kind: 'declared', recipient: email, locale, about: { name: REPLIES_NAME, about } },
    now,
  );
}
