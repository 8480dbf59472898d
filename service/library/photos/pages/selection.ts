import {
  canEdit,
  canView,
  editableBy,
  type Visibility,
  type Membership,
  type AuthenticatedRequest,
} from '../../../identity/index.js';
import type { PhotoChanges } from '../data/photo-changes.js';
import { filterOf, viewIn, type PhotoQuery } from '../data/photo-query.js';
import type { ListedPhoto, PhotoTable } from '../data/photo-table.js';
import type { Photo } from '../data/photo.js';

/** How many photos a form can name. */
export const MAX_SELECTED = 1000;

/** How many photos of a list can be selected without naming them. */
export const MAX_SELECTED_OF_LIST = 10_000;

/** Room for the ids of {@link MAX_SELECTED} photos, in bytes. */
export const SELECTION_BODY_BYTES = 64 * 1024;

/** Selected photos that their user may change. They are in one workspace. */
export interface EditableSelection {
  readonly workspace: Membership;
  /** What the user may change in the workspace. */
  readonly view: Visibility;
  readonly count: number;
  /** The ids of versions. */
  readonly parts: AsyncIterable<readonly string[]> | Iterable<readonly string[]>;
}

type Refused = 'chooseSome' | 'onlyOwnPhotos' | 'selectedTooMany' | 'listTooLong';

interface SelectionDeps {
  readonly photos: PhotoTable;
  readonly changes: PhotoChanges;
  readonly now: () => Date;
}

type Sent = Pick<AuthenticatedRequest, 'form' | 'account' | 'memberships'>;

/** Whether the form selects all photos of the list that its address describes. */
export function isWholeList({ form }: Pick<AuthenticatedRequest, 'form'>): boolean {
  return form?.has('all') === true;
}

/**
 * The photos that are ticked in a list, each in its current version, without those that the user may not see.
 * Undefined if there are more than {@link MAX_SELECTED}.
 */
export async function selectedPhotos(
  photos: Pick<PhotoTable, 'severalCurrent'>,
  { form, account, memberships }: Sent,
): Promise<Photo[] | undefined> {
  const ids = idsIn(form, 'photo');
  if (ids.length > MAX_SELECTED) {
    return undefined;
  }
  const found = await photos.severalCurrent(ids);
  return found.filter((photo) => canView(photo, account.id, memberships));
}

/** All photos of a list, except for those that are unticked, in parts. */
export async function* selectedOfList(
  photos: Pick<PhotoTable, 'listed'>,
  query: PhotoQuery,
  { form, account }: Pick<Sent, 'form' | 'account'>,
): AsyncGenerator<readonly ListedPhoto[]> {
  const excepted = new Set(idsIn(form, 'except'));
  for await (const part of photos.listed(viewIn(query, account.id), filterOf(query))) {
    yield part.filter(({ id }) => !excepted.has(id));
  }
}

/** The photos of a list, or of the trash, that the form selects, if the user may change all of them. */
export async function editableSelection(
  deps: SelectionDeps,
  context: Sent,
  { query, isTrash }: { readonly query: PhotoQuery; readonly isTrash: boolean },
): Promise<EditableSelection | Refused> {
  if (!isWholeList(context)) {
    return named(deps, context);
  }
  const { form, account } = context;
  const { workspace } = query;
  const view = editableBy(workspace, account.id);
  const excepted = new Set(idsIn(form, 'except'));
  const most = MAX_SELECTED_OF_LIST + 1;
  const count = isTrash
    ? await deps.changes.countTrash(view)
    : await deps.photos.count(viewIn(query, account.id), filterOf(query), most);
  if (count > MAX_SELECTED_OF_LIST) {
    return 'listTooLong';
  }
  if (!isTrash && !(await isAllTheirs(deps, query, account.id, count))) {
    return 'onlyOwnPhotos';
  }
  const parts = isTrash
    ? without(deps.changes.inTrash(view, parseUntil(form, deps.now())), excepted)
    : idsOf(selectedOfList(deps.photos, query, context));
  return count <= excepted.size
    ? 'chooseSome'
    : { workspace, view, count: count - excepted.size, parts };
}

/** Until when photos that are meant were put into the trash: when the question was asked. */
export function parseUntil(form: URLSearchParams | undefined, now: Date): Date {
  const until = form?.get('until') ?? '';
  return /^\d{1,14}$/.test(until) ? new Date(Math.min(Number(until), now.getTime())) : now;
}

async function named(deps: SelectionDeps, context: Sent): Promise<EditableSelection | Refused> {
  const { account, memberships } = context;
  const selected = await selectedPhotos(deps.photos, context);
  if (selected === undefined) {
    return 'selectedTooMany';
  }
  const [first] = selected;
  const workspace = memberships.find(({ id }) => id === first?.workspaceId);
  if (workspace === undefined) {
    return 'chooseSome';
  }
  const areTheirs = selected.every(
    (photo) => photo.workspaceId === workspace.id && canEdit(photo, account.id, memberships),
  );
  return areTheirs
    ? {
        workspace,
        view: editableBy(workspace, account.id),
        count: selected.length,
        parts: [selected.map(({ id }) => id)],
      }
    : 'onlyOwnPhotos';
}

/** Whether a list has no photos that the user sees but may not change. */
async function isAllTheirs(
  { photos }: SelectionDeps,
  query: PhotoQuery,
  accountId: string,
  count: number,
): Promise<boolean> {
  const { accountId: only } = editableBy(query.workspace, accountId);
  const view = viewIn(query, accountId);
  if (only === undefined || view.accountId === only) {
    return true;
  }
  const own = await photos.count({ ...view, accountId: only }, filterOf(query), count + 1);
  return view.accountId === undefined && own === count;
}

function idsIn(form: URLSearchParams | undefined, field: 'photo' | 'except'): string[] {
  return [...new Set(form?.getAll(field))].filter((id) => /^[\w-]{1,64}$/.test(id));
}

async function* idsOf(
  parts: AsyncIterable<readonly ListedPhoto[]>,
): AsyncGenerator<readonly string[]> {
  for await (const part of parts) {
    yield part.map(({ id }) => id);
  }
}

async function* without(
  parts: AsyncIterable<readonly string[]>,
  excepted: ReadonlySet<string>,
): AsyncGenerator<readonly string[]> {
  for await (const part of parts) {
    yield part.filter((id) => !excepted.has(id));
  }
}
