import { renderShell, type PageShell } from '../../identity/index.js';
import { copyField } from '../../kernel/html/components.js';
import type { Page } from '../../kernel/html/layout.js';
import { html } from '../../kernel/html-tag.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';

/** Shows the secret of a webhook. It is shown only this once. */
export function webhookSecretPage(
  shell: PageShell,
  title: 'webhookMade' | 'newSecret',
  { id, secret }: { readonly id: string; readonly secret: string },
): Page {
  return renderShell(
    title,
    'developer',
    shell,
    (translator) =>
      html`<h1>${translator.t(title)}</h1>
        <p>${translator.t(title === 'newSecret' ? 'webhookNewSecretOnce' : 'webhookSecretOnce')}</p>
        ${copyField(translator, 'secret', secret)}
        <p><a class="button" href="${SETTINGS.webhook(id)}">${translator.t('done')}</a></p>`,
  );
}
