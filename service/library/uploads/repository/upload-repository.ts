import type { Database, SqlValue } from '../../../kernel/database/database.js';
import { withKnownOutcome } from '../../../kernel/database/known-outcome.js';
import { ASYNC_COMMIT } from '../../../kernel/database/async-commit.js';
import { prepared } from '../../../kernel/database/prepared.js';
import type { Principal } from '../../../oauth/index.js';
import type { UploadLimits } from '../limits.js';
import type { AllDigests, ExpectedDigests } from '../digests.js';
import type { ListedUpload, NewUpload, StoredUpload } from '../upload.js';
import { TusError } from '../tus-error.js';
import {
  COLUMNS,
  LISTED,
  toListedUpload,
  toStored,
  type ListedRow,
  type UploadRow,
} from './upload-row.js';

/** The quota of a workspace and a user, see {@link UploadLimits}. */
export type QuotaLimits = Pick<UploadLimits, 'workspaceBytes' | 'unfinishedUploads'>;

/** How many uploads of one file are listed; more copies would not help anybody to recognise it. */
const MAX_OF_ONE_FILE = 10;

/** A file by what its owner sees of it; `size` in bytes. */
export interface NamedFile {
  readonly name: string;
  readonly size: number;
}

/** A file that may be a new version of a photo, with what its upload would ask for. */
export type NextFile = Pick<NamedFile, 'name'> & {
  readonly document?: string | undefined;
  readonly byDocument?: boolean | undefined;
  /** The id of the project that it is to go to. */
  readonly project?: string | undefined;
};

/** The current version of the photo of which a file would be a new version. */
export interface PreviousVersion {
  /** The index of the file in the question. */
  readonly place: number;
  readonly id: string;
  readonly sha256: string;
  readonly project: { readonly id: string; readonly name: string } | null;
  readonly match: 'document' | 'name';
  readonly createdAt: Date;
}

/** Which version of its photo an upload is. */
export interface PhotoVersion {
  /** 2 for the second upload of a photo. */
  readonly number: number;
  /** The name of the version before it. */
  readonly of: string;
}

/** How many extra bytes each upload counts, for its row and its file. The SQL triggers use the same number. */
const ROW_BYTES = 16_384;

const FIND = prepared(`SELECT ${COLUMNS} FROM uploads WHERE id = $1`);

/**
 * Inserts an upload, unless its app has one with the same `client_upload_id`, there is no room for it, or no such
 * project.
 * @param usage what gives the usage of the workspace, as `used`
 */
const insertWith = (usage: string): string => `
  INSERT INTO uploads
     (id, account_id, workspace_id, client_id, client_upload_id, size, name, type,
      metadata, created_at, active_at, metadata_header, expected_sha256, expected_crc32c, project_id, document, replaces,
      by_document)
   SELECT $1, $2, $3, $4, $5::text, $6::bigint, $7, $8, $9::jsonb, $10::timestamptz, $10::timestamptz, $11, $12, $13,
          $16::text, $17, $18, $19::boolean
     FROM ${usage}
    WHERE used.bytes + $6::bigint + ${ROW_BYTES} <= $14::bigint AND used.unfinished < $15::bigint
      AND ($16::text IS NULL OR EXISTS (
        SELECT 1 FROM projects WHERE id = $16 AND workspace_id = $3 AND archived_at IS NULL))
   ON CONFLICT DO NOTHING
   RETURNING ${COLUMNS}`;

const ADD = prepared(insertWith('lock_workspace_usage($2, $3) AS used'));

/** The same without waiting for the disk: creations in a workspace wait for one another until they are committed. */
const ADD_SOON = prepared(
  ASYNC_COMMIT + insertWith('soon CROSS JOIN LATERAL lock_workspace_usage($2, $3) AS used'),
);

const FINISH = prepared(`SELECT ${COLUMNS} FROM finish_upload($1, $2, $3, $4)`);

/** The table of uploads. */
export class UploadRepository {
  constructor(private readonly database: Database) {}

  /**
   * Adds an upload, unless its app has one with the same `clientUploadId` for the user in the
   * workspace: then nothing changes. Two requests at the same time cannot both add.
   * @param finishes whether the request brings all bytes: then its answer waits for `finish`, which flushes this row as well
   * @returns the upload that is now there, and whether this call added it.
   * @throws {TusError} 507 when there is no room for one more, 422 when there is no such project.
   */
  async add(
    upload: NewUpload,
    limits: QuotaLimits,
    finishes = false,
  ): Promise<{ record: StoredUpload; added: boolean }> {
    const add = (): Promise<UploadRow[]> =>
      this.database.query<UploadRow>(finishes ? ADD_SOON : ADD, paramsOf(upload, limits));
    const [added] = await withKnownOutcome(add, async () => {
      const rows = await add();
      return rows.length > 0 ? rows : this.database.query<UploadRow>(FIND, [upload.id]);
    });
    if (added !== undefined) {
      return { record: toStored(added), added: true };
    }
    const existing = await this.findByClient(upload);
    if (existing !== undefined) {
      return { record: existing, added: false };
    }
    await this.expectRoom(upload, limits);
    await this.expectProject(upload);
    // Try again: there is room now, or the upload was removed in between.
    return this.add(upload, limits, finishes);
  }

  /** The upload with this id. */
  async find(id: string): Promise<StoredUpload | undefined> {
    const [row] = await this.database.query<UploadRow>(FIND, [id]);
    return row && toStored(row);
  }

  /** The upload that an app created for a user in a workspace with this client id. */
  async findByClient(
    upload: Pick<NewUpload, 'accountId' | 'workspaceId' | 'clientId' | 'clientUploadId'>,
  ): Promise<StoredUpload | undefined> {
    if (upload.clientUploadId === undefined) {
      return undefined;
    }
    const [row] = await this.database.query<UploadRow>(
      `SELECT ${COLUMNS} FROM uploads
        WHERE account_id = $1 AND workspace_id = $2 AND client_id = $3 AND client_upload_id = $4`,
      [upload.accountId, upload.workspaceId, upload.clientId, upload.clientUploadId],
    );
    return row && toStored(row);
  }

  /**
   * Notes that bytes come in for an upload. Exact to the hour: that is enough to tell an abandoned upload
   * from an active one.
   */
  async markActive(id: string, now: Date): Promise<void> {
    await this.database.query(
      `UPDATE uploads SET active_at = $2
        WHERE id = $1 AND finished_at IS NULL AND active_at < $3`,
      [id, now, new Date(now.getTime() - 3_600_000)],
    );
  }

  /** Notes the digests that the client announces for the whole upload; they replace earlier ones. */
  async expect(id: string, { sha256, crc32c }: ExpectedDigests): Promise<void> {
    await this.database.query(
      `UPDATE uploads SET expected_sha256 = $2, expected_crc32c = $3
        WHERE id = $1 AND finished_at IS NULL`,
      [id, sha256 ?? null, crc32c ?? null],
    );
  }

  /**
   * Finishes an upload if the digests are those that its client expects, as a new photo or a version of one. If not, its
   * row is removed, by the same statement that decides this. A second call changes nothing.
   * @returns the upload as it is now; 'rejected' when it was removed; undefined when it no longer exists.
   */
  async finish(
    id: string,
    { sha256, crc32c }: AllDigests,
    finishedAt: Date,
  ): Promise<StoredUpload | 'rejected' | undefined> {
    // If its answer is lost, it is made again; an upload that was finished already is found below.
    const [row] = await withKnownOutcome(() =>
      this.database.query<UploadRow>(FINISH, [id, finishedAt, sha256, crc32c]),
    );
    if (row !== undefined) {
      return toStored(row);
    }
    const rejected = await this.database.query(
      `DELETE FROM uploads
        WHERE id = $1 AND finished_at IS NULL AND (expected_sha256 <> $2 OR expected_crc32c <> $3)
        RETURNING id`,
      [id, sha256, crc32c],
    );
    return rejected.length > 0 ? 'rejected' : this.find(id);
  }

  /** Which version of its photo an upload is; undefined for the first. */
  async versionOf(id: string): Promise<PhotoVersion | undefined> {
    const [row] = await this.database.query<{ number: number; of: string | null }>(
      `SELECT (SELECT count(*)::integer FROM uploads AS version WHERE version.photo_id = one.photo_id
                  AND (version.finished_at, version.id) <= (one.finished_at, one.id)) AS number,
              (SELECT name FROM uploads AS version WHERE version.photo_id = one.photo_id
                  AND (version.finished_at, version.id) < (one.finished_at, one.id)
                ORDER BY version.finished_at DESC, version.id DESC LIMIT 1) AS of
         FROM uploads AS one WHERE one.id = $1 AND one.version_of IS NOT NULL`,
      [id],
    );
    return row?.of == null ? undefined : { number: row.number, of: row.of };
  }

  /**
   * The finished uploads with these names and sizes that the caller may list: for each file the newest
   * {@link MAX_OF_ONE_FILE}, in the order of the files. The condition is one value, for which there is one index: with
   * several, the planner may choose an index of a part of them and read all uploads of the user.
   * @returns each with the index of its file in `files`.
   */
  async known(
    caller: Principal,
    files: readonly NamedFile[],
  ): Promise<{ readonly place: number; readonly upload: ListedUpload }[]> {
    const isOfClient = !caller.scopes.has('uploads:read');
    const asked = files.map(({ name, size }, place) => ({ name, size, place }));
    const [answer] = await this.database.query<{ known: (ListedRow & { place: number })[] | null }>(
      `SELECT json_agg(found ORDER BY found.place, found.created_at DESC, found.id DESC) AS known
         FROM jsonb_to_recordset($3::jsonb) AS asked (name text, size bigint, place integer)
        CROSS JOIN LATERAL (
          SELECT asked.place, ${LISTED} FROM uploads
           WHERE ARRAY[account_id, workspace_id, uploads.size::text, normalize(uploads.name, NFC)]
                 = ARRAY[$1, $2, asked.size::text, normalize(asked.name, NFC)]
             AND finished_at IS NOT NULL AND trashed_at IS NULL
             ${isOfClient ? 'AND client_id = $4' : ''}
           ORDER BY created_at DESC, id DESC LIMIT ${MAX_OF_ONE_FILE}
        ) AS found`,
      [
        caller.accountId,
        caller.workspaceId,
        JSON.stringify(asked),
        ...(isOfClient ? [caller.clientId] : []),
      ],
    );
    return (answer?.known ?? []).map((row) => ({ place: row.place, upload: toListed(row) }));
  }

  /**
   * The photos of which these files would be new versions, as `finish_upload` decides it, as far as the caller may list
   * their current versions; in the order of the files.
   */
  async previous(caller: Principal, files: readonly NextFile[]): Promise<PreviousVersion[]> {
    const isOfClient = !caller.scopes.has('uploads:read');
    const asked = files.map(({ name, document, project, byDocument = false }, place) => ({
      name,
      document,
      project,
      alone: byDocument,
      place,
    }));
    const [answer] = await this.database.query<{
      found: (Omit<PreviousVersion, 'createdAt'> & { createdAt: string })[] | null;
    }>(
      `SELECT json_agg(json_build_object(
                'place', asked.place, 'id', current.id, 'sha256', current.sha256, 'match', before.match,
                'createdAt', current.created_at, 'project', CASE WHEN projects.id IS NOT NULL THEN
                  json_build_object('id', projects.id, 'name', projects.name) END) ORDER BY asked.place) AS found
         FROM jsonb_to_recordset($3::jsonb) AS asked (name text, document text, project text, alone boolean, place integer)
        CROSS JOIN LATERAL photo_before($1, $2, asked.name, asked.document, asked.project, NULL, asked.alone) AS before
        CROSS JOIN LATERAL (
          SELECT id, sha256, created_at, project_id FROM uploads
           WHERE photo_id = before.photo AND is_current
             ${isOfClient ? 'AND client_id = $4' : ''} LIMIT 1
        ) AS current
         LEFT JOIN projects ON projects.id = current.project_id`,
      [
        caller.accountId,
        caller.workspaceId,
        JSON.stringify(asked),
        ...(isOfClient ? [caller.clientId] : []),
      ],
    );
    return (answer?.found ?? []).map((one) => ({ ...one, createdAt: new Date(one.createdAt) }));
  }

  /** @throws {TusError} 507 when the upload is more than the quota of the workspace or the user. */
  private async expectRoom(upload: NewUpload, limits: QuotaLimits): Promise<void> {
    const [used = { bytes: 0, unfinished: 0 }] = await this.database.query<{
      bytes: number;
      unfinished: number;
    }>('SELECT bytes, unfinished FROM lock_workspace_usage($1, $2)', [
      upload.accountId,
      upload.workspaceId,
    ]);
    if (used.bytes + upload.size + ROW_BYTES > limits.workspaceBytes) {
      throw new TusError(507, 'the file exceeds the free space of the workspace');
    }
    if (used.unfinished >= limits.unfinishedUploads) {
      throw new TusError(
        507,
        'there are too many unfinished uploads; continue or remove some of them first',
      );
    }
  }

  /** @throws {TusError} 422 when the upload names a project that is not in its workspace, or is archived. */
  private async expectProject({ destination, workspaceId }: NewUpload): Promise<void> {
    const projectId = destination?.projectId;
    if (projectId === undefined) {
      return;
    }
    const found = await this.database.query(
      'SELECT 1 FROM projects WHERE id = $1 AND workspace_id = $2 AND archived_at IS NULL',
      [projectId, workspaceId],
    );
    if (found.length === 0) {
      throw new TusError(422, 'there is no such project, or it is in the archive');
    }
  }

  /** Removes an upload that is not finished. */
  async remove(id: string): Promise<void> {
    await this.database.query('DELETE FROM uploads WHERE id = $1 AND finished_at IS NULL', [id]);
  }
}

/** The upload in a row that the database gave as JSON. */
function toListed(row: ListedRow): ListedUpload {
  return { ...toListedUpload(row), createdAt: new Date(row.created_at) };
}

/** The parameters of {@link ADD}. */
function paramsOf(upload: NewUpload, limits: QuotaLimits): SqlValue[] {
  return [
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
    upload.metadataHeader ?? null,
    upload.expected?.sha256 ?? null,
    upload.expected?.crc32c ?? null,
    limits.workspaceBytes,
    limits.unfinishedUploads,
    upload.destination?.projectId ?? null,
    upload.destination?.document ?? null,
    upload.destination?.replaces ?? null,
    upload.destination?.byDocument ?? false,
  ];
}
