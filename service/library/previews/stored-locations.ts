import { parse } from 'valibot';
import type { Queryable } from '../../kernel/database/database.js';
import { idArray } from '../../kernel/database/id-array.js';
import { prepared } from '../../kernel/database/prepared.js';
import { FILE_LOCATION, LOCATION_VERSION, type FileLocation } from './file-location.js';
import { isGivenUp } from './thumbnail-table.js';

/** What is known of the location in a stored file. `pending`: it is still to be searched. */
export type KnownLocation = FileLocation | { readonly kind: 'pending' };

/** A file whose search ended the service each time is given up. */
const IS_OVER = isGivenUp('$2');

const FIND = prepared(
  `SELECT location, location_version >= ${LOCATION_VERSION} AS is_current, ${IS_OVER} AS is_over
     FROM thumbnails WHERE upload_id = $1`,
);
const KINDS = prepared(
  `SELECT upload_id AS id,
          CASE WHEN location_version >= ${LOCATION_VERSION} THEN location->>'kind'
               WHEN ${IS_OVER} THEN 'unsearchable' ELSE 'pending' END AS kind
     FROM thumbnails WHERE upload_id = ANY (${idArray('$1')})`,
);

/** Where the location is in stored files. The picture process has found it: no request reads a file for it. */
export class StoredLocations {
  constructor(
    private readonly database: Queryable,
    private readonly now: () => Date,
  ) {}

  async of(id: string): Promise<KnownLocation> {
    const [row] = await this.database.query<{
      location: unknown;
      is_current: boolean;
      is_over: boolean | null;
    }>(FIND, [id, this.now()]);
    if (row !== undefined && row.is_current && row.location !== null) {
      return parse(FILE_LOCATION, row.location);
    }
    return row?.is_over === true
      ? { kind: 'unsearchable', reason: 'the search ended the service' }
      : { kind: 'pending' };
  }

  /** What is known of several files, by their ids. */
  async kinds(ids: readonly string[]): Promise<(id: string) => KnownLocation['kind']> {
    const rows = await this.database.query<{ id: string; kind: KnownLocation['kind'] }>(KINDS, [
      JSON.stringify(ids),
      this.now(),
    ]);
    const kinds = new Map(rows.map(({ id, kind }) => [id, kind]));
    return (id) => kinds.get(id) ?? 'pending';
  }
}
