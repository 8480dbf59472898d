import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Queryable, SqlValue } from '../../../kernel/database/database.js';
import { prepared } from '../../../kernel/database/prepared.js';
import type { Visibility } from '../../../identity/index.js';
import { moveAnswers } from '../../feedback/index.js';
import { countPhotos, NO_PROJECT } from '../../projects/index.js';
import { uploadsById } from '../../uploads/index.js';
import {
  isCounted,
  SEARCHED_COLUMNS,
  searchConditions,
  takenConditions,
  type Condition,
  type PhotoFilter,
} from './photo-filter.js';
import { sortOf, type Cursor, type Order, type Place } from './photo-order.js';
import {
  COLUMNS,
  CURRENT_VERSION,
  EPOCH,
  ONE_PHOTO,
  toPhoto,
  withNames,
  type PhotoRow,
} from './photo-row.js';
import type { Photo } from './photo.js';

/** Which part of the list is wanted. */
export interface Page {
  readonly order: Order;
  readonly filter: PhotoFilter;
  /** The photos before or after this place in the list; undefined: from its top. */
  readonly from: { readonly place: Place; readonly direction: 'before' | 'after' } | undefined;
  readonly limit: number;
}

/** The little that must be known of a photo to list it in a ZIP. */
export type ListedPhoto = Pick<Photo, 'id' | 'name' | 'size'>;

/** A user with uploads in a workspace. */
export interface Sender {
  readonly id: string;
  readonly name: string;
  readonly username: string;
}

/** How many photos a page shows. */
export const PAGE_SIZE = 50;

/** The most senders that a list offers. */
const MAX_SENDERS = 500;

/**
 * How many photos one query compares with a filter that no index answers. They are compared in the order of the list: if
 * many match, a page is soon full; if none does, this limits the work, and the next page continues.
 */
const SEARCHED = 1000;

const FIND = prepared(ONE_PHOTO);

const FIND_CURRENT = prepared(CURRENT_VERSION);

const SEVERAL = prepared(
  withNames(
    `SELECT ${COLUMNS} FROM ${uploadsById('$1')} AS uploads WHERE finished_at IS NOT NULL
        AND (trashed_at IS NULL OR trashed_at > $2)`,
  ),
);

/** The current versions of photos, each with the id of the version that was asked for. */
const SEVERAL_CURRENT = prepared(
  withNames(
    `SELECT wanted.id AS wanted_id, current.*
       FROM ${uploadsById('$1')} AS wanted
      CROSS JOIN LATERAL (
            SELECT ${COLUMNS} FROM uploads
             WHERE photo_id = wanted.photo_id AND is_current AND finished_at IS NOT NULL
               AND (trashed_at IS NULL OR trashed_at > $2) LIMIT 1) AS current
      WHERE wanted.finished_at IS NOT NULL`,
  ),
);

/** How many photos of a list one query returns, so that other requests do not wait long for the database. */
const PART = 500;

/** How many photos one query counts, for the same reason. */
const COUNTED = 1000;

/** The photos of workspaces, and the trash. */
export class PhotoTable {
  /** @param searched see {@link SEARCHED}. */
  constructor(
    private readonly database: Pick<Database, 'query' | 'transaction'>,
    private readonly searched = SEARCHED,
  ) {}

  /** A part of the list. Only the next {@link SEARCHED} photos are searched, see {@link PhotoTable.resumeAfter}. */
  async page(view: Visibility, page: Page): Promise<Photo[]> {
    const { values, selected } = this.pageQuery(view, page);
    const { key, isDescending } = sortOf(page.order);
    const direction = isDescending ? 'DESC' : 'ASC';
    const found = await this.database.query<PhotoRow>(
      `${withNames(selected)} ORDER BY ${key('photos.')} ${direction}, photos.id ${direction}`,
      values,
    );
    return found.map(toPhoto);
  }

  /** The ids of the photos before and after a place in a list, in one statement. */
  async neighbours(
    view: Visibility,
    list: Pick<Page, 'order' | 'filter'>,
    place: Place,
  ): Promise<{ readonly previous: string | undefined; readonly next: string | undefined }> {
    const side = (direction: 'before' | 'after') =>
      this.pageQuery(view, { ...list, from: { place, direction }, limit: 1 }, 'id');
    const [before, after] = [side('before'), side('after')];
    const selected = after.selected.replace(
      /\$(\d+)/g,
      (_, number) => `$${Number(number) + before.values.length}`,
    );
    const [row] = await this.database.query<{ previous: string | null; next: string | null }>(
      `SELECT (${before.selected}) AS previous, (${selected}) AS next`,
      [...before.values, ...after.values],
    );
    return { previous: row?.previous ?? undefined, next: row?.next ?? undefined };
  }

  /** All photos of a list, the latest upload first, in parts. Other requests have their turn between two parts. */
  async *listed(view: Visibility, filter: PhotoFilter): AsyncGenerator<readonly ListedPhoto[]> {
    let from: Page['from'];
    do {
      const page = { order: 'uploaded-desc', filter, from, limit: PART } as const;
      const { values, selected } = this.pageQuery(view, page, 'id, name, size, finished_at');
      // As one JSON text: the embedded database takes ten times as long to return many rows.
      const [row] = await this.database.query<{ part: (ListedPhoto & { at: string })[] | null }>(
        `SELECT json_agg(json_build_object('id', id, 'name', name, 'size', size, 'at', finished_at)
                  ORDER BY finished_at DESC, id DESC) AS part FROM (${selected}) AS selected`,
        values,
      );
      const part = row?.part ?? [];
      yield part;
      const last = part.length === PART ? part.at(-1) : undefined;
      from = await this.following(view, page, last && { at: new Date(last.at), id: last.id });
      await nextTurn();
    } while (from !== undefined);
  }

  /** How many photos a list has; at most `most`, where counting ends. Others have their turn in between. */
  async count(view: Visibility, filter: PhotoFilter, most: number): Promise<number> {
    if (isCounted(filter)) {
      const { photos } = await countPhotos(this.database, view, filter.project);
      return Math.min(photos, most);
    }
    let count = 0;
    let from: Page['from'];
    do {
      const limit = Math.min(COUNTED, most - count);
      const page = { order: 'uploaded-desc', filter, from, limit } as const;
      const { values, selected } = this.pageQuery(view, page, 'finished_at, id');
      const [part] = await this.database.query<{ count: number; at: Date; id: string }>(
        `SELECT count(*)::integer AS count, (array_agg(finished_at))[count(*)] AS at,
                (array_agg(id))[count(*)] AS id FROM (${selected}) AS selected`,
        values,
      );
      count += part?.count ?? 0;
      const last = part?.count === limit ? part : undefined;
      from = count >= most ? undefined : await this.following(view, page, last);
      await nextTurn();
    } while (from !== undefined);
    return count;
  }

  /**
   * How many photos a list has, if one short query finds that out: undefined for a filter that more than {@link COUNTED}
   * match, and for a search that would have to continue.
   */
  async countUpTo(view: Visibility, filter: PhotoFilter): Promise<number | undefined> {
    if (isCounted(filter)) {
      return (await countPhotos(this.database, view, filter.project)).photos;
    }
    const page = { order: 'uploaded-desc', filter, from: undefined, limit: COUNTED + 1 } as const;
    const { values, selected } = this.pageQuery(view, page, 'id');
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM (${selected}) AS selected`,
      values,
    );
    const count = row?.count ?? 0;
    const isWhole = count <= COUNTED && (await this.resumeAfter(view, page)) === undefined;
    return isWhole ? count : undefined;
  }

  /** Where a list continues: after the last photo of a full page, or after the photos that were searched. */
  private async following(
    view: Visibility,
    page: Page,
    last: Cursor | undefined,
  ): Promise<Page['from']> {
    const place = last ?? (await this.resumeAfter(view, page));
    return place && { place, direction: 'after' };
  }

  /**
   * How far {@link PhotoTable.page} has searched; undefined when it has searched all photos, or indexes answer the whole
   * filter.
   */
  async resumeAfter(view: Visibility, page: Page): Promise<Place | undefined> {
    const { values, rows, searched } = this.rowsOf(view, page);
    if (searched.length === 0) {
      return undefined;
    }
    const [row] = await this.database.query<{ at: Date | string; id: string }>(
      `${rows(`id, ${sortOf(page.order).column} AS at`)} OFFSET ${this.searched - 1} LIMIT 1`,
      values,
    );
    return row;
  }

  /** The query for the rows of a page, and its values. */
  private pageQuery(
    view: Visibility,
    page: Page,
    columns = COLUMNS,
  ): { values: SqlValue[]; selected: string } {
    const { values, value, rows, order, searched } = this.rowsOf(view, page);
    const all =
      searched.length === 0
        ? rows(columns)
        : `SELECT ${columns} FROM (${rows(`${COLUMNS}, ${SEARCHED_COLUMNS}`)} LIMIT ${this.searched}) AS searched
            WHERE ${searched.map((condition) => condition(value)).join(' AND ')} ${order}`;
    return { values, selected: `${all} LIMIT ${value(page.limit)}` };
  }

  /**
   * The query for the rows of a list in its order, as far as an index answers it, with its values, and the conditions
   * that are left.
   */
  private rowsOf(view: Visibility, { order, filter, from }: Page) {
    const values: SqlValue[] = [];
    const value = (one: SqlValue): string => `$${values.push(one)}`;
    const { by, key, placeholder, isDescending } = sortOf(order);
    const isBackwards = from?.direction === 'before';
    const goesDown = isDescending !== isBackwards;
    const direction = goesDown ? 'DESC' : 'ASC';
    const indexed = [
      `workspace_id = ${value(view.workspaceId)}`,
      'finished_at IS NOT NULL AND is_current',
      order === 'trashed' ? `trashed_at > ${value(EPOCH)}` : 'trashed_at IS NULL',
      ...(from === undefined
        ? []
        : [
            `(${key('')}, id) ${goesDown ? '<' : '>'} (${placeholder(value(from.place.at))}, ${value(from.place.id)})`,
          ]),
    ];
    const searched: Condition[] = searchConditions(filter);
    const isInProject = filter.project !== undefined && filter.project !== NO_PROJECT;
    if (isInProject) {
      indexed.push(`project_id = ${value(filter.project)}`);
    }
    if (filter.project === NO_PROJECT) {
      searched.push(() => 'project_id IS NULL');
    }
    const { accountId } = view;
    if (accountId !== undefined) {
      indexed.push(`account_id = ${value(accountId)}`);
    }
    if (by === 'captured') {
      indexed.push(...takenConditions(filter).map((condition) => condition(value)));
    } else {
      searched.push(...takenConditions(filter));
    }
    const inOrder = `ORDER BY ${key('')} ${direction}, id ${direction}`;
    const rows = (columns: string): string =>
      `SELECT ${columns} FROM uploads WHERE ${indexed.join(' AND ')} ${inOrder}`;
    return { values, value, rows, order: inOrder, searched };
  }

  /** A finished upload, in the trash or not. */
  async find(id: string): Promise<Photo | undefined> {
    const [row] = await this.database.query<PhotoRow>(FIND, [id, EPOCH]);
    return row && toPhoto(row);
  }

  /** The current version of the photo that this upload is a version of, in the trash or not. */
  async findCurrent(id: string): Promise<Photo | undefined> {
    const [row] = await this.database.query<PhotoRow>(FIND_CURRENT, [id, EPOCH]);
    return row && toPhoto(row);
  }

  /**
   * The finished uploads among these, in the trash or not, in the order of the ids.
   * @param ids the ids of photos; they have only letters, digits, dashes and underscores.
   */
  async several(ids: readonly string[]): Promise<Photo[]> {
    const rows = await this.database.query<PhotoRow>(SEVERAL, [ids.join(','), EPOCH]);
    const found = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => {
      const row = found.get(id);
      return row === undefined ? [] : [toPhoto(row)];
    });
  }

  /** Those of these finished uploads whose pictures are still to be made. @param ids see {@link PhotoTable.several} */
  async waiting(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows =
      ids.length === 0
        ? []
        : await this.database.query<{ upload_id: string }>(
            `SELECT thumbnail.* FROM unnest(string_to_array($1, ',')) AS wanted (id)
              CROSS JOIN LATERAL (
                    SELECT upload_id FROM thumbnails WHERE upload_id = wanted.id AND state = 'none' LIMIT 1) AS thumbnail`,
            [ids.join(',')],
          );
    return new Set(rows.map(({ upload_id: id }) => id));
  }

  /**
   * The photos with these versions, each in its current version, in the trash or not, in the order of the ids.
   * @param ids see {@link several}.
   */
  async severalCurrent(ids: readonly string[]): Promise<Photo[]> {
    const rows = await this.database.query<PhotoRow & { wanted_id: string }>(SEVERAL_CURRENT, [
      ids.join(','),
      EPOCH,
    ]);
    const found = new Map(rows.map((row) => [row.wanted_id, row]));
    const inOrder = ids.flatMap((id) => found.get(id) ?? []);
    // Of two versions of a photo, the first one counts.
    return [...new Map(inOrder.map((row) => [row.photo_id, row])).values()].map(toPhoto);
  }

  /** Puts a photo into the trash with all of its versions; a photo that is there already stays as it is. */
  async trash(id: string, by: string, now: Date): Promise<void> {
    await this.change(id, (transaction, photoId) =>
      transaction.query(
        `UPDATE uploads SET trashed_at = $2, trashed_by = $3
          WHERE photo_id = $1 AND trashed_at IS NULL`,
        [photoId, now, by],
      ),
    );
  }

  /**
   * Takes a photo out of the trash with all of its versions, unless it was put there before `since`: its bytes may be
   * gone.
   * @returns whether it is out of the trash now.
   */
  async restore(id: string, since: Date): Promise<boolean> {
    const restored = await this.change(id, (transaction, photoId) =>
      transaction.query(
        `UPDATE uploads SET trashed_at = NULL, trashed_by = NULL
          WHERE photo_id = $1 AND (trashed_at IS NULL OR trashed_at >= $2) RETURNING id`,
        [photoId, since],
      ),
    );
    return restored.length > 0;
  }

  /** Makes a version the current one of its photo, unless the photo is in the trash. @returns whether it is. */
  async makeCurrent(id: string): Promise<boolean> {
    const made = await this.change(id, async (transaction, photoId) => {
      await transaction.query(
        `UPDATE uploads SET is_current = false
          WHERE photo_id = $1 AND is_current AND trashed_at IS NULL`,
        [photoId],
      );
      return transaction.query(
        `UPDATE uploads SET is_current = true
          WHERE id = $1 AND trashed_at IS NULL RETURNING id`,
        [id],
      );
    });
    return made.length > 0;
  }

  /**
   * Makes a version a photo of its own, with what guests said about it. The newest of the others is current then, if it
   * was this one.
   * @returns `first` for the first of several versions, which names the photo; `gone` when it is in the trash or removed
   */
  async detach(id: string): Promise<'detached' | 'first' | 'gone'> {
    const [outcome] = await this.change(id, async (transaction, photoId) => {
      if (id === photoId) {
        return transaction.query<{ is: 'detached' | 'first' | 'gone' }>(
          `SELECT CASE WHEN trashed_at IS NOT NULL THEN 'gone'
                       WHEN EXISTS (SELECT 1 FROM uploads WHERE photo_id = $1 AND id <> $1) THEN 'first'
                       ELSE 'detached' END AS is
             FROM uploads WHERE id = $1`,
          [photoId],
        );
      }
      const detached = await transaction.query<{ is: 'detached' }>(
        `UPDATE uploads SET version_of = NULL, is_current = true
          WHERE id = $1 AND version_of = $2 AND trashed_at IS NULL RETURNING 'detached' AS is`,
        [id, photoId],
      );
      if (detached.length > 0) {
        await moveAnswers(transaction, id);
        await transaction.query(
          `UPDATE uploads SET is_current = true
            WHERE id = (SELECT id FROM uploads WHERE photo_id = $1 ORDER BY finished_at DESC, id DESC LIMIT 1)
              AND NOT EXISTS (SELECT 1 FROM uploads WHERE photo_id = $1 AND is_current)`,
          [photoId],
        );
      }
      return detached;
    });
    return outcome?.is ?? 'gone';
  }

  /**
   * Changes the photo that an upload is a version of. A version that is finished at the same time waits, or is there
   * already: `finish_upload` takes the same lock.
   */
  private change<T extends object>(
    id: string,
    work: (transaction: Queryable, photoId: string) => Promise<T[]>,
  ): Promise<T[]> {
    return this.database.transaction(async (transaction) => {
      const [photo] = await transaction.query<{ id: string }>(
        `SELECT id FROM uploads WHERE finished_at IS NOT NULL
            AND id = (SELECT photo_id FROM uploads WHERE id = $1) FOR UPDATE`,
        [id],
      );
      return photo === undefined ? [] : work(transaction, photo.id);
    });
  }

  /** Up to `limit` photos that were put into the trash before this time, oldest first, beginning after a place. */
  async expired(before: Date, after: Cursor | undefined, limit: number): Promise<Cursor[]> {
    const rows = await this.database.query<{ id: string; trashed_at: Date }>(
      `SELECT id, trashed_at FROM uploads
        WHERE trashed_at < $1 ${after === undefined ? '' : 'AND (trashed_at, id) > ($3, $4)'}
        ORDER BY trashed_at, id LIMIT $2`,
      [before, limit, ...(after === undefined ? [] : [after.at, after.id])],
    );
    return rows.map((row) => ({ id: row.id, at: row.trashed_at }));
  }

  /** Deletes the row of a photo that was put into the trash before this time. */
  async remove(id: string, before: Date): Promise<void> {
    await this.database.query('DELETE FROM uploads WHERE id = $1 AND trashed_at < $2', [
      id,
      before,
    ]);
  }

  /** The users who have uploaded to a workspace, by name. Reads one index entry per user. */
  senders(workspaceId: string): Promise<Sender[]> {
    return this.database.query<Sender & object>(
      `WITH RECURSIVE senders (id) AS (
         SELECT min(account_id) FROM uploads WHERE workspace_id = $1
         UNION ALL
         SELECT (SELECT min(account_id) FROM uploads
                  WHERE workspace_id = $1 AND account_id > senders.id)
           FROM senders WHERE senders.id IS NOT NULL
       )
       SELECT sender.* FROM senders CROSS JOIN LATERAL (
                SELECT accounts.id, display_name AS name, username FROM accounts
                 WHERE accounts.id = senders.id LIMIT 1) AS sender
        ORDER BY name, username LIMIT ${MAX_SENDERS}`,
      [workspaceId],
    );
  }

  /** How many bytes of its room a workspace uses, the trash and unfinished uploads included. */
  async usedBytes(workspaceId: string): Promise<number> {
    const [row] = await this.database.query<{ bytes: number }>(
      'SELECT bytes FROM workspace_usage WHERE workspace_id = $1',
      [workspaceId],
    );
    return row?.bytes ?? 0;
  }
}
