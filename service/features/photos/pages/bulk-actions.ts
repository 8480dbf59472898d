import { sendPage, sendRedirect } from '../../../platform/http/responses.js';
import { message } from '../../../platform/i18n/message.js';
import type { ProjectTable } from '../../projects/project-table.js';
import type {
  AuthenticatedRequest,
  PageHandler,
} from '../../../auth/session/authenticated-request.js';
import { selectedPhotos } from './selection.js';
import { photoErrorPage } from './not-found-page.js';
import { PHOTOS } from '../../../platform/paths/photos.js';
import { canEdit, type Photo } from '../data/photo.js';
import { addressOf, readQuery } from '../data/photo-query.js';
import type { PhotoTable } from '../data/photo-table.js';

export interface ChangeChosenParts {
  readonly photos: PhotoTable;
  readonly projects: ProjectTable;
  readonly now: () => Date;
}

/** Puts the photos that are ticked in the list into the trash, or moves them to a project. */
export function bulkAction(parts: ChangeChosenParts): PageHandler {
  return async (context) => {
    const { response, account, memberships } = context;
    const chosen = await selectedPhotos(parts.photos, context);
    const isTheirs = chosen.every((photo) => canEdit(photo, account.id, memberships));
    const [first] = chosen;
    if (first === undefined || !isTheirs) {
      const problem = message(first === undefined ? 'chooseSome' : 'onlyOwnPhotos');
      sendPage(context, first === undefined ? 400 : 403, photoErrorPage(problem));
      return;
    }
    const done = await change(parts, context, [first, ...chosen.slice(1)]);
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

/** @returns the word for what was done; undefined if nothing was. */
async function change(
  { photos, projects, now }: ChangeChosenParts,
  { form, account }: AuthenticatedRequest,
  chosen: readonly [Photo, ...Photo[]],
): Promise<'trashedSeveral' | 'moved' | undefined> {
  const action = form?.get('action');
  if (action === 'trash') {
    for (const { id } of chosen) {
      await photos.trash(id, account.id, now());
    }
    return 'trashedSeveral';
  }
  const [{ workspaceId }] = chosen;
  if (action !== 'move' || chosen.some((photo) => photo.workspaceId !== workspaceId)) {
    return undefined;
  }
  const ids = chosen.map(({ id }) => id);
  const moved = await projects.move(workspaceId, ids, form?.get('project') ?? '');
  return moved.length > 0 ? 'moved' : undefined;
}
