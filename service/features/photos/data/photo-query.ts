import type { Membership } from '../../../auth/accounts/accounts.js';
import { parseDay } from '../../../platform/parse-day.js';
import { canSeeAll, visibilityOf, type Visibility } from '../../../auth/accounts/photo-policy.js';
import type { Page, PhotoFilter, Cursor } from './photo-table.js';

/** The query of a list page. Invalid values are ignored, because users also type addresses. */
export interface PhotoQuery {
  readonly workspace: Membership;
  /** The account id of the sender; empty: everybody. */
  readonly user: string;
  readonly name: string;
  /** As `YYYY-MM-DD`; empty: any. */
  readonly day: string;
  /** The id of a project, or {@link NO_PROJECT}; empty: any. */
  readonly project: string;
  readonly from: Page['from'];
}

/** The parts of a query that a link to another list may change. */
type Change = Partial<Pick<PhotoQuery, 'user' | 'name' | 'day' | 'project' | 'from'>>;

/** The longest part of a name that can be searched for: as long as a name can be. */
export const MAX_NAME_LENGTH = 255;

/**
 * Reads the query of a list.
 * @param memberships the workspaces of the signed-in user. The name of any other workspace is ignored.
 * @returns undefined when the user belongs to no workspace.
 */
export function readQuery(
  query: URLSearchParams,
  memberships: readonly Membership[],
): PhotoQuery | undefined {
  const wanted = query.get('workspace');
  const workspace = memberships.find(({ id }) => id === wanted) ?? memberships[0];
  if (workspace === undefined) {
    return undefined;
  }
  const older = parseCursor(query.get('before'));
  const newer = parseCursor(query.get('after'));
  return {
    workspace,
    user: canSeeAll(workspace) ? (query.get('user') ?? '') : '',
    name: (query.get('name') ?? '').trim().slice(0, MAX_NAME_LENGTH),
    day: readDay(query.get('day') ?? ''),
    project: readId(query.get('project') ?? ''),
    from:
      (older && { place: older, direction: 'older' }) ??
      (newer && { place: newer, direction: 'newer' }),
  };
}

/** The part of the workspace that this query shows to a user. */
export function viewIn({ workspace, user }: PhotoQuery, accountId: string): Visibility {
  const view = visibilityOf(workspace, accountId);
  return { ...view, accountId: view.accountId ?? (user === '' ? undefined : user) };
}

/** The filter that a query describes. */
export function filterOf({ name, day, project }: PhotoQuery): PhotoFilter {
  return {
    name,
    day: parseDay(day),
    project: project === '' ? undefined : project,
  };
}

/** Whether a query shows only some of the photos. */
export function isFiltered({ user, name, day, project }: PhotoQuery): boolean {
  return [user, name, day, project].some((one) => one !== '');
}

/** The address of a list with the same query, except for `change`. Without `change.from` it begins at the top. */
export function addressOf(
  path: string,
  query: PhotoQuery,
  change: Change = {},
): string {
  const { workspace, user, name, day, project, from } = { ...query, from: undefined, ...change };
  const cursor = from && formatCursor(from.place);
  const parameters = new URLSearchParams({
    workspace: workspace.id,
    ...(user !== '' && { user }),
    ...(name !== '' && { name }),
    ...(day !== '' && { day }),
    ...(project !== '' && { project }),
    ...(cursor !== undefined && { [from?.direction === 'newer' ? 'after' : 'before']: cursor }),
  });
  return `${path}?${parameters.toString()}`;
}

/** A place as an address holds it: the time in milliseconds since 1970, a dot and the id. */
export function formatCursor({ at, id }: Cursor): string {
  return `${at.getTime()}.${id}`;
}

/** Reads what {@link formatCursor} has written; undefined for anything else. */
export function parseCursor(cursor: string | null): Cursor | undefined {
  const [, time, id] = /^(\d{1,14})\.([\w-]{1,64})$/.exec(cursor ?? '') ?? [];
  return time === undefined || id === undefined ? undefined : { at: new Date(Number(time)), id };
}

function readId(text: string): string {
  return /^[\w-]{1,64}$/.test(text) ? text : '';
}

function readDay(text: string): string {
  return parseDay(text) === undefined ? '' : text;
}
