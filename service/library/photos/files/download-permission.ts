import type { ServerResponse } from 'node:http';
import { canView, type Accounts } from '../../../identity/index.js';
import { repeat } from '../../../kernel/jobs/repeat.js';
import type { Photo } from '../data/photo.js';
import type { PhotoTable } from '../data/photo-table.js';

/** Whether all of these photos, as they are now, may be sent to the reader. */
export type Permission = (photos: readonly Photo[]) => Promise<boolean>;

export interface RecheckDeps {
  readonly photos: Pick<PhotoTable, 'several'>;
  /** How often the permission of a long download is checked again, in seconds. */
  readonly recheckSeconds: number;
}

/** The permission of a user: they see the photos in the workspaces to which they belong now. */
export function permissionOf(
  accounts: Pick<Accounts, 'workspacesOf'>,
  accountId: string,
): Permission {
  return async (photos) => {
    const memberships = await accounts.workspacesOf(accountId);
    return photos.every((photo) => canView(photo, accountId, memberships));
  };
}

/**
 * Sends something, and cuts the connection soon after the permission for it has ended: the part that was sent must not
 * look complete.
 * @param stillMay whether the reader may still have it.
 */
export async function sendWhilePermitted(
  response: ServerResponse,
  recheckSeconds: number,
  stillMay: () => Promise<boolean>,
  send: () => Promise<void>,
): Promise<void> {
  const recheckMs = recheckSeconds * 1000;
  const stop = repeat(recheckMs, async () => {
    // If the database does not respond, the permission is unchanged.
    if (!(await stillMay().catch(() => true))) {
      response.destroy();
    }
    return recheckMs;
  });
  try {
    await send();
  } finally {
    stop();
  }
}

/** Like {@link sendWhilePermitted}, for one photo. */
export function sendPhotoWhilePermitted(
  { photos, recheckSeconds }: RecheckDeps,
  photoId: string,
  { response, permission }: { response: ServerResponse; permission: Permission },
  send: () => Promise<void>,
): Promise<void> {
  const stillMay = async (): Promise<boolean> => {
    const found = await photos.several([photoId]);
    return found.length > 0 && permission(found);
  };
  return sendWhilePermitted(response, recheckSeconds, stillMay, send);
}
