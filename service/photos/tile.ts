import { markup, type Html } from '../pages/html.js';
import { PHOTOS } from './paths.js';

/** Stands beside the name of a photo: its preview, or a plain tile in its place. */
export function tile(id: string, size: 'small' | 'large' = 'small'): Html {
  return markup`<img class="tile ${size}" src="${PHOTOS.thumbnail(id)}" alt="" loading="lazy" />`;
}
