import { html, type Html, verbatim } from '../../../kernel/html-tag.js';
import type { Translator } from '../../../kernel/i18n/translator.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';
import { RECEIPTS } from '../../../site/addresses/receipt-paths.js';
import { SHARES } from '../../../site/addresses/share-paths.js';
import { MAX_PROJECT_NAME, type Project } from '../../projects/index.js';
import { addressOf, type PhotoQuery } from '../data/photo-query.js';
import { MAX_SELECTED_OF_LIST } from './selection.js';
import { MOVE_IF_NAMED, MOVE_OUT, MOVE_TO_NEW } from './bulk-actions.js';

/**
 * Above a list: the box that selects all of its photos, also those on other pages.
 * @param total how many photos the list has; undefined if that is unknown. It is shown if so many can be selected.
 */
export function selectAllBox(translator: Translator, total: number | undefined): Html {
  const isCounted = total !== undefined && total <= MAX_SELECTED_OF_LIST;
  return html`<label class="select-all small"
    ><input
      type="checkbox"
      name="all"
      value="yes"
      autocomplete="off"
      ${isCounted ? html`data-total="${String(total)}"` : undefined}
      data-words="${isCounted ? translator.t('selectAllCount', { count: '{count}' }) : translator.t('selectAll')}"
    />
    <span
      >${isCounted ? translator.t('selectAllCount', { count: total }) : translator.t('selectAll')}</span
    ></label
  >`;
}

/** What can be done with the selected photos of a list. It stays in sight at the bottom of the window. */
export function selectionBar(
  translator: Translator,
  { query, projects }: { readonly query: PhotoQuery; readonly projects: readonly Project[] },
): Html {
  return bar(
    translator,
    query,
    html`<button
        type="submit"
        formaction="${addressOf(PHOTOS.zip, query, { from: query.from })}"
        data-keeps
      >
        ${translator.t('download')}
      </button>
      ${moveMenu(translator, projects)}
      <button
        type="submit"
        formaction="${addressOf(SHARES.new, query, { from: query.from })}"
        data-keeps
      >
        ${translator.t('share')}
      </button>
      <button
        type="submit"
        formaction="${addressOf(RECEIPTS.list, query, { from: query.from })}"
        data-keeps
      >
        ${translator.t('receipt')}
      </button>
      <button type="submit" name="action" value="trash" data-leaves>
        ${translator.t('trash')}
      </button>`,
  );
}

/** What can be done with the selected photos of the trash. */
export function trashBar(translator: Translator, query: PhotoQuery): Html {
  return bar(
    translator,
    query,
    html`<button type="submit" name="action" value="restore" data-leaves>
        ${translator.t('restore')}
      </button>
      <button type="submit" name="action" value="remove" data-keeps>
        ${translator.t('removeNow')}
      </button>`,
  );
}

/** The words with `{count}` in them are for the script. */
function bar(translator: Translator, query: PhotoQuery, actions: Html): Html {
  const isOneProject = query.project !== '';
  return html`<div
    class="selection-bar"
    role="group"
    aria-label="${translator.t('withSelected')}"
    data-selected="${translator.t('selectedCount', { count: '{count}' })}"
    data-failed="${translator.t('didNotWorkSentence')}"
    data-list="${addressOf('', { ...query, from: undefined })}"
    ${isOneProject ? html`data-project="${query.project}"` : undefined}
  >
    <p class="count" aria-live="polite"></p>
    ${actions}
    <button type="button" class="select-rest" hidden></button>
    <button type="button" class="clear" aria-label="${translator.t('clearSelection')}" hidden>
      ✕
    </button>
  </div>`;
}

/** The projects to move to, the newest first. */
function moveMenu(translator: Translator, projects: readonly Project[]): Html {
  const open = projects
    .filter(({ archivedAt }) => archivedAt === undefined)
    .sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
  return html`<details class="move">
    <summary>${translator.t('moveTo')}</summary>
    <div class="targets">
      <button
        type="submit"
        name="move"
        value="${MOVE_IF_NAMED}"
        class="default"
        tabindex="-1"
        hidden
      ></button>
      <p class="new-project">
        <input
          name="newProject"
          type="text"
          placeholder="${translator.t('newProject')}"
          aria-label="${translator.t('newProjectName')}"
          maxlength="${String(MAX_PROJECT_NAME)}"
          autocomplete="off"
        />
        <button type="submit" name="move" value="${MOVE_TO_NEW}">
          ${translator.t('createAndMove')}
        </button>
      </p>
      ${open.map(
        ({ id, name }) =>
          html`<button type="submit" name="move" value="${id}">${verbatim(name)}</button>`,
      )}
      <button type="submit" name="move" value="${MOVE_OUT}">${translator.t('noProject')}</button>
    </div>
  </details>`;
}
