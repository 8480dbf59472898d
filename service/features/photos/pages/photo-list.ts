import type { Provider } from 'oidc-provider';
import { sendPage, sendRedirect } from '../../../platform/http/responses.js';
import { html, type Html } from '../../../platform/html-tag.js';
import type { Page } from '../../../platform/html/layout.js';
import type { PlainKey } from '../../../platform/i18n/message.js';
import type { Translator } from '../../../platform/i18n/translator.js';
import { projectLine, type Project, type ProjectTable } from '../../projects/index.js';
import { csrfField } from '../../../platform/html/form-fields.js';
import { renderShell, type PageShell } from '../../../auth/session/page-shell.js';
import type {
  AuthenticatedRequest,
  PageHandler,
} from '../../../auth/session/authenticated-request.js';
import { appNamesOf, type AppNames } from '../data/app-names.js';
import { filterForm } from './filter-form.js';
import { workspaceForm } from '../../../auth/session/workspace-form.js';
import { noWorkspaceYetPage } from '../../../auth/session/no-workspace-page.js';
import { PHOTOS } from '../../../platform/paths/photo-paths.js';
import type { Photo } from '../data/photo.js';
import { canSeeAll, type Visibility } from '../../../auth/accounts/photo-policy.js';
import {
  addressOf,
  filterOf,
  isFiltered,
  readQuery,
  viewIn,
  type PhotoQuery,
} from '../data/photo-query.js';
import { PAGE_SIZE, type PhotoTable, type Cursor, type Sender } from '../data/photo-table.js';
import { thumbnailImage } from './thumbnail-image.js';
import type { VersionTable } from '../data/version-table.js';
import { versionCount } from './version-list.js';
import { withChangeMessage } from './change-message.js';
import { countOfList } from './selection.js';
import { selectAllBox, selectionBar } from './selection-bar.js';
import type { PhotoChanges } from '../data/photo-changes.js';
import { visibilityForm } from './visibility-setting.js';

export interface PhotoListDeps {
  readonly now: () => Date;
  readonly photos: PhotoTable;
  readonly changes: PhotoChanges;
  readonly versions: VersionTable;
  readonly projects: ProjectTable;
  readonly provider: Provider;
  /** How much room one workspace has, in bytes. */
  readonly workspaceBytes: number;
}

/** The content of a page of the list. */
interface Shown {
  readonly query: PhotoQuery;
  readonly photos: readonly Photo[];
  readonly apps: AppNames;
  /** By photo id, how many versions there are, for photos with several. */
  readonly versions: ReadonlyMap<string, number>;
  readonly senders: readonly Sender[];
  readonly projects: readonly Project[];
  /** How many photos the list has; undefined for too many to count. */
  readonly total: number | undefined;
  readonly usedBytes: number;
  readonly roomBytes: number;
  readonly memberships: AuthenticatedRequest['memberships'];
  /** Whether the list continues in this direction. */
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  /** How far the search for a name has got, if there are more photos to search. */
  readonly searchedTo: Cursor | undefined;
}

/** Shows the photos of a workspace, as far as the user sees them. */
export function photoList(deps: PhotoListDeps): PageHandler {
  return async (context) => {
    const { response, query: parameters, account, memberships, frame } = context;
    const query = readQuery(parameters, memberships);
    if (query === undefined) {
      sendPage(context, 200, noWorkspaceYetPage('photos', frame, account.username));
      return;
    }
    const found = await find(deps.photos, viewIn(query, account.id), query);
    if (found === 'begin again') {
      sendRedirect(response, addressOf(PHOTOS.root, query));
      return;
    }
    const page = photoListPage(await withChangeMessage(deps.changes, context), {
      ...found,
      query,
      memberships,
      apps: await appNamesOf(deps.provider, found.photos),
      versions: await deps.versions.counts(found.photos.map(({ photoId }) => photoId)),
      senders: canSeeAll(query.workspace) ? await deps.photos.senders(query.workspace.id) : [],
      projects: await deps.projects.of(query.workspace.id),
      total: await countOfList(deps.photos, query, account.id),
      usedBytes: await deps.photos.usedBytes(query.workspace.id),
      roomBytes: deps.workspaceBytes,
    });
    sendPage(context, 200, page);
  };
}

async function find(
  table: PhotoTable,
  view: Visibility,
  query: PhotoQuery,
): Promise<Pick<Shown, 'photos' | 'hasOlder' | 'hasNewer' | 'searchedTo'> | 'begin again'> {
  const { from } = query;
  // One more than is shown, to see whether there are more.
  const limit = PAGE_SIZE + 1;
  const page = { order: 'uploaded', filter: filterOf(query), from, limit } as const;
  const found = await table.page(view, page);
  const goesOn = found.length > PAGE_SIZE;
  if (from?.direction !== 'newer') {
    const photos = found.slice(0, PAGE_SIZE);
    const searchedTo = goesOn ? undefined : await table.searchedTo(view, page);
    const hasOlder = goesOn || searchedTo !== undefined;
    return { photos, hasOlder, hasNewer: from !== undefined, searchedTo };
  }
  // Going back to the newest photos: the first page starts at the top of the list, so that it is full.
  return goesOn
    ? { photos: found.slice(1), hasOlder: true, hasNewer: true, searchedTo: undefined }
    : 'begin again';
}

function photoListPage(frame: PageShell, shown: Shown): Page {
  const { query, photos, usedBytes, roomBytes } = shown;
  return renderShell(
    'photos',
    'photos',
    frame,
    (translator) =>
      html`<h1>${translator.t('photos')}</h1>
        ${workspaceForm(translator, PHOTOS.root, query, shown.memberships)}
        ${projectLine(translator, query.project, shown.projects)}
        ${filterForm(translator, query, shown)}
        ${
          photos.length === 0
            ? html`<p>${translator.t(nothingIn(shown))}</p>`
            : html`<form
                method="post"
                action="${addressOf(PHOTOS.root, query, { from: query.from })}"
                class="several"
              >
                ${csrfField(frame)} ${selectAllBox(translator, shown.total)}
                <ul class="photos">
                  ${photos.map((photo) => listed(translator, photo, shown))}
                </ul>
                ${selectionBar(translator, shown)}
              </form>`
        }
        ${pager(translator, shown)}
        ${
          photos.length > 1
            ? html`<p>
                <a class="button quiet" href="${addressOf(PHOTOS.zip, query)}" download
                  >${translator.t('downloadAllZip')}</a
                >
              </p>`
            : undefined
        }
        <p class="small soft">
          ${translator.t('spaceUsed', {
            workspace: query.workspace.name,
            used: translator.bytes(usedBytes),
            room: translator.bytes(roomBytes),
          })}
        </p>
        ${visibilityForm(translator, frame, query.workspace)}`,
  );
}

function nothingIn({ query, hasOlder }: Shown): PlainKey {
  if (hasOlder) {
    return 'noNewerPhotoMatches';
  }
  return isFiltered(query) ? 'noPhotoMatches' : 'noPhotoYet';
}

function listed(translator: Translator, photo: Photo, { apps, query, versions }: Shown): Html {
  const app = apps(photo.clientId);
  const origin = canSeeAll(query.workspace)
    ? translator.t('sentBy', { user: photo.uploaderName, app })
    : translator.t('sentThrough', { app });
  return html`<li>
    <input
      type="checkbox"
      name="photo"
      value="${photo.id}"
      aria-label="${translator.t('choosePhoto', { name: photo.name })}"
      autocomplete="off"
    />
    ${thumbnailImage(photo.id)}
    <div>
      <h2>
        <a href="${PHOTOS.photo(photo.id)}"><bdi>${photo.name}</bdi></a>
      </h2>
      <p class="small">
        ${translator.bytes(photo.size)} ·
        ${translator.time(photo.uploadedAt)}${versionCount(translator, versions.get(photo.photoId))}
      </p>
      <p class="small soft">${origin}${projectOf(photo, query)}</p>
    </div>
  </li>`;
}

/** The project of a photo, unless the list shows only one project. */
function projectOf({ project }: Photo, query: PhotoQuery): Html | undefined {
  return query.project === '' && project ? html` · <bdi>${project.name}</bdi>` : undefined;
}

function pager(
  translator: Translator,
  { query, photos, hasOlder, hasNewer, searchedTo }: Shown,
): Html | undefined {
  const first = photos[0];
  const last = photos.at(-1);
  const placeOf = (photo: Photo | undefined): Cursor | undefined =>
    photo && { at: photo.uploadedAt, id: photo.id };
  const link = (direction: 'older' | 'newer', place: Cursor | undefined): Html | undefined => {
    const from = place && { place, direction };
    return html`<a
      class="button quiet"
      rel="${direction === 'older' ? 'next' : 'prev'}"
      href="${addressOf(PHOTOS.root, query, { from })}"
      >${translator.t(direction)}</a
    >`;
  };
  return hasOlder || hasNewer
    ? html`<p class="pager">
        ${hasNewer ? link('newer', placeOf(first)) : undefined}
        ${hasOlder ? link('older', searchedTo ?? placeOf(last)) : undefined}
      </p>`
    : undefined;
}
