import { html } from '../../kernel/html-tag.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import type { SecuritySection } from './security-page.js';

/** Leads to the settings of the company account, which have their own page. */
export const companyAccountSection: SecuritySection = ({ id, name }) =>
  Promise.resolve((translator) => {
    const query = new URLSearchParams({ workspace: id }).toString();
    return html`<h2>${translator.t('companyAccount')}</h2>
      <p class="soft small">${translator.html('companyAccountText', { workspace: name })}</p>
      <p>
        <a class="button small quiet" href="${SETTINGS.companyAccount}?${query}"
          >${translator.t('companyAccountSettings')}</a
        >
      </p>`;
  });
