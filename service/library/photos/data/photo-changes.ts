import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Visibility } from '../../../identity/index.js';
import type { Database, Queryable, SqlValue } from '../../../kernel/database/database.js';
import { idArray } from '../../../kernel/database/id-array.js';
import { countPhotos } from '../../projects/index.js';
import { EPOCH } from './photo-row.js';
import type { Cursor } from './photo-order.js';
import { trashBegins } from './photo.js';

/** What is done to photos. */
export type ChangeRequest =
  | { readonly kind: 'trashed' }
  | { readonly kind: 'restored' }
  /** Photos that were put into the trash until this time. */
  | { readonly kind: 'removed'; readonly until: Date }
  /** An empty project id moves photos out of their projects. */
  | { readonly kind: 'moved'; readonly projectId: string };

/** What was done to photos. */
export interface PhotoChange {
  readonly id: string;
  readonly kind: ChangeRequest['kind'];
  readonly workspaceId: string;
  /** How many photos were changed. */
  readonly photos: number;
  /** How many photos are as before again; undefined while it was not undone. */
  readonly undone: number | undefined;
  /** The name of the project that the photos were moved to, if any. */
  readonly projectName: string | undefined;
}

/** A photo as it was before a change. */
interface Former {
  readonly id: string;
  readonly project_id: string | null;
  readonly trashed_at: Date | string | null;
  readonly trashed_by: string | null;
}

interface ChangeRow {
  id: string;
  kind: ChangeRequest['kind'];
  account_id: string;
  workspace_id: string;
  project_id: string | null;
  project_name: string | null;
  photos: number;
  undone: number | null;
  created_at: Date;
}

/** How many photos one transaction changes, so that others do not wait long for the database. */
const PART = 500;

/** How long a change can be undone, in milliseconds. */
const UNDO_MS = 3_600_000;

/** How many changes are kept for one user. */
const KEPT_CHANGES = 20;

/** Puts photos into the trash, restores, removes and moves them, and undoes that. */
export class PhotoChanges {
  constructor(
    private readonly database: Pick<Database, 'query' | 'transaction'>,
    private readonly now: () => Date,
  ) {}

  /**
   * Changes photos with all of their versions, as far as the change fits them.
   * @param view the photos that the user may change. Others stay as they are.
   * @param parts the ids of versions of the photos.
   * @returns the change; undefined when no photo was changed.
   */
  async apply(
    request: ChangeRequest,
    view: Visibility,
    by: string,
    parts: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
  ): Promise<PhotoChange | undefined> {
    const change = { id: randomUUID(), at: this.now(), by, request, view };
    let part = 0;
    for await (const ids of parts) {
      for (let start = 0; start < ids.length; start += PART) {
        part += 1;
        const number = part;
        const some = ids.slice(start, start + PART);
        await this.database.transaction((transaction) =>
          applyPart(transaction, change, number, some),
        );
        await nextTurn();
      }
    }
    return this.find(change.id, by);
  }

  /** A change of this user that can still be undone, or was undone. */
  async find(id: string, by: string): Promise<PhotoChange | undefined> {
    const [row] = await this.database.query<ChangeRow>(
      `SELECT photo_changes.*, projects.name AS project_name
         FROM photo_changes LEFT JOIN projects ON projects.id = photo_changes.project_id
        WHERE photo_changes.id = $1 AND account_id = $2 AND expires_at > $3`,
      [id, by, this.now()],
    );
    return row && toChange(row);
  }

  /**
   * Undoes a change of this user. Photos that were changed in another way since then stay as they are. A second time
   * changes nothing.
   * @param viewOf the photos of a workspace that the user may change now; undefined without any.
   * @returns the change; undefined when it cannot be undone.
   */
  async undo(
    id: string,
    by: string,
    viewOf: (workspaceId: string) => Visibility | undefined,
  ): Promise<PhotoChange | undefined> {
    const known = await this.find(id, by);
    const view = known && viewOf(known.workspaceId);
    if (known === undefined || view === undefined || known.kind === 'removed') {
      return undefined;
    }
    let goesOn = true;
    while (goesOn) {
      goesOn = await this.database.transaction((transaction) =>
        undoPart(transaction, id, view, this.now()),
      );
      await nextTurn();
    }
    return this.find(id, by);
  }

  /** The photos in the trash, in parts: those that were put there until this time, the first ones first. */
  async *inTrash(view: Visibility, until: Date): AsyncGenerator<readonly string[]> {
    let from: Cursor = { at: EPOCH, id: '' };
    let found = PART;
    while (found === PART) {
      const { conditions, values, value } = within(view);
      // As one JSON text: the embedded database takes ten times as long to return many rows.
      const [row] = await this.database.query<{
        part: { id: string; at: string }[] | null;
      }>(
        `SELECT json_agg(json_build_object('id', id, 'at', trashed_at) ORDER BY trashed_at, id) AS part FROM (
           SELECT id, trashed_at FROM uploads
            WHERE ${conditions} AND is_current AND trashed_at <= ${value(until)}
              AND (trashed_at, id) > (${value(from.at)}, ${value(from.id)})
              AND trashed_at > ${value(EPOCH)}
            ORDER BY trashed_at, id LIMIT ${PART}) AS selected`,
        values,
      );
      const part = row?.part ?? [];
      const last = part.at(-1);
      from = last === undefined ? from : { at: new Date(last.at), id: last.id };
      found = part.length;
      yield part.map(({ id }) => id);
    }
  }

  /** How many photos are in the trash. */
  async countTrash(view: Visibility): Promise<number> {
    return (await countPhotos(this.database, view, undefined)).trashed;
  }
}

interface Applied {
  readonly id: string;
  readonly at: Date;
  readonly by: string;
  readonly request: ChangeRequest;
  readonly view: Visibility;
}

async function applyPart(
  transaction: Queryable,
  { id, at, by, request, view }: Applied,
  part: number,
  ids: readonly string[],
): Promise<void> {
  const photoIds = await lockPhotos(transaction, ids);
  const { conditions, values, value } = within(view);
  const former = await transaction.query<Former & object>(
    `SELECT photo_id AS id, project_id, trashed_at, trashed_by FROM uploads
      WHERE ${conditions} AND is_current AND photo_id = ANY (${idArray(value(JSON.stringify(photoIds)))})
        AND ${applies(request, at, value)}`,
    values,
  );
  if (former.length === 0) {
    return;
  }
  const changed = JSON.stringify(former.map((photo) => photo.id));
  const [set, ...rest] = assignment(request, at, by);
  await transaction.query(
    `UPDATE uploads SET ${set} WHERE photo_id = ANY (${idArray('$1')}) AND finished_at IS NOT NULL`,
    [changed, ...rest],
  );
  await note(transaction, { id, at, by, request, view }, part, former);
}

/** Keeps what is needed to undo a part. */
async function note(
  transaction: Queryable,
  { id, at, by, request, view }: Applied,
  part: number,
  former: readonly Former[],
): Promise<void> {
  const projectId = request.kind === 'moved' && request.projectId !== '' ? request.projectId : null;
  await transaction.query(
    `DELETE FROM photo_changes WHERE account_id = $1 AND id IN (
       SELECT id FROM photo_changes WHERE account_id = $1 AND id <> $2
        ORDER BY created_at DESC OFFSET ${KEPT_CHANGES - 1})`,
    [by, id],
  );
  await transaction.query(
    `INSERT INTO photo_changes (id, account_id, workspace_id, kind, project_id, photos, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (id) DO UPDATE SET photos = photo_changes.photos + excluded.photos`,
    [
      ...[id, by, view.workspaceId, request.kind, projectId, former.length, at],
      new Date(at.getTime() + UNDO_MS),
    ],
  );
  if (request.kind !== 'removed') {
    await transaction.query(
      'INSERT INTO photo_change_parts (change_id, part, former) VALUES ($1, $2, $3::jsonb)',
      [id, part, JSON.stringify(former)],
    );
  }
}

/** Undoes one part of a change. @returns whether there may be more. */
async function undoPart(
  transaction: Queryable,
  id: string,
  view: Visibility,
  now: Date,
): Promise<boolean> {
  const [change] = await transaction.query<ChangeRow>(
    'SELECT * FROM photo_changes WHERE id = $1 FOR UPDATE',
    [id],
  );
  if (change === undefined) {
    return false;
  }
  const [part] = await transaction.query<{ former: Former[] }>(
    `DELETE FROM photo_change_parts WHERE change_id = $1
        AND part = (SELECT min(part) FROM photo_change_parts WHERE change_id = $1) RETURNING former`,
    [id],
  );
  let count = 0;
  if (part !== undefined) {
    await lockPhotos(
      transaction,
      part.former.map((photo) => photo.id),
    );
    const { conditions, values, value } = within(view);
    const rows = await transaction.query<{ is_current: boolean }>(
      `UPDATE uploads SET ${formerValues(change.kind)}
         FROM jsonb_to_recordset(${value(JSON.stringify(part.former))}::jsonb)
              AS former (id text, project_id text, trashed_at timestamptz, trashed_by text)
        WHERE uploads.photo_id = former.id AND ${conditions} AND ${isAsLeft(change, now, value)}
        RETURNING is_current`,
      values,
    );
    count = rows.filter((row) => row.is_current).length;
  }
  await transaction.query(
    'UPDATE photo_changes SET undone = COALESCE(undone, 0) + $2 WHERE id = $1',
    [id, count],
  );
  return part !== undefined;
}

/**
 * Locks photos as `finish_upload` does, so that no version stays behind. In one order: no two changes wait for each
 * other. @returns the ids of the photos.
 */
async function lockPhotos(transaction: Queryable, ids: readonly string[]): Promise<string[]> {
  const photos = await transaction.query<{ id: string }>(
    `SELECT id FROM uploads WHERE finished_at IS NOT NULL AND id = ANY (ARRAY(
       SELECT photo_id FROM uploads WHERE id = ANY (${idArray('$1')})))
      ORDER BY id FOR UPDATE`,
    [JSON.stringify(ids)],
  );
  return photos.map(({ id }) => id);
}

/** Which photos a change fits. */
function applies(request: ChangeRequest, at: Date, value: (one: SqlValue) => string): string {
  switch (request.kind) {
    case 'trashed':
      return 'trashed_at IS NULL';
    case 'restored':
      return `trashed_at >= ${value(trashBegins(at))}`;
    case 'removed':
      return `trashed_at > ${value(EPOCH)} AND trashed_at <= ${value(request.until)}`;
    case 'moved':
      return request.projectId === ''
        ? 'trashed_at IS NULL'
        : `trashed_at IS NULL AND ${isOpenProject(value(request.projectId))}`;
  }
}

/** The changed columns, with the values from `$2` on. */
function assignment(request: ChangeRequest, at: Date, by: string): [string, ...SqlValue[]] {
  switch (request.kind) {
    case 'trashed':
      return ['trashed_at = $2, trashed_by = $3', at, by];
    case 'restored':
      return ['trashed_at = NULL, trashed_by = NULL'];
    case 'removed':
      return ['trashed_at = $2', EPOCH];
    case 'moved':
      return ['project_id = $2', request.projectId === '' ? null : request.projectId];
  }
}

/** The columns that an undo sets. */
function formerValues(kind: ChangeRequest['kind']): string {
  return kind === 'moved'
    ? 'project_id = former.project_id'
    : `trashed_at = former.trashed_at,
       trashed_by = (SELECT accounts.id FROM accounts WHERE accounts.id = former.trashed_by)`;
}

/** Whether a photo is still as a change has left it, and may be as before. */
function isAsLeft(
  { kind, created_at: at, account_id: by, project_id: projectId }: ChangeRow,
  now: Date,
  value: (one: SqlValue) => string,
): string {
  if (kind === 'trashed') {
    return `uploads.trashed_at = ${value(at)} AND uploads.trashed_by = ${value(by)}`;
  }
  if (kind === 'moved') {
    return `uploads.trashed_at IS NULL AND uploads.project_id IS NOT DISTINCT FROM ${value(projectId)}
      AND (former.project_id IS NULL OR ${isOpenProject('former.project_id')})`;
  }
  // A new version would go into the trash as well.
  return `uploads.trashed_at IS NULL AND former.trashed_at >= ${value(trashBegins(now))}
    AND NOT EXISTS (SELECT 1 FROM uploads AS later
      WHERE later.photo_id = former.id AND later.finished_at > ${value(at)})`;
}

/** Whether a project of the workspace of the photo is not archived. */
function isOpenProject(id: string): string {
  return `EXISTS (SELECT 1 FROM projects WHERE projects.id = ${id}
    AND projects.workspace_id = uploads.workspace_id AND projects.archived_at IS NULL)`;
}

/** The finished uploads of a part of a workspace. */
function within({ workspaceId, accountId }: Visibility): {
  readonly conditions: string;
  readonly values: SqlValue[];
  readonly value: (one: SqlValue) => string;
} {
  const values: SqlValue[] = [];
  const value = (one: SqlValue): string => `$${values.push(one)}`;
  const conditions = [
    `uploads.workspace_id = ${value(workspaceId)}`,
    ...(accountId === undefined ? [] : [`uploads.account_id = ${value(accountId)}`]),
    'uploads.finished_at IS NOT NULL',
  ].join(' AND ');
  return { conditions, values, value };
}

function toChange(row: ChangeRow): PhotoChange {
  return {
    id: row.id,
    kind: row.kind,
    workspaceId: row.workspace_id,
    photos: row.photos,
    undone: row.undone ?? undefined,
    projectName: row.project_name ?? undefined,
  };
}
