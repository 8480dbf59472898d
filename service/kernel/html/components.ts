import { type Html, html } from '../html-tag.js';
import type { Translator } from '../i18n/translator.js';

/** A list of cards; undefined if there are none. */
export function cards(items: readonly Html[]): Html | undefined {
  return items.length === 0
    ? undefined
    : html`<ul class="cards">
        ${items}
      </ul>`;
}

/** A line about a state, with a mark for eyes. The words are enough without it. */
export function stateLine(words: Html, state: 'good' | 'bad' | 'waiting'): Html {
  return html`<p class="state small is-${state}"><span>${words}</span></p>`;
}

/** A button that copies the element with this id, an input or a text. It shows only with scripts. */
export function copyButton(translator: Translator, id: string, look?: 'quiet'): Html {
  return html`<button
    type="button"
    class="small ${look ?? ''} needs-script"
    data-copy="${id}"
    data-copied="${translator.t('copied')}"
  >
    ${translator.t('copy')}
  </button>`;
}

/** A secret, an address or a name to copy. */
export function copyField(translator: Translator, id: string, text: string): Html {
  return html`<div class="copy-field">
    <code class="secret" translate="no" id="${id}">${text}</code
    >${copyButton(translator, id, 'quiet')}
  </div>`;
}
