import { html, type Html } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { csrfField, selectedAttr } from '../../kernel/html/form-fields.js';
import type { PageShell } from '../../identity/index.js';
import type { Project } from './project.js';

/** The projects to choose from. An archived project is offered only if it is the chosen one. */
export function projectOptions(
  projects: readonly Project[],
  chosen: string | undefined,
): readonly Html[] {
  return projects
    .filter(({ id, archivedAt }) => archivedAt === undefined || id === chosen)
    .map(
      ({ id, name }) =>
        html`<option value="${id}" ${selectedAttr(id === chosen)} translate="no">${name}</option>`,
    );
}

/** On the page of a photo, which has this address: moves it to a project; undefined when there are no projects. */
export function projectForm(
  translator: Translator,
  shell: PageShell,
  {
    address,
    project,
  }: { readonly address: string; readonly project: { readonly id: string } | undefined },
  projects: readonly Project[],
): Html | undefined {
  const options = projectOptions(projects, project?.id);
  return options.length === 0
    ? undefined
    : html`<form method="post" action="${address}" class="fields">
        ${csrfField(shell)}
        <input type="hidden" name="action" value="move" />
        <div>
          <label for="project">${translator.t('project')}</label>
          <select id="project" name="project" autocomplete="off">
            <option value="">${translator.t('noProject')}</option>
            ${options}
          </select>
        </div>
        <button type="submit" class="quiet small">${translator.t('moveToProject')}</button>
      </form>`;
}
