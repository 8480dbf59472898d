import { sendPage, sendRedirect } from '../../../platform/http/responses.js';
import { message } from '../../../platform/i18n/message.js';
import type { ProjectTable } from '../../projects/index.js';
import type {
  AuthenticatedRequest,
  PageHandler,
} from '../../../auth/session/authenticated-request.js';
import { selectedPhotos } from './selection.js';
import { photoErrorPage } from './not-found-page.js';
import { PHOTOS } from '../../../platform/paths/photo-paths.js';
import type { Photo } from '../data/photo.js';
import { canEdit } from '../../../auth/accounts/photo-policy.js';
import { addressOf, readQuery } from '../data/photo-query.js';
import type { PhotoTable } from '../data/photo-table.js';

export interface BulkActionDeps {
  readonly photos: PhotoTable;
  readonly projects: ProjectTable;
  readonly now: () => Date;
}

/** Puts the photos that are ticked in the list into the trash, or moves them to a project. */
export function bulkAction(deps: BulkActionDeps): PageHandler {
  return async (context) => {
    const { response, account, memberships } = context;
    const selected = await selectedPhotos(deps.photos, context);
    const isTheirs = selected.every((photo) => canEdit(photo, account.id, memberships));
    const [first] = selected;
    if (first === undefined || !isTheirs) {
      const problem = message(first === undefined ? 'chooseSome' : 'onlyOwnPhotos');
      sendPage(context, first === undefined ? 400 : 403, photoErrorPage(problem));
      return;
    }
    const done = await change(deps, context, [first, ...selected.slice(1)]);
    if (done === undefined) {
      sendPage(context, 400, photoErrorPage(message('cannotBeDone')));
      return;
    }
    // Back to the same part of the list.
    const query = readQuery(context.query, memberships);
    const back =
      query?.workspace.id === first.workspaceId
        ? `${addressOf(PHOTOS.root, query, { from: query.from })}&`
        : `${PHOTOS.root}?workspace=${first.workspaceId}&`;
    sendRedirect(response, `${back}done=${done}`);
  };
}

/** @returns the name of the change; undefined if nothing changed. */
async function change(
  { photos, projects, now }: BulkActionDeps,
  { form, account }: AuthenticatedRequest,
  selected: readonly [Photo, ...Photo[]],
): Promise<'trashedSeveral' | 'moved' | undefined> {
  const action = form?.get('action');
  if (action === 'trash') {
    for (const { id } of selected) {
      await photos.trash(id, account.id, now());
    }
    return 'trashedSeveral';
  }
  const [{ workspaceId }] = selected;
  if (action !== 'move' || selected.some((photo) => photo.workspaceId !== workspaceId)) {
    return undefined;
  }
  const ids = selected.map(({ id }) => id);
  const moved = await projects.move(workspaceId, ids, form?.get('project') ?? '');
  return moved.length > 0 ? 'moved' : undefined;
}
