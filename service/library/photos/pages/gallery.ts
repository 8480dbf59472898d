import { html, type Html, verbatim } from '../../../kernel/html-tag.js';
import type { PlainKey } from '../../../kernel/i18n/message.js';
import type { Translator } from '../../../kernel/i18n/translator.js';
import { csrfField } from '../../../kernel/html/form-fields.js';
import { ROUTES } from '../../../site/addresses/oauth-paths.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';
import {
  canSeeAll,
  type Visibility,
  type AuthenticatedRequest,
  type PageShell,
} from '../../../identity/index.js';
import { answerBadges, type FeedbackSummary, type FeedbackTable } from '../../feedback/index.js';
import type { Project, ProjectTable } from '../../projects/index.js';
import type { PhotoChanges } from '../data/photo-changes.js';
import type { Photo } from '../data/photo.js';
import {
  addressOf,
  EVERYTHING,
  filterOf,
  isFiltered,
  isOneProject,
  pageOf,
  photoAddress,
  viewIn,
  type PhotoQuery,
} from '../data/photo-query.js';
import { PAGE_SIZE, type PhotoTable, type Sender } from '../data/photo-table.js';
import { placeOf, type Place } from '../data/photo-order.js';
import type { VersionTable } from '../data/version-table.js';
import { filterChips, filterForm, sortMenu } from './filter-form.js';
import { mediaBadge } from './media-badge.js';
import { pageAddresses } from './page-strip.js';
import { playedAs } from '../files/play.js';
import { framesAddress, pictureAddresses, pictureImage } from './picture-image.js';
import { selectAllBox, selectionBar } from './selection-bar.js';
import { tileAttributes } from './tile-attributes.js';
import { versionBadge } from './version-list.js';
import { viewerTemplate } from './viewer-template.js';

export interface GalleryDeps {
  readonly photos: PhotoTable;
  readonly changes: PhotoChanges;
  readonly versions: VersionTable;
  readonly answers: FeedbackTable;
  readonly projects: ProjectTable;
}

/** One page of a list of photos, as the gallery shows it. */
export interface Gallery {
  readonly query: PhotoQuery;
  readonly photos: readonly Photo[];
  /** How many photos the list has; undefined for too many to count. */
  readonly total: number | undefined;
  /** By photo id, how many versions there are, for photos with several. */
  readonly versions: ReadonlyMap<string, number>;
  /** By photo id, what guests of links said. */
  readonly answers: ReadonlyMap<string, FeedbackSummary>;
  readonly senders: readonly Sender[];
  readonly projects: readonly Project[];
  /** The ids of photos whose pictures are being made. */
  readonly waiting: ReadonlySet<string>;
  /** The signed-in user. */
  readonly accountId: string;
  /** Whether the list continues in this direction. */
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
  /** How far the search has got, if there are more photos to search. */
  readonly resumeAfter: Place | undefined;
}

/**
 * Reads a page of a list.
 * @returns 'first-page' when the page is the first one, which starts at the top of the list.
 */
export async function readGallery(
  deps: GalleryDeps,
  query: PhotoQuery,
  { account }: Pick<AuthenticatedRequest, 'account'>,
): Promise<Gallery | 'first-page'> {
  const view = viewIn(query, account.id);
  const { workspace } = query;
  const [found, senders, projects] = await Promise.all([
    find(deps.photos, view, query),
    canSeeAll(workspace) ? deps.photos.senders(workspace.id) : [],
    deps.projects.of(workspace.id),
  ]);
  if (found === 'first-page') {
    return found;
  }
  const photoIds = found.photos.map(({ photoId }) => photoId);
  const withoutPreview = found.photos.filter(({ preview }) => preview === undefined);
  const [total, waiting, versions, answers] = await Promise.all([
    countOf(deps.photos, view, query, found),
    deps.photos.waiting(withoutPreview.map(({ id }) => id)),
    deps.versions.counts(photoIds),
    deps.answers.summaries(photoIds),
  ]);
  return {
    ...found,
    query,
    total,
    waiting,
    versions,
    answers,
    senders,
    projects,
    accountId: account.id,
  };
}

type Found = Pick<Gallery, 'photos' | 'hasNext' | 'hasPrevious' | 'resumeAfter'>;

async function find(
  table: PhotoTable,
  view: Visibility,
  query: PhotoQuery,
): Promise<Found | 'first-page'> {
  const { from, order } = query;
  // One more than is shown, to see whether there are more.
  const limit = PAGE_SIZE + 1;
  const page = { order, filter: filterOf(query), from, limit };
  const found = await table.page(view, page);
  const goesOn = found.length > PAGE_SIZE;
  if (from?.direction !== 'before') {
    const photos = found.slice(0, PAGE_SIZE);
    const resumeAfter = goesOn ? undefined : await table.resumeAfter(view, page);
    const hasNext = goesOn || resumeAfter !== undefined;
    return { photos, hasNext, hasPrevious: from !== undefined, resumeAfter };
  }
  // Going back to the top: the first page starts there, so that it is full.
  return goesOn
    ? { photos: found.slice(1), hasNext: true, hasPrevious: true, resumeAfter: undefined }
    : 'first-page';
}

/** A search that continues is not counted: it has more photos than {@link PhotoTable.countUpTo} compares. */
async function countOf(
  table: PhotoTable,
  view: Visibility,
  query: PhotoQuery,
  { photos, hasNext, hasPrevious, resumeAfter }: Found,
): Promise<number | undefined> {
  if (!hasNext && !hasPrevious) {
    return photos.length;
  }
  return resumeAfter === undefined ? table.countUpTo(view, filterOf(query)) : undefined;
}

/** The line above the photos: the heading, facts about them, and the menus. */
export function galleryBar(
  translator: Translator,
  gallery: Gallery,
  { heading, facts, actions }: { heading: Html; facts?: Html | undefined; actions?: Html },
): Html {
  const { query } = gallery;
  return html`<div class="bar">
      <h1>${heading}</h1>
      ${facts && html`<p class="facts">${facts}</p>`}
      <div class="actions">
        ${sortMenu(translator, query)} ${filterForm(translator, gallery)} ${actions}
      </div>
    </div>
    ${filterChips(translator, gallery)}`;
}

/** The photos, with what can be done with those that are selected, and the links to the next pages. */
export function galleryList(translator: Translator, shell: PageShell, gallery: Gallery): Html {
  const { query, photos, total } = gallery;
  const next = nextPage(gallery);
  if (photos.length === 0 && next === undefined) {
    return nothing(translator, gallery);
  }
  const action = addressOf(PHOTOS.root, query, { from: query.from });
  return html`<form method="post" action="${action}" class="several">
      ${csrfField(shell)}
      ${photos.length === 0 ? html`<p class="empty">${translator.t('noNewerPhotoMatches')}</p>` : undefined}
      ${photos.length === 0 ? undefined : selectAllBox(translator, gallery.total)}
      <ul class="photos" ${listData(next, query.from === undefined ? total : undefined)}>
        ${photos.flatMap((photo, index) => [
          ...headingBefore(translator, photo, photos[index - 1], query),
          item(translator, photo, gallery),
        ])}
      </ul>
      ${photos.length === 0 ? undefined : selectionBar(translator, gallery)}
    </form>
    ${pager(translator, gallery, next)} ${viewerTemplate(translator)}
    <template class="news-template"
      ><p class="news">
        <button type="button" class="small">
          ${translator.t('newPhotos')} · ${translator.t('showNewPhotos')}
        </button>
      </p></template
    >`;
}

/**
 * What the scripts of a list need: the address of the next page, and how many photos the whole list has. The counter of
 * the viewer counts from the top, so a page further down has no total.
 */
export function listData(next: string | undefined, total: number | undefined): Html {
  return html`${next === undefined ? undefined : html`data-next="${next}"`}
  ${total === undefined ? undefined : html`data-total="${String(total)}"`}`;
}

/** Why there is no photo, and what can be done about it. */
function nothing(translator: Translator, { query }: Gallery): Html {
  if (isFiltered(query)) {
    return html`<p class="empty">${translator.t('noPhotoMatches')}</p>
      <p class="empty">
        <a
          href="${addressOf(pageOf(query), query, { ...EVERYTHING, project: isOneProject(query.project) ? query.project : '' })}"
          >${translator.t('showAll')}</a
        >
      </p>`;
  }
  return html`<p class="empty">${translator.t(whyEmpty(query))}</p>
    <p class="empty">
      <a class="button quiet" href="${ROUTES.code_verification}">${translator.t('connectAnApp')}</a>
    </p>`;
}

function whyEmpty({ workspace, project }: PhotoQuery): PlainKey {
  if (!canSeeAll(workspace)) {
    return 'noOwnPhotoYet';
  }
  return isOneProject(project) ? 'noPhotoInProject' : 'noPhotoYet';
}

/** Months, and days in a project. A list by name has no headings. */
function headingBefore(
  translator: Translator,
  photo: Photo,
  before: Photo | undefined,
  query: PhotoQuery,
): Html[] {
  const day = dayOf(photo, query);
  if (day === undefined) {
    return [];
  }
  const unit = isOneProject(query.project) ? 'day' : 'month';
  const length = unit === 'day' ? 10 : 7;
  const isSame =
    before !== undefined && dayOf(before, query)?.slice(0, length) === day.slice(0, length);
  return isSame ? [] : [html`<li class="month"><h2>${translator.calendar(day, unit)}</h2></li>`];
}

/** The day at which a list has a photo, as `YYYY-MM-DD`: as the camera wrote it, or of the upload in UTC. */
function dayOf(photo: Photo, { order }: PhotoQuery): string | undefined {
  if (order === 'name' || order === 'name-desc') {
    return undefined;
  }
  const isByCapture = order === 'captured' || order === 'captured-desc';
  return isByCapture && photo.capturedAt !== undefined
    ? photo.capturedAt.slice(0, 10)
    : (isByCapture ? photo.takenAt : photo.uploadedAt).toISOString().slice(0, 10);
}

function item(translator: Translator, photo: Photo, gallery: Gallery): Html {
  return tile(translator, photo, {
    address: photoAddress(photo.id, gallery.query),
    isWaiting: gallery.waiting.has(photo.id),
    facts: captionFacts(translator, photo, gallery),
    more: [
      versionBadge(translator, gallery.versions.get(photo.photoId)),
      answerBadges(translator, gallery.answers.get(photo.photoId)),
    ],
  });
}

/**
 * A photo in a list. Lists are long, so it has as few nodes as possible: white space between two elements is one.
 * @param parts.address where its page is
 * @param parts.more shown in the tile, below the caption
 */
export function tile(
  translator: Translator,
  photo: Photo,
  {
    address,
    isWaiting = false,
    facts,
    more,
  }: {
    readonly address: string;
    readonly isWaiting?: boolean;
    readonly facts: Html;
    readonly more: readonly (Html | undefined)[];
  },
): Html {
  const { id, name, preview } = photo;
  const width = preview?.width ?? photo.width;
  const height = preview?.height ?? photo.height;
  const label = translator.t('choosePhoto', { name });
  const addresses = {
    preview: pictureAddresses(photo).preview,
    download: PHOTOS.file(id),
    secondPage: pageAddresses(photo, 2),
    film: playedAs(photo) && PHOTOS.play(id),
    frames: framesAddress(photo),
  };
  const picture = pictureImage(photo, { sizes: shownWidth(width, height), alt: name });
  const parts = [
    html`<a href="${address}" class="picture">${picture}</a>`,
    html`<input
      type="checkbox"
      name="photo"
      value="${id}"
      aria-label="${label}"
      autocomplete="off"
    />`,
    html`<p class="caption">${verbatim(name)}${facts}</p>`,
    mediaBadge(translator, photo),
    ...more,
  ];
  const attributes = html`${tileAttributes(photo, addresses)} data-page="${address}"
  ${isWaiting ? html`data-waiting` : undefined}`;
  return html`<li ${attributes}>${parts}</li>`;
}

/** How wide the gallery shows a picture, about: its rows are at most 250 pixels high. */
function shownWidth(width = 3, height = 2): string {
  return `${Math.ceil((250 * width) / height)}px`;
}

/** The size; and who sent the photo and its project, where photos differ in that. */
function captionFacts(
  translator: Translator,
  { size, accountId, uploaderName, project }: Photo,
  { query, accountId: own }: Gallery,
): Html {
  return html`<span>
    ·
    ${translator.bytes(size)}${accountId === own ? undefined : html` · ${verbatim(uploaderName)}`}${
      query.project === '' && project ? html` · ${verbatim(project.name)}` : undefined
    }</span
  >`;
}

/** The address of the next page; undefined at the end of the list. */
function nextPage({ query, photos, hasNext, resumeAfter }: Gallery): string | undefined {
  const last = photos.at(-1);
  const place = resumeAfter ?? (last && placeOf(last, query.order));
  return hasNext && place !== undefined
    ? addressOf(pageOf(query), query, { from: { place, direction: 'after' } })
    : undefined;
}

function pager(
  translator: Translator,
  { query, photos, hasPrevious }: Gallery,
  next: string | undefined,
): Html | undefined {
  const first = photos[0];
  const place = first && placeOf(first, query.order);
  const previous = addressOf(pageOf(query), query, {
    from: place && { place, direction: 'before' },
  });
  const isNewestFirst = query.order === 'captured-desc' || query.order === 'uploaded-desc';
  const [back, on] = isNewestFirst
    ? (['newer', 'older'] as const)
    : (['previous', 'next'] as const);
  const link = (rel: 'next' | 'prev', label: PlainKey, href: string): Html =>
    html`<a class="button quiet" rel="${rel}" href="${href}">${translator.t(label)}</a>`;
  return hasPrevious || next !== undefined
    ? html`<p class="pager">
        ${hasPrevious ? link('prev', back, previous) : undefined}
        ${next === undefined ? undefined : link('next', on, next)}
      </p>`
    : undefined;
}
