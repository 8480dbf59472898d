import { html, type Html } from '../../platform/html-tag.js';
import { page, errorBox, type Page } from '../../platform/html/layout.js';
import type { Message } from '../../platform/i18n/message.js';
import type { Translator } from '../../platform/i18n/translator.js';
import type { Photo, PictureAddresses } from '../photos/index.js';
import { SHARES } from '../../platform/paths/share-paths.js';
import type { Share } from './share.js';

/** The content of a link. */
export interface Shown {
  readonly share: Share;
  readonly token: string;
  readonly photos: readonly Photo[];
  /** The cursors of this page (empty for the first one) and of the next one (undefined if there is none). */
  readonly here: string;
  readonly next: string | undefined;
}

/** The page that a link leads to: its photos, each to download, and all of them or those of this page as one ZIP. */
export function sharedPage(shown: Shown): Page {
  const { share, photos } = shown;
  const { kind, name, shown: count } = share.target;
  const hasName = kind === 'project' || count === 1;
  return page(
    hasName ? { name } : 'photos',
    (translator) =>
      html`<h1>${hasName ? html`<bdi>${name}</bdi>` : translator.t('shareOfPhotos', { count })}</h1>
        <p class="soft">
          ${translator.t('sharedBy', { user: share.creatorName, workspace: share.workspace.name })}
          · ${translator.html('sharedUntil', { time: translator.time(share.expiresAt) })}
        </p>
        ${photos.length > 1 || shown.here !== '' ? zipLink(translator, shown) : undefined}
        ${
          photos.length === 0
            ? html`<p>${translator.t('sharedEmpty')}</p>`
            : html`<ul class="gallery">
                ${photos.map((photo) => shownPhoto(translator, shown, photo))}
              </ul>`
        }
        ${isWhole(shown) ? undefined : pager(translator, shown)}`,
    { width: 'wide', showsPictures: true, client: 'share' },
  );
}

/** Where guests with a link find the pictures of a photo. */
export function sharedPictureAddresses(
  token: string,
  { id, preview }: Pick<Photo, 'id' | 'preview'>,
): PictureAddresses {
  const query = new URLSearchParams({
    photo: id,
    ...(preview !== undefined && { v: String(preview.version) }),
  }).toString();
  return {
    thumbnail: `${SHARES.thumbnail(token)}?${query}`,
    preview: `${SHARES.preview(token)}?${query}`,
  };
}

function shownPhoto(translator: Translator, { token }: Shown, { id, name, size }: Photo): Html {
  const photo = new URLSearchParams({ photo: id }).toString();
  return html`<li>
    <img src="${SHARES.thumbnail(token)}?${photo}" alt="" loading="lazy" />
    <p class="small"><bdi>${name}</bdi></p>
    <p class="small soft">${translator.bytes(size)}</p>
    <a
      class="button quiet small"
      href="${SHARES.file(token)}?${photo}"
      aria-label="${`${translator.t('download')}: ${name}`}"
      download
      >${translator.t('download')}</a
    >
  </li>`;
}

/** Whether all photos of the link fit on this one page. */
function isWhole({ here, next }: Shown): boolean {
  return here === '' && next === undefined;
}

/** Most guests come for the ZIP, so its link is above the photos, of which there may be many. */
function zipLink(translator: Translator, shown: Shown): Html {
  return html`<p>
    <a class="button" href="${SHARES.zip(shown.token)}" download
      >${translator.t(isWhole(shown) ? 'downloadZip' : 'downloadAllZip')}</a
    >
  </p>`;
}

function pager(translator: Translator, { token, here, next }: Shown): Html {
  const from = (cursor: string): string => (cursor === '' ? '' : `?before=${cursor}`);
  const onlyPage = new URLSearchParams({ only: 'page', before: here }).toString();
  return html`<p class="pager">
    <a class="button quiet" href="${SHARES.zip(token)}?${onlyPage}" download
      >${translator.t('downloadPageZip')}</a
    >
    ${
      here === ''
        ? undefined
        : html`<a class="button quiet" href="${SHARES.shared(token)}" rel="prev"
            >${translator.t('sharedFirst')}</a
          >`
    }
    ${
      next === undefined
        ? undefined
        : html`<a class="button quiet" href="${SHARES.shared(token)}${from(next)}" rel="next"
            >${translator.t('sharedNext')}</a
          >`
    }
  </p>`;
}

/** For an unknown link. The page does not reveal whether it ever existed. */
export function shareGonePage(): Page {
  return page(
    'shareGoneTitle',
    (translator) =>
      html`<h1>${translator.t('shareGoneTitle')}</h1>
        <p>${translator.t('shareGoneText')}</p>`,
  );
}

/** The form for the password of a link. */
export function shareLockedPage(csrf: string, problem: Message | undefined): Page {
  return page(
    'shareLockedTitle',
    (translator) =>
      html`<h1>${translator.t('shareLockedTitle')}</h1>
        <p>${translator.t('shareLockedText')}</p>
        ${errorBox(translator, problem)}
        <form method="post">
          <input type="hidden" name="csrf" value="${csrf}" />
          <label for="password">${translator.t('password')}</label>
          <input
            id="password"
            name="password"
            type="password"
            autocomplete="off"
            required
            autofocus
          />
          <button type="submit">${translator.t('continue')}</button>
        </form>`,
  );
}

/** The error page of a link, with a way back to its photos. */
export function shareProblemPage(token: string, problem: Message): Page {
  return page(
    'didNotWork',
    (translator) =>
      html`<h1>${translator.t('didNotWork')}</h1>
        ${errorBox(translator, problem)}
        <p><a class="button" href="${SHARES.shared(token)}">${translator.t('photos')}</a></p>`,
  );
}
