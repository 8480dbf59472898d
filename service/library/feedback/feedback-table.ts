import { randomUUID } from 'node:crypto';
import type { Database, Queryable, SqlValue } from '../../kernel/database/database.js';
import type { Visibility } from '../../identity/index.js';
import type { MediaInfo } from '../previews/index.js';
import { uploadsById } from '../uploads/index.js';
import { permitAnswer } from './guest-table.js';
import { PLACE_COLUMNS, placeProblem, toPlace, type Place, type PlaceRow } from './place.js';
import {
  GUEST_LIMITS,
  type Decision,
  type DECISIONS,
  type Feedback,
  type FeedbackChange,
  type AnswerKind,
  type FeedbackSummary,
  type Guest,
  type GuestMarks,
  type Listed,
  type NewAnswer,
  type RecordChange,
  type SignedFeedback,
} from './feedback.js';

interface FeedbackRow extends PlaceRow {
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

/** The most answers that one page shows. */
const MAX_LISTED = 5000;

/** A condition for the answers to photos outside the trash. */
const NOT_TRASHED = 'AND current.trashed_at IS NULL';

/** A condition for the answers of guests, whose ids are in `$3`. */
const OF_GUESTS = 'guest_id IN (SELECT jsonb_array_elements_text($3::jsonb))';

/** The most answers to a photo that its guests see. */
const MAX_SHOWN = 1000;

/** The most guests whose feedback is counted one by one. */
const MAX_COUNTED_GUESTS = 100;

/** The columns of {@link ChangeRow}. */
const CHANGE = `id, kind, share_id, photo_id, guest_id, guest_name, version, sha256, value, ${PLACE_COLUMNS}`;

type ChangeRow = Pick<
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
const numberOf = (upload: string): string =>
  `(SELECT count(*)::integer FROM uploads AS earlier
     WHERE earlier.photo_id = ${upload}.photo_id AND earlier.finished_at IS NOT NULL
       AND (earlier.finished_at, earlier.id) <= (${upload}.finished_at, ${upload}.id))`;

/** The current version of the photo of each answer: one look into an index, never a read of all uploads. */
const CURRENT = `JOIN LATERAL (SELECT * FROM uploads
    WHERE uploads.photo_id = share_answers.photo_id AND uploads.is_current LIMIT 1) AS current ON true`;

/** Answers with the version that is current now. `more` are columns besides those of {@link FeedbackRow}. */
const select = (more = ''): string =>
  // The name is one look into an index for each answer. The planner may turn a join into a read of all accounts.
  `SELECT share_answers.*, current.sha256 = share_answers.sha256 AS is_current,
          ${numberOf('current')} AS current_version,
          (SELECT display_name FROM accounts WHERE accounts.id = share_answers.reply_by) AS reply_name ${more}
     FROM share_answers
     ${CURRENT}`;

/**
 * What a list needs besides the columns of {@link FeedbackRow}. The version that the guest saw may be gone: then its photo
 * has the picture.
 */
const LISTED = `, current.name AS photo_name, current.id AS current_id,
  coalesce((SELECT id FROM uploads WHERE uploads.id = share_answers.upload_id), share_answers.photo_id) AS seen_id,
  (SELECT metadata ->> 'source' FROM uploads WHERE uploads.id = share_answers.upload_id) AS source`;

type ListedRow = FeedbackRow & {
  photo_name: string;
  current_id: string;
  seen_id: string;
  source: string | null;
};

function toListed(row: ListedRow): Listed {
  return {
    ...toFeedback(row),
    photoName: row.photo_name,
    currentId: row.current_id,
    seenId: row.seen_id,
    source: row.source ?? undefined,
  };
}

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

/** Lets the answers about a version follow it: it has just become a photo of its own. */
export async function moveAnswers(transaction: Queryable, uploadId: string): Promise<void> {
  await transaction.query(
    'UPDATE share_answers SET photo_id = $1, version = 1 WHERE upload_id = $1',
    [uploadId],
  );
}

/** The photos whose answers somebody sees. */
export interface FeedbackView extends Visibility {
  /** The app that sent them, if only its photos are visible. */
  readonly clientId?: string | undefined;
}

/** Which answers a list has; undefined members do not limit it. */
export interface FeedbackFilter {
  readonly id?: string | undefined;
  readonly link?: string | undefined;
  readonly project?: string | undefined;
  /** The id of any version of the photo. */
  readonly upload?: string | undefined;
  /** The identity of a document, of whose exports a user uploaded a version. */
  readonly document?: { readonly id: string; readonly accountId: string } | undefined;
  readonly kind?: AnswerKind | undefined;
  readonly since?: Date | undefined;
  /** The answer before the first one wanted. */
  readonly after?: { readonly at: Date; readonly id: string } | undefined;
}

/** Which answers of a link are wanted; undefined members do not limit them. */
export interface ShareFilter {
  readonly kinds?: readonly AnswerKind[] | undefined;
  /** The number of the label, or how many stars at least. */
  readonly value?: number | undefined;
  readonly guestId?: string | undefined;
  /** Comments that are open or done. A request for changes is done when the photo has other bytes. */
  readonly state?: 'open' | 'done' | undefined;
}

/** Where an answer of a guest is. */
export interface AnswerPlace {
  readonly shareId: string;
  readonly guestId: string;
  readonly photoId: string;
}

/** Why an answer is not stored, see {@link FeedbackTable.add}. */
export type NotAdded = 'full' | 'favourites' | 'removed' | 'closed' | 'gone' | 'page' | 'time';

/** What guests of links said about photos. */
export class FeedbackTable {
  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
  ) {}

  /**
   * Stores an answer. A second one of the same kind by the same guest replaces the first, except a comment. A decision
   * replaces the other decision.
   * @param record is called if this changes anything.
   * @returns 'full' when the guest has as many answers as {@link GUEST_LIMITS} allows, and 'favourites' when as many
   *   favourites as the link allows; 'removed' for a guest whom the studio has removed; 'closed' when the link takes no
   *   answers; 'gone' when the link or the version no longer exists; 'page' or 'time' for one that the version does not
   *   have.
   */
  add(answer: NewAnswer, record: RecordChange): Promise<'added' | NotAdded> {
    const { shareId, photoId, guest, kind, uploadId, value, text, place = {} } = answer;
    return this.database.transaction(async (transaction) => {
      const permission = await permitAnswer(transaction, shareId, guest.id);
      if (typeof permission === 'string') {
        return permission;
      }
      const [counted] = await transaction.query<{
        answers: number;
        comments: number;
        favourites: number;
      }>(
        `SELECT count(*)::integer AS answers, (count(*) FILTER (WHERE kind = 'comment'))::integer AS comments,
                (count(*) FILTER (WHERE kind = 'favourite' AND photo_id <> $3))::integer AS favourites
           FROM share_answers WHERE share_id = $1 AND guest_id = $2`,
        [shareId, guest.id, photoId],
      );
      const { answers = 0, comments = 0, favourites = 0 } = counted ?? {};
      if (kind === 'favourite' && favourites >= (permission.maxFavourites ?? Infinity)) {
        return 'favourites';
      }
      if (
        answers >= GUEST_LIMITS.answers ||
        (kind === 'comment' && comments >= GUEST_LIMITS.comments)
      ) {
        return 'full';
      }
      const problem = await missingPlace(transaction, uploadId, place);
      if (problem !== undefined) {
        return problem;
      }
      if (isDecision(kind)) {
        const other = kind === 'approval' ? 'changes' : 'approval';
        await withdrawDecision(
          transaction,
          { shareId, guestId: guest.id, photoId },
          other,
          this.now(),
        );
      }
      const [before] = await transaction.query<{ upload_id: string; value: number | null }>(
        `SELECT upload_id, value FROM share_answers
          WHERE share_id = $1 AND guest_id = $2 AND photo_id = $3 AND kind = $4 AND kind <> 'comment'
            AND withdrawn_at IS NULL`,
        [shareId, guest.id, photoId, kind],
      );
      const [added] = await transaction.query<ChangeRow>(
        `INSERT INTO share_answers (id, share_id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256,
                                    value, comment, ${PLACE_COLUMNS}, created_at)
         SELECT $1, $2, seen.photo_id, $4, $5, $6, seen.id, ${numberOf('seen')}, seen.sha256, $8, $9, $10, $11, $12, $13, $14, $15
           FROM uploads AS seen WHERE seen.id = $7 AND seen.photo_id = $3 AND seen.finished_at IS NOT NULL
         ON CONFLICT (share_id, guest_id, photo_id, kind) WHERE kind <> 'comment' AND withdrawn_at IS NULL DO UPDATE
            SET upload_id = excluded.upload_id, version = excluded.version, sha256 = excluded.sha256,
                is_mailed = share_answers.is_mailed AND share_answers.upload_id = excluded.upload_id
                            AND share_answers.value IS NOT DISTINCT FROM excluded.value,
                value = excluded.value,
                created_at = excluded.created_at
         RETURNING ${CHANGE}`,
        [
          randomUUID(),
          shareId,
          photoId,
          kind,
          guest.id,
          guest.name,
          uploadId,
          value ?? null,
          text ?? null,
          place.pin?.x ?? null,
          place.pin?.y ?? null,
          place.page ?? null,
          place.startMs ?? null,
          place.endMs ?? null,
          this.now(),
        ],
      );
      if (added === undefined) {
        return 'gone';
      }
      if (before?.upload_id !== uploadId || before.value !== (value ?? null)) {
        await record(transaction, toChange(added));
      }
      return 'added';
    });
  }

  /**
   * Takes back what a guest said in a kind. A decision stays as withdrawn.
   * @returns why not, see {@link FeedbackTable.add}
   */
  withdraw(
    about: AnswerPlace,
    kind: Exclude<AnswerKind, 'comment'>,
    record: RecordChange,
  ): Promise<NotAdded | undefined> {
    return this.takeBack(about, record, (transaction) =>
      isDecision(kind)
        ? withdrawDecision(transaction, about, kind, this.now())
        : deleteAnswers(
            transaction,
            'share_id = $1 AND guest_id = $2 AND photo_id = $3 AND kind = $4',
            [about.shareId, about.guestId, about.photoId, kind],
          ),
    );
  }

  /** Deletes a guest's comment. @returns why not, see {@link FeedbackTable.add} */
  deleteOwn(
    about: { readonly shareId: string; readonly guestId: string; readonly id: string },
    record: RecordChange,
  ): Promise<NotAdded | undefined> {
    return this.takeBack(about, record, (transaction) =>
      deleteAnswers(
        transaction,
        `share_id = $1 AND guest_id = $2 AND id = $3 AND kind = 'comment'`,
        [about.shareId, about.guestId, about.id],
      ),
    );
  }

  /** Takes back what a guest said, if the guest may change it. */
  private takeBack(
    { shareId, guestId }: Pick<AnswerPlace, 'shareId' | 'guestId'>,
    record: RecordChange,
    take: (transaction: Queryable) => Promise<FeedbackChange[]>,
  ): Promise<NotAdded | undefined> {
    return this.database.transaction(async (transaction) => {
      const permission = await permitAnswer(transaction, shareId, guestId);
      if (typeof permission === 'string') {
        return permission;
      }
      for (const change of await take(transaction)) {
        await record(transaction, change);
      }
      return undefined;
    });
  }

  /** Changes the name of a guest, also on earlier answers. */
  async renameGuest(shareId: string, { id, name }: Guest): Promise<void> {
    await this.database.query(
      `WITH known AS (UPDATE known_guests SET guest_name = $3 WHERE share_id = $1 AND guest_id = $2)
       UPDATE share_answers SET guest_name = $3 WHERE share_id = $1 AND guest_id = $2`,
      [shareId, id, name],
    );
  }

  /** Deletes a comment on a photo, by any guest. */
  async remove(photoId: string, id: string, record: RecordChange): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const condition = `photo_id = $1 AND id = $2 AND kind = 'comment'`;
      for (const change of await deleteAnswers(transaction, condition, [photoId, id])) {
        await record(transaction, change);
      }
    });
  }

  /** Marks a comment on a photo as done, or as open again. @param record is called if this changes anything. */
  async setDone(photoId: string, id: string, isDone: boolean, record: RecordChange): Promise<void> {
    await this.changeComment(
      `UPDATE share_answers SET done_at = $3
        WHERE photo_id = $1 AND id = $2 AND kind = 'comment' AND (done_at IS NULL) = $4`,
      [photoId, id, isDone ? this.now() : null, isDone],
      record,
    );
  }

  /**
   * Answers a comment on a photo. A second reply replaces the first.
   * @param record is called unless the same user has sent the same reply before
   */
  async reply(
    photoId: string,
    id: string,
    { text, by }: { readonly text: string; readonly by: string },
    record: RecordChange,
  ): Promise<void> {
    await this.changeComment(
      `UPDATE share_answers SET reply = $3, reply_by = $4, replied_at = $5,
              is_reply_mailed = is_reply_mailed AND reply IS NOT DISTINCT FROM $3
        WHERE photo_id = $1 AND id = $2 AND kind = 'comment'
          AND (reply IS DISTINCT FROM $3 OR reply_by IS DISTINCT FROM $4)`,
      [photoId, id, text, by, this.now()],
      record,
    );
  }

  private async changeComment(
    update: string,
    params: readonly SqlValue[],
    record: RecordChange,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const changed = await transaction.query<ChangeRow>(`${update} RETURNING ${CHANGE}`, params);
      for (const row of changed) {
        await record(transaction, toChange(row));
      }
    });
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
      stars: number;
      label: number;
      approved: boolean;
      comments: number;
    }>(
      `SELECT share_answers.photo_id,
              bool_or(kind = 'favourite' AND guest_id = $2) AS favourite,
              COALESCE(max(value) FILTER (WHERE kind = 'stars' AND guest_id = $2), 0) AS stars,
              COALESCE(max(value) FILTER (WHERE kind = 'label' AND guest_id = $2), 0) AS label,
              bool_or(kind = 'approval' AND withdrawn_at IS NULL AND share_answers.sha256 = current.sha256) AS approved,
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
        {
          ...{ isFavourite: row.favourite, stars: row.stars, label: row.label },
          ...{ isApproved: row.approved, comments: row.comments },
        },
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

  /**
   * The answers that guests of one link gave to a photo, oldest first, with withdrawn decisions. Of too many, those of a guest and of guests whom the
   * studio knows come before the others, and new ones before old ones.
   */
  async inShare(shareId: string, photoId: string, guestId: string): Promise<Feedback[]> {
    const rows = await this.database.query<FeedbackRow>(
      `SELECT * FROM (
         ${select()} WHERE share_id = $1 AND share_answers.photo_id = $2
          ORDER BY share_answers.guest_id = $3 DESC,
                   share_answers.guest_id IN (SELECT guest_id FROM known_guests WHERE share_id = $1) DESC,
                   share_answers.created_at DESC, share_answers.id DESC LIMIT ${MAX_SHOWN}
       ) AS shown ORDER BY created_at, id`,
      [shareId, photoId, guestId],
    );
    return rows.map(toFeedback);
  }

  /** All answers to a photo, oldest first, with withdrawn decisions. */
  ofPhoto(photoId: string): Promise<Feedback[]> {
    return feedbackOf(this.database, photoId, MAX_LISTED);
  }

  /** The answers of some guests of a link, in the order of capture, without withdrawn decisions. */
  ofGuests(shareId: string, guestIds: readonly string[]): Promise<Listed[]> {
    return this.listed(`${NOT_TRASHED} AND withdrawn_at IS NULL AND ${OF_GUESTS}`, [
      shareId,
      MAX_LISTED,
      JSON.stringify(guestIds),
    ]);
  }

  /** The answers of a link that fit a filter, in the order of capture, without withdrawn decisions; at most `most`. */
  ofShare(
    shareId: string,
    { kinds, value, guestId, state }: ShareFilter,
    most = MAX_LISTED,
  ): Promise<Listed[]> {
    const params: (string | number)[] = [shareId, most];
    const param = (one: string | number): string => `$${params.push(one)}`;
    const conditions = [
      ...(kinds === undefined
        ? []
        : [`kind IN (SELECT jsonb_array_elements_text(${param(JSON.stringify(kinds))}::jsonb))`]),
      ...(value === undefined
        ? []
        : [`(value = ${param(value)} OR kind = 'stars' AND value >= ${param(value)})`]),
      ...(guestId === undefined ? [] : [`guest_id = ${param(guestId)}`]),
      ...(state === undefined
        ? []
        : [
            `CASE kind WHEN 'comment' THEN done_at IS ${state === 'open' ? '' : 'NOT'} NULL
                       WHEN 'changes' THEN (current.sha256 = share_answers.sha256) = ${state === 'open' ? 'true' : 'false'}
                       ELSE false END`,
          ]),
    ];
    return this.listed([NOT_TRASHED, 'withdrawn_at IS NULL', ...conditions].join(' AND '), params);
  }

  /** The decisions of some guests of a link, in the order of capture, with those that were withdrawn. */
  async decisionsOf(shareId: string, guestIds: readonly string[]): Promise<Listed<Decision>[]> {
    const listed = await this.listed(
      `${NOT_TRASHED} AND kind IN ('approval', 'changes') AND ${OF_GUESTS}`,
      [shareId, MAX_LISTED, JSON.stringify(guestIds)],
    );
    return listed.filter((answer) => answer.kind === 'approval' || answer.kind === 'changes');
  }

  /** Everything that a guest of a link said, in the order of files, also on those in the trash. */
  ofGuest(shareId: string, guestId: string): Promise<Listed[]> {
    return this.listed(`AND ${OF_GUESTS}`, [
      ...[shareId, GUEST_LIMITS.answers, JSON.stringify([guestId])],
    ]);
  }

  private async listed(condition: string, params: readonly (string | number)[]): Promise<Listed[]> {
    const rows = await this.database.query<ListedRow>(
      `${select(LISTED)}
        WHERE share_id = $1 ${condition}
        ORDER BY current.taken_at, current.id, share_answers.created_at, share_answers.id LIMIT $2`,
      params,
    );
    return rows.map(toListed);
  }

  /**
   * The answers to photos in a part of a workspace, oldest first, with withdrawn decisions. Those to photos in the trash are
   * left out.
   */
  list(view: FeedbackView, filter: FeedbackFilter, limit: number): Promise<Listed[]> {
    const { id, link, project, upload, document, kind, since, after } = filter;
    const values: SqlValue[] = [view.workspaceId, limit];
    const value = (one: SqlValue): string => `$${values.push(one)}`;
    const conditions = [
      'current.workspace_id = $1 AND current.trashed_at IS NULL',
      ...(view.accountId === undefined ? [] : [`current.account_id = ${value(view.accountId)}`]),
      ...(view.clientId === undefined ? [] : [`current.client_id = ${value(view.clientId)}`]),
      ...(id === undefined ? [] : [`share_answers.id = ${value(id)}`]),
      ...(link === undefined ? [] : [`share_id = ${value(link)}`]),
      ...(project === undefined ? [] : [`current.project_id = ${value(project)}`]),
      ...(upload === undefined
        ? []
        : [`share_answers.photo_id = (SELECT photo_id FROM uploads WHERE id = ${value(upload)})`]),
      ...(document === undefined
        ? []
        : [
            `share_answers.photo_id IN (
               SELECT version.photo_id FROM uploads AS version
                WHERE ARRAY[version.account_id, version.workspace_id, split_part(version.document, '#', 1)]
                        = ARRAY[${value(document.accountId)}, $1, ${value(document.id)}]
                  AND version.document IS NOT NULL AND version.finished_at IS NOT NULL AND version.trashed_at IS NULL)`,
          ]),
      ...(kind === undefined ? [] : [`kind = ${value(kind)}`]),
      ...(since === undefined ? [] : [`share_answers.created_at >= ${value(since)}`]),
      ...(after === undefined
        ? []
        : [
            `(share_answers.created_at, share_answers.id) > (${value(after.at)}, ${value(after.id)})`,
          ]),
    ];
    return this.database
      .query<ListedRow>(
        `${select(LISTED)} WHERE ${conditions.join(' AND ')}
          ORDER BY share_answers.created_at, share_answers.id LIMIT $2`,
        values,
      )
      .then((rows) => rows.map(toListed));
  }

  /** One answer, if its photo is in a part of a workspace and not in the trash. */
  async one(view: FeedbackView, id: string): Promise<Listed | undefined> {
    const [found] = await this.list(view, { id }, 1);
    return found;
  }

  /** See {@link answerSummaries}. */
  summaries(photoIds: readonly string[]): Promise<ReadonlyMap<string, FeedbackSummary>> {
    return answerSummaries(this.database, photoIds);
  }
}

/** The newest answers to a photo, at most `most`, oldest first, with withdrawn decisions. */
export async function feedbackOf(
  database: Queryable,
  photoId: string,
  most: number,
): Promise<Feedback[]> {
  const rows = await database.query<FeedbackRow>(
    `${select()} WHERE share_answers.photo_id = $1
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
                ${CURRENT}
               WHERE share_answers.photo_id = wanted.photo_id AND withdrawn_at IS NULL
              HAVING count(*) > 0) AS answers
         LEFT JOIN LATERAL (
              SELECT share_answers.version, share_answers.sha256, share_answers.created_at, guest_name,
                     current.sha256 = share_answers.sha256 AS is_current
                FROM share_answers
                ${CURRENT}
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

/**
 * The photos that the feedback is about which {@link takeUnmailedFeedback} takes, those with the newest first.
 * @param whole the ids of guests all of whose feedback counts
 */
export async function unmailedPhotos(
  transaction: Queryable,
  shareId: string,
  whole: readonly string[],
  most: number,
): Promise<string[]> {
  const rows = await transaction.query<{ photo_id: string }>(
    `SELECT photo_id FROM share_answers
      WHERE share_id = $1 AND withdrawn_at IS NULL
        AND (NOT is_mailed OR guest_id IN (SELECT jsonb_array_elements_text($2::jsonb)))
      GROUP BY photo_id ORDER BY max(created_at) DESC, photo_id LIMIT $3`,
    [shareId, JSON.stringify(whole), most],
  );
  return rows.map(({ photo_id: id }) => id);
}

/** How much feedback a guest of a link gave. */
export interface GuestCounts {
  readonly guest: Guest;
  readonly favourites: number;
  readonly approvals: number;
  readonly changes: number;
  /** Stars and labels. */
  readonly ratings: number;
  readonly comments: number;
}

/**
 * Takes the feedback of a link that no mail is about yet: it is not taken again. Times do not decide that, since clocks differ.
 * @param whole the ids of guests all of whose feedback counts
 * @returns the busiest guests first; at most {@link MAX_COUNTED_GUESTS}
 */
export async function takeUnmailedFeedback(
  transaction: Queryable,
  shareId: string,
  whole: readonly string[],
): Promise<GuestCounts[]> {
  const rows = await transaction.query<{
    id: string;
    name: string;
    favourites: number;
    approvals: number;
    changes: number;
    ratings: number;
    comments: number;
  }>(
    // The SELECT sees the rows as they were before the UPDATE.
    `WITH taken AS (
       UPDATE share_answers SET is_mailed = true WHERE share_id = $1 AND NOT is_mailed
     )
     SELECT guest_id AS id, max(guest_name) AS name,
            (count(*) FILTER (WHERE kind = 'favourite'))::integer AS favourites,
            (count(*) FILTER (WHERE kind = 'approval'))::integer AS approvals,
            (count(*) FILTER (WHERE kind = 'changes'))::integer AS changes,
            (count(*) FILTER (WHERE kind IN ('stars', 'label')))::integer AS ratings,
            (count(*) FILTER (WHERE kind = 'comment'))::integer AS comments
       FROM share_answers
      WHERE share_id = $1 AND withdrawn_at IS NULL
        AND (NOT is_mailed OR guest_id IN (SELECT jsonb_array_elements_text($2::jsonb)))
      GROUP BY guest_id ORDER BY count(*) DESC, guest_id LIMIT ${MAX_COUNTED_GUESTS}`,
    [shareId, JSON.stringify(whole)],
  );
  return rows.map(({ id, name, ...counts }) => ({ guest: { id, name }, ...counts }));
}

function isDecision(kind: AnswerKind): kind is (typeof DECISIONS)[number] {
  return kind === 'approval' || kind === 'changes';
}

/** Marks a decision as withdrawn. Of several about the same bytes, only the last one stays: guests may change their minds often. */
async function withdrawDecision(
  transaction: Queryable,
  { shareId, guestId, photoId }: AnswerPlace,
  kind: (typeof DECISIONS)[number],
  now: Date,
): Promise<FeedbackChange[]> {
  const withdrawn = await transaction.query<ChangeRow>(
    `UPDATE share_answers SET withdrawn_at = $5
      WHERE share_id = $1 AND guest_id = $2 AND photo_id = $3 AND kind = $4 AND withdrawn_at IS NULL
      RETURNING ${CHANGE}`,
    [shareId, guestId, photoId, kind, now],
  );
  for (const { id, sha256 } of withdrawn) {
    await transaction.query(
      `DELETE FROM share_answers WHERE share_id = $1 AND guest_id = $2 AND photo_id = $3 AND kind = $4
          AND withdrawn_at IS NOT NULL AND sha256 = $5 AND id <> $6`,
      [shareId, guestId, photoId, kind, sha256, id],
    );
  }
  return withdrawn.map(toChange);
}

/** Deletes answers that fit a condition. */
async function deleteAnswers(
  transaction: Queryable,
  condition: string,
  params: readonly string[],
): Promise<FeedbackChange[]> {
  const deleted = await transaction.query<ChangeRow>(
    `DELETE FROM share_answers WHERE ${condition} RETURNING ${CHANGE}`,
    params,
  );
  return deleted.map(toChange);
}

/** What a place has that the version does not. */
async function missingPlace(
  transaction: Queryable,
  uploadId: string,
  place: Place,
): Promise<'page' | 'time' | undefined> {
  if (place.page === undefined && place.startMs === undefined) {
    return undefined;
  }
  const [seen] = await transaction.query<{
    media_type: string | null;
    media_info: MediaInfo | null;
  }>('SELECT media_type, media_info FROM uploads WHERE id = $1', [uploadId]);
  return seen && placeProblem(place, { mediaType: seen.media_type, media: seen.media_info });
}

function toChange(row: ChangeRow): FeedbackChange {
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
function toFeedback(row: FeedbackRow): Feedback {
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

/** A reply to a comment, of which a mail is queued. */
export interface MailedReply {
  /** The id of the comment. */
  readonly comment: string;
  readonly at: Date;
}

/** A condition for the comments of a guest with a reply of which no mail was queued. */
const UNMAILED_REPLY = 'share_id = $1 AND guest_id = $2 AND NOT is_reply_mailed';

/** Whether there are replies to a guest of which no mail was queued. */
export async function hasUnmailedReplies(
  transaction: Queryable,
  shareId: string,
  guestId: string,
): Promise<boolean> {
  const found = await transaction.query(
    `SELECT 1 FROM share_answers WHERE ${UNMAILED_REPLY} LIMIT 1`,
    [shareId, guestId],
  );
  return found.length > 0;
}

/** Marks the replies to a guest as mailed. Call it in the transaction that queues the mail. */
export async function takeUnmailedReplies(
  transaction: Queryable,
  shareId: string,
  guestId: string,
): Promise<MailedReply[]> {
  // A comment that is being replied to has its own mail: waiting for it could be a deadlock.
  const rows = await transaction.query<{ id: string; replied_at: Date }>(
    `UPDATE share_answers SET is_reply_mailed = true
      WHERE id IN (SELECT id FROM share_answers WHERE ${UNMAILED_REPLY} FOR UPDATE SKIP LOCKED)
      RETURNING id, replied_at`,
    [shareId, guestId],
  );
  return rows.map(({ id, replied_at: at }) => ({ comment: id, at }));
}

/** Leaves the replies out of mails that a guest has had before the guest asked for mails. */
export async function skipReplies(
  transaction: Queryable,
  shareId: string,
  guestId: string,
): Promise<void> {
  await transaction.query(
    `UPDATE share_answers SET is_reply_mailed = true WHERE ${UNMAILED_REPLY}`,
    [...[shareId, guestId]],
  );
}
