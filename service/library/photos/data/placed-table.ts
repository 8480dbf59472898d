import type { Queryable, SqlValue } from '../../../kernel/database/database.js';
import { approvalColumn } from '../../feedback/index.js';
import { numberOf } from './version-table.js';

/** What is recorded in a document about a placed file: the id of the upload, the SHA-256 of its bytes, or their document. */
export interface PlacedLink {
  readonly id?: string | undefined;
  /** In lower-case hex. */
  readonly sha256?: string | undefined;
  /** As in `Upload-Metadata`, or up to its first `#`. */
  readonly document?: string | undefined;
}

/** The uploads that somebody sees. */
interface Reach {
  readonly workspaceId: string;
  /** Only those of this user; undefined: of everybody. */
  readonly accountId: string | undefined;
  /** The same for those in the trash. */
  readonly trashOf: string | undefined;
  /** Only those of this app; undefined: of any app. */
  readonly clientId: string | undefined;
  /** The user, whose documents these are. */
  readonly callerId: string;
}

/** A version of a photo, as the database returns it in JSON. */
export interface PlacedVersion {
  readonly id: string;
  readonly photo: string;
  /** From 1; null beyond {@link MAX_COUNTED}. */
  readonly version: number | null;
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** The current version, with what an update needs. */
export interface CurrentVersion extends PlacedVersion {
  readonly type: string;
  readonly media_type: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly created: string;
  readonly approval: { readonly is_current: boolean; readonly at: string } | null;
}

/** What a link leads to. */
export interface PlacedMatch {
  readonly by: keyof PlacedLink;
  readonly placed: PlacedVersion;
  readonly isTrashed: boolean;
  readonly current: CurrentVersion | null;
}

/** How many uploads with the same bytes, or of the same document, are compared for one link. */
const COMPARED = 100;

const VERSION = (of: string): string =>
  `'id', ${of}.id, 'photo', ${of}.photo_id, 'version', ${numberOf(of)}, 'name', ${of}.name, 'size', ${of}.size, 'sha256', ${of}.sha256`;

const CANDIDATE = 'id, photo_id, name, size, sha256, finished_at, trashed_at, is_current, account_id, client_id';

/**
 * What links lead to, in their order: one statement for all of them, and some index look-ups for each. A link without a
 * match is undefined; so is one to an upload that is not visible.
 */
export async function findPlaced(
  database: Queryable,
  { workspaceId, accountId, trashOf, clientId, callerId }: Reach,
  links: readonly PlacedLink[],
): Promise<(PlacedMatch | undefined)[]> {
  const values: SqlValue[] = [
    JSON.stringify(links.map((link, place) => ({ ...link, place }))),
    workspaceId,
    callerId,
  ];
  const value = (one: SqlValue): string => `$${values.push(one)}`;
  const visible = [
    ...(accountId === undefined ? [] : [`account_id = ${value(accountId)}`]),
    ...(trashOf === undefined ? [] : [`(trashed_at IS NULL OR account_id = ${value(trashOf)})`]),
    ...(clientId === undefined ? [] : [`client_id = ${value(clientId)}`]),
    'true',
  ].join(' AND ');
  // A link to a deleted file whose bytes were delivered again leads to the new one. A document with several photos, such as pages,
  // leads to none of them.
  const [row] = await database.query<{ matches: (PlacedMatch & { place: number })[] | null }>(
    `SELECT json_agg(json_build_object('place', link.place, 'by', placed.by, 'isTrashed', placed.trashed_at IS NOT NULL,
              'placed', json_build_object(${VERSION('placed')}),
              'current', CASE WHEN current.id IS NOT NULL THEN json_build_object(${VERSION('current')},
                'type', current.type, 'media_type', current.media_type, 'width', current.width, 'height', current.height,
                'created', current.created_at, 'approval', ${approvalColumn('current.photo_id', 'current.sha256')}) END)) AS matches
       FROM jsonb_to_recordset($1::jsonb) AS link (place integer, id text, sha256 text, document text)
      CROSS JOIN LATERAL (
        SELECT * FROM (
          (SELECT 'id' AS by, 1 AS rank, ${CANDIDATE} FROM uploads
            WHERE uploads.id = link.id AND workspace_id = $2 AND finished_at IS NOT NULL LIMIT 1)
          UNION ALL
          (SELECT 'sha256', 2, ${CANDIDATE} FROM uploads
            WHERE workspace_id = $2 AND uploads.sha256 = link.sha256 AND finished_at IS NOT NULL
            ORDER BY workspace_id DESC, uploads.sha256 DESC, created_at DESC, uploads.id DESC LIMIT ${COMPARED})
          UNION ALL
          (SELECT 'document', 3, ${CANDIDATE} FROM (
             SELECT *, min(photo_id) OVER () = max(photo_id) OVER () AS is_one FROM (
               SELECT ${CANDIDATE} FROM uploads
                WHERE ARRAY[account_id, workspace_id, split_part(uploads.document, '#', 1)]
                      = ARRAY[$3, $2, split_part(link.document, '#', 1)]
                  AND uploads.document IS NOT NULL AND finished_at IS NOT NULL AND trashed_at IS NULL
                  AND (strpos(link.document, '#') = 0 OR uploads.document = link.document)
                LIMIT ${COMPARED}) AS part) AS parts
            WHERE is_one)
        ) AS candidate
        WHERE ${visible}
        ORDER BY trashed_at IS NOT NULL, rank, is_current DESC, finished_at DESC, id DESC LIMIT 1) AS placed
       LEFT JOIN LATERAL (
         SELECT * FROM uploads
          WHERE uploads.photo_id = placed.photo_id AND uploads.is_current AND trashed_at IS NULL LIMIT 1) AS current ON true`,
    values,
  );
  const found = new Map((row?.matches ?? []).map((match) => [match.place, match]));
  return links.map((_, place) => found.get(place));
}
