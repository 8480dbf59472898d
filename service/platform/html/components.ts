import { type Html, html } from '../html-tag.js';

/** A list of cards; undefined if there are none. */
export function cards(items: readonly Html[]): Html | undefined {
  return items.length === 0
    ? undefined
    : html`<ul class="cards">
        ${items}
      </ul>`;
}
