import { html, type Html } from '../../../platform/html-tag.js';
import type { Translator } from '../../../platform/i18n/translator.js';
import { selectedAttr } from '../../../platform/html/form-fields.js';
import { NO_PROJECT, projectOptions, type Project } from '../../projects/index.js';
import { PHOTOS } from '../../../platform/paths/photo-paths.js';
import { addressOf, isFiltered, MAX_NAME_LENGTH, type PhotoQuery } from '../data/photo-query.js';
import type { Sender } from '../data/photo-table.js';

/**
 * The form to search for photos.
 * @param senders the users to choose from; empty for a user who sees only their own photos.
 */
export function filterForm(
  translator: Translator,
  query: PhotoQuery,
  { senders, projects }: { senders: readonly Sender[]; projects: readonly Project[] },
): Html {
  return html`<form method="get" action="${PHOTOS.root}" class="fields" role="search">
    <input type="hidden" name="workspace" value="${query.workspace.id}" />
    <div>
      <label for="name">${translator.t('nameHolds')}</label>
      <input
        id="name"
        name="name"
        type="search"
        value="${query.name}"
        maxlength="${String(MAX_NAME_LENGTH)}"
        autocomplete="off"
        spellcheck="false"
      />
    </div>
    <div>
      <label for="day">${translator.t('uploadedOn')}</label>
      <input id="day" name="day" type="date" value="${query.day}" />
    </div>
    ${projects.length === 0 && query.project === '' ? undefined : projectField(translator, query, projects)}
    ${senders.length < 2 && query.user === '' ? undefined : senderField(translator, query, senders)}
    <button type="submit" class="small">${translator.t('search')}</button>
    ${
      isFiltered(query)
        ? html`<a
            href="${addressOf(PHOTOS.root, { ...query, user: '', name: '', day: '', project: '' })}"
            >${translator.t('showAll')}</a
          >`
        : undefined
    }
  </form>`;
}

function projectField(
  translator: Translator,
  query: PhotoQuery,
  projects: readonly Project[],
): Html {
  return html`<div>
    <label for="project">${translator.t('project')}</label>
    <select id="project" name="project">
      <option value="">${translator.t('anyProject')}</option>
      <option value="${NO_PROJECT}" ${selectedAttr(query.project === NO_PROJECT)}>
        ${translator.t('noProject')}
      </option>
      ${projectOptions(projects, query.project)}
    </select>
  </div>`;
}

function senderField(translator: Translator, query: PhotoQuery, senders: readonly Sender[]): Html {
  return html`<div>
    <label for="user">${translator.t('sentByWhom')}</label>
    <select id="user" name="user">
      <option value="">${translator.t('everybody')}</option>
      ${senders.map(
        ({ id, name, username }) =>
          html`<option value="${id}" ${selectedAttr(id === query.user)}>
            ${name} (${username})
          </option>`,
      )}
    </select>
  </div>`;
}
