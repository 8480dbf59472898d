import { readProjectRef, type ProjectRef } from '../../api/project.js';
import { parseJsonObject, textField } from '../../util/json.js';

/** What the files are, and the orders of the list, as the service names them. */
export const LIBRARY_KINDS = ['image', 'document', 'video', 'other'] as const;
export const LIBRARY_ORDERS = [
  'captured-desc',
  'captured',
  'uploaded-desc',
  'uploaded',
  'name',
  'name-desc',
] as const;

export type LibraryKind = (typeof LIBRARY_KINDS)[number];
export type LibraryOrder = (typeof LIBRARY_ORDERS)[number];

/** Which files are listed, and in which order. */
export interface LibraryQuery {
  /** Words that name, title, keywords or camera have; empty for any. */
  readonly text: string;
  readonly project: ProjectRef | null;
  readonly kind: LibraryKind | null;
  /** Only those that a guest has approved. */
  readonly isApproved: boolean;
  /** Only the user's own. Others need a permission. */
  readonly isMine: boolean;
  readonly order: LibraryOrder;
}

export const FIRST_QUERY: LibraryQuery = {
  text: '',
  project: null,
  kind: null,
  isApproved: false,
  isMine: true,
  order: 'captured-desc',
};

/** The longest text that the service searches for. UTF-16 code units. */
export const MAX_SEARCH_LENGTH = 255;

/** How many files a request returns. */
const PAGE_SIZE = 100;

/** The query of a request for the first page, with `?`. */
export function queryString({
  text,
  project,
  kind,
  isApproved,
  isMine,
  order,
}: LibraryQuery): string {
  const q = text.trim();
  const parts = [
    `limit=${PAGE_SIZE}`,
    `sort=${order}`,
    ...(q === '' ? [] : [`q=${encodeURIComponent(q)}`]),
    ...(project === null ? [] : [`project=${encodeURIComponent(project.id)}`]),
    ...(kind === null ? [] : [`kind=${kind}`]),
    ...(isApproved ? ['approved=true'] : []),
    ...(isMine ? ['mine=true'] : []),
  ];
  return `?${parts.join('&')}`;
}

/** Whether the query leaves files out. */
export function isLimited({ text, project, kind, isApproved }: LibraryQuery): boolean {
  return text.trim() !== '' || project !== null || kind !== null || isApproved;
}

/** The text that stores a query. What was searched for is not stored. @param owner  see `owner.ts` */
export function writeQuery(query: LibraryQuery, owner: string): string {
  return JSON.stringify({ version: 1, owner, ...query, text: undefined });
}

/** Reads a stored query and whose it is; null when it cannot be read. */
export function readQuery(
  stored: string,
): { readonly owner: string; readonly query: LibraryQuery } | null {
  const body = parseJsonObject(stored);
  const owner = body && textField(body, 'owner');
  if (body?.['version'] !== 1 || owner === null) {
    return null;
  }
  const { project, kind, order, isMine, isApproved } = body;
  const query = {
    text: '',
    project: readProjectRef(project),
    kind: LIBRARY_KINDS.find((one) => one === kind) ?? null,
    isApproved: isApproved === true,
    isMine: isMine !== false,
    order: LIBRARY_ORDERS.find((one) => one === order) ?? FIRST_QUERY.order,
  };
  return { owner, query };
}
