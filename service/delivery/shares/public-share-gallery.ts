import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import { page, type Page } from '../../kernel/html/layout.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import {
  listData,
  MAX_IN_ZIP,
  mediaBadge,
  pictureImage,
  tileAttributes,
  viewerTemplate,
  type GuestMarks,
  type Photo,
} from '../../library/index.js';
import { finishButton } from '../digests/index.js';
import { decisionNotice } from '../rounds/index.js';
import { logoImage } from '../logos/index.js';
import {
  answerFields,
  guestLine,
  nameDialog,
  offlineTemplates,
  type GuestForms,
} from './public-share-answers.js';
import { CHECK, COMMENT, DOWNLOAD, HEART } from './public-share-icons.js';
import {
  sharedFramesAddress,
  sharedPageAddresses,
  sharedPictureAddresses,
} from './guest-pictures.js';
import { ofPhoto } from './public-share-pages.js';
import type { PageOfLink } from './share-contents.js';
import type { Share, ShareDownloads } from './share.js';

/** What the page of a link shows to a guest. */
export interface SharedGallery extends PageOfLink, GuestForms {
  readonly share: Share;
  /** Whom the link asks for a decision. */
  readonly reviewers: readonly { readonly name: string }[];
  readonly count: number;
  /** The picture at the top of the first page. */
  readonly cover: Photo | undefined;
  /** By photo id. */
  /** Where the film of a photo plays, if it has one that does. */
  readonly films: (photo: Photo) => string | undefined;
  readonly marks: ReadonlyMap<string, GuestMarks>;
  /** How many photos this guest likes. */
  readonly favourites: number;
  /** Whether the page shows only those. */
  readonly onlyFavourites: boolean;
  readonly now: Date;
}

/** The page that a link leads to: the cover and the photos. */
export function sharedGalleryPage(shown: SharedGallery): Page {
  const { share, photos, token } = shown;
  return page(
    { name: titleOf(share) },
    (translator) =>
      html`${top(shown)} ${bar(translator, shown)}
        ${
          share.decisionUntil !== undefined && shown.isOpen
            ? decisionNotice(translator, share.decisionUntil, shown.reviewers)
            : undefined
        }
        ${
          photos.length === 0
            ? nothing(translator, shown)
            : html`<form method="post" action="${SHARES.answers(token)}" class="several">
                ${answerFields(shown, { back: shown.onlyFavourites ? 'favourites' : 'list' })}
                <input type="hidden" name="after" value="${shown.here}" />
                <ul
                  class="photos"
                  ${listData(shown.next && addressOf(shown, shown.next), totalOf(shown))}
                >
                  ${photos.map((photo) => tile(translator, photo, shown))}
                </ul>
              </form>`
        }
        ${pager(translator, shown)}
        ${photos.length === 0 || !shown.isOpen ? undefined : finishButton(translator, shown)}
        ${shown.isOpen ? undefined : html`<p class="foot">${translator.t('answersAreClosed')}</p>`}
        <p class="foot">
          ${translator.html('sharedBy', { user: share.creatorName, workspace: share.workspace.name })}
        </p>
        ${guestLine(translator, shown)} ${nameDialog(translator, shown)}
        ${viewerTemplate(translator)} ${viewerButtons(translator, shown)}
        ${photos[0] && offlineTemplates(translator, { ...shown, photo: photos[0] })}
        <template class="tile-marks">${tileMarks(translator, true, 1)}</template>`,
    { width: 'full', showsPictures: true, client: 'share', header: () => html`` },
  );
}

function nothing(translator: Translator, { onlyFavourites, token }: SharedGallery): Html {
  return onlyFavourites
    ? html`<p class="empty">${translator.t('noFavouritesYet')}</p>
        <p class="empty">
          <a class="pill" href="${SHARES.shared(token)}">${translator.t('photos')}</a>
        </p>`
    : html`<p class="empty">${translator.t('sharedEmpty')}</p>`;
}

/** How many photos the list has, as far as it is known and the page is the first one. */
function totalOf({ count, favourites, onlyFavourites, here }: SharedGallery): number | undefined {
  const total = onlyFavourites ? favourites : count;
  return here === '' && total <= MAX_IN_ZIP ? total : undefined;
}

/** The title of a link: its own, its project, its only photo, or the studio. */
export function titleOf({ title, target, workspace }: Share): string {
  const name = target.kind === 'project' || target.shown === 1 ? target.name : workspace.name;
  return title ?? name;
}

function top({ share, cover, here, token }: SharedGallery): Html {
  const title = titleOf(share);
  const name = studio(share, title);
  const message =
    share.message === undefined
      ? undefined
      : html`<p class="message"><bdi>${share.message}</bdi></p>`;
  if (cover === undefined || here !== '') {
    return html`${name}
      <div class="title">
        <div class="words">
          <h1>${verbatim(title)}</h1>
          ${message}
        </div>
      </div>`;
  }
  // A logo may not be readable on a photo.
  const isOnCover = share.logo === undefined;
  return html`${isOnCover ? undefined : name}
    <div class="cover">
      ${pictureImage(cover, {
        sizes: '100vw',
        addresses: sharedPictureAddresses(token, cover, share),
      })}
      <div class="words">
        ${isOnCover ? name : undefined}
        <h1>${verbatim(title)}</h1>
        ${message}
      </div>
    </div>`;
}

/** The logo and the name of the studio. The name may be the title of the link already. */
function studio({ logo, workspace }: Share, title: string): Html | undefined {
  const isTitle = title === workspace.name;
  if (logo === undefined && isTitle) {
    return undefined;
  }
  return html`<p class="studio">
    ${logo && logoImage(logo, isTitle ? workspace.name : '')}
    ${isTitle ? undefined : verbatim(workspace.name)}
  </p>`;
}

/** How many photos there are and until when, the favourites of the guest, and one button for all originals. */
function bar(translator: Translator, shown: SharedGallery): Html {
  const { share, count, token } = shown;
  const { downloads } = share;
  return html`<div class="share-bar">
    <p>
      ${count === 1 ? translator.t('onePhoto') : translator.t('photoCount', { count })}
      <span class="soft"
        >${translator.html('sharedUntil', { time: translator.day(share.expiresAt, shown.now) })}</span
      >
    </p>
    ${count === 0 ? undefined : favouritesLink(translator, shown)}
    ${count === 0 || downloads === 'none' ? undefined : downloadButton(translator, token, downloads)}
  </div>`;
}

/** Shows only the favourites of the guest, or all photos. */
function favouritesLink(translator: Translator, shown: SharedGallery): Html {
  const { favourites, onlyFavourites, maxFavourites, token } = shown;
  const words = onlyFavourites ? 'showAllPhotos' : 'showFavourites';
  return html`<a
    class="pill favourites"
    href="${onlyFavourites ? SHARES.shared(token) : `${SHARES.shared(token)}?only=favourites`}"
    ${onlyFavourites ? html`aria-current="true"` : undefined}
    aria-label="${translator.t(words, { count: favourites })}"
    data-words="${translator.t(words, { count: '{count}' })}"
    >${HEART}<span class="count">${String(favourites)}</span>${
      maxFavourites === undefined ? undefined : html`/${String(maxFavourites)}`
    }</a
  >`;
}

function downloadButton(
  translator: Translator,
  token: string,
  downloads: Exclude<ShareDownloads, 'none'>,
): Html {
  const label = translator.t(downloads === 'web' ? 'downloadWebSize' : 'download');
  return html`<a class="pill main" href="${SHARES.zip(token)}"
    >${DOWNLOAD}<span>${label}</span></a
  >`;
}

/** A photo of the link. A link may have thousands, so it has as few nodes as possible. */
function tile(
  translator: Translator,
  photo: Photo,
  { share, token, marks, films, isOpen }: SharedGallery,
): Html {
  const { id, photoId, name, preview } = photo;
  const width = preview?.width ?? photo.width;
  const height = preview?.height ?? photo.height;
  const addresses = sharedPictureAddresses(token, photo, share);
  const { isFavourite = false, isApproved = false, comments = 0 } = marks.get(photoId) ?? {};
  const download = share.downloads === 'none' ? '' : ofPhoto(SHARES.file(token), id);
  const picture = pictureImage(photo, { sizes: shownWidth(width, height), alt: name, addresses });
  const parts = [
    html`<a href="${ofPhoto(SHARES.photo(token), id)}" class="picture">${picture}</a>`,
    html`<p class="caption">${verbatim(name)}</p>`,
    mediaBadge(translator, photo),
    isApproved || comments > 0 ? tileMarks(translator, isApproved, comments) : undefined,
    isOpen ? favouriteButton(translator, { id: photoId, name, isFavourite }) : undefined,
  ];
  const attributes = html`id="photo-${photoId}"
  ${tileAttributes(photo, { preview: addresses.preview, download, film: films(photo), frames: sharedFramesAddress(token, photo, share), secondPage: sharedPageAddresses(token, photo, share, 2) })}
  data-answers="${ofPhoto(SHARES.photo(token), id)}"`;
  return html`<li ${attributes}>${parts}</li>`;
}

/** What was answered to a photo, in its tile. The script copies it from a template. */
function tileMarks(translator: Translator, isApproved: boolean, comments: number): Html {
  const marks = [
    isApproved
      ? html`<span class="is-approved" role="img" title="${translator.t('approved')}"
          >${CHECK}</span
        >`
      : undefined,
    comments > 0
      ? html`<span class="has-comments" title="${translator.t('comments')}"
          >${COMMENT}<span class="count">${String(comments)}</span></span
        >`
      : undefined,
  ];
  return html`<p class="marks">${marks}</p>`;
}

/** What the viewer adds to its bar for a guest: the heart, and the answers in a sheet. */
function viewerButtons(translator: Translator, shown: SharedGallery): Html {
  return html`<template class="answer-buttons">
    ${
      shown.isOpen
        ? html`<form method="post" action="${SHARES.answers(shown.token)}">
            ${answerFields(shown, { back: 'list' })}
            <button type="submit" class="heart" aria-label="${translator.t('favourite')}">
              ${HEART}
            </button>
          </form>`
        : undefined
    }
    <button type="button" class="talk" aria-expanded="false">
      ${CHECK}${COMMENT}<span>${translator.t(shown.isOpen ? 'approveOrComment' : 'comments')}</span>
    </button>
  </template>`;
}

function favouriteButton(
  translator: Translator,
  { id, name, isFavourite }: { id: string; name: string; isFavourite: boolean },
): Html {
  const attributes = html`type="submit" class="heart"
  name="${isFavourite ? 'unfavourite' : 'favourite'}" value="${id}"
  aria-pressed="${String(isFavourite)}" aria-label="${translator.t('favourite')}: ${name}"`;
  return html`<button ${attributes}>${HEART}</button>`;
}

/** How wide the page shows a picture, about: in two columns on a phone, in rows of about 320 pixels elsewhere. */
function shownWidth(width = 3, height = 2): string {
  return `(max-width: 600px) 50vw, ${Math.ceil((320 * width) / height)}px`;
}

function addressOf({ token, onlyFavourites }: SharedGallery, cursor: string): string {
  const query = new URLSearchParams({
    ...(onlyFavourites && { only: 'favourites' }),
    ...(cursor !== '' && { after: cursor }),
  });
  return `${SHARES.shared(token)}${query.size === 0 ? '' : `?${query.toString()}`}`;
}

/** For browsers without the script, and for links with more photos than one ZIP can hold. */
function pager(translator: Translator, shown: SharedGallery): Html | undefined {
  const { share, token, here, next, count, onlyFavourites } = shown;
  if (here === '' && next === undefined) {
    return undefined;
  }
  const onlyPage = new URLSearchParams({ only: 'page', after: here }).toString();
  return html`<p class="pager ${count > MAX_IN_ZIP ? 'always' : ''}">
    ${
      onlyFavourites || share.downloads === 'none'
        ? undefined
        : html`<a class="button quiet" href="${SHARES.zip(token)}?${onlyPage}"
            >${translator.t('downloadPageZip')}</a
          >`
    }
    ${
      here === ''
        ? undefined
        : html`<a class="button quiet" href="${addressOf(shown, '')}" rel="prev"
            >${translator.t('sharedFirst')}</a
          >`
    }
    ${
      next === undefined
        ? undefined
        : html`<a class="button quiet" href="${addressOf(shown, next)}" rel="next"
            >${translator.t('sharedNext')}</a
          >`
    }
  </p>`;
}
