import { parseDay } from '../../../kernel/parse-day.js';
import type { ListedUpload } from '../../uploads/index.js';
import { UPLOADS_PATH } from '../../../kernel/http/tus-headers.js';

/** The most uploads in one answer; also the number when the client gives no limit. */
const MAX_PAGE = 1000;

const PARAMETERS = [
  'limit',
  'after',
  'sha256',
  'name',
  'day',
  'project',
  'user',
  'document',
] as const;

/** The parameters that stay the same from page to page. */
const FILTERS = PARAMETERS.slice(2);

/** The place of an upload in the list. */
export interface ListPosition {
  readonly createdAt: Date;
  readonly id: string;
}

/** Which uploads the list has. */
export interface ApiFilter {
  /** A part of the name. Case and accents do not matter. Empty: any. */
  readonly name: string;
  /** The start of the day of upload (24 hours); undefined: any. */
  readonly day: Date | undefined;
  /** The id of a project, or `none`; undefined: any. */
  readonly project: string | undefined;
}

/** Which part of the list is wanted. */
export interface PageRequest {
  readonly limit: number;
  /** The upload before the first one wanted. */
  readonly after: ListPosition | undefined;
  /** Only uploads with this SHA-256, in lower-case hex. */
  readonly sha256: string | undefined;
  readonly filter: ApiFilter;
  /** Only the uploads of the user with this username. */
  readonly username: string | undefined;
  /** Only the current versions of the user's photos of this document, by its identity up to the first `#`. */
  readonly document: string | undefined;
  /** The parameters of the query that the next page has, too. */
  readonly kept: URLSearchParams;
}

/**
 * Reads the query of the list: `limit` (1 to 1000), `after` (a cursor from an earlier answer), `sha256` in hex, a part
 * of the `name`, the `day` of upload (UTC), a `project` by its id or `none`, a `user` by their username, and a `document` by its
 * identity.
 * @returns the request, or one sentence about the problem. Unknown and repeated parameters are wrong.
 */
export function readPageRequest(
  query: string | undefined,
): PageRequest | { readonly problem: string } {
  const given = [...new URLSearchParams(query)];
  const values = new Map(given);
  const known: readonly string[] = PARAMETERS;
  const isKnown = given.every(([name]) => known.includes(name));
  if (!isKnown || values.size !== given.length) {
    return { problem: `the list takes ${PARAMETERS.join(', ')}, each once` };
  }
  const limit = values.get('limit') ?? String(MAX_PAGE);
  if (!/^[1-9]\d{0,3}$/.test(limit) || Number(limit) > MAX_PAGE) {
    return { problem: `limit must be a whole number from 1 to ${MAX_PAGE}` };
  }
  const cursor = values.get('after');
  const after = cursor === undefined ? undefined : readCursor(cursor);
  if (cursor !== undefined && after === undefined) {
    return { problem: 'after must be a cursor from a previous response' };
  }
  const sha256 = values.get('sha256')?.toLowerCase();
  if (sha256 !== undefined && !/^[\da-f]{64}$/.test(sha256)) {
    return { problem: 'sha256 must be 64 hexadecimal digits' };
  }
  const day = values.get('day');
  const start = day === undefined ? undefined : parseDay(day);
  if (day !== undefined && start === undefined) {
    return { problem: 'day must be a date as YYYY-MM-DD' };
  }
  return {
    limit: Number(limit),
    after,
    sha256,
    filter: { name: values.get('name') ?? '', day: start, project: values.get('project') },
    username: values.get('user')?.toLowerCase(),
    document: values.get('document'),
    kept: new URLSearchParams(given.filter(([name]) => FILTERS.some((one) => one === name))),
  };
}

/** The address of the page that follows `last`. */
export function nextPage(
  { limit, kept }: Pick<PageRequest, 'limit' | 'kept'>,
  last: ListPosition,
): string {
  const filter = kept.size === 0 ? '' : `&${kept.toString()}`;
  return `${UPLOADS_PATH}?limit=${limit}&after=${last.createdAt.getTime()}.${last.id}${filter}`;
}

/** An upload as the list shows it. */
export function toListed(record: ListedUpload): Record<string, unknown> {
  return {
    id: record.id,
    name: record.name,
    size: record.size,
    type: record.type,
    sha256: record.sha256,
    created: record.createdAt.toISOString(),
    client_upload_id: record.clientUploadId ?? null,
    width: record.width ?? null,
    height: record.height ?? null,
    captured_at: record.capturedAt ?? null,
  };
}

/** A cursor is the time in milliseconds since 1970, a dot and the id: the sort key of the list. */
function readCursor(cursor: string): ListPosition | undefined {
  const [, time, id] = /^(\d{1,14})\.([A-Za-z0-9_-]{1,64})$/.exec(cursor) ?? [];
  return time === undefined || id === undefined
    ? undefined
    : { createdAt: new Date(Number(time)), id };
}
