import type { UploadStorage } from '../../uploads/index.js';
import { trashBegins } from './photo.js';
import type { PhotoTable } from './photo-table.js';
import type { Cursor } from './photo-order.js';

/** How many rows are looked up at once. */
const BATCH = 100;

/** How much longer than promised a photo stays in the trash, because clocks of processes differ. In milliseconds. */
const GRACE_MS = 3_600_000;

export interface TrashPurgeDeps {
  readonly photos: PhotoTable;
  readonly store: Pick<UploadStorage, 'discard'>;
  readonly now: () => Date;
  readonly reportError: (error: unknown) => void;
}

/**
 * Deletes photos whose time in the trash has ended. The bytes go first: the row can no longer be restored, and
 * it is found again if this is interrupted. Bytes that are left without a row are removed by `removeDeletedFiles`.
 * @param signal stops it after the current photo.
 */
export async function purgeTrash(
  { photos, store, now, reportError }: TrashPurgeDeps,
  signal?: AbortSignal,
): Promise<void> {
  const before = new Date(trashBegins(now()).getTime() - GRACE_MS);
  let last: Cursor | undefined;
  for (;;) {
    const batch = await photos.expired(before, last, BATCH);
    for (const { id } of batch) {
      if (signal?.aborted === true) {
        return;
      }
      // A photo that the storage fails to remove keeps its row; the others are still removed.
      await store
        .discard(id)
        .then(() => photos.remove(id, before))
        .catch(reportError);
    }
    last = batch.at(-1);
    if (batch.length < BATCH) {
      return;
    }
  }
}
