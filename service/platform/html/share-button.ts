import { html, type Html } from '../html-tag.js';
import type { Translator } from '../i18n/translator.js';
import { SHARES } from '../paths/share-paths.js';

/** On the page of a photo or a project: the way to a link for it. */
export function shareButton(translator: Translator, kind: 'photo' | 'project', id: string): Html {
  const query = new URLSearchParams({ [kind]: id }).toString();
  return html`<p>
    <a class="button quiet" href="${SHARES.new}?${query}">${translator.t('shareByLink')}</a>
  </p>`;
}
