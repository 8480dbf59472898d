import { apiScopes } from '../../identity/index.js';
import type { ClientEntry } from '../../oauth/index.js';
import { html, type Html } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { scopeFields } from './fields.js';

/** Reads from a form what an owner has entered about an application. */
export function readEntry(form: URLSearchParams): ClientEntry {
  return {
    name: (form.get('name') ?? '').trim(),
    redirectUris: (form.get('redirect_uris') ?? '').split(/\s+/).filter((uri) => uri !== ''),
    scopes: apiScopes(form.getAll('scope').join(' ')),
  };
}

/** The form fields in which an owner enters the data of an application. */
export function entryFields(translator: Translator, entry: ClientEntry): Html {
  return html`<label for="name">${translator.t('name')}</label>
    <input id="name" name="name" type="text" value="${entry.name}" maxlength="80" required />
    <label for="redirect_uris">${translator.t('redirectUris')}</label>
    <textarea
      id="redirect_uris"
      name="redirect_uris"
      rows="3"
      spellcheck="false"
      translate="no"
      required
    >
${entry.redirectUris.join('\n')}</textarea>
    <p class="small soft">
      ${translator.html('redirectUrisText', {
        web: html`<code translate="no">https://…</code>`,
        loopback: html`<code translate="no">http://127.0.0.1/path</code>`,
      })}
    </p>
    ${scopeFields(translator, 'mayAskFor', new Set<string>(entry.scopes))}`;
}
