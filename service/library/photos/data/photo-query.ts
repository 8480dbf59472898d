import { canSeeAll, visibilityOf, type Membership, type Visibility } from '../../../identity/index.js';
import { parseDay } from '../../../kernel/parse-day.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';
import { PROJECTS } from '../../../site/addresses/project-paths.js';
import { NO_PROJECT, type Project } from '../../projects/index.js';
import { ANSWER_KINDS, type AnswerKind } from '../../feedback/index.js';
import { PHOTO_KINDS, type PhotoKind } from './photo-kind.js';
import { ORDERS, type Cursor, type ListOrder, type Place } from './photo-order.js';
import type { Page } from './photo-table.js';
import type { PhotoFilter } from './photo-filter.js';

/** The query of a list page. Invalid values are ignored, because users also type addresses. */
export interface PhotoQuery {
  readonly workspace: Membership;
  /** The account id of the sender; empty: everybody. */
  readonly user: string;
  /** The words that are searched for; empty: none. */
  readonly text: string;
  readonly kind: PhotoKind | '';
  /** What guests of links said about the photos. */
  readonly answer: AnswerKind | '';
  /** The first and the last day of capture, as `YYYY-MM-DD`; empty: any. */
  readonly fromDay: string;
  readonly toDay: string;
  /** The id of a project, or {@link NO_PROJECT}; empty: any. */
  readonly project: string;
  readonly order: ListOrder;
  readonly from: Page['from'];
}

/** The parts of a query that a link to another list may change. */
type Change = Partial<Omit<PhotoQuery, 'workspace'>>;

/** A query without limits. */
export const EVERYTHING = {
  user: '',
  text: '',
  kind: '',
  answer: '',
  fromDay: '',
  toDay: '',
  project: '',
} as const satisfies Change;

/** The longest text that can be searched for: as long as a name can be. */
export const MAX_TEXT_LENGTH = 255;

const DAY_MS = 24 * 3_600_000;

/**
 * Reads the query of a list.
 * @param memberships the workspaces of the signed-in user. The name of any other workspace is ignored.
 * @param project the project whose page it is.
 * @returns undefined when the user belongs to no workspace.
 */
export function readQuery(
  query: URLSearchParams,
  memberships: readonly Membership[],
  project?: Pick<Project, 'id' | 'workspaceId'>,
): PhotoQuery | undefined {
  const wanted = project?.workspaceId ?? query.get('workspace');
  const workspace = memberships.find(({ id }) => id === wanted) ?? memberships[0];
  if (workspace === undefined) {
    return undefined;
  }
  const projectId = project?.id ?? readId(query.get('project') ?? '');
  const sort = query.get('sort');
  const order = ORDERS.find((one) => one === sort) ?? defaultOrder(projectId);
  const before = parsePlace(query.get('before'), order);
  const after = parsePlace(query.get('after'), order);
  return {
    workspace,
    user: canSeeAll(workspace) ? readId(query.get('user') ?? '') : '',
    text: (query.get('q') ?? '').trim().slice(0, MAX_TEXT_LENGTH),
    kind: PHOTO_KINDS.find((kind) => kind === query.get('type')) ?? '',
    answer: ANSWER_KINDS.find((kind) => kind === query.get('answer')) ?? '',
    fromDay: readDay(query.get('from') ?? ''),
    toDay: readDay(query.get('to') ?? ''),
    project: projectId,
    order,
    from:
      (after && { place: after, direction: 'after' }) ??
      (before && { place: before, direction: 'before' }),
  };
}

/** Projects begin with the oldest capture time, as they happened; workspaces begin with the newest. */
function defaultOrder(project: string): ListOrder {
  return isOneProject(project) ? 'captured' : 'captured-desc';
}

/** Whether a list shows one project, so that it is on the page of the project. */
export function isOneProject(project: string): boolean {
  return project !== '' && project !== NO_PROJECT;
}

/** The part of the workspace that this query shows to a user. */
export function viewIn({ workspace, user }: PhotoQuery, accountId: string): Visibility {
  const view = visibilityOf(workspace, accountId);
  return { ...view, accountId: view.accountId ?? (user === '' ? undefined : user) };
}

/** The filter that a query describes. */
export function filterOf({ text, kind, answer, fromDay, toDay, project }: PhotoQuery): PhotoFilter {
  const lastDay = parseDay(toDay);
  return {
    text,
    kind: kind === '' ? undefined : kind,
    answer: answer === '' ? undefined : answer,
    takenFrom: parseDay(fromDay),
    takenBefore: lastDay && new Date(lastDay.getTime() + DAY_MS),
    project: project === '' ? undefined : project,
  };
}

/** Whether a query shows only some of the photos of its page. */
export function isFiltered({ user, text, kind, answer, fromDay, toDay, project }: PhotoQuery): boolean {
  const isProjectChosen = project === NO_PROJECT;
  return isProjectChosen || [user, text, kind, answer, fromDay, toDay].some((one) => one !== '');
}

/** The page that shows a list: of its project, or of all photos. */
export function pageOf({ project }: Pick<PhotoQuery, 'project'>): string {
  return isOneProject(project) ? PROJECTS.project(project) : PHOTOS.root;
}

/**
 * The address of a list with the same query, except for `change`. Without `change.from` it begins at the top.
 * @param path one of the paths of {@link PHOTOS}, or that of the project.
 */
export function addressOf(path: string, query: PhotoQuery, change: Change = {}): string {
  const wanted = { ...query, from: undefined, ...change };
  return `${path}?${parametersOf(path, wanted).toString()}`;
}

/** The address of the page of a photo. Its parameters are those of the list that the photo is in; its workspace is that of the photo. */
export function photoAddress(id: string, query: PhotoQuery): string {
  const path = PHOTOS.photo(id);
  const parameters = parametersOf(path, { ...query, from: undefined });
  parameters.delete('workspace');
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}

/** The parameters of a list in its address. */
export function parametersOf(path: string, query: PhotoQuery): URLSearchParams {
  const { workspace, user, text, kind, answer, fromDay, toDay, project, order, from } = query;
  const isProjectPage = path.startsWith(`${PROJECTS.root}/`);
  const isDefaultOrder = order === defaultOrder(project);
  return new URLSearchParams({
    ...(!isProjectPage && { workspace: workspace.id }),
    ...(!isProjectPage && project !== '' && { project }),
    ...(text !== '' && { q: text }),
    ...(user !== '' && { user }),
    ...(kind !== '' && { type: kind }),
    ...(answer !== '' && { answer }),
    ...(fromDay !== '' && { from: fromDay }),
    ...(toDay !== '' && { to: toDay }),
    ...(!isDefaultOrder && { sort: order }),
    ...(from !== undefined && { [from.direction]: formatPlace(from.place) }),
  });
}

/** A place as an address holds it: the time in milliseconds since 1970, a dot and the id. */
export function formatCursor({ at, id }: Cursor): string {
  return `${at.getTime()}.${id}`;
}

/** Reads what {@link formatCursor} has written; undefined for anything else. */
export function parseCursor(cursor: string | null): Cursor | undefined {
  const [, time, id] = /^(-\d{1,13}|\d{1,14})\.([\w-]{1,64})$/.exec(cursor ?? '') ?? [];
  return time === undefined || id === undefined ? undefined : { at: new Date(Number(time)), id };
}

/** Like {@link formatCursor}; a name is in base64url. */
export function formatPlace({ at, id }: Place): string {
  return typeof at === 'string'
    ? `${Buffer.from(at).toString('base64url')}.${id}`
    : formatCursor({ at, id });
}

/** Reads what {@link formatPlace} has written for a list in this order; undefined for anything else. */
export function parsePlace(place: string | null, order: ListOrder): Place | undefined {
  if (order !== 'name' && order !== 'name-desc') {
    return parseCursor(place);
  }
  const [, name, id] = /^([\w-]{1,1400})\.([\w-]{1,64})$/.exec(place ?? '') ?? [];
  // The database refuses a text with a NUL.
  return name === undefined || id === undefined
    ? undefined
    : { at: Buffer.from(name, 'base64url').toString().replaceAll('\0', ''), id };
}

function readId(text: string): string {
  return /^[\w-]{1,64}$/.test(text) ? text : '';
}

function readDay(text: string): string {
  return parseDay(text) === undefined ? '' : text;
}
