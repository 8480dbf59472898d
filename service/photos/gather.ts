import type { Photo, View } from './photo.js';
import type { Page, PhotoFilter, PhotoTable } from './photo-table.js';

/**
 * How many photos one ZIP holds at most. What is kept of each (some 500 bytes, names included) stays in memory until
 * the ZIP is sent.
 */
export const MAX_IN_ZIP = 10_000;

/** How many photos one query asks for, so that nobody else has to wait long for the database. */
const STEP = 500;

/** What a ZIP must know of a photo. */
export type Zipped = Pick<Photo, 'id' | 'name' | 'size' | 'arrivedAt'>;

/**
 * All photos of a list, newest first.
 * @returns undefined when there are more than `most`.
 */
export async function gather(
  table: Pick<PhotoTable, 'page' | 'searchedTo'>,
  view: View,
  filter: PhotoFilter,
  most = MAX_IN_ZIP,
): Promise<readonly Zipped[] | undefined> {
  const gathered: Zipped[] = [];
  let from: Page['from'];
  for (;;) {
    const page = { order: 'arrived', filter, from, limit: STEP } as const;
    const found = await table.page(view, page);
    gathered.push(...found.map(({ id, name, size, arrivedAt }) => ({ id, name, size, arrivedAt })));
    if (gathered.length > most) {
      return undefined;
    }
    const last = found.length === STEP ? found.at(-1) : undefined;
    const place =
      last === undefined ? await table.searchedTo(view, page) : { at: last.arrivedAt, id: last.id };
    if (place === undefined) {
      return gathered;
    }
    from = { place, direction: 'older' };
  }
}
