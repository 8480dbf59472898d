import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';
import type { Feedback, FeedbackSummary } from './feedback.js';

/** Such as "Approved by Anna", with the versions if the photo has changed since. */
export function approvalLine(
  translator: Translator,
  { guest, version, currentVersion, isCurrent }: Feedback,
): Html {
  const name = verbatim(guest.name);
  if (isCurrent) {
    return html`✓ ${translator.html('approvedBy', { name })}`;
  }
  return translator.html(currentVersion > version ? 'approvedBefore' : 'approvedOther', {
    name,
    version,
    newer: currentVersion,
  });
}

/** The comments with a pin, in the order of their numbers. */
function pinnedOf(answers: readonly Feedback[]): Feedback[] {
  return answers.filter(({ kind, place }) => kind === 'comment' && place.pin !== undefined);
}

/** Where the comments point to, over a picture of this size. */
export function pinsOver(
  answers: readonly Feedback[],
  {
    width = 3,
    height = 2,
  }: { readonly width: number | undefined; readonly height: number | undefined },
): Html | undefined {
  const pinned = pinnedOf(answers).flatMap(({ place: { pin } }) =>
    pin === undefined ? [] : [pin],
  );
  const radius = Math.max(width, height) / 55;
  return pinned.length === 0
    ? undefined
    : html`<svg class="pins" viewBox="0 0 ${String(width)} ${String(height)}" aria-hidden="true">
        ${pinned.map(
          ({ x, y }, index) =>
            html`<g transform="translate(${(x * width).toFixed(1)} ${(y * height).toFixed(1)})">
              <circle r="${radius.toFixed(1)}" />
              <text font-size="${(radius * 1.15).toFixed(1)}" dy="0.36em"
                >${String(index + 1)}</text
              >
            </g>`,
        )}
      </svg>`;
}

/** The head of a comment: its number if it has a pin, who wrote it and when, and whether it is done. */
export function commentHead(
  translator: Translator,
  comment: Feedback,
  answers: readonly Feedback[],
): Html {
  const number = pinnedOf(answers).indexOf(comment) + 1;
  return html`<p class="by">
    ${number === 0 ? undefined : html`<span class="pin-number">${String(number)}</span>`}
    <strong>${verbatim(comment.guest.name)}</strong>
    <span class="soft">${translator.time(comment.at)}</span>
    ${comment.doneAt === undefined ? undefined : html`<span class="done">✓ ${translator.t('commentDone')}</span>`}
  </p>`;
}

/**
 * What guests of links said about a photo, for the photographer; undefined if nobody said anything. Who may change the
 * photo marks comments as done and deletes them.
 */
export function answersOf(
  translator: Translator,
  about: {
    readonly photo: { readonly id: string };
    readonly answers: readonly Feedback[];
    readonly shell: { readonly csrf: string };
    readonly isTheirs: boolean;
  },
): Html | undefined {
  const { answers, photo, shell, isTheirs } = about;
  const favourites = answers.filter(({ kind }) => kind === 'favourite');
  const approvals = answers.filter(({ kind }) => kind === 'approval');
  const comments = answers.filter(({ kind }) => kind === 'comment');
  if (answers.length === 0) {
    return undefined;
  }
  return html`<section class="answers" id="answers">
    <h2>${translator.t('answersOfClients')}</h2>
    <ul class="approvals">
      ${approvals.map((approval) => html`<li>${approvalLine(translator, approval)}</li>`)}
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
                    ${commentHead(translator, comment, answers)}
                    <p class="text"><bdi>${comment.text}</bdi></p>
                    ${isTheirs ? commentButtons(translator, comment) : undefined}
                  </li>`,
              )}
            </ol>
          </form>`
    }
  </section>`;
}

function namesOf(answers: readonly Feedback[]): Html {
  const names = [...new Set(answers.map(({ guest }) => guest.name))];
  return html`${names.map((name, index) => html`${index === 0 ? '' : ', '}${verbatim(name)}`)}`;
}

function commentButtons(translator: Translator, { id, doneAt }: Feedback): Html {
  const isDone = doneAt !== undefined;
  return html`<p class="buttons">
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
  const { favourites, comments, approval } = summary;
  const badge = (isShown: boolean, title: string, text: string): Html | undefined =>
    isShown ? html`<span title="${title}">${text}</span>` : undefined;
  return html`<p class="answer-badges">
    ${badge(favourites > 0, translator.t('favourites'), `♥ ${favourites}`)}
    ${approval && approvalBadge(translator, approval)}
    ${badge(comments > 0, translator.t('comments'), `✎ ${comments}`)}
  </p>`;
}

function approvalBadge(
  translator: Translator,
  { version, isCurrent, by }: NonNullable<FeedbackSummary['approval']>,
): Html {
  const words = translator.t('approvedVersion', { version });
  return html`<span
    class="${isCurrent ? 'good-badge' : 'old-badge'}"
    title="${translator.t('approvedBy', { name: by })}"
    >✓ ${words}</span
  >`;
}
