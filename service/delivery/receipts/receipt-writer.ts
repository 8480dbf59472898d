import { CompactSign } from 'jose';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Queryable } from '../../kernel/database/database.js';
import {
  feedbackOnBytes,
  presentPlace,
  uploadsById,
  type SignedFeedback,
} from '../../library/index.js';
import type { ReceiptKeys } from './receipt-keys.js';
import {
  MAX_FEEDBACK_IN_RECEIPT,
  RECEIPT_ALGORITHM,
  RECEIPT_TYPE,
  type Receipt,
  type ReceiptFeedback,
  type ReceiptUpload,
} from './receipt.js';

/** How many uploads one query reads, so that other requests do not wait long for the database. */
const PART = 500;

/** What a receipt is about. The caller has checked that the user may see all of the uploads. */
export interface ReceiptRequest {
  readonly workspaceId: string;
  readonly accountId: string;
  /** Ids of finished uploads. */
  readonly ids: readonly string[];
}

export interface ReceiptWriterDeps {
  readonly database: Queryable;
  readonly keys: ReceiptKeys;
  /** The origin of the service. */
  readonly baseUrl: string;
  readonly now: () => Date;
}

interface UploadRow {
  id: string;
  name: string;
  size: number;
  sha256: string;
  type: string;
  finished_at: Date;
  display_name: string;
  version: number;
}

/** Writes and signs receipts. */
export class ReceiptWriter {
  constructor(private readonly deps: ReceiptWriterDeps) {}

  /**
   * Writes a receipt, in the compact serialization ([RFC 7515 §7.1](https://www.rfc-editor.org/rfc/rfc7515#section-7.1)).
   * @returns undefined if one of the uploads is gone
   */
  async write({ workspaceId, accountId, ids }: ReceiptRequest): Promise<string | undefined> {
    const { database, keys, baseUrl, now } = this.deps;
    const [names] = await database.query<{ workspace: string; person: string }>(
      `SELECT workspaces.name AS workspace, accounts.display_name AS person
         FROM workspaces, accounts WHERE workspaces.id = $1 AND accounts.id = $2`,
      [workspaceId, accountId],
    );
    const uploads: ReceiptUpload[] = [];
    let room = MAX_FEEDBACK_IN_RECEIPT;
    for (let start = 0; start < ids.length; start += PART) {
      const part = await this.uploads(workspaceId, ids.slice(start, start + PART), room);
      room -= part.reduce((sum, { feedback = [] }) => sum + feedback.length, 0);
      uploads.push(...part);
      await nextTurn();
    }
    if (names === undefined || uploads.length < ids.length) {
      return undefined;
    }
    const receipt: Receipt = {
      iss: baseUrl,
      iat: Math.floor(now().getTime() / 1000),
      workspace: names.workspace,
      issued_to: names.person,
      uploads,
    };
    const { kid, key } = await keys.current();
    return new CompactSign(new TextEncoder().encode(JSON.stringify(receipt)))
      .setProtectedHeader({ alg: RECEIPT_ALGORITHM, typ: RECEIPT_TYPE, kid })
      .sign(key);
  }

  /** @param room how much feedback they may have */
  private async uploads(
    workspaceId: string,
    ids: readonly string[],
    room: number,
  ): Promise<ReceiptUpload[]> {
    const rows = await this.deps.database.query<UploadRow>(
      `SELECT uploads.id, uploads.name, size, sha256, type, finished_at,
              (SELECT display_name FROM accounts WHERE accounts.id = account_id) AS display_name,
              (SELECT count(*)::integer FROM uploads AS earlier
                WHERE earlier.photo_id = uploads.photo_id AND earlier.finished_at IS NOT NULL
                  AND (earlier.finished_at, earlier.id) <= (uploads.finished_at, uploads.id)) AS version
         FROM ${uploadsById('$1')} AS uploads
        WHERE workspace_id = $2 AND finished_at IS NOT NULL AND trashed_at IS NULL`,
      [ids.join(','), workspaceId],
    );
    const found = new Map(rows.map((row) => [row.id, row]));
    const answers = await feedbackOnBytes(this.deps.database, [...found.keys()], room);
    return ids.flatMap((id) => {
      const row = found.get(id);
      return row === undefined ? [] : [toUpload(row, answers.get(id)?.map(toReceiptFeedback))];
    });
  }
}

function toReceiptFeedback({ id, kind, by, at, place }: SignedFeedback): ReceiptFeedback {
  return { id, kind, by, at: at.toISOString(), ...presentPlace(place) };
}

function toUpload(row: UploadRow, feedback: ReceiptFeedback[] | undefined): ReceiptUpload {
  const { id, name, sha256, type, version, display_name: person } = row;
  return {
    ...{ id, name, size: row.size, sha256, type },
    uploaded: row.finished_at.toISOString(),
    uploaded_by: person,
    version,
    ...(feedback && { feedback }),
  };
}
