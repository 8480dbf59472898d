import { refusal, type BearerCheck, type Principal } from '../../../oauth/index.js';
import { repeat } from '../../../kernel/jobs/repeat.js';
import type { DiskSpace } from '../storage/disk-space.js';
import { DISK_FULL } from '../upload-errors.js';
import type { UploadBody } from './upload-body.js';

/** How often a request that takes bytes checks the free disk space, in milliseconds. */
const DISK_CHECK_MS = 1000;

export interface WatchDeps {
  readonly bearer: BearerCheck;
  readonly space: DiskSpace;
  /** How often the permission is checked again, in seconds. */
  readonly recheckSeconds: number;
}

/**
 * Stops a body when its sender may no longer send, or the disk is about to be full.
 * @returns a function that ends the watch.
 */
export function watchUpload(body: UploadBody, caller: Principal, deps: WatchDeps): () => void {
  const { bearer, space, recheckSeconds } = deps;
  const recheckMs = recheckSeconds * 1000;
  const endPermission = repeat(recheckMs, async () => {
    // If the database does not respond, the permission is unchanged.
    const may = await bearer.isStillAuthorized(caller).catch(() => true);
    if (!may) {
      body.stop(refusal(bearer.invalidToken));
    }
    return recheckMs;
  });
  const endSpace = repeat(DISK_CHECK_MS, async () => {
    if (!(await space.hasRoomFor(0))) {
      body.stop(DISK_FULL);
    }
    return DISK_CHECK_MS;
  });
  return () => {
    endPermission();
    endSpace();
  };
}
