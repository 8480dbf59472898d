import type { Caller } from '../oauth/bearer.js';
import type { Database } from '../database/database.js';

/** One upload as the database knows it. The bytes received so far are counted from its file. */
export interface UploadRecord {
  readonly id: string;
  readonly accountId: string;
  readonly workspaceId: string;
  /** Length of the whole file in bytes. */
  readonly size: number;
  readonly name: string;
  readonly type: string;
  /** The `Upload-Metadata` pairs as the client sent them; a key alone has the value null. */
  readonly metadata: Record<string, string | null>;
  readonly createdAt: Date;
  readonly finishedAt: Date | undefined;
  readonly sha256: string | undefined;
  readonly clientUploadId: string | undefined;
}

/** What is known of an upload when it is created. */
export type NewUpload = Omit<UploadRecord, 'finishedAt' | 'sha256'>;

interface UploadRow {
  id: string;
  account_id: string;
  workspace_id: string;
  client_upload_id: string | null;
  size: number | string;
  name: string;
  type: string;
  metadata: Record<string, string | null>;
  created_at: Date;
  finished_at: Date | null;
  sha256: string | null;
}

/** The table of uploads. */
export class UploadRecords {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  /**
   * Adds an upload, unless its account has one with the same `clientUploadId` in the workspace:
   * then nothing changes. Two requests at the same time cannot both add.
   * @returns the upload that is now there, and whether this call added it.
   */
  async add(upload: NewUpload): Promise<{ record: UploadRecord; added: boolean }> {
    const [row] = await this.database.query<UploadRow>(
      `INSERT INTO uploads
         (id, account_id, workspace_id, client_upload_id, size, name, type, metadata, created_at,
          active_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
       ON CONFLICT (account_id, workspace_id, client_upload_id) DO NOTHING
       RETURNING *`,
      [
        upload.id,
        upload.accountId,
        upload.workspaceId,
        upload.clientUploadId ?? null,
        upload.size,
        upload.name,
        upload.type,
        JSON.stringify(upload.metadata),
        upload.createdAt,
      ],
    );
    if (row !== undefined) return { record: toRecord(row), added: true };
    const [existing] = await this.database.query<UploadRow>(
      `SELECT * FROM uploads
        WHERE account_id = $1 AND workspace_id = $2 AND client_upload_id = $3`,
      [upload.accountId, upload.workspaceId, upload.clientUploadId ?? null],
    );
    if (existing !== undefined) return { record: toRecord(existing), added: false };
    // It was removed in between; now the way is free.
    return this.add(upload);
  }

  async find(id: string): Promise<UploadRecord | undefined> {
    const [row] = await this.database.query<UploadRow>('SELECT * FROM uploads WHERE id = $1', [id]);
    return row && toRecord(row);
  }

  /** The caller's finished uploads in their workspace, oldest first. */
  async finished(caller: Caller): Promise<UploadRecord[]> {
    const rows = await this.database.query<UploadRow>(
      `SELECT * FROM uploads
        WHERE account_id = $1 AND workspace_id = $2 AND finished_at IS NOT NULL
        ORDER BY created_at, id`,
      [caller.accountId, caller.workspaceId],
    );
    return rows.map(toRecord);
  }

  /** All uploads that are not finished, of everybody. */
  async unfinished(): Promise<UploadRecord[]> {
    const rows = await this.database.query<UploadRow>(
      'SELECT * FROM uploads WHERE finished_at IS NULL',
    );
    return rows.map(toRecord);
  }

  /**
   * Notes that bytes come in for an upload. Kept to the hour: it only has to tell an upload that was
   * given up from one that goes on.
   */
  async markActive(id: string, now: Date): Promise<void> {
    await this.database.query(
      `UPDATE uploads SET active_at = $2
        WHERE id = $1 AND finished_at IS NULL AND active_at < $3`,
      [id, now, new Date(now.getTime() - 3_600_000)],
    );
  }

  /** Deletes unfinished uploads for which nothing has come in since `before`; returns their ids. */
  async removeAbandoned(before: Date): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      'DELETE FROM uploads WHERE finished_at IS NULL AND active_at < $1 RETURNING id',
      [before],
    );
    return rows.map(({ id }) => id);
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

function toRecord(row: UploadRow): UploadRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    clientUploadId: row.client_upload_id ?? undefined,
    // PostgreSQL clients give a bigint as text when it might not fit a number.
    size: Number(row.size),
    name: row.name,
    type: row.type,
    metadata: row.metadata,
    createdAt: row.created_at,
    finishedAt: row.finished_at ?? undefined,
    sha256: row.sha256 ?? undefined,
  };
}
