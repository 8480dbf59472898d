import type { AnswerKind, Feedback, FeedbackChange, Listed } from './feedback.js';
import { PLACE_COLUMNS, toPlace, type PlaceRow } from './place.js';

/** A row of `share_answers`, with what {@link selectAnswers} adds. */
export interface FeedbackRow extends PlaceRow {
  id: string;
  kind: AnswerKind;
  share_id: string | null;
  photo_id: string;
  guest_id: string;
  guest_name: string;
  version: number;
  sha256: string;
  is_current: boolean;
  current_version: number;
  value: number | null;
  comment: string | null;
  reply: string | null;
  reply_name: string | null;
  replied_at: Date | null;
  created_at: Date;
  done_at: Date | null;
  withdrawn_at: Date | null;
}

/** The columns of {@link ChangeRow}. */
export const CHANGE_COLUMNS = `id, kind, share_id, photo_id, guest_id, guest_name, version, sha256, value, ${PLACE_COLUMNS}`;

export type ChangeRow = Pick<
  FeedbackRow,
  | 'id'
  | 'kind'
  | 'share_id'
  | 'photo_id'
  | 'guest_id'
  | 'guest_name'
  | 'version'
  | 'sha256'
  | 'value'
> &
  PlaceRow;

/** The number of a version: 1 for the first upload of a photo. */
export const versionNumber = (upload: string): string =>
  `(SELECT count(*)::integer FROM uploads AS earlier
     WHERE earlier.photo_id = ${upload}.photo_id AND earlier.finished_at IS NOT NULL
       AND (earlier.finished_at, earlier.id) <= (${upload}.finished_at, ${upload}.id))`;

/** The current version of the photo of each answer: one look into an index, never a read of all uploads. */
export const CURRENT_VERSION = `JOIN LATERAL (SELECT * FROM uploads
    WHERE uploads.photo_id = share_answers.photo_id AND uploads.is_current LIMIT 1) AS current ON true`;

/**
 * Answers with the version that is current now. `more` are columns besides those of {@link FeedbackRow}, `from` is the
 * table or a subquery with its name and columns.
 */
export const selectAnswers = (more = '', from = 'share_answers'): string =>
  // The name is one look into an index for each answer. The planner may turn a join into a read of all accounts.
  `SELECT share_answers.*, current.sha256 = share_answers.sha256 AS is_current,
          ${versionNumber('current')} AS current_version,
          (SELECT display_name FROM accounts WHERE accounts.id = share_answers.reply_by) AS reply_name ${more}
     FROM ${from}
     ${CURRENT_VERSION}`;

/**
 * What a list needs besides the columns of {@link FeedbackRow}. The version that the guest saw may be gone: then its photo
 * has the picture.
 */
export const LISTED_COLUMNS = `, current.name AS photo_name, current.id AS current_id,
  coalesce((SELECT id FROM uploads WHERE uploads.id = share_answers.upload_id), share_answers.photo_id) AS seen_id,
  (SELECT metadata ->> 'source' FROM uploads WHERE uploads.id = share_answers.upload_id) AS source`;

export type ListedRow = FeedbackRow & {
  photo_name: string;
  current_id: string;
  seen_id: string;
  source: string | null;
};

export function toListed(row: ListedRow): Listed {
  return {
    photoName: row.photo_name,
    currentId: row.current_id,
    seenId: row.seen_id,
    source: row.source ?? undefined,
    ...toFeedback(row),
  };
}

export function toChange(row: ChangeRow): FeedbackChange {
  return {
    ...commonOf(row),
    kind: row.kind,
    value: row.value ?? undefined,
    place: toPlace(row),
  };
}

/** What answers of all kinds and their changes have. */
function commonOf(row: ChangeRow): Omit<FeedbackChange, 'kind' | 'value' | 'place'> {
  return {
    id: row.id,
    shareId: row.share_id ?? undefined,
    photoId: row.photo_id,
    guest: { id: row.guest_id, name: row.guest_name },
    version: row.version,
    sha256: row.sha256,
  };
}

/** A constraint of the table keeps the columns of one kind empty in rows of the others. */
export function toFeedback(row: FeedbackRow): Feedback {
  const { kind } = row;
  const answer = {
    ...commonOf(row),
    isCurrent: row.is_current,
    currentVersion: row.current_version,
    at: row.created_at,
  };
  switch (kind) {
    case 'favourite':
      return { ...answer, kind };
    case 'stars':
    case 'label':
      return { ...answer, kind, value: row.value ?? 0 };
    case 'approval':
    case 'changes':
      return { ...answer, kind, withdrawnAt: row.withdrawn_at ?? undefined };
    case 'comment':
      return {
        ...answer,
        kind,
        text: row.comment ?? '',
        place: toPlace(row),
        doneAt: row.done_at ?? undefined,
        reply:
          row.reply === null || row.replied_at === null
            ? undefined
            : { text: row.reply, by: row.reply_name ?? undefined, at: row.replied_at },
      };
  }
}
