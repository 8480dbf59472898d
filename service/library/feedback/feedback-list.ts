import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';
import {
  MAX_COMMENT,
  type Comment,
  type Decision,
  type Feedback,
  type FeedbackSummary,
  type Rating,
} from './feedback.js';
import { labelName, type LabelNames } from './labels.js';
import { isTimed } from './markers/markers.js';
import type { MediaInfo } from '../previews/index.js';
import { placeLabel, presentPlace, type Place } from './place.js';

/** How many characters of a SHA-256 people compare. */
const SHORT_HASH = 8;

/** The version and the bytes of a decision, such as "v2 · 9f86d081". */
function decidedBytes({ version, sha256 }: Decision): Html {
  return html`<span class="soft small" translate="no" title="SHA-256: ${sha256}"
    >v${String(version)} · ${sha256.slice(0, SHORT_HASH)}</span
  >`;
}

/** Such as "Approved by Anna v2 · 9f86d081", with the newer version if the photo has changed since. */
export function decisionLine(translator: Translator, decision: Decision): Html {
  return html`${decisionWords(translator, decision)} ${decidedBytes(decision)}`;
}

function decisionWords(
  translator: Translator,
  { kind, guest, version, currentVersion, isCurrent, withdrawnAt }: Decision,
): Html {
  // What the guest typed may have been deleted.
  const name = guest.name === '' ? html`${translator.t('eventSomeGuest')}` : verbatim(guest.name);
  if (withdrawnAt !== undefined) {
    const withdrawn = kind === 'changes' ? 'changesWithdrawnBy' : 'approvalWithdrawnBy';
    return html`<span class="soft">${translator.html(withdrawn, { name, version })}</span>`;
  }
  if (kind === 'changes') {
    return isCurrent
      ? html`↺ ${translator.html('changesBy', { name })}`
      : translator.html('changesBefore', { name, version, newer: currentVersion });
  }
  if (isCurrent) {
    return guest.name === ''
      ? html`✓ ${translator.t('approved')}`
      : html`✓ ${translator.html('approvedBy', { name })}`;
  }
  return translator.html(currentVersion > version ? 'approvedBefore' : 'approvedOther', {
    name,
    version,
    newer: currentVersion,
  });
}

/** The comments with a pin, in the order of their numbers. */
function pinnedOf(answers: readonly Feedback[]): Comment[] {
  return answers
    .filter((answer) => answer.kind === 'comment')
    .filter(({ place }) => place.pin !== undefined);
}

/**
 * Where the comments point to, over a picture of this size. Pins of other pages are hidden, and those at a time of a video;
 * `service/client/media-places.ts` shows them when they are due.
 * @param page the page of a document that the picture shows
 */
export function pinsOver(
  answers: readonly Feedback[],
  {
    width = 3,
    height = 2,
    page,
  }: {
    readonly width: number | undefined;
    readonly height: number | undefined;
    readonly page?: number | undefined;
  },
): Html | undefined {
  const radius = Math.max(width, height) / 55;
  const pins = pinnedOf(answers).flatMap(({ id, place }, index) =>
    place.pin === undefined ? [] : [{ id, place, pin: place.pin, number: index + 1 }],
  );
  return pins.length === 0
    ? undefined
    : html`<svg class="pins" viewBox="0 0 ${String(width)} ${String(height)}" aria-hidden="true">
        ${pins.map(
          ({ id, place, pin: { x, y }, number }) =>
            html`<g
              id="${pinId(id)}"
              transform="translate(${(x * width).toFixed(1)} ${(y * height).toFixed(1)})"
              ${place.page === undefined ? undefined : html`data-page="${String(place.page)}"`}
              ${place.page !== undefined && place.page === page ? html`class="now"` : undefined}
              ${timeData(place)}
            >
              <circle r="${radius.toFixed(1)}" />
              <text font-size="${(radius * 1.15).toFixed(1)}" dy="0.36em">${String(number)}</text>
            </g>`,
        )}
      </svg>`;
}

/** The id of the pin of a comment, in the page that shows the picture. */
function pinId(commentId: string): string {
  return `pin-${commentId}`;
}

/** The time of a place in seconds, for the scripts; undefined without one. */
function timeData(place: Place): Html | undefined {
  const { start, end = start } = presentPlace(place);
  return start === undefined
    ? undefined
    : html`data-start="${String(start)}" data-end="${String(end)}"`;
}

/**
 * The link to the place of a comment, with the number of its pin; undefined for the file as a whole.
 * @param number 0 where the numbers are not shown
 * @param address of the page that shows the file
 */
function placeLink(
  translator: Translator,
  { id, place }: Comment,
  number: number,
  address: string,
): Html | undefined {
  const label =
    placeLabel(translator, place) ??
    (place.pin === undefined || number > 0 ? undefined : translator.t('spot'));
  const sign = number === 0 ? undefined : html`<span class="pin-number">${String(number)}</span>`;
  if (label === undefined && sign === undefined) {
    return undefined;
  }
  const pin = place.pin === undefined ? '' : `#${pinId(id)}`;
  const link = (words: Html, name?: string): Html =>
    html`<a
      class="place"
      href="${placeAddress(place, address)}${pin}"
      ${place.page === undefined ? undefined : html`data-page="${String(place.page)}"`}
      ${timeData(place)}
      ${name === undefined ? undefined : html`aria-label="${name}"`}
      >${words}</a
    >`;
  return label === undefined
    ? link(html`${sign}`, `${translator.t('spot')} ${number}`)
    : html`${sign} ${link(html`${label}`)}`;
}

/** The address of a place: of a page of the document, or with a time at which the player begins. */
function placeAddress(place: Place, address: string): string {
  const { page, start } = presentPlace(place);
  const query =
    page !== undefined ? `page=${page}` : start !== undefined ? `time=${start}` : undefined;
  return query === undefined ? address : `${address}${address.includes('?') ? '&' : '?'}${query}`;
}

/** The length of a time line, in its own units, and the shortest mark on it that can be seen and hit. */
const LINE_UNITS = 1000;
const MARK_UNITS = 8;
const TARGET_UNITS = 24;

/**
 * The time line of a video: its comments as marks, each a link. `service/client/time-line.ts` shows the time of the player on it.
 * @returns undefined without a duration, and without anything to show
 */
export function timeLine(
  translator: Translator,
  answers: readonly Feedback[],
  about: {
    readonly media: MediaInfo | undefined;
    readonly address: string;
    /** Where the picture with frames of the video is, if there is one. */
    readonly frames?: string | undefined;
  },
): Html | undefined {
  const { media, address, frames } = about;
  const timed = answers.filter(isTimed);
  const duration = media?.kind === 'video' ? media.duration : undefined;
  if (duration === undefined || duration === 0) {
    return undefined;
  }
  if (timed.length === 0 && frames === undefined) {
    return undefined;
  }
  const at = (milliseconds: number): number =>
    Math.min(LINE_UNITS - MARK_UNITS, milliseconds / duration);
  const rect = (name: string, from: number, width: number): Html =>
    html`<rect class="${name}" x="${from.toFixed(1)}" width="${width.toFixed(1)}" height="10" />`;
  return html`<div class="time-line" data-duration="${String(duration)}">
    ${frames === undefined ? undefined : html`<img src="${frames}" alt="" decoding="async" />`}
    <svg viewBox="0 0 ${String(LINE_UNITS)} 10" preserveAspectRatio="none">
      ${timed.map(({ place, guest }) => {
        const { startMs = 0, endMs = startMs } = place;
        const from = at(startMs);
        const width = Math.max(MARK_UNITS, at(endMs) - from);
        const target = Math.max(TARGET_UNITS, width);
        const label = `${placeLabel(translator, place) ?? ''} ${guest.name}`;
        return html`<a
          class="place"
          href="${placeAddress(place, address)}"
          aria-label="${label}"
          ${timeData(place)}
          ><title>${label}</title> ${rect('target', from - (target - width) / 2, target)}
          ${rect('moment', from, width)}</a
        >`;
      })}
      <rect class="now" width="2" height="10" />
    </svg>
  </div>`;
}

/** How many comments each page of a document has. */
export function commentsByPage(answers: readonly Feedback[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const answer of answers) {
    const page = answer.kind === 'comment' ? answer.place.page : undefined;
    if (page !== undefined) {
      counts.set(page, (counts.get(page) ?? 0) + 1);
    }
  }
  return counts;
}

/**
 * The head of a comment: its number if it has a pin, its place, who wrote it and when, and whether it is done.
 * @param address of the page that shows the file
 */
export function commentHead(
  translator: Translator,
  comment: Comment,
  answers: readonly Feedback[],
  address: string,
): Html {
  const number = pinnedOf(answers).indexOf(comment) + 1;
  return html`<p class="by">
    ${placeLink(translator, comment, number, address)}
    <strong>${verbatim(comment.guest.name)}</strong>
    <span class="soft">${translator.time(comment.at)}</span>
    ${versionWords(translator, comment)}
    ${comment.doneAt === undefined ? undefined : html`<span class="done">✓ ${translator.t('commentDone')}</span>`}
  </p>`;
}

/** The version of a comment; undefined while there is only one. */
function versionWords(
  translator: Translator,
  { version, currentVersion, isCurrent }: Comment,
): Html | undefined {
  if (!isCurrent) {
    return html`<span class="soft">${translator.t('aboutVersion', { version })}</span>`;
  }
  return currentVersion > 1
    ? html`<span class="soft" translate="no">v${String(version)}</span>`
    : undefined;
}

/** What the studio answered to a comment. */
export function replyOf(translator: Translator, { reply }: Comment): Html | undefined {
  return reply === undefined
    ? undefined
    : html`<div class="reply">
        <p class="by">
          <strong>${translator.html('replyBy', { name: verbatim(reply.by ?? '–') })}</strong>
          <span class="soft">${translator.time(reply.at)}</span>
        </p>
        <p class="text"><bdi>${reply.text}</bdi></p>
      </div>`;
}

/**
 * What guests of links said about a photo, for the photographer; undefined if nobody said anything. Who may change the
 * photo marks comments as done and deletes them.
 */
export function answersOf(
  translator: Translator,
  about: {
    readonly photo: { readonly id: string; readonly media: MediaInfo | undefined };
    /** Of the page that shows the photo. */
    readonly address: string;
    readonly answers: readonly Feedback[];
    /** The names of labels in the workspace. */
    readonly labels: LabelNames;
    readonly shell: { readonly csrf: string };
    readonly isTheirs: boolean;
  },
): Html | undefined {
  const { answers, photo, address, shell, isTheirs } = about;
  const favourites = answers.filter(({ kind }) => kind === 'favourite');
  const decisions = answers.filter(
    (answer) => answer.kind === 'approval' || answer.kind === 'changes',
  );
  const ratings = answers.filter((answer) => answer.kind === 'stars' || answer.kind === 'label');
  const comments = answers.filter((answer) => answer.kind === 'comment');
  if (answers.length === 0) {
    return undefined;
  }
  return html`<section class="answers" id="answers">
    <h2>${translator.t('answersOfClients')}</h2>
    <ul class="approvals">
      ${decisions.map((decision) => html`<li>${decisionLine(translator, decision)}</li>`)}
      ${ratings.map((rating) => html`<li>${ratingLine(translator, rating, about.labels)}</li>`)}
      ${
        favourites.length === 0
          ? undefined
          : html`<li>♥ ${translator.html('favouriteOf', { names: namesOf(favourites) })}</li>`
      }
    </ul>
    ${
      comments.length === 0
        ? undefined
        : html`<form method="post" action="${PHOTOS.answers(photo.id)}">
            ${csrfField(shell)}
            <ol class="comments">
              ${comments.map(
                (comment) =>
                  html`<li>
                    ${commentHead(translator, comment, answers, address)}
                    <p class="text"><bdi>${comment.text}</bdi></p>
                    ${replyOf(translator, comment)}
                    ${isTheirs ? commentButtons(translator, comment) : undefined}
                  </li>`,
              )}
            </ol>
          </form>`
    }
  </section>`;
}

/** Such as "★★★★ Anna" or "Retouch Anna". */
function ratingLine(
  translator: Translator,
  { kind, value, guest }: Rating,
  labels: LabelNames,
): Html {
  const name = verbatim(guest.name);
  return kind === 'stars'
    ? html`<span title="${translator.t('starsGiven', { count: value })}">${'★'.repeat(value)}</span>
        ${name}`
    : html`<span class="dot dot-${String(value)}"></span> ${labelName(translator, labels, value)}
        ${name}`;
}

function namesOf(answers: readonly Feedback[]): Html {
  const names = [...new Set(answers.map(({ guest }) => guest.name))];
  return html`${names.map((name, index) => html`${index === 0 ? '' : ', '}${verbatim(name)}`)}`;
}

/** The fields with which the photographer replies to a comment, marks it as done, or deletes it. */
export function commentButtons(translator: Translator, { id, doneAt }: Comment): Html {
  const isDone = doneAt !== undefined;
  return html`<details class="write-reply">
      <summary>${translator.t('reply')}</summary>
      <textarea
        name="text-${id}"
        rows="2"
        maxlength="${String(MAX_COMMENT)}"
        aria-label="${translator.t('yourReply')}"
      ></textarea>
      <button type="submit" class="small" name="reply" value="${id}">
        ${translator.t('sendComment')}
      </button>
    </details>
    <p class="buttons">
      <button type="submit" class="link" name="${isDone ? 'reopen' : 'done'}" value="${id}">
        ${translator.t(isDone ? 'reopenComment' : 'markAsDone')}
      </button>
      <button type="submit" class="link" name="delete" value="${id}">
        ${translator.t('delete')}
      </button>
    </p>`;
}

/** On the tile of a photo: how many like it, the newest approval and the open comments. */
export function answerBadges(
  translator: Translator,
  summary: FeedbackSummary | undefined,
): Html | undefined {
  if (summary === undefined) {
    return undefined;
  }
  const { favourites, changes, comments, approval } = summary;
  const badge = (isShown: boolean, title: string, text: string): Html | undefined =>
    isShown ? html`<span title="${title}">${text}</span>` : undefined;
  const badges = [
    badge(favourites > 0, translator.t('favourites'), `♥ ${favourites}`),
    approval && approvalBadge(translator, approval),
    badge(changes > 0, translator.t('changesRequested'), `↺ ${changes}`),
    badge(comments > 0, translator.t('comments'), `✎ ${comments}`),
  ];
  return html`<p class="answer-badges">${badges}</p>`;
}

function approvalBadge(
  translator: Translator,
  { version, sha256, isCurrent, by }: NonNullable<FeedbackSummary['approval']>,
): Html {
  const words = translator.t('approvedVersion', { version });
  return html`<span
    class="${isCurrent ? 'good-badge' : 'old-badge'}"
    title="${by === '' ? translator.t('approved') : translator.t('approvedBy', { name: by })} · v${String(version)} · ${sha256.slice(0, SHORT_HASH)}"
    >✓ ${words}</span
  >`;
}
