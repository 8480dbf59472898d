import type { Database, Queryable } from '../database/database.js';
import type { UploadStorage } from '../uploads/upload-storage.js';
import { endAccess } from './end-access.js';

export interface RemovalParts {
  readonly database: Database;
  readonly storage: () => UploadStorage;
  /** Resolves when requests that are under way in a running service have been answered. */
  readonly settle: () => Promise<void>;
}

export type Removal =
  | {
      readonly uploads: number;
      /** Names of the workspaces that are left without an owner. */
      readonly ownerless: readonly string[];
    }
  /** Why the person is still there, in one or two sentences. */
  | { readonly problem: string };

/** How many uploads are looked up at once. */
const BATCH = 100;

/**
 * Removes a person with their password, sessions, apps, tokens and memberships.
 *
 * Photos are what a workspace works with: while the person has uploads they stay, unless
 * `withUploads` removes these for good as well. Access ends first, then the bytes go, then the rows,
 * then the account; wherever that is cut off, the same command again does the rest.
 */
export async function removePerson(
  { database, storage, settle }: RemovalParts,
  accountId: string,
  withUploads: boolean,
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
    await endAccess(transaction, accountId);
    const left = await transaction.query<{ workspace_id: string }>(
      `DELETE FROM workspace_members WHERE account_id = $1 RETURNING workspace_id`,
      [accountId],
    );
    return left.map((row) => row.workspace_id);
  });
  await settle();
  let uploads = 0;
  for (;;) {
    if (withUploads) {
      uploads += await removeUploads(database, storage(), accountId);
    }
    const left = await deleteAccount(database, accountId);
    if (left === 0) {
      return { uploads, ownerless: await withoutOwner(database, owned) };
    }
    if (!withUploads) {
      return { problem: haveUploads(left) };
    }
  }
}

function haveUploads(count: number): string {
  return `They have ${count} uploads; --with-uploads removes these for good. To keep the uploads: reset-password, end-sessions and remove-from-workspace.`;
}

/** Deletes the account if no upload would go with it; returns how many there are. */
function deleteAccount(database: Database, accountId: string): Promise<number> {
  return database.transaction(async (transaction) => {
    // From here on nothing can be added that refers to the account.
    await transaction.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [accountId]);
    const left = await countUploads(transaction, accountId);
    if (left > 0) {
      return left;
    }
    await endAccess(transaction, accountId);
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

/** Whether the bytes of any finished upload are found: where none are, this is the wrong place. */
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
    const rows = await database.query<{ id: string }>(
      `SELECT id FROM uploads WHERE account_id = $1 LIMIT ${BATCH}`,
      [accountId],
    );
    if (rows.length === 0) {
      return removed;
    }
    for (const { id } of rows) {
      await storage.discard(id);
      await database.query('DELETE FROM uploads WHERE id = $1', [id]);
      removed += 1;
    }
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
