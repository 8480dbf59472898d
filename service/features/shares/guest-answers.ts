import { message, waitDuration, type Message } from '../../platform/i18n/message.js';
import type { RateLimiter, RateLimitRule } from '../../platform/rate-limit/rate-limiter.js';
import {
  commentOf,
  guestNameOf,
  MAX_COMMENT,
  MAX_GUEST_NAME,
  type AnswerTable,
  type Guest,
  type Pin,
} from '../answers/index.js';
import type { Photo } from '../photos/index.js';

/** How many answers one address may give, and how many comments and first answers of guests among them, in 15 minutes. */
const MAX_ANSWERS = 600;
const MAX_COMMENTS = 60;
const MAX_NEW_GUESTS = 20;

/** The buttons of the forms. The value of each is the id of a photo, that of `delete` of a comment. */
const ACTIONS = ['favourite', 'unfavourite', 'approve', 'unapprove', 'comment', 'delete'] as const;

type Action = (typeof ACTIONS)[number];

/** What a guest wants, from the form. */
export interface Wish {
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
      readonly status: 400 | 404 | 409 | 429;
      readonly problem: Message;
      readonly waitSeconds?: number;
    };

/** Reads what a form wants; undefined if it is no form for answers. */
export function wishOf(form: URLSearchParams): Wish | undefined {
  const action = ACTIONS.find((one) => form.has(one));
  const subject = action === undefined ? '' : (form.get(action) ?? '');
  const version = form.get('version') ?? '';
  return action === undefined || !/^[\w-]{1,64}$/.test(subject)
    ? undefined
    : { action, subject, version };
}

export interface GuestAnswersDeps {
  readonly answers: AnswerTable;
  readonly limit: RateLimiter;
}

/** Stores what guests of a link say about a photo that the link shows, within limits. */
export class GuestAnswers {
  constructor(private readonly deps: GuestAnswersDeps) {}

  /**
   * Changes the name of a guest.
   * @returns the guest with the new name, or why it is refused
   */
  async rename(
    typed: string,
    { shareId, guest, address }: { shareId: string; guest: Guest; address: string },
  ): Promise<Guest | Extract<Outcome, { readonly kind: 'name' | 'refused' }>> {
    const name = guestNameOf(typed);
    if (name === undefined) {
      return { kind: 'name', problem: guestNameProblem(typed) };
    }
    const refusal = await this.limitProblem([
      { key: ['answers of guests', address], max: MAX_ANSWERS },
    ]);
    if (refusal !== undefined) {
      return refusal;
    }
    const renamed = { id: guest.id, name };
    await this.deps.answers.renameGuest(shareId, renamed);
    return renamed;
  }

  /** @param address of the guest, for the rate limits. */
  async receive(
    wish: Wish,
    form: URLSearchParams,
    about: {
      readonly shareId: string;
      readonly photo: Photo;
      readonly guest: Guest;
      readonly address: string;
    },
  ): Promise<Outcome> {
    const { answers } = this.deps;
    const { shareId, photo, guest, address } = about;
    const { action, subject } = wish;
    const isTakenBack = action === 'unfavourite' || action === 'unapprove' || action === 'delete';
    const typedName = form.get('name');
    const name = guest.name === '' ? guestNameOf(typedName ?? '') : guest.name;
    if (!isTakenBack && name === undefined) {
      return { kind: 'name', problem: guestNameProblem(typedName ?? '') };
    }
    const text = action === 'comment' ? commentOf(form.get('text') ?? '') : undefined;
    if (action === 'comment' && text === undefined) {
      return refused(400, message('commentLength', { max: MAX_COMMENT }));
    }
    const refusal = await this.limitProblem(rulesFor(action, guest, address));
    if (refusal !== undefined) {
      return refusal;
    }
    const named = { id: guest.id, name: name ?? '' };
    if (isTakenBack) {
      await (action === 'delete'
        ? answers.deleteOwn(shareId, guest.id, subject)
        : answers.withdraw(
            { shareId, guestId: guest.id, photoId: photo.photoId },
            action === 'unfavourite' ? 'favourite' : 'approval',
          ));
      return { kind: 'done', guest };
    }
    const added = await answers.add({
      shareId,
      photoId: photo.photoId,
      guest: named,
      kind: action === 'approve' ? 'approval' : action,
      uploadId: wish.version === '' ? photo.id : wish.version,
      text,
      pin: pinOf(form),
    });
    if (added === 'added') {
      return { kind: 'done', guest: named };
    }
    return added === 'full'
      ? refused(409, message('linkIsFull'))
      : refused(404, message('photoIsGone'));
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

function refused(status: 400 | 404 | 409, problem: Message): Outcome {
  return { kind: 'refused', status, problem };
}

function rulesFor(action: Action, guest: Guest, address: string): RateLimitRule[] {
  return [
    { key: ['answers of guests', address], max: MAX_ANSWERS },
    ...(action === 'comment'
      ? [{ key: ['comments of guests', address] as const, max: MAX_COMMENTS }]
      : []),
    ...(guest.name === '' ? [{ key: ['new guests', address] as const, max: MAX_NEW_GUESTS }] : []),
  ];
}

/** The place of a comment; undefined if the form has none. */
function pinOf(form: URLSearchParams): Pin | undefined {
  const [x, y] = ['x', 'y'].map((name) => {
    const text = form.get(name) ?? '';
    return /^[01](\.\d{1,17})?$/.test(text) ? Number(text) : Number.NaN;
  });
  const isInside = x !== undefined && y !== undefined && x <= 1 && y <= 1;
  return isInside ? { x, y } : undefined;
}
