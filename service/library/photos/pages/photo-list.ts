import { sendPage, sendRedirect } from '../../../kernel/http/responses.js';
import { html } from '../../../kernel/html-tag.js';
import type { Page } from '../../../kernel/html/layout.js';
import {
  renderShell,
  noWorkspaceYetPage,
  type PageShell,
  type PageHandler,
} from '../../../identity/index.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';
import { PROJECTS } from '../../../site/addresses/project-paths.js';
import { waitingPhotos, type DeviceTable, type StoredReport } from '../../devices/index.js';
import type { Project } from '../../projects/index.js';
import { addressOf, isOneProject, readQuery, type PhotoQuery } from '../data/photo-query.js';
import { withListMessage } from './change-message.js';
import { uploadControl } from './upload-control.js';
import { searchForm } from './filter-form.js';
import { galleryBar, galleryList, readGallery, type Gallery, type GalleryDeps } from './gallery.js';

export interface PhotoListDeps extends GalleryDeps {
  /** How much room one workspace has, in bytes. */
  readonly workspaceBytes: number;
  readonly devices: Pick<DeviceTable, 'waiting'>;
  readonly now: () => Date;
}

interface Shown extends Gallery {
  readonly usedBytes: number;
  readonly roomBytes: number;
  /** What the computers of the user report. */
  readonly reports: readonly StoredReport[];
  readonly now: Date;
}

/** Shows the photos of a workspace, as far as the user sees them. */
export function photoList(deps: PhotoListDeps): PageHandler {
  return async (context) => {
    const { response, query: parameters, account, memberships, shell } = context;
    const query = readQuery(parameters, memberships);
    if (query === undefined) {
      sendPage(context, 200, noWorkspaceYetPage('photos', shell, account.username));
      return;
    }
    if (isOneProject(query.project)) {
      const project = await deps.projects.find(query.project);
      sendRedirect(response, addressInProject(project, query, parameters));
      return;
    }
    const [gallery, usedBytes, reports] = await Promise.all([
      readGallery(deps, query, context),
      deps.photos.usedBytes(query.workspace.id),
      deps.devices.waiting(query.workspace.id, account.id),
    ]);
    if (gallery === 'first-page') {
      sendRedirect(response, addressOf(PHOTOS.root, query));
      return;
    }
    const page = photoListPage(await withListMessage(deps.changes, context, query), {
      ...gallery,
      usedBytes,
      reports,
      roomBytes: deps.workspaceBytes,
      now: deps.now(),
    });
    sendPage(context, 200, page);
  };
}

/** The photos of a project have one address, with the same query. An unknown project is ignored. */
function addressInProject(
  project: Project | undefined,
  query: PhotoQuery,
  parameters: URLSearchParams,
): string {
  if (project?.workspaceId !== query.workspace.id) {
    return addressOf(PHOTOS.root, query, { project: '' });
  }
  const rest = new URLSearchParams(parameters);
  rest.delete('workspace');
  rest.delete('project');
  return `${PROJECTS.project(project.id)}${rest.size === 0 ? '' : `?${rest.toString()}`}`;
}

function photoListPage(shell: PageShell, shown: Shown): Page {
  const { query, photos, usedBytes, roomBytes } = shown;
  return renderShell(
    'photos',
    'photos',
    { ...shell, workspace: query.workspace },
    (translator) =>
      html`${galleryBar(translator, shown, {
          heading: html`${translator.t('photos')}`,
          actions: uploadControl(translator, shell, query),
        })}
        ${waitingPhotos(translator, shown.reports, shown.now)}
        ${galleryList(translator, shell, shown)}
        <p class="small soft foot">
          ${translator.html('spaceUsed', {
            workspace: query.workspace.name,
            used: html`${translator.bytes(usedBytes)}`,
            room: html`${translator.bytes(roomBytes)}`,
          })}
          ${
            photos.length > 1
              ? html`<a href="${addressOf(PHOTOS.zip, query)}" download
                  >${translator.t('downloadAllZip')}</a
                >`
              : undefined
          }
        </p>`,
    { search: (translator) => searchForm(translator, query) },
  );
}
