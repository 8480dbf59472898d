import { html, type Html } from '../../../platform/html-tag.js';
import { PHOTOS } from '../../../platform/paths/photo-paths.js';

/** The small picture next to the name of a photo: its thumbnail, or a plain tile. */
export function thumbnailImage(id: string): Html {
  return html`<img class="tile" src="${PHOTOS.thumbnail(id)}" alt="" loading="lazy" />`;
}
