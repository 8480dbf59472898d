import { Html } from '../pages/html.js';

const PLAIN = Html.trusted(
  '<svg class="tile" viewBox="0 0 56 56" aria-hidden="true"><rect width="56" height="56" rx="10"/><path d="M12 40l12-14 8 9 5-5 9 10zM38 18h.01"/></svg>',
);

/** Stands beside the name of a photo. */
export function tile(): Html {
  return PLAIN;
}
