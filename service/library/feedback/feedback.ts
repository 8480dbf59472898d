import type { Queryable } from '../../kernel/database/database.js';
import { MISLEADING } from '../../kernel/misleading-characters.js';
import type { Place } from './place.js';

export const ANSWER_KINDS = [
  'favourite',
  'stars',
  'label',
  'approval',
  'changes',
  'comment',
] as const;

/** What a guest of a link can say about a photo. `changes` is a request for them. */
export type AnswerKind = (typeof ANSWER_KINDS)[number];

/** A guest's decision about a photo replaces the other one, which counts as withdrawn. */
export const DECISIONS = ['approval', 'changes'] as const;

/** The longest name of a guest and the longest comment, in characters. */
export const MAX_GUEST_NAME = 80;
export const MAX_COMMENT = 2000;

/** What one guest of a link can store. How many guests come is limited by network and time, see `GuestFeedback`. */
export const GUEST_LIMITS = { comments: 500, answers: 5000 } as const;

/** For how long a guest who was removed can be restored, in days. */
export const REMOVED_GUEST_DAYS = 30;

/** A guest of a link: a browser with a random id, and the name that was entered there. */
export interface Guest {
  readonly id: string;
  /** Empty until the first answer. */
  readonly name: string;
}

/** An answer to be stored. */
export interface NewAnswer {
  readonly shareId: string;
  readonly photoId: string;
  readonly guest: Guest;
  readonly kind: AnswerKind;
  /** The version that the guest saw. */
  readonly uploadId: string;
  /** The number of stars, or of the label: 1 to 5. */
  readonly value?: number | undefined;
  /** Only of a comment. */
  readonly text?: string | undefined;
  readonly place?: Place | undefined;
  /** Only of a comment: the same each time that a browser sends it, as long as it has no response. */
  readonly attempt?: string | undefined;
}

/** A change of an answer, for its event. */
export interface FeedbackChange {
  /** The id of the answer. */
  readonly id: string;
  readonly kind: AnswerKind;
  /** The id of the link; undefined once it is gone. */
  readonly shareId: string | undefined;
  readonly photoId: string;
  readonly guest: Guest;
  readonly version: number;
  /** Of the version, in lower-case hex. */
  readonly sha256: string;
  /** The number of stars, or of the label. */
  readonly value: number | undefined;
  /** Empty unless it is a comment. */
  readonly place: Place;
}

/** What the studio answered to a comment. */
export interface Reply {
  readonly text: string;
  /** The name of the user; undefined once they are gone. */
  readonly by: string | undefined;
  readonly at: Date;
}

/** Stores the event of a change, in its transaction. */
export type RecordChange = (transaction: Queryable, change: FeedbackChange) => Promise<void>;

/** What answers of all kinds have. */
interface Answer {
  readonly id: string;
  /** The id of the link; undefined once it is gone. */
  readonly shareId: string | undefined;
  readonly photoId: string;
  readonly guest: Guest;
  /** The number of the version that the guest saw, and whether its bytes are still those of the photo. */
  readonly version: number;
  /** Of that version, in lower-case hex. */
  readonly sha256: string;
  readonly isCurrent: boolean;
  /** The number of the version that links show now. */
  readonly currentVersion: number;
  readonly at: Date;
}

interface Favourite extends Answer {
  readonly kind: 'favourite';
}

interface RatingOf<Kind> extends Answer {
  readonly kind: Kind;
  /** The number of stars, or of the label: 1 to 5. */
  readonly value: number;
}

interface DecisionOf<Kind> extends Answer {
  readonly kind: Kind;
  /** When the guest withdrew it, or took the other one instead. */
  readonly withdrawnAt: Date | undefined;
}

export type Rating = RatingOf<'stars'> | RatingOf<'label'>;
export type Decision = DecisionOf<'approval'> | DecisionOf<'changes'>;

export interface Comment extends Answer {
  readonly kind: 'comment';
  readonly text: string;
  /** Empty for the file as a whole. */
  readonly place: Place;
  readonly doneAt: Date | undefined;
  readonly reply: Reply | undefined;
}

/** What a guest of a link said about a photo. */
export type Feedback = Favourite | Rating | Decision | Comment;

/** A decision about some bytes or a comment on them, for a receipt. It does not have the text. */
export interface SignedFeedback {
  readonly id: string;
  readonly kind: (typeof DECISIONS)[number] | 'comment';
  /** The name that the guest entered. */
  readonly by: string;
  readonly at: Date;
  readonly place: Place;
}

/** What an answer in a list of all photos has besides. */
export interface InList {
  readonly photoName: string;
  /** The id of the current version of the photo. */
  readonly currentId: string;
  /** The id of the version that the guest saw, or of its photo once that is gone. */
  readonly seenId: string;
  /** `source` in the metadata of that version: what its app noted about the document. */
  readonly source: string | undefined;
}

/** An answer in a list of all photos. */
export type Listed<Kind extends Feedback = Feedback> = Kind & InList;

/** The answers to a photo, as its tile shows them to one guest. */
export interface GuestMarks {
  readonly isFavourite: boolean;
  /** How many stars the guest gave, and the label; 0 without. */
  readonly stars: number;
  readonly label: number;
  /** Whether somebody approved the version that the link shows. */
  readonly isApproved: boolean;
  readonly comments: number;
}

/** The newest approval of a photo. */
export interface Approval {
  readonly version: number;
  /** Of the approved bytes, in lower-case hex. */
  readonly sha256: string;
  readonly isCurrent: boolean;
  readonly at: Date;
  readonly by: string;
}

/** The answers to a photo, as its tile shows them to the photographer. */
export interface FeedbackSummary {
  readonly favourites: number;
  /** How many guests request changes to the current version. */
  readonly changes: number;
  /** Comments that are not done. */
  readonly comments: number;
  readonly approval: Approval | undefined;
}

/**
 * A name as it is stored: without misleading characters and white space around it; undefined when it is empty or too
 * long.
 */
export function guestNameOf(typed: string): string | undefined {
  const name = typed
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(MISLEADING, '')
    .replace(/ {2,}/g, ' ')
    .trim();
  return name === '' || name.length > MAX_GUEST_NAME ? undefined : name;
}

/** A comment as it is stored, with its lines and without misleading characters; undefined when it is empty or too long. */
export function commentOf(typed: string): string | undefined {
  const text = typed
    .normalize('NFC')
    .replace(/\r\n?|[\p{Zl}\p{Zp}]/gu, '\n')
    .replace(MISLEADING, (character) => (character === '\n' ? character : ''))
    .trim();
  return text === '' || text.length > MAX_COMMENT ? undefined : text;
}
