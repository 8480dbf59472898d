import type { Provider } from 'oidc-provider';
import { sendPage, sendRedirect } from '../http/responses.js';
import { markup, type Html } from '../pages/html.js';
import type { Page } from '../pages/layout.js';
import type { Sentence } from '../pages/sentence.js';
import type { Speech } from '../pages/speech.js';
import { projectForm } from '../projects/blocks.js';
import type { Project } from '../projects/project.js';
import type { ProjectTable } from '../projects/project-table.js';
import { shareLink } from '../shares/block.js';
import type { UploadStorage } from '../uploads/upload-storage.js';
import { csrfField } from '../visits/form-fields.js';
import { framedPage, type Frame } from '../visits/frame.js';
import type { PageHandler } from '../visits/authenticated-request.js';
import { appNamesOf } from './app-names.js';
import { mediaTypeOf } from './media-type.js';
import { noPhotoPage } from './no-photo.js';
import { PHOTOS } from './paths.js';
import { leavesTrashAt, mayChange, maySee, TRASH_DAYS, trashBegins, type Photo } from './photo.js';
import type { PhotoTable } from './photo-table.js';
import { tile } from './tile.js';
import type { Version, VersionTable } from './version-table.js';
import { SHOWN_VERSIONS, versionList } from './versions.js';

export interface OnePhotoParts {
  readonly photos: PhotoTable;
  readonly versions: VersionTable;
  readonly projects: ProjectTable;
  readonly provider: Provider;
  readonly store: Pick<UploadStorage, 'readRange'>;
  readonly now: () => Date;
}

/** Shows one photo, puts it into the trash and takes it out again. */
export function onePhoto(parts: OnePhotoParts): PageHandler {
  return async (context) => {
    const { response, id, form, account, memberships, frame } = context;
    const photo = await parts.photos.find(id);
    // People who may not see a photo do not learn whether it exists.
    if (photo === undefined || !maySee(photo, account.id, memberships)) {
      sendPage(context, 404, noPhotoPage());
      return;
    }
    const isTheirs = mayChange(photo, account.id, memberships);
    if (form === undefined) {
      const apps = await appNamesOf(parts.provider, [photo]);
      const about = {
        photo,
        isTheirs,
        projects: isTheirs ? await parts.projects.of(photo.workspaceId) : [],
        app: apps(photo.clientId),
        // The photo itself, the versions that are shown, and one more to see whether there are more.
        versions: await parts.versions.of(id, SHOWN_VERSIONS + 2),
        // The page is useful even while the storage is away.
        mediaType: await mediaTypeOf(parts.store, photo).catch(() => undefined),
        workspaceName: memberships.find((one) => one.id === photo.workspaceId)?.name ?? '',
      };
      sendPage(context, 200, onePhotoPage(frame, about));
      return;
    }
    const goTo = isTheirs ? await change(parts, photo, form, account.id) : PHOTOS.photo(id);
    if (goTo === undefined) {
      sendPage(context, 404, noPhotoPage());
    } else {
      sendRedirect(response, goTo);
    }
  };
}

/** Does what the form asks for. @returns the address to redirect to; undefined when the photo is gone. */
async function change(
  { photos, projects, now }: OnePhotoParts,
  { id, workspaceId, trashedAt }: Photo,
  form: URLSearchParams,
  accountId: string,
): Promise<string | undefined> {
  const action = form.get('action');
  const confirmed = form.get('confirm') === 'yes';
  if (action === 'trash') {
    await photos.trash(id, accountId, now());
    const query = new URLSearchParams({ workspace: workspaceId, done: 'trashed', photo: id });
    return `${PHOTOS.root}?${query.toString()}`;
  }
  if (action === 'move') {
    const moved = await projects.move(workspaceId, [id], form.get('project') ?? '');
    return `${PHOTOS.photo(id)}${moved.length > 0 ? '?done=moved' : ''}`;
  }
  if (action === 'restore') {
    const isBack = await photos.restore(id, trashBegins(now()));
    return isBack ? `${PHOTOS.photo(id)}?done=restored` : undefined;
  }
  if (action === 'remove' && trashedAt !== undefined && confirmed) {
    await photos.endTrash(id);
    return `${PHOTOS.trash}?${new URLSearchParams({ workspace: workspaceId, done: 'removed' }).toString()}`;
  }
  return PHOTOS.photo(id);
}

/** The page of one photo: its facts, its original, and the forms to change it. */
function onePhotoPage(
  frame: Frame,
  about: {
    photo: Photo;
    /** Whether the person may change it. */
    isTheirs: boolean;
    projects: readonly Project[];
    app: string | Sentence;
    versions: readonly Version[];
    mediaType: string | undefined;
    workspaceName: string;
  },
): Page {
  const { photo } = about;
  return framedPage(
    { name: photo.name },
    photo.trashedAt === undefined ? 'photos' : 'trash',
    frame,
    (speech) =>
      markup`<h1><bdi>${photo.name}</bdi></h1>
        ${tile(photo.id, 'large')}
        ${photo.trashedAt && trashedBox(speech, photo, photo.trashedAt)}
        <dl>
          <dt>${speech.text('fileType')}</dt>
          <dd>${about.mediaType ?? speech.text('unknownType')}</dd>
          <dt>${speech.text('fileSize')}</dt>
          <dd>${speech.exactBytes(photo.size)}</dd>
          ${pictureFacts(speech, photo)}
          <dt>SHA-256</dt>
          <dd><code>${photo.sha256}</code></dd>
          <dt>${speech.text('arrived')}</dt>
          <dd>${speech.time(photo.arrivedAt)}</dd>
          <dt>${speech.text('sentByWhom')}</dt>
          <dd>${photo.personName}</dd>
          <dt>${speech.text('app')}</dt>
          <dd>${typeof about.app === 'string' ? about.app : speech.tell(about.app)}</dd>
          <dt>${speech.text('workspace')}</dt>
          <dd>${about.workspaceName}</dd>
          <dt>${speech.text('project')}</dt>
          <dd>${projectLink(photo) ?? speech.text('noProject')}</dd>
        </dl>
        <p><a class="button" href="${PHOTOS.file(photo.id)}" download>${speech.text('download')}</a></p>
        ${photo.trashedAt === undefined ? shareLink(speech, { kind: 'photo', id: photo.id }) : undefined}
        ${versionList(speech, photo, about.versions)}
        ${about.isTheirs ? changeForms(speech, frame, about) : undefined}`,
  );
}

/** The forms for people who may change the photo. */
function changeForms(
  speech: Speech,
  frame: Frame,
  { photo, projects }: { photo: Photo; projects: readonly Project[] },
): Html {
  return photo.trashedAt === undefined
    ? markup`${projectForm(speech, frame, photo, projects)}
        <form method="post" action="${PHOTOS.photo(photo.id)}">
          ${csrfField(frame)}
          <input type="hidden" name="action" value="trash" />
          <p class="small soft">
            ${speech.text('trashKeeps', { time: { amount: TRASH_DAYS, unit: 'day' } })}
          </p>
          <button type="submit" class="danger small">${speech.text('moveToTrash')}</button>
        </form>`
    : markup`${restoreForm(speech, frame, photo.id)} ${removeForm(speech, frame, photo.id)}`;
}

/** Links to the photos of the project that a photo is in. */
function projectLink({ project, workspaceId }: Photo): Html | undefined {
  const query = new URLSearchParams({ workspace: workspaceId, project: project?.id ?? '' });
  return (
    project && markup`<a href="${PHOTOS.root}?${query.toString()}"><bdi>${project.name}</bdi></a>`
  );
}

/** The size in pixels and the time it was taken, as far as the file tells them. */
function pictureFacts(speech: Speech, { width, height, capturedAt }: Photo): Html {
  const sides = width === undefined || height === undefined ? undefined : { width, height };
  return markup`${
    sides &&
    markup`<dt>${speech.text('dimensions')}</dt>
      <dd>${speech.text('pixels', sides)}</dd>`
  }
  ${
    capturedAt === undefined
      ? undefined
      : markup`<dt>${speech.text('captured')}</dt>
          <dd>${speech.localTime(capturedAt)}</dd>`
  }`;
}

function trashedBox(speech: Speech, photo: Photo, trashedAt: Date): Html {
  return markup`<p class="box">
    ${speech.html('isInTrash', { time: speech.time(leavesTrashAt(trashedAt)) })}
    ${photo.trashedByName === undefined ? undefined : speech.text('trashedBy', { person: photo.trashedByName })}
  </p>`;
}

/** For people who cannot wait 30 days, for instance because the workspace is full. */
function removeForm(speech: Speech, frame: Frame, id: string): Html {
  return markup`<form method="post" action="${PHOTOS.photo(id)}">
    ${csrfField(frame)}
    <input type="hidden" name="action" value="remove" />
    <label class="option"
      ><input type="checkbox" name="confirm" value="yes" required />
      ${speech.text('cannotComeBack')}</label
    >
    <button type="submit" class="danger small">${speech.text('removeNow')}</button>
  </form>`;
}

/** The form that takes a photo out of the trash. */
export function restoreForm(speech: Speech, frame: Frame, id: string): Html {
  return markup`<form method="post" action="${PHOTOS.photo(id)}">
    ${csrfField(frame)}
    <button type="submit" name="action" value="restore" class="quiet small">
      ${speech.text('restore')}
    </button>
  </form>`;
}
