import type { PageShell } from '../../identity/index.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import type { PlainKey } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import {
  commentButtons,
  commentHead,
  isTimed,
  labelName,
  LABELS,
  MARKER_FORMAT_NAMES,
  pictureImage,
  replyOf,
  type LabelNames,
  type Listed,
} from '../../library/index.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import { queryOf, type AnswerFilter } from './answer-filter.js';
import type { Share } from './share.js';
import type { ShownAnswers } from './shown-answers.js';

/** The films with comments at a time, each as markers for editing programs. */
export function markerLinks(
  translator: Translator,
  link: string,
  { state }: AnswerFilter,
  answers: readonly Listed[],
): Html | undefined {
  const films = new Map(
    answers.filter(isTimed).map(({ currentId, photoName }) => [currentId, photoName]),
  );
  return films.size === 0
    ? undefined
    : html`<details>
        <summary>${translator.t('markers')}</summary>
        <p class="soft small">${translator.t('markersText')}</p>
        <ul>
          ${[...films].map(
            ([id, name]) =>
              html`<li>
                <a href="${PHOTOS.photo(id)}#markers">${verbatim(name)}</a>
                <span class="exports"
                  >${MARKER_FORMAT_NAMES.map(({ format, name: formatName }) => {
                    const query = new URLSearchParams({ format, link, ...(state && { state }) });
                    return html`<a href="${PHOTOS.markers(id)}?${query.toString()}"
                      >${formatName}</a
                    > `;
                  })}</span
                >
              </li>`,
          )}
        </ul>
      </details>`;
}

/** The comments, each beside its picture, with a link to its place. */
export function commentList(
  translator: Translator,
  shell: PageShell,
  share: Share,
  { answers, filter, photos, canEdit: mayEdit }: ShownAnswers,
): Html | undefined {
  const comments = answers.filter((answer) => answer.kind === 'comment');
  const here = SHARES.answersOf(share.id) + queryOf(filter);
  return comments.length === 0
    ? undefined
    : html`<section class="answers">
        <h2>${translator.t('comments')}</h2>
        <ol class="comments beside-pictures">
          ${comments.map((comment) => {
            const photo = photos.get(comment.currentId);
            const address = PHOTOS.photo(comment.photoId);
            const anchor = `comment-${comment.id}`;
            return html`<li id="${anchor}">
              <a class="picture" href="${address}" tabindex="-1" aria-hidden="true"
                >${photo && pictureImage(photo, { sizes: '120px' })}</a
              >
              <div>
                <p><a href="${address}#answers">${verbatim(comment.photoName)}</a></p>
                ${commentHead(translator, comment, [], address)}
                <p class="text"><bdi>${comment.text}</bdi></p>
                ${replyOf(translator, comment)}
                ${
                  photo && mayEdit(photo)
                    ? html`<form method="post" action="${PHOTOS.answers(comment.currentId)}">
                        ${csrfField(shell)}
                        <input type="hidden" name="back" value="${here}#${anchor}" />
                        ${commentButtons(translator, comment)}
                      </form>`
                    : undefined
                }
              </div>
            </li>`;
          })}
        </ol>
      </section>`;
}

/** The favourites and approvals of one guest, or of all, with the file names to copy. */
export function picks(
  translator: Translator,
  heading: Html,
  { answers, labels }: { readonly answers: readonly Listed[]; readonly labels: LabelNames },
  form?: Html,
): Html {
  const of = (kind: Listed['kind']): Listed[] => answers.filter((answer) => answer.kind === kind);
  const stars = answers.filter((answer) => answer.kind === 'stars');
  const labelled = answers.filter((answer) => answer.kind === 'label');
  return html`<section class="picks">
    <h2>${heading}</h2>
    ${fileNames(translator, translator.t('favourites'), of('favourite'))}
    ${fileNames(translator, translator.t('approvals'), of('approval'))}
    ${fileNames(translator, translator.t('changesRequested'), of('changes'))}
    ${[5, 4, 3, 2, 1].map(
      (count) =>
        html`${fileNames(
          translator,
          translator.t('starsGiven', { count }),
          stars.filter(({ value }) => value === count),
        )}`,
    )}
    ${LABELS.map(
      ({ number }) =>
        html`${fileNames(
          translator,
          labelName(translator, labels, number),
          labelled.filter(({ value }) => value === number),
        )}`,
    )}
    ${form}
  </section>`;
}

/** File names without extensions, as Lightroom searches for them. Raw files and their JPEGs have these in common. */
export function fileNames(
  translator: Translator,
  label: string,
  answers: readonly Listed[],
): Html | undefined {
  const photos = new Map(answers.map(({ photoId, photoName }) => [photoId, photoName]));
  const stems = [...new Set([...photos.values()].map((name) => name.replace(/\.[^.]{1,5}$/, '')))];
  const field = (how: PlainKey, text: string, rows: number): Html =>
    html`<label
      >${translator.t(how)}
      <textarea readonly rows="${String(rows)}" spellcheck="false">${text}</textarea>
    </label>`;
  return stems.length === 0
    ? undefined
    : html`<details open>
        <summary><strong>${label}</strong> (${String(photos.size)})</summary>
        <div class="fields">
          <div>${field('namesInLine', stems.join(', '), 3)}</div>
          <div>${field('namesByLine', stems.join('\n'), 3)}</div>
        </div>
        <button type="button" class="quiet small copy" hidden data-done="${translator.t('copied')}">
          ${translator.t('copyFileNames')}
        </button>
      </details>`;
}
