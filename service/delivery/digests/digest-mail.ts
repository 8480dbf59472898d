import { array, integer, number, object, optional, pipe, string, type InferOutput } from 'valibot';
import { queueUserMail } from '../../identity/index.js';
import type { Queryable } from '../../kernel/database/database.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import type { MailDeclaration } from '../../kernel/mail/mail-declaration.js';
import { plainName, type MailPicture } from '../../kernel/mail/mail-layout.js';
import { takeUnmailedFeedback, unmailedPhotos, type GuestCounts } from '../../library/index.js';
import type { DigestTable, DueDigest, Finish } from './digest-table.js';
import { studioMail } from './studio-mail.js';

/** The most pictures in one mail. */
const MAX_PICTURES = 6;

/** The most guests whom one mail names. */
const MAX_NAMED = 20;

const COUNT = pipe(number(), integer());

/** What a mail is about. Texts are as guests typed them. */
const ABOUT = object({
  share: string(),
  account: string(),
  title: string(),
  guests: array(
    object({
      name: string(),
      favourites: COUNT,
      approvals: COUNT,
      // Missing in mails that were queued before there was such feedback.
      changes: optional(COUNT, 0),
      ratings: optional(COUNT, 0),
      comments: COUNT,
      /** Empty for a guest who has finished without a sentence; missing for one who has not finished. */
      finished: optional(string()),
    }),
  ),
  /** How many further guests there are. */
  more: COUNT,
  /** The ids of photos. Their pictures are read when the mail is sent. */
  photos: optional(array(string()), []),
});

type About = InferOutput<typeof ABOUT>;

const DIGEST_NAME = 'feedback_digest';

/**
 * The mail about what the guests of a link said, to the creator of the link.
 * @param pictureOf a picture of a photo that the link shows; undefined where there is none
 */
export const digestMail = (
  pictureOf: (shareId: string, photoId: string) => Promise<MailPicture | undefined>,
): MailDeclaration =>
  studioMail(DIGEST_NAME, ABOUT, async (translator, about) => {
    const lines = about.guests.map((guest) => lineOf(translator, guest));
    const pictures: MailPicture[] = [];
    for (const photo of about.photos.slice(0, MAX_PICTURES)) {
      // A mail without pictures is better than none.
      const picture = await pictureOf(about.share, photo).catch(() => undefined);
      if (picture !== undefined) {
        pictures.push({ ...picture, label: plainName(picture.label) });
      }
    }
    return {
      subject: subjectOf(translator, about),
      lines:
        about.more === 0
          ? lines
          : [...lines, translator.t('mailFeedbackMore', { count: about.more })],
      pictures,
    };
  });

function subjectOf(translator: Translator, { title: typed, guests, more }: About): string {
  const title = plainName(typed);
  const [only] = guests;
  return only?.finished !== undefined && guests.length === 1 && more === 0
    ? translator.t('mailFinishedSubject', { guest: plainName(only.name), title })
    : translator.t('mailFeedbackSubject', { title });
}

function lineOf(translator: Translator, guest: About['guests'][number]): string {
  const counts = (
    [
      ['favourites', guest.favourites],
      ['approvals', guest.approvals],
      ['changesRequested', guest.changes],
      ['ratings', guest.ratings],
      ['comments', guest.comments],
    ] as const
  )
    .filter(([, count]) => count > 0)
    .map(([label, count]) => `${translator.t(label)}: ${count}`);
  const name = plainName(guest.name);
  const who =
    guest.finished === undefined ? name : translator.t('guestHasFinished', { guest: name });
  const said = guest.finished === undefined || guest.finished === '' ? [] : [guest.finished];
  return [who, ...counts, ...said.map((text) => `“${plainName(text)}”`)].join(' · ');
}

/** Queues the mails that are due. */
export async function queueDigests(
  { digests, now }: { readonly digests: DigestTable; readonly now: () => Date },
  signal?: AbortSignal,
): Promise<void> {
  let wasDue = true;
  while (wasDue && signal?.aborted !== true) {
    wasDue = await digests.takeDue((transaction, digest) =>
      queueDigest(transaction, digest, now()),
    );
  }
}

async function queueDigest(transaction: Queryable, digest: DueDigest, now: Date): Promise<void> {
  const { shareId, creatorId, title, finishes, isWanted } = digest;
  const finished = finishes.map(({ guest }) => guest.id);
  // Also without a mail: it must not come with a later one.
  const photos = await unmailedPhotos(transaction, shareId, finished, MAX_PICTURES);
  const counts = await takeUnmailedFeedback(transaction, shareId, finished);
  const guests = guestsOf(counts, finishes);
  // What was said may be withdrawn.
  if (!isWanted || guests.length === 0) {
    return;
  }
  const about: About = {
    share: shareId,
    account: creatorId,
    title,
    guests: guests.slice(0, MAX_NAMED),
    more: Math.max(0, guests.length - MAX_NAMED),
    photos,
  };
  await queueUserMail(transaction, creatorId, { name: DIGEST_NAME }, about, now);
}

/** Those who have finished first. */
function guestsOf(counts: readonly GuestCounts[], finishes: readonly Finish[]): About['guests'] {
  const none = { favourites: 0, approvals: 0, changes: 0, ratings: 0, comments: 0 };
  const countsOf = new Map(counts.map(({ guest, ...numbers }) => [guest.id, numbers]));
  const ids = new Set(finishes.map(({ guest }) => guest.id));
  return [
    ...finishes.map(({ guest, sentence }) => ({
      ...none,
      ...countsOf.get(guest.id),
      name: guest.name,
      finished: sentence ?? '',
    })),
    ...counts
      .filter(({ guest }) => !ids.has(guest.id))
      .map(({ guest, ...numbers }) => ({ ...numbers, name: guest.name })),
  ];
}
