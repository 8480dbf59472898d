import { html, type Html } from '../../platform/html-tag.js';
import type { Page } from '../../platform/html/layout.js';
import { notFoundPage } from '../../platform/html/error-pages.js';
import { sendPage } from '../../platform/http/responses.js';
import type { PlainKey } from '../../platform/i18n/message.js';
import type { Translator } from '../../platform/i18n/translator.js';
import { PHOTOS } from '../../platform/paths/photo-paths.js';
import { renderShell, type PageShell } from '../../auth/session/page-shell.js';
import type { PageHandler } from '../../auth/session/authenticated-request.js';
import { commentHead, type AnswerTable, type ListedAnswer } from '../answers/index.js';
import { titleOf } from './public-share-gallery.js';
import { mayChange, type Share } from './share.js';
import type { ShareTable } from './share-table.js';

export interface ShareAnswersDeps {
  readonly shares: ShareTable;
  readonly answers: AnswerTable;
}

/** Shows what the guests of a link said, to those who may change the link. */
export function shareAnswers({ shares, answers }: ShareAnswersDeps): PageHandler {
  return async (context) => {
    const { id, account, memberships, frame } = context;
    const share = await shares.find(id);
    // Others do not learn whether the link exists.
    if (share === undefined || !mayChange(share, account.id, memberships)) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    sendPage(context, 200, shareAnswersPage(frame, share, await answers.ofShare(share.id)));
  };
}

function shareAnswersPage(frame: PageShell, share: Share, answers: readonly ListedAnswer[]): Page {
  const guests = [...new Map(answers.map(({ guest }) => [guest.id, guest])).values()];
  const comments = answers.filter(({ kind }) => kind === 'comment');
  return renderShell('answersOfClients', 'shares', frame, (translator) => {
    const groups = guests.map((guest) =>
      group(
        translator,
        html`<bdi>${guest.name}</bdi>`,
        answers.filter((answer) => answer.guest.id === guest.id),
      ),
    );
    return html`<h1>${translator.t('answersOfClients')}: <bdi>${titleOf(share)}</bdi></h1>
      ${answers.length === 0 ? html`<p>${translator.t('noAnswersYet')}</p>` : undefined}
      ${
        guests.length > 1
          ? group(translator, html`${translator.t('everybody')}`, answers)
          : undefined
      }
      ${groups}
      ${
        comments.length === 0
          ? undefined
          : html`<section class="answers">
              <h2>${translator.t('comments')}</h2>
              <ol class="comments">
                ${comments.map(
                  (comment) =>
                    html`<li>
                      <p>
                        <a href="${PHOTOS.photo(comment.photoId)}#answers"
                          ><bdi>${comment.photoName}</bdi></a
                        >
                      </p>
                      ${commentHead(translator, comment, [])}
                      <p class="text"><bdi>${comment.text}</bdi></p>
                    </li>`,
                )}
              </ol>
            </section>`
      }`;
  });
}

/** The favourites and approvals of one guest, or of all, with the file names to copy. */
function group(translator: Translator, heading: Html, answers: readonly ListedAnswer[]): Html {
  const of = (kind: ListedAnswer['kind']): ListedAnswer[] =>
    answers.filter((answer) => answer.kind === kind);
  return html`<section class="picks">
    <h2>${heading}</h2>
    ${names(translator, 'favourites', of('favourite'))}
    ${names(translator, 'approvals', of('approval'))}
  </section>`;
}

/** File names without extensions, as Lightroom searches for them. Raw files and their JPEGs have these in common. */
function names(
  translator: Translator,
  label: PlainKey,
  answers: readonly ListedAnswer[],
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
        <summary><strong>${translator.t(label)}</strong> (${String(photos.size)})</summary>
        <div class="fields">
          <div>${field('namesInLine', stems.join(', '), 3)}</div>
          <div>${field('namesByLine', stems.join('\n'), 3)}</div>
        </div>
        <button type="button" class="quiet small copy" hidden data-done="${translator.t('copied')}">
          ${translator.t('copyFileNames')}
        </button>
      </details>`;
}
