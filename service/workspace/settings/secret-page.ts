import { html } from '../../kernel/html-tag.js';
import { copyField } from '../../kernel/html/components.js';
import type { Page } from '../../kernel/html/layout.js';
import type { PlainKey } from '../../kernel/i18n/message.js';
import { renderShell, type PageShell } from '../../identity/index.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';

/** Shows a new client id, a new secret, or both. A secret is shown only this once: the database keeps a hash of it. */
export function secretPage(
  shell: PageShell,
  about: {
    title: PlainKey;
    /** Describes the secret, and that it is shown once. */
    what: PlainKey;
    secret: string | undefined;
    clientId: string | undefined;
  },
): Page {
  return renderShell(
    about.title,
    'developer',
    shell,
    (translator) =>
      html`<h1>${translator.t(about.title)}</h1>
        ${
          about.clientId === undefined
            ? undefined
            : html`<p>${translator.t('clientId')}</p>
                ${copyField(translator, 'client_id', about.clientId)}`
        }
        ${
          about.secret === undefined
            ? undefined
            : html`<p>${translator.t(about.what)}</p>
                ${copyField(translator, 'secret', about.secret)}`
        }
        <p><a class="button" href="${SETTINGS.developer}">${translator.t('done')}</a></p>`,
  );
}
