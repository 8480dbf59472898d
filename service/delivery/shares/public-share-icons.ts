import { Html } from '../../kernel/html-tag.js';

const icon = (shape: string): Html =>
  Html.raw(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${shape}</svg>`);

export const HEART = icon(
  '<path d="M12 20.5C5.5 15.8 3 12.6 3 8.9A4.9 4.9 0 0 1 7.9 4c1.7 0 3.2.9 4.1 2.3A4.9 4.9 0 0 1 16.1 4 4.9 4.9 0 0 1 21 8.9c0 3.7-2.5 6.9-9 11.6z"/>',
);
export const CHECK = icon('<path d="M5 12.5l4.5 4.5L19 7.5"/>');
export const COMMENT = icon('<path d="M4 5h16v11H9.5L5 20v-4H4z"/>');
export const DOWNLOAD = icon('<path d="M12 4v11m-4.5-4.5L12 15l4.5-4.5M5 20h14"/>');
export const BACK = icon('<path d="M14.5 5l-7 7 7 7"/>');
export const ON = icon('<path d="M9.5 5l7 7-7 7"/>');
