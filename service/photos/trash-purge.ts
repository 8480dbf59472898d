import type { UploadStorage } from '../uploads/upload-storage.js';
import { trashBegins } from './photo.js';
import type { PhotoTable, Place } from './photo-table.js';

/** How many rows are looked up at once. */
const BATCH = 100;

/** How much longer than the trash promises a photo stays: clocks of several processes differ. In milliseconds. */
const GRACE_MS = 3_600_000;

export interface TrashPurgeParts {
  readonly photos: PhotoTable;
  readonly store: Pick<UploadStorage, 'discard'>;
  readonly now: () => Date;
  readonly reportError: (error: unknown) => void;
}

/**
 * Removes what has been in the trash for its time, for good. The bytes go first: a row without bytes can no longer
 * be restored, and is found again should this be cut off; bytes without a row would stay for ever.
 * @param signal stops it after the photo at hand.
 */
export async function purgeTrash(
  { photos, store, now, reportError }: TrashPurgeParts,
  signal?: AbortSignal,
): Promise<void> {
  const before = new Date(trashBegins(now()).getTime() - GRACE_MS);
  let last: Place | undefined;
  for (;;) {
    const batch = await photos.expired(before, last, BATCH);
    for (const { id } of batch) {
      if (signal?.aborted === true) {
        return;
      }
      // One that the storage does not give up keeps its row, and the others go on.
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
