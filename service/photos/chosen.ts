import type { Visit } from '../visits/visit.js';
import { maySee, type Photo } from './photo.js';
import { PAGE_SIZE, type PhotoTable } from './photo-table.js';

/** The photos that are chosen in a form of the list, as far as the person may see them. */
export async function chosenPhotos(
  photos: PhotoTable,
  { form, account, memberships }: Pick<Visit, 'form' | 'account' | 'memberships'>,
): Promise<Photo[]> {
  const ids = [...new Set(form?.getAll('photo'))].slice(0, PAGE_SIZE);
  const found = await Promise.all(ids.map((id) => photos.find(id)));
  return found.flatMap((photo) =>
    photo !== undefined && maySee(photo, account.id, memberships) ? [photo] : [],
  );
}
