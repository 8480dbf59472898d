import type { Database, Queryable } from '../database/database.js';
import type { Caller } from '../oauth/bearer.js';
import type { UploadLimits } from '../options.js';
import type { ListedUpload, NewUpload, StoredUpload } from './stored-upload.js';
import { TusAnswer } from './tus-answer.js';
import type { PageRequest } from './upload-list.js';
import {
  COLUMNS,
  KEY,
  LISTED,
  toListedUpload,
  toStored,
  type ListedRow,
  type UploadRow,
} from './upload-rows.js';

/** How much there may be, see {@link UploadLimits}. */
export type RoomLimits = Pick<UploadLimits, 'workspaceBytes' | 'unfinishedUploads'>;

/** The table of uploads. */
export class UploadTable {
  constructor(private readonly database: Database) {}

  /**
   * Adds an upload, unless its app has one with the same `clientUploadId` for the person in the
   * workspace: then nothing changes. Two requests at the same time cannot both add.
   * @returns the upload that is now there, and whether this call added it.
   * @throws {TusAnswer} 507 when there is no room for one more.
   */
  async add(
    upload: NewUpload,
    limits: RoomLimits,
  ): Promise<{ record: StoredUpload; added: boolean }> {
    const added = await this.database.transaction(async (transaction) => {
      const row = await insert(transaction, upload);
      // In the same transaction: the row of the workspace's usage is locked since the insertion, so
      // that creations at the same time are counted one after another.
      if (row !== undefined) {
        await expectRoom(transaction, upload, limits);
      }
      return row;
    });
    if (added !== undefined) {
      return { record: toStored(added), added: true };
    }
    const existing = await this.findByClient(upload);
    // None is there if it was removed in between, or if another app took the id in the old column.
    return existing === undefined ? this.add(upload, limits) : { record: existing, added: false };
  }

  async find(id: string): Promise<StoredUpload | undefined> {
    const [row] = await this.database.query<UploadRow>(
      `SELECT ${COLUMNS} FROM uploads WHERE id = $1`,
      [id],
    );
    return row && toStored(row);
  }

  /** The upload that an app created for a person in a workspace with this id of its own. */
  async findByClient(
    upload: Pick<NewUpload, 'accountId' | 'workspaceId' | 'clientId' | 'clientUploadId'>,
  ): Promise<StoredUpload | undefined> {
    if (upload.clientUploadId === undefined) {
      return undefined;
    }
    const [row] = await this.database.query<UploadRow>(
      `SELECT ${COLUMNS} FROM uploads
        WHERE account_id = $1 AND workspace_id = $2 AND client_id = $3 AND ${KEY} = $4`,
      [upload.accountId, upload.workspaceId, upload.clientId, upload.clientUploadId],
    );
    return row && toStored(row);
  }

  /**
   * A page of the finished uploads that the caller may see, oldest first: with `uploads:read` all of the
   * person's in the workspace, else those of the same app.
   */
  async finished(caller: Caller, { limit, after }: PageRequest): Promise<ListedUpload[]> {
    const params = [
      caller.accountId,
      caller.workspaceId,
      limit,
      ...(after === undefined ? [] : [after.createdAt, after.id]),
    ];
    const place = after === undefined ? '' : 'AND (created_at, id) > ($4, $5)';
    const isOfClient = !caller.scopes.has('uploads:read');
    if (isOfClient) {
      params.push(caller.clientId);
    }
    // As one text: the embedded database takes ten times as long to hand out a thousand rows.
    const [page] = await this.database.query<{ uploads: ListedRow[] | null }>(
      `SELECT json_agg(listed ORDER BY created_at, id) AS uploads FROM (
         SELECT ${LISTED} FROM uploads
          WHERE account_id = $1 AND workspace_id = $2 AND finished_at IS NOT NULL ${place}
            ${isOfClient ? `AND client_id = $${params.length}` : ''}
          ORDER BY created_at, id LIMIT $3
       ) AS listed`,
      params,
    );
    return (page?.uploads ?? []).map((row) => ({
      ...toListedUpload(row),
      createdAt: new Date(row.created_at),
    }));
  }

  /**
   * Notes that bytes come in for an upload. Exact to the hour: that is enough to tell an abandoned upload
   * from one that goes on.
   */
  async markActive(id: string, now: Date): Promise<void> {
    await this.database.query(
      `UPDATE uploads SET active_at = $2
        WHERE id = $1 AND finished_at IS NULL AND active_at < $3`,
      [id, now, new Date(now.getTime() - 3_600_000)],
    );
  }

  /** Marks an upload as finished; a second call changes nothing. `sha256` is in hex. */
  async finish(id: string, sha256: string, finishedAt: Date): Promise<void> {
    await this.database.query(
      'UPDATE uploads SET finished_at = $2, sha256 = $3 WHERE id = $1 AND finished_at IS NULL',
      [id, finishedAt, sha256],
    );
  }

  /** Removes an upload that is not finished. */
  async remove(id: string): Promise<void> {
    await this.database.query('DELETE FROM uploads WHERE id = $1 AND finished_at IS NULL', [id]);
  }
}

/** Refuses, and with it rolls back, what is more than the workspace or the person may have. */
async function expectRoom(
  transaction: Queryable,
  upload: NewUpload,
  limits: RoomLimits,
): Promise<void> {
  const [now] = await transaction.query<{ bytes: number | string; unfinished: number | string }>(
    `SELECT (SELECT bytes FROM workspace_usage WHERE workspace_id = $2) AS bytes,
            (SELECT count(*) FROM uploads
              WHERE account_id = $1 AND workspace_id = $2 AND finished_at IS NULL) AS unfinished`,
    [upload.accountId, upload.workspaceId],
  );
  if (Number(now?.bytes) > limits.workspaceBytes) {
    throw new TusAnswer(507, 'the workspace has no room left for this file');
  }
  if (Number(now?.unfinished) > limits.unfinishedUploads) {
    throw new TusAnswer(
      507,
      'there are too many unfinished uploads; continue or remove some of them first',
    );
  }
}

/**
 * Inserts an upload unless its id of the client's is taken. The old column is left empty when another app of
 * the person has the same id there, since it is unique among all of them.
 */
async function insert(transaction: Queryable, upload: NewUpload): Promise<UploadRow | undefined> {
  const [row] = await transaction.query<UploadRow>(
    `INSERT INTO uploads
       (id, account_id, workspace_id, client_id, upload_key, client_upload_id, size, name, type,
        metadata, created_at, active_at)
     VALUES ($1, $2, $3, $4, $5::text,
       CASE WHEN NOT EXISTS (SELECT 1 FROM uploads
                              WHERE account_id = $2 AND workspace_id = $3
                                AND client_upload_id = $5::text AND client_id <> $4)
            THEN $5::text END,
       $6, $7, $8, $9, $10, $10)
     ON CONFLICT DO NOTHING
     RETURNING ${COLUMNS}`,
    [
      upload.id,
      upload.accountId,
      upload.workspaceId,
      upload.clientId,
      upload.clientUploadId ?? null,
      upload.size,
      upload.name,
      upload.type,
      JSON.stringify(upload.metadata),
      upload.createdAt,
    ],
  );
  return row;
}
