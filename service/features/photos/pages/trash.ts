import { sendPage } from '../../../platform/http/responses.js';
import { html, type Html } from '../../../platform/html-tag.js';
import type { Page } from '../../../platform/html/layout.js';
import type { Translator } from '../../../platform/i18n/translator.js';
import { renderShell, type PageShell } from '../../../auth/session/page-shell.js';
import type {
  AuthenticatedRequest,
  PageHandler,
} from '../../../auth/session/authenticated-request.js';
import { workspaceForm } from '../../../auth/session/workspace-form.js';
import { noWorkspaceYetPage } from '../../../auth/session/no-workspace-page.js';
import { restoreForm } from './photo-view.js';
import { PHOTOS } from '../../../platform/paths/photo-paths.js';
import { leavesTrashAt, TRASH_DAYS, type Photo } from '../data/photo.js';
import { editableBy } from '../../../auth/accounts/photo-policy.js';
import { addressOf, readQuery, type PhotoQuery } from '../data/photo-query.js';
import { PAGE_SIZE, type PhotoTable } from '../data/photo-table.js';
import { thumbnailImage } from './thumbnail-image.js';

interface Shown {
  readonly query: PhotoQuery;
  readonly photos: readonly Photo[];
  readonly memberships: AuthenticatedRequest['memberships'];
  readonly hasOlder: boolean;
}

/** Shows the trash of a workspace: to its owners all photos, to other members their own. */
export function trash(photos: PhotoTable): PageHandler {
  return async (context) => {
    const { query: parameters, account, memberships, frame } = context;
    const query = readQuery(parameters, memberships);
    if (query === undefined) {
      sendPage(context, 200, noWorkspaceYetPage('trash', frame, account.username));
      return;
    }
    const found = await photos.page(editableBy(query.workspace, account.id), {
      order: 'trashed',
      filter: {},
      from: query.from,
      limit: PAGE_SIZE + 1,
    });
    const shown = { query, memberships, photos: found.slice(0, PAGE_SIZE) };
    sendPage(context, 200, trashPage(frame, { ...shown, hasOlder: found.length > PAGE_SIZE }));
  };
}

function trashPage(frame: PageShell, { query, photos, memberships, hasOlder }: Shown): Page {
  const last = photos.at(-1);
  const next =
    hasOlder && last?.trashedAt !== undefined
      ? { place: { at: last.trashedAt, id: last.id }, direction: 'older' as const }
      : undefined;
  return renderShell(
    'trash',
    'trash',
    frame,
    (translator) =>
      html`<h1>${translator.t('trash')}</h1>
        ${workspaceForm(translator, PHOTOS.trash, query, memberships)}
        <p class="soft">
          ${translator.t('trashText', { time: { amount: TRASH_DAYS, unit: 'day' } })}
        </p>
        ${
          photos.length === 0
            ? html`<p>${translator.t('trashEmpty')}</p>`
            : html`<ul class="rows">
                ${photos.map((photo) => listed(translator, frame, photo))}
              </ul>`
        }
        ${
          next &&
          html`<p class="pager">
            <a
              class="button quiet"
              rel="next"
              href="${addressOf(PHOTOS.trash, query, { from: next })}"
              >${translator.t('older')}</a
            >
          </p>`
        }`,
  );
}

function listed(translator: Translator, frame: PageShell, photo: Photo): Html {
  const { trashedAt = photo.uploadedAt, trashedByName } = photo;
  return html`<li>
    ${thumbnailImage(photo.id)}
    <div>
      <h2>
        <a href="${PHOTOS.photo(photo.id)}"><bdi>${photo.name}</bdi></a>
      </h2>
      <p class="small">
        ${translator.bytes(photo.size)} ·
        ${translator.html('removedForGood', { time: translator.time(leavesTrashAt(trashedAt)) })}
      </p>
      <p class="small soft">
        ${trashedByName === undefined ? undefined : translator.t('trashedBy', { user: trashedByName })}
      </p>
      ${restoreForm(translator, frame, photo.id)}
    </div>
  </li>`;
}
