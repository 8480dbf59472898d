import { html, type Html } from '../../../kernel/html-tag.js';
import type { Translator } from '../../../kernel/i18n/translator.js';
import { ofPage, PHOTOS } from '../../../site/addresses/photo-paths.js';
import { shownPages } from '../../previews/index.js';
import type { Photo } from '../data/photo.js';
import { pictureAddresses, type PictureAddresses } from './picture-image.js';

/** What the strip and the picture of a page need. */
export interface PagedPhoto {
  readonly photo: Photo;
  /** The page that is shown large, from 1. */
  readonly page: number;
  /** Where the pictures of a page are. */
  readonly pictures: (page: number) => PictureAddresses;
  /** How many comments each page has; those without any may be missing. */
  readonly comments?: ReadonlyMap<number, number>;
  /** The address of this page of the service, without a page of the document. */
  readonly address: string;
}

/** Where members find the pictures of a page of a document. */
export function pageAddresses(
  photo: Pick<Photo, 'id' | 'preview'>,
  page: number,
): PictureAddresses {
  if (page === 1) {
    return pictureAddresses(photo);
  }
  const { id, preview } = photo;
  const address = (as: 'thumbnail' | 'preview'): string =>
    `${PHOTOS.page(id)}?${new URLSearchParams({
      ...ofPage(page, as),
      ...(preview !== undefined && { v: String(preview.version) }),
    }).toString()}`;
  return { thumbnail: address('thumbnail'), preview: address('preview') };
}

/** The page that is shown large: the first one where there is no picture of the wanted one. */
export function shownPage(photo: Photo, wanted: number | undefined): number {
  return wanted !== undefined && wanted <= shownPages(photo) ? wanted : 1;
}

/** A page behind the first one, large. Its shape is not known before it is made. */
export function pageImage(translator: Translator, { photo, page, pictures }: PagedPhoto): Html {
  return html`<img
    src="${pictures(page).preview}"
    alt="${photo.name}, ${translator.t('pageNumber', { page })}"
    translate="no"
    decoding="async"
  />`;
}

/**
 * All pages of a document, as links to the same page of the service with another page large; undefined for everything else, and for a
 * single page. `service/client/turn-pages.ts` changes the picture in place.
 */
export function pageStrip(translator: Translator, shown: PagedPhoto): Html | undefined {
  const { photo, page, pictures, address, comments } = shown;
  const count = shownPages(photo);
  if (photo.media?.kind !== 'document' || count < 2) {
    return undefined;
  }
  const total = photo.media.pages;
  const step = (rel: 'prev' | 'next', target: number): Html =>
    html`<a
      class="turn"
      data-turn="${rel}"
      href="${withPage(address, target)}"
      aria-label="${translator.t(rel === 'prev' ? 'previousPage' : 'nextPage')}"
      ${target < 1 || target > count ? html`hidden` : undefined}
      >${rel === 'prev' ? '‹' : '›'}</a
    >`;
  return html`<nav class="pages" aria-label="${translator.t('pages')}">
    <p class="turns">
      ${step('prev', page - 1)}
      <span
        role="status"
        data-text="${translator.t('pageOf', { number: '{number}', count: total })}"
        >${translator.t('pageOf', { number: page, count: total })}</span
      >
      ${step('next', page + 1)}
    </p>
    <ol>
      ${Array.from({ length: count }, (_, index) => {
        const number = index + 1;
        const { thumbnail, preview } = pictures(number);
        return html`<li>
          <a
            href="${withPage(address, number)}"
            data-page="${String(number)}"
            data-preview="${preview}"
            aria-label="${translator.t('pageNumber', { page: number })}"
            ${pageComments(translator, comments?.get(number))}
            ${number === page ? html`aria-current="page"` : undefined}
            ><img src="${thumbnail}" alt="" loading="lazy" decoding="async" /><span
              >${String(number)}</span
            ></a
          >
        </li>`;
      })}
    </ol>
    ${count < total ? html`<p class="soft small">${translator.t('pagesLeftOut', { count })}</p>` : undefined}
  </nav>`;
}

/** The attributes of a page with comments: their number is drawn by the style sheet. */
function pageComments(translator: Translator, count: number | undefined): Html | undefined {
  return count === undefined
    ? undefined
    : html`data-comments="${String(count)}" title="${translator.t('commentCount', { count })}"`;
}

/** How many comments the pages have, for `service/client/turn-pages.ts`, which shows it after a new one. */
export function pageMarks(translator: Translator, comments: ReadonlyMap<number, number>): Html {
  return html`<ol class="page-marks">
    ${[...comments].map(
      ([page, count]) =>
        html`<li data-page="${String(page)}" ${pageComments(translator, count)}></li>`,
    )}
  </ol>`;
}

/** The address of a page of the service that shows this page of a document. */
function withPage(address: string, page: number): string {
  return page === 1 ? address : `${address}${address.includes('?') ? '&' : '?'}page=${page}`;
}
