import type { Host } from '../../host/host.js';
import { randomId } from '../../util/random-id.js';
import { PhotoStore, type PhotoStoreOptions } from './photo-store.js';
import { UploadQueue } from './upload-queue.js';

/** Opens the list of photos. */
export function startQueue(
  { records, spool, clock, randomBytes }: Pick<Host, 'records' | 'spool' | 'clock' | 'randomBytes'>,
  storeHistory: NonNullable<PhotoStoreOptions['storeHistory']>,
): { readonly photoStore: PhotoStore; readonly queue: UploadQueue } {
  const photoStore = new PhotoStore({
    records,
    spool,
    now: () => clock.now(),
    newId: () => randomId(randomBytes),
    storeHistory,
  });
  return { photoStore, queue: new UploadQueue({ photoStore, checksForDuplicates: true }) };
}
