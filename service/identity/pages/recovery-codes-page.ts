import { renderShell, type PageShell } from '../session/page-shell.js';
import { html } from '../../kernel/html-tag.js';
import type { Page } from '../../kernel/html/layout.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';

/** Shows new recovery codes. Only this page has them: the database keeps hashes. */
export function recoveryCodesPage(shell: PageShell, codes: readonly string[]): Page {
  return renderShell(
    'recoveryCodes',
    'account',
    shell,
    (translator) =>
      html`<h1>${translator.t('recoveryCodes')}</h1>
        <p>${translator.t('recoveryCodesText')}</p>
        <ul class="codes" translate="no">
          ${codes.map((code) => html`<li>${code}</li>`)}
        </ul>
        <p class="actions needs-script">
          <button
            type="button"
            class="quiet small"
            data-codes="copy"
            data-copied="${translator.t('copied')}"
          >
            ${translator.t('copyCodes')}
          </button>
          <button type="button" class="quiet small" data-codes="print">
            ${translator.t('printCodes')}
          </button>
        </p>
        <p class="no-print">
          <a class="button" href="${SETTINGS.secondFactors}">${translator.t('done')}</a>
        </p>`,
  );
}
