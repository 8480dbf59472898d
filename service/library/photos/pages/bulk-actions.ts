import {
  editableBy,
  noWorkspaceYetPage,
  visibilityOf,
  type AuthenticatedRequest,
  type PageHandler,
  type Visibility,
} from '../../../identity/index.js';
import { sendPage, sendRedirect } from '../../../kernel/http/responses.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';
import {
  SHOWN_USES,
  usedPage,
  type PlacementTable,
  type UsedFile,
} from '../../placements/index.js';
import { projectNameProblem, type ProjectTable } from '../../projects/index.js';
import type { ChangeRequest, PhotoChange, PhotoChanges } from '../data/photo-changes.js';
import { addressOf, readQuery, type PhotoQuery } from '../data/photo-query.js';
import type { PhotoTable } from '../data/photo-table.js';
import { pageOfList, withChange, withProblem, type SelectionProblem } from './change-message.js';
import { removalPage } from './removal-page.js';
import { editableSelection, parseUntil, type EditableSelection } from './selection.js';

export interface BulkActionDeps {
  readonly photos: PhotoTable;
  readonly changes: PhotoChanges;
  readonly projects: ProjectTable;
  readonly placements: Pick<PlacementTable, 'used'>;
  readonly now: () => Date;
}

/** The value of a button that moves photos out of their projects. */
export const MOVE_OUT = 'none';

/** The value of a button that moves photos into a new project. */
export const MOVE_TO_NEW = 'new';

/** The value of the button that Enter presses: it moves photos into a new project if one is named. */
export const MOVE_IF_NAMED = 'named';

/**
 * Puts the selected photos of a list into the trash or moves them to a project; restores or removes those of the trash;
 * and undoes that. The response leads back to the same part of the list.
 */
export function bulkAction(deps: BulkActionDeps, path: '/photos' | '/photos/trash'): PageHandler {
  return async (context) => {
    const { response, account, memberships, shell } = context;
    const query = readQuery(context.query, memberships);
    if (query === undefined) {
      sendPage(context, 403, noWorkspaceYetPage('photos', shell, account.username));
      return;
    }
    const goTo = await act(deps, forOnePhoto(context), { query, path });
    if (goTo !== undefined) {
      sendRedirect(response, goTo);
    }
  };
}

/** The button of one photo restores it, whatever is selected. */
function forOnePhoto(context: AuthenticatedRequest): AuthenticatedRequest {
  const id = context.form?.get('restore') ?? undefined;
  return id === undefined
    ? context
    : { ...context, form: new URLSearchParams({ photo: id, action: 'restore' }) };
}

/** @returns where to redirect to; undefined when a page was sent. */
async function act(
  deps: BulkActionDeps,
  context: AuthenticatedRequest,
  { query, path }: { readonly query: PhotoQuery; readonly path: '/photos' | '/photos/trash' },
): Promise<string | undefined> {
  const { form, account } = context;
  const back =
    path === PHOTOS.trash ? addressOf(path, query, { from: query.from }) : pageOfList(query);
  if (form?.get('action') === 'undo') {
    const undone = await undoChange(deps.changes, context);
    return undone === undefined ? withProblem(back, 'undoEnded') : withChange(back, undone);
  }
  const isTrash = path === PHOTOS.trash;
  if (form?.get('move') === MOVE_IF_NAMED && (form.get('newProject') ?? '').trim() === '') {
    return back;
  }
  const found = await editableSelection(deps, context, { query, isTrash });
  if (typeof found === 'string') {
    return withProblem(back, found);
  }
  // The list is read once: it may be different a moment later.
  const selection = { ...found, parts: await allParts(found) };
  const isQuestion = form?.get('action') === 'trash' && form.get('confirm') !== 'yes';
  if (form?.get('action') === 'remove' && form.get('confirm') !== 'yes') {
    const until = parseUntil(form, deps.now());
    const { count } = selection;
    sendPage(context, 200, removalPage(context.shell, { form, count, until, back }));
    return undefined;
  }
  if (isQuestion) {
    const view = visibilityOf(selection.workspace, account.id);
    const used = await usedIn(deps, selection.parts, view);
    if (used.length > 0) {
      const action = addressOf(path, query, { from: query.from });
      sendPage(context, 200, usedPage(context.shell, { form, used, action, back }));
      return undefined;
    }
  }
  const request = await requestIn(deps, context, selection);
  if ('problem' in request) {
    return withProblem(back, request.problem, request.name);
  }
  const { view, parts, workspace } = selection;
  const change = await deps.changes.apply(request, view, account.id, parts);
  const here =
    workspace.id === query.workspace.id
      ? back
      : `${path}?${new URLSearchParams({ workspace: workspace.id }).toString()}`;
  if (change === undefined) {
    return withProblem(here, request.kind === 'moved' ? 'projectGone' : 'photosUnchanged');
  }
  return withChange(here, change);
}

async function allParts({ parts }: EditableSelection): Promise<(readonly string[])[]> {
  const all: (readonly string[])[] = [];
  for await (const part of parts) {
    all.push(part);
  }
  return all;
}

/** Those of the selected files that are used in files that are not selected with them. */
async function usedIn(
  { placements }: BulkActionDeps,
  parts: readonly (readonly string[])[],
  view: Visibility,
): Promise<UsedFile[]> {
  const selected = new Set(parts.flat());
  const used: UsedFile[] = [];
  for (const part of parts) {
    const found = await placements.used(view, part, SHOWN_USES + 1);
    used.push(...found.filter(({ container }) => !selected.has(container.id)));
    if (used.length > SHOWN_USES) {
      break;
    }
  }
  return used;
}

/** Undoes the change that the address names. @returns undefined when it cannot be undone. */
export function undoChange(
  changes: PhotoChanges,
  { query, account, memberships }: AuthenticatedRequest,
): Promise<PhotoChange | undefined> {
  return changes.undo(query.get('change') ?? '', account.id, (workspaceId) => {
    const workspace = memberships.find(({ id }) => id === workspaceId);
    return workspace && editableBy(workspace, account.id);
  });
}

const ACTIONS: ReadonlyMap<string, (until: Date) => ChangeRequest> = new Map<
  string,
  (until: Date) => ChangeRequest
>([
  ['trash', () => ({ kind: 'trashed' })],
  ['restore', () => ({ kind: 'restored' })],
  ['remove', (until) => ({ kind: 'removed', until })],
]);

/** What the pressed button requests. It may make a project first. */
async function requestIn(
  { projects, now }: BulkActionDeps,
  { form, account }: AuthenticatedRequest,
  { workspace }: EditableSelection,
): Promise<ChangeRequest | { readonly problem: SelectionProblem; readonly name?: string }> {
  const moveTo = form?.get('move') ?? undefined;
  if (moveTo === undefined) {
    return (
      ACTIONS.get(form?.get('action') ?? '')?.(parseUntil(form, now())) ?? {
        problem: 'photosUnchanged',
      }
    );
  }
  if (moveTo !== MOVE_TO_NEW && moveTo !== MOVE_IF_NAMED) {
    return { kind: 'moved', projectId: moveTo === MOVE_OUT ? '' : moveTo };
  }
  const name = (form?.get('newProject') ?? '').trim();
  if (projectNameProblem(name) !== undefined) {
    return { problem: 'projectName', name: name.slice(0, 100) };
  }
  const made = await projects.create(workspace.id, name, account.id);
  if (typeof made === 'string') {
    return { problem: made === 'taken' ? 'projectNameTaken' : 'tooManyProjects' };
  }
  return { kind: 'moved', projectId: made.id };
}
