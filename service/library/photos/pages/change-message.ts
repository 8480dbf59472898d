import type { AuthenticatedRequest, PageShell } from '../../../identity/index.js';
import { message, type Message, type PlainKey } from '../../../kernel/i18n/message.js';
import { MAX_PROJECTS, projectNameProblem } from '../../projects/index.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';
import { addressOf, pageOf, type PhotoQuery } from '../data/photo-query.js';
import type { PhotoChange, PhotoChanges } from '../data/photo-changes.js';
import { MAX_SELECTED, MAX_SELECTED_OF_LIST } from './selection.js';

/** Why nothing was done with the selected photos. */
export type SelectionProblem =
  | 'chooseSome'
  | 'onlyOwnPhotos'
  | 'selectedTooMany'
  | 'listTooLong'
  | 'projectGone'
  | 'projectName'
  | 'projectNameTaken'
  | 'tooManyProjects'
  | 'undoEnded'
  | 'photosUnchanged';

/**
 * Adds the message about a change or a problem, which the address names.
 * @param undoAt the address to which Undo is sent.
 */
export async function withChangeMessage(
  changes: PhotoChanges,
  { query, account, shell }: Pick<AuthenticatedRequest, 'query' | 'account' | 'shell'>,
  undoAt: string,
): Promise<PageShell> {
  const problem = problemMessage(query);
  if (problem !== undefined) {
    return { ...shell, problem };
  }
  const id = query.get('change');
  const change = id === null ? undefined : await changes.find(id, account.id);
  if (change === undefined) {
    return shell;
  }
  const mayUndo = change.undone === undefined && change.kind !== 'removed';
  return {
    ...shell,
    flash: changeMessage(change),
    undo: mayUndo ? withChange(undoAt, change) : undefined,
  };
}

/** {@link withChangeMessage} for a list. */
export function withListMessage(
  changes: PhotoChanges,
  context: AuthenticatedRequest,
  query: PhotoQuery,
): Promise<PageShell> {
  return withChangeMessage(changes, context, addressOf(PHOTOS.root, query, { from: query.from }));
}

/** The address of the page that shows a list, at the same place. */
export function pageOfList(query: PhotoQuery): string {
  return addressOf(pageOf(query), query, { from: query.from });
}

/** The address of a page with the message about a change. */
export function withChange(address: string, change: Pick<PhotoChange, 'id'>): string {
  return withParameters(address, { change: change.id });
}

/** The address of a page with the message about a problem. @param name the name of a project that is refused. */
export function withProblem(address: string, problem: SelectionProblem, name?: string): string {
  return withParameters(address, { problem, ...(name !== undefined && { name }) });
}

function withParameters(address: string, parameters: Record<string, string>): string {
  const separator = address.includes('?') ? '&' : '?';
  return `${address}${separator}${new URLSearchParams(parameters).toString()}`;
}

function problemMessage(query: URLSearchParams): Message | undefined {
  const given = query.get('problem');
  if (given === 'projectName') {
    return projectNameProblem((query.get('name') ?? '').trim());
  }
  return given === null ? undefined : PROBLEMS.get(given);
}

const PROBLEMS: ReadonlyMap<string, Message> = new Map<SelectionProblem, Message>([
  ...(
    [
      'chooseSome',
      'onlyOwnPhotos',
      'projectGone',
      'projectNameTaken',
      'undoEnded',
      'photosUnchanged',
    ] as const
  ).map((key): [SelectionProblem, Message] => [key, message(key)]),
  ['selectedTooMany', message('selectedTooMany', { max: MAX_SELECTED })],
  ['listTooLong', message('selectedTooMany', { max: MAX_SELECTED_OF_LIST })],
  ['tooManyProjects', message('tooManyProjects', { max: MAX_PROJECTS })],
]);

/** What was done, in one sentence. */
function changeMessage({ kind, photos, undone, projectName }: PhotoChange): Message {
  if (undone !== undefined) {
    return undone === 0 ? message('nothingUndone') : counted(undone, ...UNDONE[kind]);
  }
  if (kind === 'moved' && projectName !== undefined) {
    return photos === 1
      ? message('photoMovedTo', { project: projectName })
      : message('photosMovedTo', { count: photos, project: projectName });
  }
  return counted(photos, ...DONE[kind]);
}

type CountKeys = readonly [
  one: PlainKey,
  several:
    | 'photosTrashed'
    | 'photosRestored'
    | 'photosRemoved'
    | 'photosMovedOut'
    | 'photosMovedBack'
    | 'photosBackInTrash',
];

const DONE: Readonly<Record<PhotoChange['kind'], CountKeys>> = {
  trashed: ['photoTrashed', 'photosTrashed'],
  restored: ['photoRestored', 'photosRestored'],
  removed: ['photoRemoved', 'photosRemoved'],
  moved: ['photoMovedOut', 'photosMovedOut'],
};

const UNDONE: Readonly<Record<PhotoChange['kind'], CountKeys>> = {
  trashed: ['photoRestored', 'photosRestored'],
  restored: ['photoBackInTrash', 'photosBackInTrash'],
  removed: ['photoRemoved', 'photosRemoved'],
  moved: ['photoMovedBack', 'photosMovedBack'],
};

function counted(count: number, ...[one, several]: CountKeys): Message {
  return count === 1 ? message(one) : message(several, { count });
}
