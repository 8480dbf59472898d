import type { AuthenticatedRequest } from '../../../auth/session/authenticated-request.js';
import type { Photo } from '../data/photo.js';
import { canView } from '../../../auth/accounts/photo-policy.js';
import { PAGE_SIZE, type PhotoTable } from '../data/photo-table.js';

/**
 * The photos that are ticked in the list, each in its current version, {@link PAGE_SIZE} at most, without those that the
 * user may not see.
 */
export async function selectedPhotos(
  photos: PhotoTable,
  { form, account, memberships }: Pick<AuthenticatedRequest, 'form' | 'account' | 'memberships'>,
): Promise<Photo[]> {
  const ids = [...new Set(form?.getAll('photo'))].slice(0, PAGE_SIZE);
  const found = await Promise.all(ids.map((id) => photos.findCurrent(id)));
  const seen = found.flatMap((photo) =>
    photo !== undefined && canView(photo, account.id, memberships) ? [photo] : [],
  );
  // The page may be older than the newest version, and name two of them.
  return [...new Map(seen.map((photo) => [photo.id, photo])).values()];
}
