import { html, type Html } from '../pages/html.js';
import type { Translator } from '../pages/translator.js';
import { SHARES } from './paths.js';
import type { ShareTarget } from './share.js';

/** On the page of a photo or a project: the way to a link for it. */
export function shareButton(translator: Translator, { kind, id }: ShareTarget): Html {
  const query = new URLSearchParams({ [kind]: id }).toString();
  return html`<p>
    <a class="button quiet" href="${SHARES.new}?${query}">${translator.t('shareByLink')}</a>
  </p>`;
}
