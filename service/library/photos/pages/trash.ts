import { sendPage } from '../../../kernel/http/responses.js';
import { html, type Html } from '../../../kernel/html-tag.js';
import type { Page } from '../../../kernel/html/layout.js';
import type { Translator } from '../../../kernel/i18n/translator.js';
import { csrfField } from '../../../kernel/html/form-fields.js';
import {
  renderShell,
  noWorkspaceYetPage,
  editableBy,
  type PageShell,
  type PageHandler,
} from '../../../identity/index.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';
import { leavesTrashAt, TRASH_DAYS, type Photo } from '../data/photo.js';
import type { PhotoChanges } from '../data/photo-changes.js';
import { addressOf, readQuery, type PhotoQuery } from '../data/photo-query.js';
import { PAGE_SIZE, type PhotoTable } from '../data/photo-table.js';
import { placeOf } from '../data/photo-order.js';
import { withChangeMessage } from './change-message.js';
import { listData, tile } from './gallery.js';
import { selectAllBox, trashBar } from './selection-bar.js';

interface TrashDeps {
  readonly photos: PhotoTable;
  readonly changes: PhotoChanges;
}

interface Shown {
  readonly query: PhotoQuery;
  readonly photos: readonly Photo[];
  readonly total: number;
  readonly hasNext: boolean;
}

/** Shows the trash of a workspace: to its owners all photos, to other members their own. */
export function trash({ photos, changes }: TrashDeps): PageHandler {
  return async (context) => {
    const { query: parameters, account, memberships, shell } = context;
    const query = readQuery(parameters, memberships);
    if (query === undefined) {
      sendPage(context, 200, noWorkspaceYetPage('trash', shell, account.username));
      return;
    }
    const view = editableBy(query.workspace, account.id);
    const found = await photos.page(view, {
      order: 'trashed',
      filter: {},
      from: query.from,
      limit: PAGE_SIZE + 1,
    });
    const isWhole = query.from === undefined && found.length <= PAGE_SIZE;
    const count = isWhole ? found.length : await changes.countTrash(view);
    const shown = {
      query,
      photos: found.slice(0, PAGE_SIZE),
      total: count,
      hasNext: found.length > PAGE_SIZE,
    };
    const here = addressOf(PHOTOS.trash, query, { from: query.from });
    const shellOfList = {
      ...(await withChangeMessage(changes, context, here)),
      workspace: query.workspace,
    };
    sendPage(context, 200, trashPage(shellOfList, shown));
  };
}

function trashPage(shell: PageShell, shown: Shown): Page {
  const { query, photos } = shown;
  return renderShell(
    'trash',
    'trash',
    shell,
    (translator) =>
      html`<div class="bar">
          <h1>${translator.t('trash')}</h1>
          <p class="facts">
            ${translator.t('trashText', { time: { amount: TRASH_DAYS, unit: 'day' } })}
          </p>
          ${photos.length === 0 ? undefined : emptyForm(translator, shell, query)}
        </div>
        ${
          photos.length === 0
            ? html`<p class="empty">${translator.t('trashEmpty')}</p>`
            : trashList(translator, shell, shown)
        }`,
  );
}

/** The question before all photos in the trash are deleted. */
function emptyForm(translator: Translator, shell: PageShell, query: PhotoQuery): Html {
  return html`<form method="post" action="${addressOf(PHOTOS.trash, query)}" class="actions">
    ${csrfField(shell)}
    <input type="hidden" name="all" value="yes" />
    <button type="submit" name="action" value="remove" class="quiet small">
      ${translator.t('emptyTrash')}
    </button>
  </form>`;
}

function trashList(translator: Translator, shell: PageShell, shown: Shown): Html {
  const { query, photos, total, hasNext } = shown;
  const last = photos.at(-1);
  const next =
    hasNext && last !== undefined
      ? addressOf(PHOTOS.trash, query, {
          from: { place: placeOf(last, 'trashed'), direction: 'after' },
        })
      : undefined;
  const here = addressOf(PHOTOS.trash, query, { from: query.from });
  return html`<form method="post" action="${here}" class="several">
      ${csrfField(shell)} ${selectAllBox(translator, total)}
      <ul class="photos" ${listData(next, query.from === undefined ? total : undefined)}>
        ${photos.map((photo) => listed(translator, photo))}
      </ul>
      ${trashBar(translator, query)}
    </form>
    ${
      next === undefined
        ? undefined
        : html`<p class="pager">
            <a class="button quiet" rel="next" href="${next}">${translator.t('older')}</a>
          </p>`
    }`;
}

function listed(translator: Translator, photo: Photo): Html {
  const { id, trashedAt = photo.uploadedAt, trashedByName } = photo;
  const until = leavesTrashAt(trashedAt).toISOString().slice(0, 10);
  return tile(translator, photo, {
    address: PHOTOS.photo(id),
    facts: html`<span> · ${translator.bytes(photo.size)} · </span
      ><small
        >${translator.t('restorableUntil', { day: translator.calendar(until, 'day') })}
        ${trashedByName === undefined ? undefined : translator.html('trashedBy', { user: trashedByName })}</small
      >`,
    more: [
      html`<button
        type="submit"
        name="restore"
        value="${id}"
        class="restore"
        aria-label="${`${translator.t('restore')}: ${photo.name}`}"
        data-leaves
      >
        ${translator.t('restore')}
      </button>`,
    ],
  });
}
