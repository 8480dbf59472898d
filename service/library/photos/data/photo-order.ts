import type { Photo } from './photo.js';

/** The orders that a user can choose: by time of capture, time of upload or name, with its numbers as numbers. */
export const ORDERS = [
  'captured-desc',
  'captured',
  'uploaded-desc',
  'uploaded',
  'name',
  'name-desc',
] as const;

export type ListOrder = (typeof ORDERS)[number];

/** The order of a list. The trash has the latest deletion first. */
export type Order = ListOrder | 'trashed';

/** The place of a photo in an order by time. */
export interface Cursor {
  readonly at: Date;
  readonly id: string;
}

/** The place of a photo in any order: its time or name, and its id. */
export interface Place {
  readonly at: Date | string;
  readonly id: string;
}

/** The column of an order. */
interface Sort {
  readonly by: 'captured' | 'uploaded' | 'trashed' | 'name';
  readonly isDescending: boolean;
  /** Its value is that of a {@link Place}. */
  readonly column: 'taken_at' | 'finished_at' | 'trashed_at' | 'name';
  /** The sort key, of the rows with this prefix. */
  readonly key: (rows: string) => string;
  /** The sort key of a value of the column. */
  readonly placeholder: (value: string) => string;
}

export function sortOf(order: Order): Sort {
  const isDescending = order === 'trashed' || order.endsWith('-desc');
  if (order === 'name' || order === 'name-desc') {
    const key = (rows: string): string => `natural_sort_key(${rows}name)`;
    const placeholder = (value: string): string => `natural_sort_key(${value}::text)`;
    return { by: 'name', isDescending, column: 'name', key, placeholder };
  }
  const by =
    order === 'trashed' ? order : order.startsWith('captured') ? 'captured' : 'uploaded';
  const columns = { captured: 'taken_at', uploaded: 'finished_at', trashed: 'trashed_at' } as const;
  const column = columns[by];
  const key = (rows: string): string => `${rows}${column}`;
  return { by, isDescending, column, key, placeholder: (value) => value };
}

/** The place of a photo in an order. */
export function placeOf(photo: Photo, order: Order): Place {
  const { by } = sortOf(order);
  const at = {
    captured: photo.takenAt,
    uploaded: photo.uploadedAt,
    trashed: photo.trashedAt ?? photo.uploadedAt,
    name: photo.name,
  }[by];
  return { at, id: photo.id };
}
