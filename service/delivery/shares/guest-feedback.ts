import type { Audit } from '../../identity/index.js';
import { widerNetworks } from '../../kernel/http/request/client-address.js';
import type { Language } from '../../kernel/i18n/locale-negotiation.js';
import { message, waitDuration, type Message } from '../../kernel/i18n/message.js';
import type { MailLinks } from '../../kernel/mail/mail-declaration.js';
import type { RateLimiter, RateLimitRule } from '../../kernel/rate-limit/rate-limiter.js';
import {
  commentOf,
  guestNameOf,
  MAX_COMMENT,
  MAX_GUEST_NAME,
  parsePlace,
  type AnswerKind,
  type FeedbackTable,
  type Guest,
  type NotAdded,
  type Photo,
} from '../../library/index.js';
import { queueConfirmation, type SubscriptionTable } from '../replies/index.js';
import { MAX_SENTENCE, type DigestTable } from '../digests/index.js';
import { LINK_EVENTS } from './events.js';
import { FeedbackEvents } from './feedback-events.js';
import { linkForLog, type Share } from './share.js';

/** How often one guest may finish with a link, in 15 minutes. */
const MAX_FINISHES = 20;

/** How many answers one guest may give, and how many comments among them, in 15 minutes. */
const MAX_ANSWERS = 600;
const MAX_COMMENTS = 60;

/**
 * How many new guests of a link an hour may come from one address, and from one of its wider networks. While many come
 * from everywhere, each address has fewer, but never none: strangers elsewhere cannot use up a link.
 */
const MAX_NEW_GUESTS = 10;
const MAX_NEW_OF_NETWORK = 40;
const MANY_NEW_GUESTS = 40;
const MAX_NEW_WHILE_MANY = 2;
const HOUR_SECONDS = 3600;

/** How many mails that ask for a confirmation an address gets in a day, and how many may be caused in an hour. */
const MAX_MAILS = { address: 3, guest: 5, link: 60, client: 10, network: 40 } as const;

interface Answer {
  readonly kind: AnswerKind;
  /** The number of stars, or of the label. */
  readonly value?: number;
  readonly isTakenBack?: boolean;
}

/** What a button of a form does. The value of each is the id of a photo, that of `delete` of a comment. */
const ACTIONS = {
  favourite: { kind: 'favourite' },
  unfavourite: { kind: 'favourite', isTakenBack: true },
  approve: { kind: 'approval' },
  unapprove: { kind: 'approval', isTakenBack: true },
  change: { kind: 'changes' },
  unchange: { kind: 'changes', isTakenBack: true },
  star1: { kind: 'stars', value: 1 },
  star2: { kind: 'stars', value: 2 },
  star3: { kind: 'stars', value: 3 },
  star4: { kind: 'stars', value: 4 },
  star5: { kind: 'stars', value: 5 },
  unstar: { kind: 'stars', isTakenBack: true },
  label1: { kind: 'label', value: 1 },
  label2: { kind: 'label', value: 2 },
  label3: { kind: 'label', value: 3 },
  label4: { kind: 'label', value: 4 },
  label5: { kind: 'label', value: 5 },
  unlabel: { kind: 'label', isTakenBack: true },
  comment: { kind: 'comment' },
  delete: { kind: 'comment', isTakenBack: true },
} as const satisfies Readonly<Record<string, Answer>>;

type Action = keyof typeof ACTIONS;

const ACTION_NAMES = Object.keys(ACTIONS) as Action[];

/** What distinguishes the comments that a browser sends; undefined without the script. */
function attemptIn(form: URLSearchParams): string | undefined {
  const attempt = form.get('attempt') ?? '';
  return /^[\w-]{8,64}$/.test(attempt) ? attempt : undefined;
}

/** What a guest wants, from the form. */
export interface GuestAction {
  readonly action: Action;
  readonly subject: string;
  /** The upload that the guest saw; empty where the form is that of a list. */
  readonly version: string;
}

/** What came of an answer. `name` means that the guest has to enter a name first. */
export type Outcome =
  | { readonly kind: 'done'; readonly guest: Guest }
  | { readonly kind: 'name'; readonly problem: Message | undefined }
  | {
      readonly kind: 'refused';
      readonly status: 400 | 403 | 404 | 409 | 429;
      readonly problem: Message;
      readonly waitSeconds?: number;
    };

/** Reads what a form wants; undefined if it is no form for answers. */
export function parseGuestAction(form: URLSearchParams): GuestAction | undefined {
  const action = ACTION_NAMES.find((one) => form.has(one));
  const subject = action === undefined ? '' : (form.get(action) ?? '');
  const version = form.get('version') ?? '';
  return action === undefined || !/^[\w-]{1,64}$/.test(subject)
    ? undefined
    : { action, subject, version };
}

export interface GuestFeedbackDeps {
  readonly answers: FeedbackTable;
  readonly limit: RateLimiter;
  readonly audit: Audit;
  readonly digests: DigestTable;
  readonly subscriptions: SubscriptionTable;
  readonly proof: MailLinks['proof'];
  readonly now: () => Date;
}

/** A guest who wants replies by mail. */
interface MailRequest {
  readonly share: Share;
  readonly guest: Guest;
  readonly address: string;
  readonly email: string;
  readonly locale: Language;
}

/** Stores what guests of a link say about a photo that the link shows, within limits. */
export class GuestFeedback {
  private readonly events: FeedbackEvents;

  constructor(private readonly deps: GuestFeedbackDeps) {
    this.events = new FeedbackEvents(deps);
  }

  /**
   * Changes the name of a guest.
   * @returns the guest with the new name, or why it is refused
   */
  async rename(
    typed: string,
    { share, guest, address }: { share: Share; guest: Guest; address: string },
  ): Promise<Guest | Extract<Outcome, { readonly kind: 'name' | 'refused' }>> {
    const name = guestNameOf(typed);
    if (name === undefined) {
      return { kind: 'name', problem: guestNameProblem(typed) };
    }
    const refusal = await this.limitProblem(rulesFor('rename', { share, guest, address }));
    if (refusal !== undefined) {
      return refusal;
    }
    const renamed = { id: guest.id, name };
    await this.deps.answers.renameGuest(share.id, renamed);
    return renamed;
  }

  /** @param address of the guest, for the rate limits. */
  async receive(
    wish: GuestAction,
    form: URLSearchParams,
    about: {
      readonly share: Share;
      readonly photo: Photo;
      readonly guest: Guest;
      readonly address: string;
    },
  ): Promise<Outcome> {
    const { answers } = this.deps;
    const { share, photo, guest, address } = about;
    const shareId = share.id;
    const { action, subject } = wish;
    const { kind, value, isTakenBack = false }: Answer = ACTIONS[action];
    const typedName = form.get('name');
    const name = guest.name === '' ? guestNameOf(typedName ?? '') : guest.name;
    if (!isTakenBack && name === undefined) {
      return { kind: 'name', problem: guestNameProblem(typedName ?? '') };
    }
    const text = action === 'comment' ? commentOf(form.get('text') ?? '') : undefined;
    if (action === 'comment' && text === undefined) {
      return refused(400, message('commentLength', { max: MAX_COMMENT }));
    }
    const place = action === 'comment' ? parsePlace(form) : {};
    if (typeof place === 'string') {
      return refusalOf(place, share);
    }
    const refusal = await this.limitProblem(rulesFor(action, { share, guest, address }));
    if (refusal !== undefined) {
      return refusal;
    }
    const named = { id: guest.id, name: name ?? '' };
    const record = await this.events.prepare(share, address, isTakenBack ? 'withdrawn' : 'added');
    if (isTakenBack) {
      const problem = await (kind === 'comment'
        ? answers.deleteOwn({ shareId, guestId: guest.id, id: subject }, record)
        : answers.withdraw({ shareId, guestId: guest.id, photoId: photo.photoId }, kind, record));
      return problem === undefined ? { kind: 'done', guest } : refusalOf(problem, share);
    }
    const added = await answers.add(
      {
        shareId,
        photoId: photo.photoId,
        guest: named,
        kind,
        value,
        uploadId: wish.version === '' ? photo.id : wish.version,
        text,
        place,
        attempt: action === 'comment' ? attemptIn(form) : undefined,
      },
      record,
    );
    return added === 'added' ? { kind: 'done', guest: named } : refusalOf(added, share);
  }

  /**
   * Notes that a guest has finished, with the sentence of the form.
   * @param address of the guest, for the rate limits
   */
  async finish(
    form: URLSearchParams,
    about: { readonly share: Share; readonly guest: Guest; readonly address: string },
  ): Promise<Outcome> {
    const { share, guest, address } = about;
    const typedName = form.get('name') ?? '';
    const name = guest.name === '' ? guestNameOf(typedName) : guest.name;
    if (name === undefined) {
      return { kind: 'name', problem: guestNameProblem(typedName) };
    }
    const sentence = commentOf(form.get('sentence') ?? '');
    if (sentence !== undefined && sentence.length > MAX_SENTENCE) {
      return refused(400, message('commentLength', { max: MAX_SENTENCE }));
    }
    const refusal = await this.limitProblem(rulesFor('finish', { share, guest, address }));
    if (refusal !== undefined) {
      return refusal;
    }
    const named = { id: guest.id, name };
    const link = linkForLog({ ...share, workspaceId: share.workspace.id });
    const problem = await this.deps.digests.finish(share.id, named, sentence, (transaction) =>
      this.deps.audit(
        undefined,
        LINK_EVENTS.finished,
        { ...link, details: { name, guest: guest.id } },
        transaction,
      ),
    );
    return problem === undefined ? { kind: 'done', guest: named } : refusalOf(problem, share);
  }

  /**
   * Stores the address to which replies go once it is confirmed, and queues the mail that asks for that.
   * @param address of the guest, for the rate limits
   * @param email as `readMailAddress` returns it
   */
  async mailReplies({ share, guest, address, email, locale }: MailRequest): Promise<Outcome> {
    const { subscriptions, proof, now } = this.deps;
    const key = proof('reply-address', share.id, email.toLowerCase());
    const current = await subscriptions.of(share.id, guest.id);
    if (current?.key === key && current.confirmedAt !== undefined) {
      return { kind: 'done', guest };
    }
    if (await subscriptions.isStopped(share.id, key)) {
      return refused(403, message('repliesStopped'));
    }
    const refusal = await this.limitProblem(mailRules({ share, guest, address, email }));
    if (refusal !== undefined) {
      return refusal;
    }
    const entered = { shareId: share.id, guestId: guest.id, email, key, locale };
    const problem = await subscriptions.request(entered, (transaction) =>
      queueConfirmation(transaction, entered, now()),
    );
    return problem === undefined ? { kind: 'done', guest } : refusalOf(problem, share);
  }

  private async limitProblem(
    rules: RateLimitRule[],
  ): Promise<Extract<Outcome, { readonly kind: 'refused' }> | undefined> {
    const taken = await this.deps.limit.consume(rules);
    if (!('waitSeconds' in taken)) {
      return undefined;
    }
    const { waitSeconds } = taken;
    const problem = message('tooManyAnswers', { time: waitDuration(waitSeconds) });
    return { kind: 'refused', status: 429, problem, waitSeconds };
  }
}

/** Why a typed name is refused. */
function guestNameProblem(typed: string): Message | undefined {
  return typed !== '' && guestNameOf(typed) === undefined
    ? message('guestNameTooLong', { max: MAX_GUEST_NAME })
    : undefined;
}

function refused(status: 400 | 403 | 404 | 409, problem: Message): Outcome {
  return { kind: 'refused', status, problem };
}

function refusalOf(problem: NotAdded, { maxFavourites = 0 }: Share): Outcome {
  return problem === 'favourites'
    ? refused(409, message('favouritesFull', { max: maxFavourites }))
    : REFUSALS[problem];
}

const REFUSALS: Readonly<Record<Exclude<NotAdded, 'favourites'>, Outcome>> = {
  full: refused(409, message('linkIsFull')),
  closed: refused(403, message('answersAreClosed')),
  removed: refused(403, message('guestIsRemoved')),
  gone: refused(404, message('photoIsGone')),
  page: refused(400, message('commentPage')),
  time: refused(400, message('commentTime')),
};

/**
 * The limits of an action. A guest whom the link has accepted is limited alone, so that others at the same address do not
 * count. The cookie proves who that is. So is a guest with an address of their own, or with the password of the link.
 */
function rulesFor(
  action: Action | 'rename' | 'finish',
  about: { readonly share: Share; readonly guest: Guest; readonly address: string },
): RateLimitRule[] {
  const { share, guest, address } = about;
  const { id: shareId, passwordHash } = share;
  const own: RateLimitRule[] = [
    { key: ['answers of guest', shareId, guest.id], max: MAX_ANSWERS },
    ...(action === 'comment'
      ? [{ key: ['comments of guest', shareId, guest.id] as const, max: MAX_COMMENTS }]
      : []),
    ...(action === 'finish'
      ? [{ key: ['finishes of guest', shareId, guest.id] as const, max: MAX_FINISHES }]
      : []),
  ];
  const isUnknown = guest.name === '' && passwordHash === undefined;
  return isUnknown ? [...own, ...newGuestRules(shareId, address)] : own;
}

function newGuestRules(shareId: string, address: string): RateLimitRule[] {
  const windowSeconds = HOUR_SECONDS;
  const many = { key: ['new guests of link', shareId] as const, above: MANY_NEW_GUESTS };
  return [
    {
      key: ['new guests', shareId, address],
      max: MAX_NEW_GUESTS,
      windowSeconds,
      whenEscalated: [{ escalation: { ...many, windowSeconds }, max: MAX_NEW_WHILE_MANY }],
    },
    ...widerNetworks(address).map((network) => ({
      key: ['new guests of network', shareId, network] as const,
      max: MAX_NEW_OF_NETWORK,
      windowSeconds,
    })),
  ];
}

/** So that nobody fills the mailbox of a stranger: an address gets few mails that ask for a confirmation, wherever it is entered. */
function mailRules({ share, guest, address, email }: Omit<MailRequest, 'locale'>): RateLimitRule[] {
  const hourly = { windowSeconds: HOUR_SECONDS };
  return [
    {
      key: ['confirmations to address', email.toLowerCase()],
      max: MAX_MAILS.address,
      windowSeconds: 24 * HOUR_SECONDS,
    },
    { key: ['confirmations of guest', share.id, guest.id], max: MAX_MAILS.guest, ...hourly },
    { key: ['confirmations of link', share.id], max: MAX_MAILS.link, ...hourly },
    { key: ['confirmations', address], max: MAX_MAILS.client, ...hourly },
    ...widerNetworks(address).map((network) => ({
      key: ['confirmations of network', network] as const,
      max: MAX_MAILS.network,
      ...hourly,
    })),
  ];
}
