import { markup, type Html } from '../pages/html.js';
import type { Speech } from '../pages/speech.js';
import { SHARES } from './paths.js';
import type { SharedThing } from './share.js';

/** On the page of a photo or a project: the way to a link for it. */
export function shareLink(speech: Speech, { kind, id }: SharedThing): Html {
  const query = new URLSearchParams({ [kind]: id }).toString();
  return markup`<p>
    <a class="button quiet" href="${SHARES.new}?${query}">${speech.text('shareByLink')}</a>
  </p>`;
}
