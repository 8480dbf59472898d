import type { Membership } from '../accounts/accounts.js';
import { markup, type Html } from '../pages/html.js';
import type { Speech } from '../pages/speech.js';
import { selected } from '../visits/form-fields.js';
import { projectOptions } from '../projects/blocks.js';
import { NO_PROJECT, type Project } from '../projects/project.js';
import { PHOTOS } from './paths.js';
import { addressOf, isFiltered, MAX_NAME_LENGTH, type PhotoQuery } from './photo-query.js';
import type { Sender } from './photo-table.js';

/** The form to choose a workspace; undefined for a person in only one. */
export function workspaceForm(
  speech: Speech,
  path: string,
  query: Pick<PhotoQuery, 'workspace'>,
  memberships: readonly Membership[],
): Html | undefined {
  if (memberships.length < 2) {
    return undefined;
  }
  return markup`<form method="get" action="${path}" class="fields">
    <div>
      <label for="workspace">${speech.text('workspace')}</label>
      <select id="workspace" name="workspace">
        ${memberships.map(
          ({ id, name }) =>
            markup`<option value="${id}"${selected(id === query.workspace.id)}>${name}</option>`,
        )}
      </select>
    </div>
    <button type="submit" class="quiet small">${speech.text('show')}</button>
  </form>`;
}

/**
 * The form to search for photos.
 * @param senders the people to choose from; empty for a person who sees only their own photos.
 */
export function filterForm(
  speech: Speech,
  query: PhotoQuery,
  { senders, projects }: { senders: readonly Sender[]; projects: readonly Project[] },
): Html {
  return markup`<form method="get" action="${PHOTOS.root}" class="fields" role="search">
    <input type="hidden" name="workspace" value="${query.workspace.id}" />
    <div>
      <label for="name">${speech.text('nameHolds')}</label>
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
      <label for="day">${speech.text('arrivedOn')}</label>
      <input id="day" name="day" type="date" value="${query.day}" />
    </div>
    ${projects.length === 0 && query.project === '' ? undefined : projectField(speech, query, projects)}
    ${senders.length < 2 && query.person === '' ? undefined : senderField(speech, query, senders)}
    <button type="submit" class="small">${speech.text('search')}</button>
    ${
      isFiltered(query)
        ? markup`<a href="${addressOf(PHOTOS.root, { ...query, person: '', name: '', day: '', project: '' })}"
            >${speech.text('showAll')}</a
          >`
        : undefined
    }
  </form>`;
}

function projectField(speech: Speech, query: PhotoQuery, projects: readonly Project[]): Html {
  return markup`<div>
    <label for="project">${speech.text('project')}</label>
    <select id="project" name="project">
      <option value="">${speech.text('anyProject')}</option>
      <option value="${NO_PROJECT}"${selected(query.project === NO_PROJECT)}>
        ${speech.text('noProject')}
      </option>
      ${projectOptions(projects, query.project)}
    </select>
  </div>`;
}

function senderField(speech: Speech, query: PhotoQuery, senders: readonly Sender[]): Html {
  return markup`<div>
    <label for="person">${speech.text('sentByWhom')}</label>
    <select id="person" name="person">
      <option value="">${speech.text('everybody')}</option>
      ${senders.map(
        ({ id, name, username }) =>
          markup`<option value="${id}"${selected(id === query.person)}>${name} (${username})</option>`,
      )}
    </select>
  </div>`;
}
