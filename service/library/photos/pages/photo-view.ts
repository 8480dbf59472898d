import { html, type Html, verbatim } from '../../../kernel/html-tag.js';
import type { Page } from '../../../kernel/html/layout.js';
import type { Translator } from '../../../kernel/i18n/translator.js';
import { csrfField } from '../../../kernel/html/form-fields.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';
import { RECEIPTS } from '../../../site/addresses/receipt-paths.js';
import { SHARES } from '../../../site/addresses/share-paths.js';
import { renderShell, type PageShell } from '../../../identity/index.js';
import {
  answersOf,
  commentsByPage,
  pinsOver,
  type Feedback,
  type LabelNames,
} from '../../feedback/index.js';
import { placementsOf, type Uses } from '../../placements/index.js';
import { projectForm, type Project } from '../../projects/index.js';
import { leavesTrashAt, TRASH_DAYS, type Photo } from '../data/photo.js';
import { addressOf, pageOf, photoAddress, type PhotoQuery } from '../data/photo-query.js';
import { markerForm } from './marker-form.js';
import { isVideo, player } from './player.js';
import { photoDetails, type DetailedPhoto } from './details.js';
import { pageAddresses, pageImage, pageStrip, shownPage, type PagedPhoto } from './page-strip.js';
import {
  framesAddress,
  pictureAddresses,
  pictureImage,
  previewMissing,
  waitsForPreview,
} from './picture-image.js';
import { pageAttributes } from './tile-attributes.js';
import { versionList, type ShownVersions } from './version-list.js';
import { viewerTemplate } from './viewer-template.js';

/** What the page of one photo shows. */
export interface PhotoView extends ShownVersions, DetailedPhoto {
  readonly now: Date;
  /** The list that the photo was opened from; undefined in the trash. */
  readonly list: PhotoQuery | undefined;
  /** The ids of the photos next to it in that list. */
  readonly previous: string | undefined;
  readonly next: string | undefined;
  readonly projects: readonly Project[];
  /** What it is used in, and what it contains. */
  readonly uses: Uses;
  /** The page of the document that is shown; undefined for other files. */
  readonly page: number | undefined;
  /** At which the player begins, in seconds. */
  readonly time: number | undefined;
  /** What guests of links said about it. */
  readonly answers: readonly Feedback[];
  readonly labels: LabelNames;
}

/** How wide the page shows the picture: next to the panel, or above it. */
const PICTURE_SIZES = '(min-width: 900px) calc(100vw - 340px), 100vw';

/** The page of one photo: the picture, the ways to the photos next to it, its facts, and the forms to change it. */
export function photoView(shell: PageShell, view: PhotoView): Page {
  const { photo } = view;
  return renderShell(
    { name: photo.name },
    photo.trashedAt === undefined ? 'photos' : 'trash',
    shell,
    (translator) =>
      html`<div class="photo">
          <div class="stage">${stageBar(translator, shell, view)} ${picture(translator, view)}</div>
          <div class="panel">
            ${photo.trashedAt && trashedBox(translator, shell, view, photo.trashedAt)}
            ${answersOf(translator, { ...view, shell })}
            ${isVideo(photo) ? markerForm(translator, photo, view.answers) : undefined}
            ${versionList(translator, shell, view)} ${placementsOf(translator, view.uses)}
            <h2>${translator.t('photoDetails')}</h2>
            ${photoDetails(translator, view)}
            ${photo.trashedAt === undefined ? receiptLink(translator, photo) : undefined}
            ${
              view.isTheirs && photo.trashedAt === undefined
                ? projectForm(translator, shell, { ...view, project: photo.project }, view.projects)
                : undefined
            }
          </div>
        </div>
        ${viewerTemplate(translator)}`,
  );
}

function receiptLink(translator: Translator, { id }: Photo): Html {
  return html`<p>
      <a class="button quiet small" href="${RECEIPTS.photo(id)}" download
        >${translator.t('receipt')}</a
      >
    </p>
    <p class="soft small">${translator.withLink('receiptHint', RECEIPTS.verify)}</p>`;
}

/** The way back to the list, the name, and what can be done with the photo. */
function stageBar(
  translator: Translator,
  shell: PageShell,
  { photo, list, isTheirs, address }: PhotoView,
): Html {
  return html`<div class="stage-bar">
    ${wayBack(translator, photo, list)}
    <h1>${verbatim(photo.name)}</h1>
    ${
      photo.trashedAt === undefined
        ? html`<a
            class="button quiet small"
            href="${SHARES.new}?${new URLSearchParams({ photo: photo.id }).toString()}"
            >${translator.t('share')}</a
          >`
        : undefined
    }
    <a class="button quiet small" href="${PHOTOS.file(photo.id)}" download
      >${translator.t('download')}</a
    >
    ${
      isTheirs && photo.trashedAt === undefined
        ? html`<form method="post" action="${address}">
            ${csrfField(shell)}
            <button
              type="submit"
              name="action"
              value="trash"
              class="quiet small"
              title="${translator.t('trashKeeps', { time: { amount: TRASH_DAYS, unit: 'day' } })}"
            >
              ${translator.t('moveToTrash')}
            </button>
          </form>`
        : undefined
    }
  </div>`;
}

function wayBack(translator: Translator, { project }: Photo, list: PhotoQuery | undefined): Html {
  if (list === undefined) {
    return html`<a class="back" href="${PHOTOS.trash}">← ${translator.t('trash')}</a>`;
  }
  const name = project?.id === list.project ? project.name : translator.t('photos');
  return html`<a class="back" href="${addressOf(pageOf(list), list)}">← ${verbatim(name)}</a>`;
}

/** The picture as an item of a list, for the scripts of lists: they show it in the viewer, and when it is made. */
function picture(translator: Translator, view: PhotoView): Html {
  const { photo, now, list, previous, next, answers } = view;
  const { id, name, preview } = photo;
  const page = shownPage(photo, view.page);
  const addresses = pageAddresses(photo, page);
  const paged: PagedPhoto = {
    ...view,
    page,
    pictures: (number) => pageAddresses(photo, number),
    comments: commentsByPage(answers),
  };
  const isWaiting = waitsForPreview(photo, now);
  const image = pictureImage(photo, { sizes: PICTURE_SIZES, alt: name });
  const step = (rel: 'prev' | 'next', target: string | undefined): Html | undefined =>
    list && target !== undefined
      ? html`<a
          class="step"
          rel="${rel}"
          href="${photoAddress(target, list)}"
          aria-label="${translator.t(rel === 'prev' ? 'previousPhoto' : 'nextPhoto')}"
          >${rel === 'prev' ? '‹' : '›'}</a
        >`
      : undefined;
  return html`<div
      class="frame"
      ${view.page === undefined ? undefined : html`data-page="${String(view.page)}"`}
    >
      ${step('prev', previous)}
      <ul class="photos one">
        <li
          data-id="${id}"
          data-name="${name}"
          data-preview="${preview === undefined ? '' : pictureAddresses(photo).preview}"
          data-download="${PHOTOS.file(id)}"
          ${pageAttributes(photo, pageAddresses(photo, 2))}
          ${isWaiting ? html`data-waiting` : undefined}
        >
          ${
            isVideo(photo)
              ? player(translator, photo, {
                  ...view,
                  film: PHOTOS.play(id),
                  poster: addresses.preview,
                  frames: framesAddress(photo),
                  image,
                })
              : html`<a href="${addresses.preview}" class="picture"
                    >${page === 1 ? image : pageImage(translator, paged)}</a
                  >
                  ${pinsOver(answers, { ...(preview ?? photo), page: view.page })}`
          }
        </li>
      </ul>
      ${step('next', next)}
    </div>
    ${pageStrip(translator, paged)}
    ${isVideo(photo) ? undefined : previewMissing(translator, photo, now)}`;
}

function trashedBox(
  translator: Translator,
  shell: PageShell,
  { photo, isTheirs }: PhotoView,
  trashedAt: Date,
): Html {
  return html`<p class="box">
      ${translator.html('isInTrash', { time: translator.time(leavesTrashAt(trashedAt)) })}
      ${photo.trashedByName === undefined ? undefined : translator.html('trashedBy', { user: photo.trashedByName })}
    </p>
    ${
      isTheirs
        ? html`${restoreForm(translator, shell, photo.id)}
          ${removeForm(translator, shell, photo.id)}`
        : undefined
    }`;
}

/** For users who need the space before the 30 days end, for example in a full workspace. */
function removeForm(translator: Translator, shell: PageShell, id: string): Html {
  return html`<form method="post" action="${PHOTOS.photo(id)}">
    ${csrfField(shell)}
    <input type="hidden" name="action" value="remove" />
    <label class="option"
      ><input type="checkbox" name="confirm" value="yes" required />
      ${translator.t('cannotComeBack')}</label
    >
    <button type="submit" class="danger small">${translator.t('removeNow')}</button>
  </form>`;
}

/** The form that takes a photo out of the trash. */
function restoreForm(translator: Translator, shell: PageShell, id: string): Html {
  return html`<form method="post" action="${PHOTOS.photo(id)}">
    ${csrfField(shell)}
    <button type="submit" name="action" value="restore" class="quiet small">
      ${translator.t('restore')}
    </button>
  </form>`;
}
