import type { Database, Queryable } from '../kernel/database/database.js';
import type { UploadStorage } from '../library/index.js';
import { revokeAccess } from '../identity/index.js';

export interface DeletionDeps {
  readonly database: Database;
  readonly storage: () => UploadStorage;
  /** Waits until a running service has answered the requests that it is working on. */
  readonly settle: () => Promise<void>;
}

/** The result of {@link deleteAccount}: the number of removed uploads, or why the account was kept. */
export type Removal =
  | {
      readonly uploads: number;
      /** Names of the workspaces that are left without an owner. */
      readonly ownerless: readonly string[];
    }
  /** Why the account was kept, in one or two sentences. */
  | { readonly problem: string };

/** How many uploads one statement reads. */
const BATCH = 100;

/**
 * Removes a user with their password, sessions, apps, tokens and memberships.
 *
 * The workspace needs its photos. So a user who has uploads is not removed, unless `withUploads` is set and the
 * uploads are to be removed for good as well. The order is: access, then the uploads, then the account. After an
 * interruption, run the same command again.
 * @param left called for each workspace in the transaction that ends the membership there.
 * @returns how much was removed; a problem when the account was kept.
 */
export async function deleteAccount(
  { database, storage, settle }: DeletionDeps,
  accountId: string,
  withUploads: boolean,
  left?: (transaction: Queryable, workspaceId: string) => Promise<void>,
): Promise<Removal> {
  const count = await countUploads(database, accountId);
  if (count > 0 && !withUploads) {
    return { problem: haveUploads(count) };
  }
  if (count > 0 && !(await seesBytes(database, storage(), accountId))) {
    return {
      problem:
        'The files of their uploads are not here; give --data or S3_BUCKET as the service has them.',
    };
  }
  const owned = await database.transaction(async (transaction) => {
    await revokeAccess(transaction, accountId);
    const ended = await transaction.query<{ workspace_id: string }>(
      `DELETE FROM workspace_members WHERE account_id = $1 RETURNING workspace_id`,
      [accountId],
    );
    for (const row of ended) {
      await left?.(transaction, row.workspace_id);
    }
    return ended.map((row) => row.workspace_id);
  });
  await settle();
  let uploads = 0;
  for (;;) {
    if (withUploads) {
      uploads += await removeUploads(database, storage(), accountId);
    }
    const uploadsLeft = await deleteAccountRow(database, accountId);
    if (uploadsLeft === 0) {
      return { uploads, ownerless: await withoutOwner(database, owned) };
    }
    if (!withUploads) {
      return { problem: haveUploads(uploadsLeft) };
    }
  }
}

function haveUploads(count: number): string {
  return `They have ${count} uploads; --with-uploads removes these for good. To keep the uploads: reset-password, end-sessions and remove-from-workspace.`;
}

/** Deletes the account if it has no uploads left. @returns how many it has: 0 when it was deleted. */
function deleteAccountRow(database: Database, accountId: string): Promise<number> {
  return database.transaction(async (transaction) => {
    // With this lock, no other transaction can add a row that refers to the account.
    await transaction.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [accountId]);
    const left = await countUploads(transaction, accountId);
    if (left > 0) {
      return left;
    }
    await revokeAccess(transaction, accountId);
    await transaction.query('DELETE FROM accounts WHERE id = $1', [accountId]);
    return 0;
  });
}

async function countUploads(database: Queryable, accountId: string): Promise<number> {
  const [row] = await database.query<{ count: number | string }>(
    'SELECT count(*) AS count FROM uploads WHERE account_id = $1',
    [accountId],
  );
  return Number(row?.count ?? 0);
}

/**
 * Whether the bytes of at least one of the newest finished uploads are here, or there is no finished upload. If none
 * are here, this is the wrong storage.
 */
async function seesBytes(
  database: Queryable,
  storage: UploadStorage,
  accountId: string,
): Promise<boolean> {
  const rows = await database.query<{ id: string }>(
    `SELECT id FROM uploads WHERE account_id = $1 AND finished_at IS NOT NULL
      ORDER BY created_at DESC LIMIT ${BATCH}`,
    [accountId],
  );
  for (const { id } of rows) {
    const found = await storage.received(id).then(
      () => true,
      () => false,
    );
    if (found) {
      return true;
    }
  }
  return rows.length === 0;
}

async function removeUploads(
  database: Queryable,
  storage: UploadStorage,
  accountId: string,
): Promise<number> {
  let removed = 0;
  for (;;) {
    // The rows go first, which notes what is to be discarded: after an interruption the service does that.
    const rows = await database.query<{ id: string }>(
      `DELETE FROM uploads
        WHERE id = ANY (ARRAY(SELECT id FROM uploads WHERE account_id = $1 LIMIT ${BATCH}))
        RETURNING id`,
      [accountId],
    );
    if (rows.length === 0) {
      return removed;
    }
    for (const { id } of rows) {
      await storage.discard(id);
    }
    removed += rows.length;
  }
}

async function withoutOwner(database: Queryable, workspaceIds: string[]): Promise<string[]> {
  const names: string[] = [];
  for (const id of workspaceIds) {
    const [row] = await database.query<{ name: string }>(
      `SELECT name FROM workspaces WHERE id = $1 AND NOT EXISTS (
         SELECT 1 FROM workspace_members WHERE workspace_id = workspaces.id AND role = 'owner')`,
      [id],
    );
    if (row !== undefined) {
      names.push(row.name);
    }
  }
  return names;
}
