import type { Provider } from 'oidc-provider';
import { sendPage, sendRedirect } from '../../../kernel/http/responses.js';
import { pageIn, timeIn, type FeedbackTable, type LabelTable } from '../../feedback/index.js';
import { SHOWN_USES, usedPage, type PlacementTable } from '../../placements/index.js';
import type { ProjectTable } from '../../projects/index.js';
import type { UploadStorage } from '../../uploads/index.js';
import {
  canEdit,
  canView,
  visibilityOf,
  type AuthenticatedRequest,
  type PageHandler,
  type Visibility,
} from '../../../identity/index.js';
import { appNamesOf } from '../data/app-names.js';
import { mediaTypeOf } from '../../previews/index.js';
import { photoNotFoundPage } from './not-found-page.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';
import type { Photo } from '../data/photo.js';
import type { ChangeRequest, PhotoChange, PhotoChanges } from '../data/photo-changes.js';
import {
  addressOf,
  filterOf,
  pageOf,
  parseCursor,
  photoAddress,
  readQuery,
  viewIn,
  type PhotoQuery,
} from '../data/photo-query.js';
import { placeOf } from '../data/photo-order.js';
import type { PhotoTable } from '../data/photo-table.js';
import type { VersionTable } from '../data/version-table.js';
import { undoChange } from './bulk-actions.js';
import { withChange, withChangeMessage, withProblem } from './change-message.js';
import { photoView, type PhotoView } from './photo-view.js';
import { SHOWN_VERSIONS } from './version-list.js';

export interface PhotoPageDeps {
  readonly photos: PhotoTable;
  readonly changes: PhotoChanges;
  readonly versions: VersionTable;
  readonly placements: PlacementTable;
  readonly answers: FeedbackTable;
  readonly labels: LabelTable;
  readonly projects: ProjectTable;
  readonly provider: Provider;
  readonly store: Pick<UploadStorage, 'readRange'>;
  readonly now: () => Date;
}

/**
 * Shows one photo in its current version, whichever of its versions the address names. Puts it into the trash and takes it
 * out again, makes another version the current one, and
 * makes a version a photo of its own.
 */
export function photoPage(deps: PhotoPageDeps): PageHandler {
  return async (context) => {
    const { response, id, form, account, memberships } = context;
    const photo = await deps.photos.findCurrent(id);
    // Users without access do not learn whether the photo exists.
    if (photo === undefined || !canView(photo, account.id, memberships)) {
      sendPage(context, 404, photoNotFoundPage());
      return;
    }
    const isTheirs = canEdit(photo, account.id, memberships);
    if (form === undefined) {
      // One more than is shown, to see whether there are more.
      const versions = await deps.versions.of(photo.photoId, {
        limit: SHOWN_VERSIONS + 1,
        before: parseCursor(context.query.get('before')),
      });
      const apps = await appNamesOf(deps.provider, [photo, ...versions]);
      const answers = await deps.answers.ofPhoto(photo.photoId);
      const isLabelled = answers.some(({ kind }) => kind === 'label');
      const about = {
        photo,
        isTheirs,
        now: deps.now(),
        ...(await placeInList(deps.photos, photo, context)),
        address: pageWithList(photo, context).page,
        projects: isTheirs ? await deps.projects.of(photo.workspaceId) : [],
        app: apps(photo.clientId),
        apps,
        versions,
        page: pageIn(photo, context.query.get('page')),
        time: timeIn(photo, context.query.get('time')),
        answers,
        labels: isLabelled ? await deps.labels.of(photo.workspaceId) : new Map<number, string>(),
        uses: await deps.placements.of(photo, viewOf(photo, context), SHOWN_USES + 1),
        isFirstPart: !context.query.has('before'),
        // The page is useful even while the storage is away.
        mediaType: await mediaTypeOf(deps.store, photo).catch(() => undefined),
        workspaceName: memberships.find((one) => one.id === photo.workspaceId)?.name ?? '',
      };
      sendPage(
        context,
        200,
        photoView(await withChangeMessage(deps.changes, context, about.address), about),
      );
      return;
    }
    const { page, list } = pageWithList(photo, context);
    if (form.get('action') === 'undo') {
      const undone = await undoChange(deps.changes, context);
      sendRedirect(
        response,
        undone === undefined ? withProblem(page, 'undoEnded') : withChange(page, undone),
      );
      return;
    }
    const used =
      isTheirs && form.get('action') === 'trash' && form.get('confirm') !== 'yes'
        ? await deps.placements.used(viewOf(photo, context), [photo.id], SHOWN_USES + 1)
        : [];
    if (used.length > 0) {
      sendPage(context, 200, usedPage(context.shell, { form, used, action: page, back: page }));
      return;
    }
    const goTo = isTheirs ? await change(deps, { photo, page, list }, form, account.id) : page;
    if (goTo === undefined) {
      sendPage(context, 404, photoNotFoundPage());
    } else {
      sendRedirect(response, goTo);
    }
  };
}

/** What a user sees of the workspace of a photo that they see. */
function viewOf(
  photo: Photo,
  { account, memberships }: Pick<AuthenticatedRequest, 'account' | 'memberships'>,
): Visibility {
  const workspace = memberships.find(({ id }) => id === photo.workspaceId);
  return workspace === undefined
    ? { workspaceId: photo.workspaceId, accountId: account.id }
    : visibilityOf(workspace, account.id);
}

/** The list that the address of the page describes, and the ids of the photos next to this one. */
async function placeInList(
  photos: PhotoTable,
  photo: Photo,
  { query, account, memberships }: AuthenticatedRequest,
): Promise<Pick<PhotoView, 'list' | 'previous' | 'next'>> {
  const ofPhoto = memberships.filter(({ id }) => id === photo.workspaceId);
  const list = photo.trashedAt === undefined ? readQuery(query, ofPhoto) : undefined;
  if (list === undefined) {
    return { list, previous: undefined, next: undefined };
  }
  const { order } = list;
  const page = { order, filter: filterOf(list) };
  const sides = await photos.neighbours(viewIn(list, account.id), page, placeOf(photo, order));
  return { list, ...sides };
}

/** The page of a photo. */
interface SentFrom {
  readonly photo: Photo;
  /** The address of its page, with the list that it was opened from. */
  readonly page: string;
  readonly list: PhotoQuery | undefined;
}

/** The address of the page of a photo, with the list that it was opened from. */
function pageWithList(
  photo: Photo,
  { query, memberships }: Pick<AuthenticatedRequest, 'query' | 'memberships'>,
): SentFrom {
  const ofPhoto = memberships.filter(({ id }) => id === photo.workspaceId);
  const list = readQuery(query, ofPhoto);
  const page = list === undefined ? PHOTOS.photo(photo.id) : photoAddress(photo.id, list);
  return { photo, page, list };
}

/** Handles the form. @returns the address to redirect to; undefined when the photo no longer exists. */
async function change(
  { photos, changes, now }: PhotoPageDeps,
  { photo, page, list: query }: SentFrom,
  form: URLSearchParams,
  accountId: string,
): Promise<string | undefined> {
  const { id, photoId, workspaceId, trashedAt } = photo;
  const action = form.get('action');
  const confirmed = form.get('confirm') === 'yes';
  const apply = (request: ChangeRequest): Promise<PhotoChange | undefined> =>
    changes.apply(request, { workspaceId, accountId: undefined }, accountId, [[id]]);
  if (action === 'trash') {
    const change = await apply({ kind: 'trashed' });
    const list = query === undefined ? PHOTOS.root : addressOf(pageOf(query), query);
    return change === undefined ? list : withChange(list, change);
  }
  if (action === 'move') {
    const change = await apply({ kind: 'moved', projectId: form.get('project') ?? '' });
    return change === undefined ? page : withChange(page, change);
  }
  // A button of its own in the form that chooses a version.
  if (form.has('detach')) {
    const version = await photos.find(form.get('detach') ?? '');
    const isDetached =
      version?.photoId === photoId && (await photos.detach(version.id)) === 'detached';
    return isDetached ? `${PHOTOS.photo(version.id)}?flash=versionDetached` : page;
  }
  if (action === 'use') {
    const version = await photos.find(form.get('version') ?? '');
    const isUsed = version?.photoId === photoId && (await photos.makeCurrent(version.id));
    const address = query === undefined ? PHOTOS.photo(photoId) : photoAddress(photoId, query);
    return isUsed ? `${address}${address.includes('?') ? '&' : '?'}flash=versionUsed` : address;
  }
  if (action === 'restore') {
    const change = await apply({ kind: 'restored' });
    if (change !== undefined) {
      return withChange(page, change);
    }
    // Restored before, perhaps at the same time.
    const found = await photos.find(id);
    return found !== undefined && found.trashedAt === undefined ? PHOTOS.photo(id) : undefined;
  }
  if (action === 'remove' && trashedAt !== undefined && confirmed) {
    const change = await apply({ kind: 'removed', until: now() });
    const list = `${PHOTOS.trash}?${new URLSearchParams({ workspace: workspaceId }).toString()}`;
    return change === undefined ? list : withChange(list, change);
  }
  return page;
}
