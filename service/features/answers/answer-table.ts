import { randomUUID } from 'node:crypto';
import type { Database, Queryable } from '../../platform/database/database.js';
import {
  LINK_LIMITS,
  type Answer,
  type AnswerKind,
  type AnswerSummary,
  type Guest,
  type GuestMarks,
  type ListedAnswer,
  type NewAnswer,
} from './answer.js';

interface AnswerRow {
  id: string;
  kind: AnswerKind;
  photo_id: string;
  guest_id: string;
  guest_name: string;
  version: number;
  is_current: boolean;
  current_version: number;
  comment: string | null;
  pin_x: number | null;
  pin_y: number | null;
  created_at: Date;
  done_at: Date | null;
}

/** The most answers that one page shows. */
const MAX_LISTED = LINK_LIMITS.answers;

/** The number of a version: 1 for the first upload of a photo. */
const numberOf = (upload: string): string =>
  `(SELECT count(*)::integer FROM uploads AS earlier
     WHERE earlier.photo_id = ${upload}.photo_id AND earlier.finished_at IS NOT NULL
       AND (earlier.finished_at, earlier.id) <= (${upload}.finished_at, ${upload}.id))`;

/** The current version of the photo of each answer: one look into an index, never a read of all uploads. */
const CURRENT = `JOIN LATERAL (SELECT * FROM uploads
    WHERE uploads.photo_id = share_answers.photo_id AND uploads.is_current LIMIT 1) AS current ON true`;

/** Answers with the version that is current now. `more` are columns besides those of {@link AnswerRow}. */
const select = (more = ''): string =>
  `SELECT share_answers.*, current.sha256 = share_answers.sha256 AS is_current,
          ${numberOf('current')} AS current_version ${more}
     FROM share_answers
     ${CURRENT}`;

/** The photos about which somebody said something of a kind, as a condition of a query. @param photo the column with the id. */
export function answeredCondition(kind: AnswerKind, photo: string): string {
  // One look into the index for each photo. The planner may turn EXISTS into a read of the whole table.
  return `(SELECT true FROM share_answers AS answer
            WHERE answer.photo_id = ${photo} AND answer.kind = '${kind}' LIMIT 1)`;
}

/** Lets the answers about a version follow it: it has just become a photo of its own. */
export async function moveAnswers(transaction: Queryable, uploadId: string): Promise<void> {
  await transaction.query(
    'UPDATE share_answers SET photo_id = $1, version = 1 WHERE upload_id = $1',
    [uploadId],
  );
}

/** What guests of links said about photos. */
export class AnswerTable {
  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
  ) {}

  /**
   * Stores an answer. A second favourite or approval by the same guest replaces the first.
   * @returns 'full' when the link has as many answers as {@link LINK_LIMITS} allows; 'gone' when the link or the version
   *   no longer exists.
   */
  add({
    shareId,
    photoId,
    guest,
    kind,
    uploadId,
    text,
    pin,
  }: NewAnswer): Promise<'added' | 'full' | 'gone'> {
    return this.database.transaction(async (transaction) => {
      // One at a time: of several at once, none may count without the others.
      const [share] = await transaction.query(
        'SELECT id FROM shares WHERE id = $1 FOR NO KEY UPDATE',
        [shareId],
      );
      const [counted] = await transaction.query<{
        answers: number;
        comments: number;
        guests: number;
        is_known: boolean | null;
      }>(
        `SELECT count(*)::integer AS answers, (count(*) FILTER (WHERE kind = 'comment'))::integer AS comments,
                count(DISTINCT guest_id)::integer AS guests, bool_or(guest_id = $2) AS is_known
           FROM share_answers WHERE share_id = $1`,
        [shareId, guest.id],
      );
      if (share === undefined || counted === undefined) {
        return 'gone';
      }
      const isFull =
        counted.answers >= LINK_LIMITS.answers ||
        (kind === 'comment' && counted.comments >= LINK_LIMITS.comments) ||
        (counted.is_known !== true && counted.guests >= LINK_LIMITS.guests);
      if (isFull) {
        return 'full';
      }
      const added = await transaction.query(
        `INSERT INTO share_answers (id, share_id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256,
                                    comment, pin_x, pin_y, created_at)
         SELECT $1, $2, seen.photo_id, $4, $5, $6, seen.id, ${numberOf('seen')}, seen.sha256, $8, $9, $10, $11
           FROM uploads AS seen WHERE seen.id = $7 AND seen.photo_id = $3 AND seen.finished_at IS NOT NULL
         ON CONFLICT (share_id, guest_id, photo_id, kind) WHERE kind <> 'comment' DO UPDATE
            SET upload_id = excluded.upload_id, version = excluded.version, sha256 = excluded.sha256,
                created_at = excluded.created_at
         RETURNING id`,
        [
          randomUUID(),
          shareId,
          photoId,
          kind,
          guest.id,
          guest.name,
          uploadId,
          text ?? null,
          pin?.x ?? null,
          pin?.y ?? null,
          this.now(),
        ],
      );
      return added.length > 0 ? 'added' : 'gone';
    });
  }

  /** Takes a guest's favourite or approval back. */
  async withdraw(
    { shareId, guestId, photoId }: { shareId: string; guestId: string; photoId: string },
    kind: Exclude<AnswerKind, 'comment'>,
  ): Promise<void> {
    await this.database.query(
      'DELETE FROM share_answers WHERE share_id = $1 AND guest_id = $2 AND photo_id = $3 AND kind = $4',
      [shareId, guestId, photoId, kind],
    );
  }

  /** Changes the name of a guest, also on earlier answers. */
  async renameGuest(shareId: string, { id, name }: Guest): Promise<void> {
    await this.database.query(
      'UPDATE share_answers SET guest_name = $3 WHERE share_id = $1 AND guest_id = $2',
      [shareId, id, name],
    );
  }

  /** Deletes a guest's comment. */
  async deleteOwn(shareId: string, guestId: string, id: string): Promise<void> {
    await this.database.query(
      `DELETE FROM share_answers WHERE share_id = $1 AND guest_id = $2 AND id = $3 AND kind = 'comment'`,
      [shareId, guestId, id],
    );
  }

  /** Deletes a comment on a photo, by any guest. */
  async remove(photoId: string, id: string): Promise<void> {
    await this.database.query(
      `DELETE FROM share_answers WHERE photo_id = $1 AND id = $2 AND kind = 'comment'`,
      [photoId, id],
    );
  }

  /** Marks a comment on a photo as done, or as open again. */
  async setDone(photoId: string, id: string, isDone: boolean): Promise<void> {
    await this.database.query(
      `UPDATE share_answers SET done_at = $3 WHERE photo_id = $1 AND id = $2 AND kind = 'comment'`,
      [photoId, id, isDone ? this.now() : null],
    );
  }

  /** What one link has about these photos, by photo id, as one guest sees it. Photos without answers are missing. */
  async marks(
    shareId: string,
    guestId: string,
    photoIds: readonly string[],
  ): Promise<ReadonlyMap<string, GuestMarks>> {
    const rows = await this.database.query<{
      photo_id: string;
      favourite: boolean;
      approved: boolean;
      comments: number;
    }>(
      `SELECT share_answers.photo_id,
              bool_or(kind = 'favourite' AND guest_id = $2) AS favourite,
              bool_or(kind = 'approval' AND share_answers.sha256 = current.sha256) AS approved,
              (count(*) FILTER (WHERE kind = 'comment'))::integer AS comments
         FROM share_answers
         ${CURRENT}
        WHERE share_id = $1
          AND share_answers.photo_id IN (SELECT jsonb_array_elements_text($3::jsonb))
        GROUP BY share_answers.photo_id`,
      [shareId, guestId, JSON.stringify(photoIds)],
    );
    return new Map(
      rows.map((row) => [
        row.photo_id,
        { isFavourite: row.favourite, isApproved: row.approved, comments: row.comments },
      ]),
    );
  }

  /** The photos that a guest of a link likes, by the ids of their current versions, in the order of capture. */
  async favouritesOf(shareId: string, guestId: string): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT current.id FROM share_answers
         ${CURRENT}
        WHERE share_id = $1 AND guest_id = $2 AND kind = 'favourite'
        ORDER BY current.taken_at, current.id`,
      [shareId, guestId],
    );
    return rows.map(({ id }) => id);
  }

  /** The answers that guests of one link gave to a photo, oldest first. */
  async inShare(shareId: string, photoId: string): Promise<Answer[]> {
    const rows = await this.database.query<AnswerRow>(
      `${select()} WHERE share_id = $1 AND share_answers.photo_id = $2
        ORDER BY share_answers.created_at, share_answers.id LIMIT ${MAX_LISTED}`,
      [shareId, photoId],
    );
    return rows.map(toAnswer);
  }

  /** All answers to a photo, oldest first. */
  async ofPhoto(photoId: string): Promise<Answer[]> {
    const rows = await this.database.query<AnswerRow>(
      `${select()} WHERE share_answers.photo_id = $1
        ORDER BY share_answers.created_at, share_answers.id LIMIT ${MAX_LISTED}`,
      [photoId],
    );
    return rows.map(toAnswer);
  }

  /** All answers of a link, by the name of the photo. */
  async ofShare(shareId: string): Promise<ListedAnswer[]> {
    const rows = await this.database.query<AnswerRow & { photo_name: string }>(
      `${select(', current.name AS photo_name')} WHERE share_id = $1 AND current.trashed_at IS NULL
        ORDER BY current.taken_at, current.id, share_answers.created_at LIMIT ${MAX_LISTED}`,
      [shareId],
    );
    return rows.map((row) => ({ ...toAnswer(row), photoName: row.photo_name }));
  }

  /** See {@link answerSummaries}. */
  summaries(photoIds: readonly string[]): Promise<ReadonlyMap<string, AnswerSummary>> {
    return answerSummaries(this.database, photoIds);
  }
}

/** By photo id, what guests of all links said. Photos without answers are missing. */
export async function answerSummaries(
  database: Queryable,
  photoIds: readonly string[],
): Promise<ReadonlyMap<string, AnswerSummary>> {
  if (photoIds.length === 0) {
    return new Map();
  }
  const rows = await database.query<
    Pick<AnswerRow, 'photo_id'> & {
      favourites: number;
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
                     (count(*) FILTER (WHERE kind = 'comment' AND done_at IS NULL))::integer AS comments
                FROM share_answers WHERE share_answers.photo_id = wanted.photo_id
              HAVING count(*) > 0) AS answers
         LEFT JOIN LATERAL (
              SELECT share_answers.version, share_answers.sha256, share_answers.created_at, guest_name,
                     current.sha256 = share_answers.sha256 AS is_current
                FROM share_answers
                ${CURRENT}
               WHERE share_answers.photo_id = wanted.photo_id AND kind = 'approval'
               ORDER BY current.sha256 = share_answers.sha256 DESC, share_answers.version DESC, share_answers.created_at DESC
               LIMIT 1) AS approval ON true`,
    [photoIds.join(',')],
  );
  return new Map(
    rows.map(({ photo_id: photoId, favourites, comments, version, sha256, is_current, at, by }) => [
      photoId,
      {
        favourites,
        comments,
        approval:
          version === null || sha256 === null || at === null
            ? undefined
            : { version, sha256, isCurrent: is_current === true, at, by: by ?? '' },
      },
    ]),
  );
}

function toAnswer(row: AnswerRow): Answer {
  return {
    id: row.id,
    kind: row.kind,
    photoId: row.photo_id,
    guest: { id: row.guest_id, name: row.guest_name },
    version: row.version,
    isCurrent: row.is_current,
    currentVersion: row.current_version,
    text: row.comment ?? '',
    pin: row.pin_x === null || row.pin_y === null ? undefined : { x: row.pin_x, y: row.pin_y },
    at: row.created_at,
    doneAt: row.done_at ?? undefined,
  };
}
