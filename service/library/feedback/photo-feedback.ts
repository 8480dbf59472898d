import type { Queryable } from '../../kernel/database/database.js';
import { uploadsById } from '../uploads/index.js';
import type { AnswerKind, Feedback, FeedbackSummary, SignedFeedback } from './feedback.js';
import { CURRENT_VERSION, selectAnswers, toFeedback, type FeedbackRow } from './feedback-row.js';
import { PLACE_COLUMNS, toPlace, type PlaceRow } from './place.js';

/** The photos about which somebody said something of a kind, as a condition of a query. @param photo the column with the id. */
export function answeredCondition(kind: AnswerKind, photo: string): string {
  // One look into the index for each photo. The planner may turn EXISTS into a read of the whole table.
  return `(SELECT true FROM share_answers AS answer
            WHERE answer.photo_id = ${photo} AND answer.kind = '${kind}' AND answer.withdrawn_at IS NULL LIMIT 1)`;
}

/**
 * The approval of a photo as JSON, NULL for none: of these bytes first, then of the newest version.
 * @param photo the column with its id. @param sha256 that of the bytes
 */
export function approvalColumn(photo: string, sha256: string): string {
  return `(SELECT json_build_object('version', answer.version, 'sha256', answer.sha256, 'at', answer.created_at,
                                    'by', answer.guest_name, 'is_current', answer.sha256 = ${sha256})
             FROM share_answers AS answer
            WHERE answer.photo_id = ${photo} AND answer.kind = 'approval' AND answer.withdrawn_at IS NULL
            ORDER BY answer.sha256 = ${sha256} DESC, answer.version DESC, answer.created_at DESC LIMIT 1)`;
}

/** The newest answers to a photo, at most `most`, oldest first, with withdrawn decisions. */
export async function feedbackOf(
  database: Queryable,
  photoId: string,
  most: number,
): Promise<Feedback[]> {
  const rows = await database.query<FeedbackRow>(
    `${selectAnswers()} WHERE share_answers.photo_id = $1
      ORDER BY share_answers.created_at DESC, share_answers.id DESC LIMIT ${most}`,
    [photoId],
  );
  return rows.map(toFeedback).reverse();
}

/**
 * The decisions about exactly these bytes and the comments on them, by the id of their upload, oldest first. Uploads without
 * any are missing. Of more than `most`, comments are left out first.
 */
export async function feedbackOnBytes(
  database: Queryable,
  uploadIds: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, SignedFeedback[]>> {
  const rows = await database.query<
    Pick<FeedbackRow, 'id' | 'guest_name' | 'created_at'> &
      PlaceRow & { seen_id: string; kind: SignedFeedback['kind'] }
  >(
    `SELECT seen.id AS seen_id, answers.*
       FROM ${uploadsById('$1')} AS seen
      CROSS JOIN LATERAL (
            SELECT id, kind, guest_name, created_at, ${PLACE_COLUMNS} FROM share_answers
             WHERE photo_id = seen.photo_id AND share_answers.sha256 = seen.sha256
               AND kind IN ('approval', 'changes', 'comment') AND withdrawn_at IS NULL
            OFFSET 0) AS answers
      ORDER BY kind, answers.created_at, answers.id LIMIT $2`,
    [uploadIds.join(','), most],
  );
  const found = new Map<string, SignedFeedback[]>();
  for (const row of rows) {
    const { id, kind, guest_name: by, created_at: at } = row;
    const list = found.get(row.seen_id) ?? [];
    list.push({ id, kind, by, at, place: toPlace(row) });
    found.set(row.seen_id, list);
  }
  return found;
}

/** By photo id, what guests of all links said. Photos without answers are missing. */
export async function answerSummaries(
  database: Queryable,
  photoIds: readonly string[],
): Promise<ReadonlyMap<string, FeedbackSummary>> {
  if (photoIds.length === 0) {
    return new Map();
  }
  const rows = await database.query<
    Pick<FeedbackRow, 'photo_id'> & {
      favourites: number;
      changes: number;
      comments: number;
      version: number | null;
      sha256: string | null;
      is_current: boolean | null;
      at: Date | null;
      by: string | null;
    }
  >(
    // Photo by photo, so that the planner never reads the whole table.
    `SELECT wanted.photo_id, answers.*,
            approval.version, approval.sha256, approval.is_current, approval.created_at AS at, approval.guest_name AS by
         FROM unnest(string_to_array($1, ',')) AS wanted (photo_id)
        CROSS JOIN LATERAL (
              SELECT (count(DISTINCT guest_id) FILTER (WHERE kind = 'favourite'))::integer AS favourites,
                     (count(*) FILTER (WHERE kind = 'changes' AND share_answers.sha256 = current.sha256))::integer AS changes,
                     (count(*) FILTER (WHERE kind = 'comment' AND done_at IS NULL))::integer AS comments
                FROM share_answers
                ${CURRENT_VERSION}
               WHERE share_answers.photo_id = wanted.photo_id AND withdrawn_at IS NULL
              HAVING count(*) > 0) AS answers
         LEFT JOIN LATERAL (
              SELECT share_answers.version, share_answers.sha256, share_answers.created_at, guest_name,
                     current.sha256 = share_answers.sha256 AS is_current
                FROM share_answers
                ${CURRENT_VERSION}
               WHERE share_answers.photo_id = wanted.photo_id AND kind = 'approval' AND withdrawn_at IS NULL
               ORDER BY current.sha256 = share_answers.sha256 DESC, share_answers.version DESC, share_answers.created_at DESC
               LIMIT 1) AS approval ON true`,
    [photoIds.join(',')],
  );
  return new Map(
    rows.map(
      ({
        photo_id: photoId,
        favourites,
        changes,
        comments,
        version,
        sha256,
        is_current,
        at,
        by,
      }) => [
        photoId,
        {
          favourites,
          changes,
          comments,
          approval:
            version === null || sha256 === null || at === null
              ? undefined
              : { version, sha256, isCurrent: is_current === true, at, by: by ?? '' },
        },
      ],
    ),
  );
}
