import { html, type Html } from '../../../kernel/html-tag.js';
import { shownPages } from '../../previews/index.js';
import type { Photo } from '../data/photo.js';
import type { PictureAddresses } from './picture-image.js';
import { shapeClass } from './shape-class.js';

/**
 * The attributes of the tile of a photo, which the grid and the viewer read.
 * @param addresses.download empty where nothing can be downloaded
 */
export function tileAttributes(
  photo: Photo,
  addresses: {
    readonly preview: string;
    readonly download: string;
    readonly secondPage: PictureAddresses;
  },
): Html {
  const { id, name, width, height, preview } = photo;
  return html`class="${shapeClass(preview?.width ?? width, preview?.height ?? height)}"
  data-id="${id}" data-name="${name}" data-width="${String(width ?? '')}"
  data-height="${String(height ?? '')}"
  data-preview="${preview === undefined ? '' : addresses.preview}"
  data-download="${addresses.download}" ${pageAttributes(photo, addresses.secondPage)}`;
}

/**
 * The pages of a document, which the viewer shows one by one.
 * @param secondPage the pictures of page 2; `n` in their addresses names the page
 */
export function pageAttributes(photo: Photo, secondPage: PictureAddresses): Html | undefined {
  const pages = shownPages(photo);
  return pages < 2
    ? undefined
    : html`data-pages="${String(pages)}" data-page-preview="${secondPage.preview}"
      data-page-thumbnail="${secondPage.thumbnail}"`;
}
