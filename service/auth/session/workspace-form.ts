import { selectedAttr } from '../../platform/html/form-fields.js';
import { type Html, html } from '../../platform/html-tag.js';
import type { Translator } from '../../platform/i18n/translator.js';
import type { Membership } from '../accounts/accounts.js';

/** The form to choose a workspace; undefined for a user with one workspace. */
export function workspaceForm(
  translator: Translator,
  path: string,
  query: { readonly workspace: Pick<Membership, 'id'> },
  memberships: readonly Membership[],
): Html | undefined {
  if (memberships.length < 2) {
    return undefined;
  }
  return html`<form method="get" action="${path}" class="fields">
    <div>
      <label for="workspace">${translator.t('workspace')}</label>
      <select id="workspace" name="workspace">
        ${memberships.map(
          ({ id, name }) =>
            html`<option value="${id}" ${selectedAttr(id === query.workspace.id)}>${name}</option>`,
        )}
      </select>
    </div>
    <button type="submit" class="quiet small">${translator.t('show')}</button>
  </form>`;
}
