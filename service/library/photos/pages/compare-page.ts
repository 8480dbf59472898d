import type { Provider } from 'oidc-provider';
import { html, type Html, verbatim } from '../../../kernel/html-tag.js';
import type { Page } from '../../../kernel/html/layout.js';
import type { Translator } from '../../../kernel/i18n/translator.js';
import { csrfField } from '../../../kernel/html/form-fields.js';
import { sendPage } from '../../../kernel/http/responses.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';
import {
  canEdit,
  canView,
  renderShell,
  type PageHandler,
  type PageShell,
} from '../../../identity/index.js';
import { appNamesOf, type AppNames } from '../data/app-names.js';
import type { Photo } from '../data/photo.js';
import type { PhotoTable } from '../data/photo-table.js';
import { photoNotFoundPage } from './not-found-page.js';
import { drawnPageIn } from '../files/page-picture.js';
import { shownPages } from '../../previews/index.js';
import { pageAddresses, pageImage, pageStrip, type PagedPhoto } from './page-strip.js';
import { isVideo, player } from './player.js';
import { pictureAddresses, pictureImage } from './picture-image.js';

interface ComparePageDeps {
  readonly photos: PhotoTable;
  readonly provider: Provider;
}

interface Comparison {
  /** The current version. */
  readonly photo: Photo;
  readonly other: Photo;
  readonly apps: AppNames;
  /** The page of the documents that is shown, from 1. */
  readonly page: number;
  /** Whether the user may make the other one the current version. */
  readonly mayUse: boolean;
}

/** Shows two versions of a photo: the current one, and the one that the parameter `with` names. */
export function comparePage({ photos, provider }: ComparePageDeps): PageHandler {
  return async (context) => {
    const { id, query, account, memberships, shell } = context;
    const photo = await photos.findCurrent(id);
    const other = await photos.find(query.get('with') ?? '');
    if (
      photo === undefined ||
      other?.photoId !== photo.photoId ||
      !canView(photo, account.id, memberships)
    ) {
      sendPage(context, 404, photoNotFoundPage());
      return;
    }
    const apps = await appNamesOf(provider, [photo, other]);
    const isTheirs = canEdit(photo, account.id, memberships);
    const mayUse = isTheirs && photo.trashedAt === undefined && other.id !== photo.id;
    const page = drawnPageIn(query, photo, 'page') ?? drawnPageIn(query, other, 'page') ?? 1;
    sendPage(context, 200, comparison(shell, { photo, other, apps, mayUse, page }));
  };
}

/**
 * Two pictures side by side. A script lays one on the other, with a divider that the reader moves, and zooms both. Two films
 * play together.
 */
function comparison(shell: PageShell, { photo, other, apps, mayUse, page }: Comparison): Page {
  const address = `${PHOTOS.compare(photo.id)}?${new URLSearchParams({ with: other.id }).toString()}`;
  const longer = shownPages(other) > shownPages(photo) ? other : photo;
  const areFilms = isVideo(photo) || isVideo(other);
  return renderShell(
    'compareVersions',
    'photos',
    shell,
    (translator) =>
      html`<div class="stage">
        <div class="stage-bar">
          <a class="back" href="${PHOTOS.photo(photo.id)}">← ${verbatim(photo.name)}</a>
          <h1>${translator.t('compareVersions')}</h1>
          ${
            mayUse
              ? html`<form method="post" action="${PHOTOS.photo(photo.photoId)}">
                  ${csrfField(shell)}
                  <input type="hidden" name="action" value="use" />
                  <button type="submit" name="version" value="${other.id}" class="quiet small">
                    ${translator.t('useVersion')}
                  </button>
                </form>`
              : undefined
          }
        </div>
        <div class="comparison ${areFilms ? 'films' : ''}">
          ${version(translator, other, apps, page)} ${version(translator, photo, apps, page)}
          ${areFilms ? undefined : pictureControls(translator)}
        </div>
        ${pageStrip(translator, pagedOf(longer, page, address))}
      </div>`,
  );
}

/** For the script that lays one picture on the other. */
function pictureControls(translator: Translator): Html {
  return html`<template
    ><input
      type="range"
      min="0"
      max="100"
      value="50"
      aria-label="${translator.t('compareDivider')}"
      autocomplete="off"
    />
    <p class="zoom">
      ${zoomButton('out', translator.t('zoomOut'), 'M5 12h14')}
      ${zoomButton('whole', translator.t('wholePicture'), 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5')}
      ${zoomButton('in', translator.t('zoomIn'), 'M5 12h14M12 5v14')}
    </p></template
  >`;
}

function zoomButton(action: 'in' | 'out' | 'whole', label: string, path: string): Html {
  return html`<button type="button" data-zoom="${action}" aria-label="${label}" title="${label}">
    <svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}" /></svg>
  </button>`;
}

function pagedOf(photo: Photo, page: number, address: string): PagedPhoto {
  return { photo, page, address, pictures: (number) => pageAddresses(photo, number) };
}

/** A version that has no such page has no picture of it. */
function pictureOf(translator: Translator, photo: Photo, page: number): Html | undefined {
  if (isVideo(photo)) {
    return player(translator, photo, {
      film: PHOTOS.play(photo.id),
      poster: pictureAddresses(photo).preview,
      image: pictureImage(photo, { sizes: '100vw' }),
    });
  }
  if (page === 1) {
    return pictureImage(photo, { sizes: '100vw' });
  }
  return page <= shownPages(photo) ? pageImage(translator, pagedOf(photo, page, '')) : undefined;
}

function version(translator: Translator, photo: Photo, apps: AppNames, page: number): Html {
  const { isCurrent, clientId, size, uploadedAt } = photo;
  const app = apps(clientId);
  return html`<figure>
    <div class="${isVideo(photo) ? 'film' : 'view'}">${pictureOf(translator, photo, page)}</div>
    <figcaption>
      ${translator.time(uploadedAt)}${
        isCurrent ? html` · <strong>${translator.t('currentVersion')}</strong>` : undefined
      }<br />
      <span class="small"
        >${typeof app === 'string' ? verbatim(app) : translator.format(app)} ·
        ${translator.bytes(size)}</span
      >
    </figcaption>
  </figure>`;
}
