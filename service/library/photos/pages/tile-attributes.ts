import { html, type Html } from '../../../kernel/html-tag.js';
import { shownPages } from '../../previews/index.js';
import type { Photo } from '../data/photo.js';
import type { PictureAddresses } from './picture-image.js';
import { shapeClass } from './shape-class.js';

/**
 * The attributes of the tile of a photo, which the grid and the viewer read.
 * @param addresses.download empty where nothing can be downloaded
 * @param addresses.film where a film plays; undefined for pictures
 * @param addresses.frames where the picture with its frames is, if there is one
 */
export function tileAttributes(
  photo: Photo,
  addresses: {
    readonly preview: string;
    readonly download: string;
    readonly film?: string | undefined;
    readonly frames?: string | undefined;
    readonly secondPage: PictureAddresses;
  },
): Html {
  const { id, name, width, height, preview, media } = photo;
  const frameRate = media?.kind === 'video' ? (media.frameRate ?? '') : '';
  const film =
    addresses.film === undefined
      ? undefined
      : html`data-film="${addresses.film}" data-frame-rate="${String(frameRate)}"`;
  return html`class="${shapeClass(preview?.width ?? width, preview?.height ?? height)}"
  data-id="${id}" data-name="${name}" data-width="${String(width ?? '')}"
  data-height="${String(height ?? '')}"
  data-preview="${preview === undefined ? '' : addresses.preview}"
  data-download="${addresses.download}" ${film}
  ${addresses.frames === undefined ? undefined : html`data-frames="${addresses.frames}"`}
  ${pageAttributes(photo, addresses.secondPage)}`;
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
