import type { ListedUpload, StoredUpload } from '../upload.js';

/** A row of the table, as the database gives it. */
export interface UploadRow {
  id: string;
  account_id: string;
  workspace_id: string;
  client_id: string;
  client_upload_id: string | null;
  size: number;
  name: string;
  type: string;
  metadata: Record<string, string | null>;
  created_at: Date;
  finished_at: Date | null;
  sha256: string | null;
  crc32c: string | null;
  metadata_header: string | null;
  version_of: string | null;
  width: number | null;
  height: number | null;
  captured_at: string | null;
}

/** A row of a list that the database gives as JSON. */
export type ListedRow = Pick<
  UploadRow,
  | 'id'
  | 'name'
  | 'size'
  | 'type'
  | 'sha256'
  | 'client_upload_id'
  | 'width'
  | 'height'
  | 'captured_at'
> & {
  created_at: string;
};

/** A list entry. */
export const LISTED = `id, name, size, type, sha256, created_at, client_upload_id,
  width, height, captured_at`;

/** Everything that {@link toStored} needs. */
export const COLUMNS = `${LISTED}, account_id, workspace_id, client_id, finished_at, metadata,
  metadata_header, crc32c, version_of`;

/**
 * The uploads with some ids, as a table of a query: each is one look into the index, whatever the statistics and the other conditions
 * are, also in a statement that was prepared on an empty table. A change, or a lock of rows in an order, needs `idArray`.
 * @param ids the placeholder of the ids with commas between. An id that comes twice gives two rows.
 */
export function uploadsById(ids: string): string {
  return `(SELECT found.* FROM unnest(string_to_array(${ids}, ',')) AS wanted (id)
            CROSS JOIN LATERAL (SELECT * FROM uploads WHERE uploads.id = wanted.id LIMIT 1) AS found)`;
}

/** The upload that a row holds. */
export function toStored(row: UploadRow): StoredUpload {
  return {
    ...toListedUpload(row),
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    clientId: row.client_id,
    metadata: row.metadata,
    metadataHeader: row.metadata_header ?? undefined,
    crc32c: row.crc32c ?? undefined,
    versionOf: row.version_of ?? undefined,
    createdAt: row.created_at,
    finishedAt: row.finished_at ?? undefined,
  };
}

/** The list entry of a row, without the time, which has two forms. */
export function toListedUpload(
  row: Omit<ListedRow, 'created_at'>,
): Omit<ListedUpload, 'createdAt'> {
  return {
    id: row.id,
    clientUploadId: row.client_upload_id ?? undefined,
    size: row.size,
    name: row.name,
    type: row.type,
    sha256: row.sha256 ?? undefined,
    width: row.width ?? undefined,
    height: row.height ?? undefined,
    capturedAt: row.captured_at ?? undefined,
  };
}
