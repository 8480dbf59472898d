import { type Html, html } from '../html-tag.js';

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
