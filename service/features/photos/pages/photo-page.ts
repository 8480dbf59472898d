import type { Provider } from 'oidc-provider';
import { sendPage, sendRedirect } from '../../../platform/http/responses.js';
import { html, type Html } from '../../../platform/html-tag.js';
import type { Page } from '../../../platform/html/layout.js';
import type { Message } from '../../../platform/i18n/message.js';
import type { Translator } from '../../../platform/i18n/translator.js';
import { projectForm, type Project, type ProjectTable } from '../../projects/index.js';
import { shareButton } from '../../../platform/html/share-button.js';
import type { UploadStorage } from '../../uploads/index.js';
import { csrfField } from '../../../platform/html/form-fields.js';
import { renderShell, type PageShell } from '../../../auth/session/page-shell.js';
import type { PageHandler } from '../../../auth/session/authenticated-request.js';
import { appNamesOf } from '../data/app-names.js';
import { mediaTypeOf } from '../../previews/index.js';
import { photoNotFoundPage } from './not-found-page.js';
import { PHOTOS } from '../../../platform/paths/photo-paths.js';
import { leavesTrashAt, TRASH_DAYS, type Photo } from '../data/photo.js';
import { canEdit, canView } from '../../../auth/accounts/photo-policy.js';
import { parseCursor } from '../data/photo-query.js';
import type { ChangeRequest, PhotoChange, PhotoChanges } from '../data/photo-changes.js';
import { undoChange } from './bulk-actions.js';
import { withChange, withChangeMessage, withProblem } from './change-message.js';
import type { PhotoTable } from '../data/photo-table.js';
import { thumbnailImage } from './thumbnail-image.js';
import type { Version, VersionTable } from '../data/version-table.js';
import { SHOWN_VERSIONS, versionList } from './version-list.js';

export interface PhotoPageDeps {
  readonly photos: PhotoTable;
  readonly changes: PhotoChanges;
  readonly versions: VersionTable;
  readonly projects: ProjectTable;
  readonly provider: Provider;
  readonly store: Pick<UploadStorage, 'readRange'>;
  readonly now: () => Date;
}

/**
 * Shows one photo in its current version, whichever of its versions the address names. Puts it into the trash and takes it
 * out again, and makes another version the current one.
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
      const apps = await appNamesOf(deps.provider, [photo]);
      const about = {
        photo,
        isTheirs,
        projects: isTheirs ? await deps.projects.of(photo.workspaceId) : [],
        app: apps(photo.clientId),
        // One more than is shown, to see whether there are more.
        versions: await deps.versions.of(photo.photoId, {
          limit: SHOWN_VERSIONS + 1,
          before: parseCursor(context.query.get('before')),
        }),
        isFirstPart: !context.query.has('before'),
        // The page is useful even while the storage is away.
        mediaType: await mediaTypeOf(deps.store, photo).catch(() => undefined),
        workspaceName: memberships.find((one) => one.id === photo.workspaceId)?.name ?? '',
      };
      sendPage(
        context,
        200,
        onePhotoPage(await withChangeMessage(deps.changes, context, PHOTOS.photo(photo.id)), about),
      );
      return;
    }
    if (form.get('action') === 'undo') {
      const undone = await undoChange(deps.changes, context);
      const page = PHOTOS.photo(photo.id);
      sendRedirect(
        response,
        undone === undefined ? withProblem(page, 'undoEnded') : withChange(page, undone),
      );
      return;
    }
    const goTo = isTheirs ? await change(deps, photo, form, account.id) : PHOTOS.photo(photo.id);
    if (goTo === undefined) {
      sendPage(context, 404, photoNotFoundPage());
    } else {
      sendRedirect(response, goTo);
    }
  };
}

/** Handles the form. @returns the address to redirect to; undefined when the photo no longer exists. */
async function change(
  { photos, changes, now }: PhotoPageDeps,
  { id, photoId, workspaceId, trashedAt }: Photo,
  form: URLSearchParams,
  accountId: string,
): Promise<string | undefined> {
  const action = form.get('action');
  const confirmed = form.get('confirm') === 'yes';
  const apply = (request: ChangeRequest): Promise<PhotoChange | undefined> =>
    changes.apply(request, { workspaceId, accountId: undefined }, accountId, [[id]]);
  if (action === 'trash') {
    const change = await apply({ kind: 'trashed' });
    const list = `${PHOTOS.root}?${new URLSearchParams({ workspace: workspaceId }).toString()}`;
    return change === undefined ? list : withChange(list, change);
  }
  if (action === 'move') {
    const change = await apply({ kind: 'moved', projectId: form.get('project') ?? '' });
    return change === undefined ? PHOTOS.photo(id) : withChange(PHOTOS.photo(id), change);
  }
  if (action === 'use') {
    const version = await photos.find(form.get('version') ?? '');
    const isUsed = version?.photoId === photoId && (await photos.makeCurrent(version.id));
    return `${PHOTOS.photo(photoId)}${isUsed ? '?done=versionUsed' : ''}`;
  }
  if (action === 'restore') {
    const change = await apply({ kind: 'restored' });
    return change && withChange(PHOTOS.photo(id), change);
  }
  if (action === 'remove' && trashedAt !== undefined && confirmed) {
    const change = await apply({ kind: 'removed', until: now() });
    const list = `${PHOTOS.trash}?${new URLSearchParams({ workspace: workspaceId }).toString()}`;
    return change === undefined ? list : withChange(list, change);
  }
  return PHOTOS.photo(id);
}

/** The page of one photo: its facts, its original, and the forms to change it. */
function onePhotoPage(
  frame: PageShell,
  about: {
    photo: Photo;
    /** Whether the user may change it. */
    isTheirs: boolean;
    projects: readonly Project[];
    app: string | Message;
    versions: readonly Version[];
    /** Whether `versions` begins with the newest. */
    isFirstPart: boolean;
    mediaType: string | undefined;
    workspaceName: string;
  },
): Page {
  const { photo } = about;
  return renderShell(
    { name: photo.name },
    photo.trashedAt === undefined ? 'photos' : 'trash',
    frame,
    (translator) =>
      html`<h1><bdi>${photo.name}</bdi></h1>
        ${thumbnailImage(photo.id, 'large')}
        ${photo.trashedAt && trashedBox(translator, photo, photo.trashedAt)}
        <dl>
          <dt>${translator.t('fileType')}</dt>
          <dd>${about.mediaType ?? translator.t('unknownType')}</dd>
          <dt>${translator.t('fileSize')}</dt>
          <dd>${translator.exactBytes(photo.size)}</dd>
          ${pictureFacts(translator, photo)}
          <dt>SHA-256</dt>
          <dd><code>${photo.sha256}</code></dd>
          <dt>${translator.t('uploaded')}</dt>
          <dd>${translator.time(photo.uploadedAt)}</dd>
          <dt>${translator.t('sentByWhom')}</dt>
          <dd>${photo.uploaderName}</dd>
          <dt>${translator.t('app')}</dt>
          <dd>${typeof about.app === 'string' ? about.app : translator.format(about.app)}</dd>
          <dt>${translator.t('workspace')}</dt>
          <dd>${about.workspaceName}</dd>
          <dt>${translator.t('project')}</dt>
          <dd>${projectLink(photo) ?? translator.t('noProject')}</dd>
        </dl>
        <p>
          <a class="button" href="${PHOTOS.file(photo.id)}" download>${translator.t('download')}</a>
        </p>
        ${photo.trashedAt === undefined ? shareButton(translator, 'photo', photo.id) : undefined}
        ${versionList(translator, frame, about)}
        ${about.isTheirs ? changeForms(translator, frame, about) : undefined}`,
  );
}

/** The forms for users who may change the photo. */
function changeForms(
  translator: Translator,
  frame: PageShell,
  { photo, projects }: { photo: Photo; projects: readonly Project[] },
): Html {
  return photo.trashedAt === undefined
    ? html`${projectForm(translator, frame, photo, projects)}
        <form method="post" action="${PHOTOS.photo(photo.id)}">
          ${csrfField(frame)}
          <input type="hidden" name="action" value="trash" />
          <p class="small soft">
            ${translator.t('trashKeeps', { time: { amount: TRASH_DAYS, unit: 'day' } })}
          </p>
          <button type="submit" class="danger small">${translator.t('moveToTrash')}</button>
        </form>`
    : html`${restoreForm(translator, frame, photo.id)} ${removeForm(translator, frame, photo.id)}`;
}

/** Links to the photos of the project that a photo is in. */
function projectLink({ project, workspaceId }: Photo): Html | undefined {
  const query = new URLSearchParams({ workspace: workspaceId, project: project?.id ?? '' });
  return (
    project && html`<a href="${PHOTOS.root}?${query.toString()}"><bdi>${project.name}</bdi></a>`
  );
}

/** The size in pixels and the time it was taken, if the file contains them. */
function pictureFacts(translator: Translator, { width, height, capturedAt }: Photo): Html {
  const sides = width === undefined || height === undefined ? undefined : { width, height };
  return html`${
    sides &&
    html`<dt>${translator.t('dimensions')}</dt>
      <dd>${translator.t('pixels', sides)}</dd>`
  }
  ${
    capturedAt === undefined
      ? undefined
      : html`<dt>${translator.t('captured')}</dt>
          <dd>${translator.localTime(capturedAt)}</dd>`
  }`;
}

function trashedBox(translator: Translator, photo: Photo, trashedAt: Date): Html {
  return html`<p class="box">
    ${translator.html('isInTrash', { time: translator.time(leavesTrashAt(trashedAt)) })}
    ${photo.trashedByName === undefined ? undefined : translator.t('trashedBy', { user: photo.trashedByName })}
  </p>`;
}

/** For users who need the space before the 30 days end, for example in a full workspace. */
function removeForm(translator: Translator, frame: PageShell, id: string): Html {
  return html`<form method="post" action="${PHOTOS.photo(id)}">
    ${csrfField(frame)}
    <input type="hidden" name="action" value="remove" />
    <label class="option"
      ><input type="checkbox" name="confirm" value="yes" required />
      ${translator.t('cannotComeBack')}</label
    >
    <button type="submit" class="danger small">${translator.t('removeNow')}</button>
  </form>`;
}

/** The form that takes a photo out of the trash. */
export function restoreForm(translator: Translator, frame: PageShell, id: string): Html {
  return html`<form method="post" action="${PHOTOS.photo(id)}">
    ${csrfField(frame)}
    <button type="submit" name="action" value="restore" class="quiet small">
      ${translator.t('restore')}
    </button>
  </form>`;
}
