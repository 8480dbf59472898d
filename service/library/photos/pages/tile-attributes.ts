import { html, type Html } from '../../../kernel/html-tag.js';
import type { Photo } from '../data/photo.js';
import { shapeClass } from './shape-class.js';

/**
 * The attributes of the tile of a photo, which the grid and the viewer read.
 * @param addresses.download empty where nothing can be downloaded
 */
export function tileAttributes(
  { id, name, width, height, preview }: Photo,
  addresses: { readonly preview: string; readonly download: string },
): Html {
  return html`class="${shapeClass(preview?.width ?? width, preview?.height ?? height)}"
  data-id="${id}" data-name="${name}" data-width="${String(width ?? '')}"
  data-height="${String(height ?? '')}"
  data-preview="${preview === undefined ? '' : addresses.preview}"
  data-download="${addresses.download}"`;
}
