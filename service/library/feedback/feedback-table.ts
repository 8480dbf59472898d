import { randomUUID } from 'node:crypto';
import { sha256 } from '../../kernel/hash.js';
import type { Database, Queryable, SqlValue } from '../../kernel/database/database.js';
import type { Visibility } from '../../identity/index.js';
import type { MediaInfo } from '../previews/index.js';
import {
  CHANGE_COLUMNS,
  CURRENT_VERSION,
  LISTED_COLUMNS,
  versionNumber,
  selectAnswers,
  toChange,
  toFeedback,
  toListed,
  type ChangeRow,
  type FeedbackRow,
  type ListedRow,
} from './feedback-row.js';
import { permitAnswer } from './guest-table.js';
import { answerSummaries, feedbackOf } from './photo-feedback.js';
import { PLACE_COLUMNS, placeProblem, type Place } from './place.js';
import {
  GUEST_LIMITS,
  type AnswerKind,
  type Decision,
  type Feedback,
  type FeedbackChange,
  type FeedbackSummary,
  type Guest,
  type GuestMarks,
  type Listed,
  type NewAnswer,
  type RecordChange,
} from './feedback.js';

/** The most answers that one page shows. */
const MAX_LISTED = 5000;

/** A condition for the answers to photos outside the trash. */
const NOT_TRASHED = 'AND current.trashed_at IS NULL';

/** A condition for the answers of guests, whose ids are in `$3`. */
const OF_GUESTS = 'guest_id IN (SELECT jsonb_array_elements_text($3::jsonb))';

/** The most answers to a photo that its guests see. */
const MAX_SHOWN = 1000;

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
    const { shareId, photoId, guest, kind, uploadId, value, place = {} } = answer;
    return this.database.transaction(async (transaction) => {
      const permission = await permitAnswer(transaction, shareId, guest.id);
      if (typeof permission === 'string') {
        return permission;
      }
      const id = idOf(answer);
      const isRepeated =
        answer.attempt !== undefined &&
        (await transaction.query('SELECT 1 FROM share_answers WHERE id = $1', [id])).length > 0;
      if (isRepeated) {
        return 'added';
      }
      const problem =
        (await limitProblem(transaction, answer, permission.maxFavourites)) ??
        (await missingPlace(transaction, uploadId, place));
      if (problem !== undefined) {
        return problem;
      }
      if (isDecision(kind)) {
        const other = kind === 'approval' ? 'changes' : 'approval';
        const about = { shareId, guestId: guest.id, photoId };
        await withdrawDecision(transaction, about, other, this.now());
      }
      const [before] = await transaction.query<{ upload_id: string; value: number | null }>(
        `SELECT upload_id, value FROM share_answers
          WHERE share_id = $1 AND guest_id = $2 AND photo_id = $3 AND kind = $4 AND kind <> 'comment'
            AND withdrawn_at IS NULL`,
        [shareId, guest.id, photoId, kind],
      );
      const added = await insertAnswer(transaction, { ...answer, id }, this.now());
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
      const changed = await transaction.query<ChangeRow>(
        `${update} RETURNING ${CHANGE_COLUMNS}`,
        params,
      );
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
         ${CURRENT_VERSION}
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
         ${CURRENT_VERSION}
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
         ${selectAnswers()} WHERE share_id = $1 AND share_answers.photo_id = $2
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
      `${selectAnswers(LISTED_COLUMNS)}
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
      'share_answers.workspace_id = $1 AND current.trashed_at IS NULL',
      ...(view.accountId === undefined ? [] : [`current.account_id = ${value(view.accountId)}`]),
      ...(view.clientId === undefined ? [] : [`current.client_id = ${value(view.clientId)}`]),
      ...(id === undefined ? [] : [`share_answers.id = ${value(id)}`]),
      ...(link === undefined ? [] : [`share_id = ${value(link)}`]),
      ...(project === undefined ? [] : [`current.project_id = ${value(project)}`]),
      ...(upload === undefined
        ? []
        : [`share_answers.photo_id = (SELECT photo_id FROM uploads WHERE id = ${value(upload)})`]),
      ...(kind === undefined ? [] : [`kind = ${value(kind)}`]),
      ...(since === undefined ? [] : [`share_answers.created_at >= ${value(since)}`]),
      ...(after === undefined
        ? []
        : [
            `(share_answers.created_at, share_answers.id) > (${value(after.at)}, ${value(after.id)})`,
          ]),
    ];
    // Found before they are put in order: together, the planner could read all answers of the workspace in the order of time.
    const from =
      document &&
      `(SELECT * FROM share_answers WHERE photo_id = ANY (ARRAY(
          SELECT version.photo_id FROM uploads AS version
           WHERE ARRAY[version.account_id, version.workspace_id, split_part(version.document, '#', 1)]
                   = ARRAY[${value(document.accountId)}, $1, ${value(document.id)}]
             AND version.document IS NOT NULL AND version.finished_at IS NOT NULL AND version.trashed_at IS NULL))
        OFFSET 0) AS share_answers`;
    return this.database
      .query<ListedRow>(
        `${selectAnswers(LISTED_COLUMNS, from)} WHERE ${conditions.join(' AND ')}
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

/** Why a guest has too many answers for another one. */
async function limitProblem(
  transaction: Queryable,
  { shareId, photoId, guest, kind }: NewAnswer,
  maxFavourites = Infinity,
): Promise<'favourites' | 'full' | undefined> {
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
  if (kind === 'favourite' && favourites >= maxFavourites) {
    return 'favourites';
  }
  return answers >= GUEST_LIMITS.answers ||
    (kind === 'comment' && comments >= GUEST_LIMITS.comments)
    ? 'full'
    : undefined;
}

/** The id of a new answer; of a comment with an attempt, always the same one of this guest. */
function idOf({ shareId, guest, attempt }: NewAnswer): string {
  return attempt === undefined
    ? randomUUID()
    : sha256(JSON.stringify([shareId, guest.id, attempt]));
}

/** Inserts an answer, or replaces that of the same kind. @returns undefined when the version is gone */
async function insertAnswer(
  transaction: Queryable,
  {
    id,
    shareId,
    photoId,
    guest,
    kind,
    uploadId,
    value,
    text,
    place = {},
  }: NewAnswer & { readonly id: string },
  now: Date,
): Promise<ChangeRow | undefined> {
  const [added] = await transaction.query<ChangeRow>(
    `INSERT INTO share_answers (id, share_id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256,
                                value, comment, ${PLACE_COLUMNS}, created_at)
     SELECT $1, $2, seen.photo_id, $4, $5, $6, seen.id, ${versionNumber('seen')}, seen.sha256, $8, $9, $10, $11, $12, $13, $14, $15
       FROM uploads AS seen WHERE seen.id = $7 AND seen.photo_id = $3 AND seen.finished_at IS NOT NULL
     ON CONFLICT (share_id, guest_id, photo_id, kind) WHERE kind <> 'comment' AND withdrawn_at IS NULL DO UPDATE
        SET upload_id = excluded.upload_id, version = excluded.version, sha256 = excluded.sha256,
            is_mailed = share_answers.is_mailed AND share_answers.upload_id = excluded.upload_id
                        AND share_answers.value IS NOT DISTINCT FROM excluded.value,
            value = excluded.value,
            created_at = excluded.created_at
     RETURNING ${CHANGE_COLUMNS}`,
    [
      id,
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
      now,
    ],
  );
  return added;
}

function isDecision(kind: AnswerKind): kind is Decision['kind'] {
  return kind === 'approval' || kind === 'changes';
}

/** Marks a decision as withdrawn. Of several about the same bytes, only the last one stays: guests may change their minds often. */
async function withdrawDecision(
  transaction: Queryable,
  { shareId, guestId, photoId }: AnswerPlace,
  kind: Decision['kind'],
  now: Date,
): Promise<FeedbackChange[]> {
  const withdrawn = await transaction.query<ChangeRow>(
    `UPDATE share_answers SET withdrawn_at = $5
      WHERE share_id = $1 AND guest_id = $2 AND photo_id = $3 AND kind = $4 AND withdrawn_at IS NULL
      RETURNING ${CHANGE_COLUMNS}`,
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
    `DELETE FROM share_answers WHERE ${condition} RETURNING ${CHANGE_COLUMNS}`,
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
