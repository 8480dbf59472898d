import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import { errorBox, page, type Page } from '../../kernel/html/layout.js';
import type { Message, PlainKey } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import {
  commentsByPage,
  isVideo,
  pageImage,
  pageStrip,
  shownPage,
  pinsOver,
  pictureImage,
  player,
  previewMissing,
  type PagedPhoto,
} from '../../library/index.js';
import {
  answerPanel,
  nameDialog,
  nameField,
  offlineTemplates,
  type GuestForms,
  type PhotoAnswers,
} from './public-share-answers.js';
import { BACK, DOWNLOAD, ON } from './public-share-icons.js';
import { playsFilms } from './guest-films.js';
import { sharedPageAddresses, sharedPictureAddresses } from './guest-pictures.js';
import { ofPhoto } from './public-share-pages.js';
import type { Neighbours } from './share-contents.js';
import type { Share } from './share.js';

/** One photo of a link, large, with the answers of its guests. */
export interface SharedPhoto extends PhotoAnswers, Neighbours {
  readonly share: Share;
  /** Where its film is; undefined for pictures, and where it does not play. */
  readonly film: string | undefined;
  /** At which its player begins, in seconds. */
  readonly time: number | undefined;
  readonly now: Date;
}

export function sharedPhotoPage(shown: SharedPhoto): Page {
  const { share, photo, token, previous, next, now } = shown;
  const { name } = photo;
  return page(
    { name },
    (translator) =>
      html`<div class="one">
          <div class="top">
            <a
              class="icon-button"
              href="${SHARES.shared(token)}#photo-${photo.photoId}"
              aria-label="${translator.t('photos')}"
              >${BACK}</a
            >
            <h1>${verbatim(name)}</h1>
            ${
              share.downloads === 'none'
                ? undefined
                : html`<a
                    class="icon-button"
                    href="${ofPhoto(SHARES.file(token), photo.id)}"
                    aria-label="${translator.t('download')}"
                    >${DOWNLOAD}</a
                  >`
            }
          </div>
          <div
            class="large"
            ${shown.page === undefined ? undefined : html`data-page="${String(shown.page)}"`}
          >
            ${picture(translator, shown)} ${pageStrip(translator, pagedOf(shown))}
            ${isVideo(photo) ? undefined : previewMissing(translator, photo, now)}
            ${beside(translator, shown, previous, 'previous')}
            ${beside(translator, shown, next, 'next')}
          </div>
          ${answerPanel(translator, shown)}
        </div>
        ${nameDialog(translator, shown)} ${offlineTemplates(translator, shown)}`,
    { width: 'full', showsPictures: true, client: 'share', header: () => html`` },
  );
}

function pagedOf({ photo, page: wanted, token, share, answers }: SharedPhoto): PagedPhoto {
  return {
    photo,
    comments: commentsByPage(answers),
    page: shownPage(photo, wanted),
    pictures: (number) => sharedPageAddresses(token, photo, share, number),
    address: ofPhoto(SHARES.photo(token), photo.id),
  };
}

function picture(translator: Translator, shown: SharedPhoto): Html {
  const { photo, token, share } = shown;
  const paged = pagedOf(shown);
  const { page } = paged;
  if (isVideo(photo)) {
    return film(translator, shown);
  }
  return html`<figure>
    ${
      page === 1
        ? pictureImage(photo, {
            sizes: '(max-width: 900px) 100vw, calc(100vw - 340px)',
            alt: photo.name,
            addresses: sharedPictureAddresses(token, photo, share),
          })
        : pageImage(translator, paged)
    }
    ${pinsOver(shown.answers, { ...(photo.preview ?? photo), page: shown.page })}
  </figure>`;
}

/** The player of a film, or its poster, which has the watermark of the link. */
function film(translator: Translator, shown: SharedPhoto): Html {
  const { photo, token, share, answers, time, film: address } = shown;
  const addresses = sharedPictureAddresses(token, photo, share);
  const image = pictureImage(photo, {
    sizes: '(max-width: 900px) 100vw, calc(100vw - 340px)',
    alt: photo.name,
    addresses,
  });
  return html`<figure>
    ${
      playsFilms(share)
        ? player(translator, photo, {
            film: address,
            poster: addresses.preview,
            image,
            frames: shown.frames,
            answers,
            address: ofPhoto(SHARES.photo(token), photo.id),
            time,
          })
        : html`<div class="player">
            ${image}
            <p class="player-problem">${translator.t('videoMarked')}</p>
          </div>`
    }
  </figure>`;
}

function beside(
  translator: Translator,
  { token }: SharedPhoto,
  id: string | undefined,
  rel: 'previous' | 'next',
): Html | undefined {
  const label: PlainKey = rel === 'next' ? 'nextPhoto' : 'previousPhoto';
  return id === undefined
    ? undefined
    : html`<a
        class="beside ${rel}"
        rel="${rel === 'next' ? 'next' : 'prev'}"
        href="${ofPhoto(SHARES.photo(token), id)}"
        aria-label="${translator.t(label)}"
        >${rel === 'next' ? ON : BACK}</a
      >`;
}

/** The question for a guest's name before the first answer, for browsers without the script. */
export function guestNamePage(
  token: string,
  fields: ReadonlyMap<string, string>,
  problem: Message | undefined,
): Page {
  return page(
    'whatIsYourName',
    (translator) =>
      html`<h1>${translator.t('whatIsYourName')}</h1>
        ${errorBox(translator, problem)}
        <form method="post" action="${SHARES.answers(token)}">
          ${[...fields].map(
            ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
          )}
          ${nameField(translator)}
          <button type="submit">${translator.t('continue')}</button>
        </form>`,
  );
}

/** The form with the name of a guest. */
export function changeNamePage(
  { token, csrf, guest }: GuestForms,
  problem: Message | undefined,
): Page {
  return page(
    'yourName',
    (translator) =>
      html`<h1>${translator.t('yourName')}</h1>
        ${errorBox(translator, problem)}
        <form method="post" action="${SHARES.guestName(token)}">
          <input type="hidden" name="csrf" value="${csrf}" />
          ${nameField(translator, guest.name)}
          <button type="submit">${translator.t('saveChanges')}</button>
        </form>
        <p>
          <a class="button quiet" href="${SHARES.shared(token)}">${translator.t('photos')}</a>
        </p>`,
  );
}
