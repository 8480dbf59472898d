import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import {
  commentHead,
  commentsByPage,
  decisionLine,
  GUEST_DAYS,
  labelName,
  LABELS,
  MAX_COMMENT,
  MAX_GUEST_NAME,
  pageMarks,
  pinsOver,
  replyOf,
  timeLine,
  type Comment,
  type Decision,
  type Feedback,
  type Guest,
  type LabelNames,
  type Photo,
} from '../../library/index.js';
import { repliesLink } from '../replies/index.js';
import { CHECK, HEART } from './public-share-icons.js';
import { ofPhoto } from './public-share-pages.js';

/** Where a form without the script leads back to. */
export const BACK_TO = ['photo', 'list', 'favourites'] as const;
export type BackTo = (typeof BACK_TO)[number];

/** What the forms of a guest need. */
export interface GuestForms {
  readonly token: string;
  readonly guest: Guest;
  readonly csrf: string;
  /** Whether the link takes answers. */
  readonly isOpen: boolean;
  /** Whether guests can get replies by mail. */
  readonly sendsMail: boolean;
  /** How many favourites the guest can have; undefined without a limit. */
  readonly maxFavourites: number | undefined;
}

/** A photo that a guest can comment. */
interface CommentedPhoto extends GuestForms {
  readonly photo: Photo;
  /** The page of the document that is shown; undefined for other files. */
  readonly page: number | undefined;
}

/** The answers to one photo, as a guest sees them. */
export interface PhotoAnswers extends CommentedPhoto {
  /** Where the frames of the film are, if there are any. */
  readonly frames: string | undefined;
  /** Those of all guests of the link. */
  readonly answers: readonly Feedback[];
  /** The names of labels in the workspace of the link. */
  readonly labels: LabelNames;
}

/** The hidden fields of every form for answers. */
export function answerFields(
  { csrf, page }: GuestForms & { readonly page?: number | undefined },
  { back }: { readonly back: BackTo },
): Html {
  return html`<input type="hidden" name="csrf" value="${csrf}" />
    <input type="hidden" name="back" value="${back}" />
    ${page === undefined ? undefined : html`<input type="hidden" name="shown" value="${String(page)}" />`}`;
}

/** What the script shows without a connection: that there is none, and the form for a comment on a photo. */
export function offlineTemplates(
  translator: Translator,
  shown: GuestForms & { readonly photo: Photo },
): Html {
  // The script writes the photo into the form. A place needs more than that.
  const form = { ...shown, photo: { ...shown.photo, media: undefined }, page: undefined };
  return html`<template class="no-connection-notice"
      ><div class="no-connection" role="status">
        <span>${translator.t('noConnection')}</span>
        <button type="button" class="link try-again">${translator.t('tryAgain')}</button>
      </div></template
    ><template class="empty-answers"
      ><section class="answers">
        <h2>${translator.t('comments')}</h2>
        ${shown.isOpen ? commentForm(translator, form) : undefined}
      </section></template
    >`;
}

/** Favourite, approval and comments of one photo, with their forms. The script replaces it as a whole. */
export function answerPanel(translator: Translator, shown: PhotoAnswers): Html {
  const { photo, answers } = shown;
  const comments = answers.filter((answer) => answer.kind === 'comment');
  return html`<section class="answers" data-photo="${photo.photoId}">
    ${shown.isOpen ? toggles(translator, shown) : html`<p class="soft">${translator.t('answersAreClosed')}</p>`}
    ${decisions(translator, answers)}
    ${shown.isOpen || comments.length > 0 ? html`<h2>${translator.t('comments')}</h2>` : undefined}
    ${
      comments.length === 0
        ? undefined
        : html`<ol class="comments">
            ${comments.map((comment) => commentItem(translator, comment, shown))}
          </ol>`
    }
    ${shown.isOpen ? html`${commentForm(translator, shown)} ${rating(translator, shown)}` : undefined}
    <p class="small soft">
      ${translator.t('answersAreSeen')} ${translator.t('answersEnd', { days: GUEST_DAYS })}
    </p>
    ${guestLine(translator, shown)} ${marks(translator, shown)}
  </section>`;
}

/** The buttons of a favourite and of a decision. The one that is chosen takes the choice back. */
function toggles(translator: Translator, shown: PhotoAnswers): Html {
  const own = ownOf(shown);
  const hasDecided = (kind: Decision['kind']): boolean =>
    own.some((answer) => answer.kind === kind && answer.isCurrent && !answer.withdrawnAt);
  const isFavourite = own.some(({ kind }) => kind === 'favourite');
  const isApproved = hasDecided('approval');
  const wantsChanges = hasDecided('changes');
  return answerForm(
    shown,
    html`<div class="toggles">
      ${toggle(
        shown,
        {
          name: isFavourite ? 'unfavourite' : 'favourite',
          kind: 'pill heart-word',
          isPressed: isFavourite,
        },
        html`${HEART}${translator.t('favourite')}`,
      )}
      ${toggle(
        shown,
        {
          name: isApproved ? 'unapprove' : 'approve',
          kind: 'pill approve',
          isPressed: isApproved,
        },
        html`${CHECK}${translator.t(isApproved ? 'approved' : 'approve')}`,
      )}
      ${toggle(
        shown,
        {
          name: wantsChanges ? 'unchange' : 'change',
          kind: 'pill change',
          isPressed: wantsChanges,
        },
        translator.t(wantsChanges ? 'changesRequested' : 'requestChanges'),
      )}
    </div>`,
  );
}

/** The buttons of stars and labels, which work as those of {@link toggles}. */
function rating(translator: Translator, shown: PhotoAnswers): Html {
  const own = ownOf(shown);
  const stars = own.find((answer) => answer.kind === 'stars')?.value ?? 0;
  const label = own.find((answer) => answer.kind === 'label')?.value ?? 0;
  return answerForm(
    shown,
    html`<div class="stars" role="group" aria-label="${translator.t('stars')}">
        ${[1, 2, 3, 4, 5].map((count) =>
          toggle(
            shown,
            {
              name: count === stars ? 'unstar' : `star${count}`,
              kind: count <= stars ? 'star full' : 'star',
              isPressed: count === stars,
              label: translator.t('starsGiven', { count }),
            },
            '★',
          ),
        )}
      </div>
      <div class="labels" role="group" aria-label="${translator.t('colours')}">
        ${LABELS.map(({ number }) =>
          toggle(
            shown,
            {
              name: number === label ? 'unlabel' : `label${number}`,
              kind: 'label',
              isPressed: number === label,
            },
            html`<span class="dot dot-${String(number)}"></span
              >${labelName(translator, shown.labels, number)}`,
          ),
        )}
      </div>`,
  );
}

/** The answers of the guest who looks. */
function ownOf({ answers, guest }: PhotoAnswers): Feedback[] {
  return answers.filter((answer) => answer.guest.id === guest.id);
}

function answerForm(shown: PhotoAnswers, content: Html): Html {
  return html`<form method="post" action="${SHARES.answers(shown.token)}" class="answer">
    ${answerFields(shown, { back: 'photo' })}
    <input type="hidden" name="version" value="${shown.photo.id}" />
    ${content}
  </form>`;
}

function toggle(
  { photo }: PhotoAnswers,
  about: {
    readonly name: string;
    readonly kind: string;
    readonly isPressed: boolean;
    /** Where the content has no words. */
    readonly label?: string;
  },
  content: Html | string,
): Html {
  return html`<button
    type="submit"
    class="${about.kind}"
    name="${about.name}"
    value="${photo.photoId}"
    aria-pressed="${String(about.isPressed)}"
    ${about.label === undefined ? undefined : html`aria-label="${about.label}"`}
  >
    ${content}
  </button>`;
}

/** What the script shows over the picture or the film, on the time line and on the strip of pages. */
function marks(translator: Translator, shown: PhotoAnswers): Html {
  const { photo, answers, token, page, frames } = shown;
  const address = ofPhoto(SHARES.photo(token), photo.id);
  return html`<template class="marks"
    >${pinsOver(answers, { ...(photo.preview ?? photo), page })}
    ${timeLine(translator, answers, { ...photo, address, frames })}
    ${pageMarks(translator, commentsByPage(answers))}</template
  >`;
}

function decisions(translator: Translator, answers: readonly Feedback[]): Html | undefined {
  const found = answers.filter((answer) => answer.kind === 'approval' || answer.kind === 'changes');
  return found.length === 0
    ? undefined
    : html`<ul class="approvals">
        ${found.map((decision) => html`<li>${decisionLine(translator, decision)}</li>`)}
      </ul>`;
}

function commentItem(translator: Translator, comment: Comment, shown: PhotoAnswers): Html {
  const isOwn = shown.isOpen && comment.guest.id === shown.guest.id;
  return html`<li>
    ${commentHead(
      translator,
      comment,
      shown.answers,
      ofPhoto(SHARES.photo(shown.token), shown.photo.id),
    )}
    <p class="text"><bdi>${comment.text}</bdi></p>
    ${replyOf(translator, comment)}
    ${
      isOwn
        ? html`<form method="post" action="${SHARES.answers(shown.token)}" class="answer">
            ${answerFields(shown, { back: 'photo' })}
            <input type="hidden" name="version" value="${shown.photo.id}" />
            <button type="submit" class="link" name="delete" value="${comment.id}">
              ${translator.t('delete')}
            </button>
          </form>`
        : undefined
    }
  </li>`;
}

function commentForm(translator: Translator, shown: CommentedPhoto): Html {
  return html`<form method="post" action="${SHARES.answers(shown.token)}" class="answer write">
    ${answerFields(shown, { back: 'photo' })}
    <input type="hidden" name="version" value="${shown.photo.id}" />
    <input type="hidden" name="x" value="" />
    <input type="hidden" name="y" value="" />
    <textarea
      id="comment"
      name="text"
      rows="2"
      maxlength="${String(MAX_COMMENT)}"
      aria-label="${translator.t('yourComment')}"
      placeholder="${translator.t('yourComment')}"
      required
    ></textarea>
    ${placeFields(translator, shown)}
    <p class="send">
      <button type="button" class="pill point" aria-pressed="false" aria-describedby="point-hint">
        ${translator.t('pointInPhoto')}
      </button>
      <button type="submit" class="pill main" name="comment" value="${shown.photo.photoId}">
        ${translator.t('sendComment')}
      </button>
    </p>
    <p id="point-hint" class="small soft">${translator.t('pointHint')}</p>
  </form>`;
}

/** The place of a new comment: the page that is shown, or a time of the video. */
function placeFields(translator: Translator, { photo, page }: CommentedPhoto): Html | undefined {
  if (page !== undefined) {
    return html`<label class="option"
      ><input type="checkbox" name="page" value="${String(page)}" checked />
      <span data-words="${translator.t('pageNumber', { page: '{page}' })}"
        >${translator.t('pageNumber', { page })}</span
      ></label
    >`;
  }
  const field = (
    name: 'start' | 'end',
    label: 'commentStart' | 'commentEnd',
    button: 'takeStart' | 'takeEnd',
  ): Html =>
    html`<div>
      <label for="comment-${name}">${translator.t(label)}</label>
      <input
        id="comment-${name}"
        name="${name}"
        size="9"
        maxlength="12"
        placeholder="0:00"
        autocomplete="off"
      />
      <button
        type="button"
        class="pill take-time"
        data-field="${name}"
        data-words="${translator.t(button, { time: '{time}' })}"
        hidden
      ></button>
    </div>`;
  return photo.media?.kind === 'video'
    ? html`<div class="times">
        ${field('start', 'commentStart', 'takeStart')} ${field('end', 'commentEnd', 'takeEnd')}
      </div>`
    : undefined;
}

/** The name that the guest has entered, with the ways to change it and to get replies by mail. */
export function guestLine(translator: Translator, shown: GuestForms): Html | undefined {
  const { guest, token } = shown;
  const hasReplies = shown.isOpen && shown.sendsMail;
  return guest.name === '' && !hasReplies
    ? undefined
    : html`<p class="small soft guest-line">
        ${
          guest.name === ''
            ? undefined
            : html`${translator.html('answeringAs', { name: verbatim(guest.name) })}
                <a href="${SHARES.guestName(token)}">${translator.t('changeName')}</a>`
        }
        ${hasReplies && guest.name !== '' ? '·' : undefined}
        ${hasReplies ? repliesLink(translator, token) : undefined}
      </p>`;
}

/** The question for the name of a guest, which the script shows before the first answer. */
export function nameDialog(translator: Translator, { guest }: GuestForms): Html | undefined {
  return guest.name === ''
    ? html`<dialog id="guest-name" aria-labelledby="guest-name-title">
        <form method="dialog">
          <h2 id="guest-name-title">${translator.t('whatIsYourName')}</h2>
          ${nameField(translator)}
          <div class="send">
            <button type="button" class="pill cancel">${translator.t('cancel')}</button>
            <button type="submit" class="pill main">${translator.t('continue')}</button>
          </div>
        </form>
      </dialog>`
    : undefined;
}

export function nameField(translator: Translator, name = ''): Html {
  return html`<p class="soft">${translator.t('nameIsSeen')}</p>
    <label for="name">${translator.t('name')}</label>
    <input
      id="name"
      name="name"
      value="${name}"
      maxlength="${String(MAX_GUEST_NAME)}"
      autocomplete="name"
      required
    />`;
}
