import type { Database, Queryable } from '../kernel/database/database.js';
import {
  deleteAccountRow,
  leaveAllWorkspaces,
  lockAccount,
  namesWithoutOwner,
} from '../identity/index.js';
import {
  countUploadsOf,
  hasBytesOf,
  removeUploadsOf,
  type UploadStorage,
} from '../library/index.js';

export interface DeletionDeps {
  readonly database: Database;
  readonly storage: () => Promise<UploadStorage>;
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
  const count = await countUploadsOf(database, accountId);
  if (count > 0 && !withUploads) {
    return { problem: haveUploads(count) };
  }
  if (count > 0 && !(await hasBytesOf(database, await storage(), accountId))) {
    return {
      problem:
        'The files of their uploads are not here; give --data or S3_BUCKET as the service has them.',
    };
  }
  const owned = await database.transaction(async (transaction) => {
    const workspaceIds = await leaveAllWorkspaces(transaction, accountId);
    for (const id of workspaceIds) {
      await left?.(transaction, id);
    }
    return workspaceIds;
  });
  await settle();
  let uploads = 0;
  for (;;) {
    if (withUploads) {
      uploads += await removeUploadsOf(database, await storage(), accountId);
    }
    const uploadsLeft = await deleteUnlessUploads(database, accountId);
    if (uploadsLeft === 0) {
      return { uploads, ownerless: await namesWithoutOwner(database, owned) };
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
function deleteUnlessUploads(database: Database, accountId: string): Promise<number> {
  return database.transaction(async (transaction) => {
    await lockAccount(transaction, accountId);
    const left = await countUploadsOf(transaction, accountId);
    if (left === 0) {
      await deleteAccountRow(transaction, accountId);
    }
    return left;
  });
}
