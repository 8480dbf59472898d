import { removeFromEvents } from '../../kernel/events/event-log.js';
import { renderShell, type Audit, type PageShell, type PageHandler } from '../../identity/index.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import type { Page } from '../../kernel/html/layout.js';
import { notFoundPage } from '../../site/error-pages.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import type { PlainKey } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';
import {
  commentHead,
  type FeedbackTable,
  type Guest,
  type ListedFeedback,
  FEEDBACK_EVENTS,
} from '../../library/index.js';
import { forgetFinish, type DigestTable, type Finish } from '../digests/index.js';
import { LINK_EVENTS } from './events.js';
import { titleOf } from './public-share-gallery.js';
import { linkForLog, type Share } from './share.js';
import { changeable } from './share-list.js';
import type { ShareTable } from './share-table.js';

export interface ShareAnswersDeps {
  readonly shares: ShareTable;
  readonly answers: FeedbackTable;
  readonly digests: DigestTable;
  readonly audit: Audit;
}

/** Shows what the guests of a link said, to those who may change the link. */
export function shareAnswers({ shares, answers, digests }: ShareAnswersDeps): PageHandler {
  return async (context) => {
    const share = await changeable(shares, context, context.id);
    if (share === undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const given = await answers.ofShare(share.id);
    const removed = await answers.removedGuests(share.id);
    const finishes = await digests.finishesOf(share.id);
    const isCreator = share.creatorId === context.account.id;
    const mails = isCreator ? await digests.wantsMails(share.creatorId, share.id) : undefined;
    const shown = { answers: given, removed, finishes, mails };
    sendPage(context, 200, shareAnswersPage(context.shell, share, shown));
  };
}

/** Removes a guest of a link with all answers, or undoes that. Ends the mails about the link to its creator, or starts them. */
export function changeGuests(deps: ShareAnswersDeps): PageHandler {
  const { shares, answers, digests, audit } = deps;
  return async (context) => {
    const { response, account } = context;
    const form = context.form ?? new URLSearchParams();
    const share = await changeable(shares, context, context.id);
    const mails = form.get('mails');
    if (share !== undefined && mails !== null && share.creatorId === account.id) {
      await (mails === 'off'
        ? digests.optOut(account.id, share.id)
        : digests.optIn(account.id, share.id));
      const flash = mails === 'off' ? 'feedbackMailsOff' : 'feedbackMailsOn';
      sendRedirect(response, `${SHARES.answersOf(share.id)}?flash=${flash}`);
      return;
    }
    const isRemoval = form.has('remove');
    const guest = form.get(isRemoval ? 'remove' : 'restore') ?? '';
    if (share === undefined || !/^[\w-]{1,64}$/.test(guest)) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const workspaceId = share.workspace.id;
    const about = { ...linkForLog({ ...share, workspaceId }), by: account.id, details: { guest } };
    if (isRemoval) {
      await answers.removeGuest(share.id, guest, async (transaction) => {
        await removeFromEvents(transaction, 'name', {
          workspaceId,
          events: [...Object.values(FEEDBACK_EVENTS), LINK_EVENTS.finished],
          about: { member: 'guest', value: guest },
        });
        await forgetFinish(transaction, share.id, guest);
        await audit(response, FEEDBACK_EVENTS.guestRemoved, about, transaction);
      });
    } else {
      await answers.restoreGuest(share.id, guest, (transaction) =>
        audit(response, FEEDBACK_EVENTS.guestRestored, about, transaction),
      );
    }
    sendRedirect(response, SHARES.answersOf(share.id) + (isRemoval ? '#removed' : ''));
  };
}

/** What the page shows. */
interface ShownAnswers {
  readonly answers: readonly ListedFeedback[];
  readonly removed: readonly Guest[];
  readonly finishes: readonly Finish[];
  /** Whether the creator gets mails; undefined for another user. */
  readonly mails: boolean | undefined;
}

function shareAnswersPage(
  shell: PageShell,
  share: Share,
  { answers, removed, finishes, mails }: ShownAnswers,
): Page {
  const guests = [...new Map(answers.map(({ guest }) => [guest.id, guest])).values()];
  const comments = answers.filter(({ kind }) => kind === 'comment');
  return renderShell('answersOfClients', 'shares', shell, (translator) => {
    const groups = guests.map((guest) =>
      group(
        translator,
        verbatim(guest.name),
        answers.filter((answer) => answer.guest.id === guest.id),
        guestForm(translator, shell, share, { remove: guest.id }),
      ),
    );
    return html`<h1>${translator.t('answersOfClients')}: ${verbatim(titleOf(share))}</h1>
      ${mails === undefined ? undefined : mailForm(translator, shell, share, mails)}
      ${answers.length === 0 ? html`<p>${translator.t('noAnswersYet')}</p>` : undefined}
      ${finishList(translator, finishes)}
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
                          >${verbatim(comment.photoName)}</a
                        >
                      </p>
                      ${commentHead(translator, comment, [], PHOTOS.photo(comment.photoId))}
                      <p class="text"><bdi>${comment.text}</bdi></p>
                    </li>`,
                )}
              </ol>
            </section>`
      }
      ${
        removed.length === 0
          ? undefined
          : html`<section id="removed">
              <h2>${translator.t('guestsRemoved')}</h2>
              <p class="soft">${translator.t('guestsRemovedText')}</p>
              <ul class="cards">
                ${removed.map(
                  ({ id, name }) =>
                    html`<li>
                      ${verbatim(name)} ${guestForm(translator, shell, share, { restore: id })}
                    </li>`,
                )}
              </ul>
            </section>`
      }`;
  });
}

/** Who has finished, and their sentences. */
function finishList(translator: Translator, finishes: readonly Finish[]): Html | undefined {
  return finishes.length === 0
    ? undefined
    : html`<ul class="finishes">
        ${finishes.map(
          ({ guest, sentence, at }) =>
            html`<li>
              ${translator.html('guestHasFinished', { guest: verbatim(guest.name) })}
              <span class="soft small">${translator.time(at)}</span>
              ${sentence === undefined ? undefined : html`<p class="text"><bdi>${sentence}</bdi></p>`}
            </li>`,
        )}
      </ul>`;
}

/** The button that ends the mails about the link to its creator, or lets them come again. */
function mailForm(translator: Translator, shell: PageShell, { id }: Share, mails: boolean): Html {
  return html`<form method="post" action="${SHARES.answersOf(id)}">
    ${csrfField(shell)}
    <p class="soft">${translator.t(mails ? 'feedbackMailsComeText' : 'feedbackMailsEndedText')}</p>
    <button type="submit" class="quiet small" name="mails" value="${mails ? 'off' : 'on'}">
      ${translator.t(mails ? 'feedbackMailsEnd' : 'feedbackMailsStart')}
    </button>
  </form>`;
}

/** The button that removes a guest, or undoes that. */
function guestForm(
  translator: Translator,
  shell: PageShell,
  { id }: Share,
  change: { readonly remove: string } | { readonly restore: string },
): Html {
  const [name, guest, label] =
    'remove' in change
      ? (['remove', change.remove, 'guestRemove'] as const)
      : (['restore', change.restore, 'undo'] as const);
  return html`<form method="post" action="${SHARES.answersOf(id)}">
    ${csrfField(shell)}
    <button type="submit" class="quiet small" name="${name}" value="${guest}">
      ${translator.t(label)}
    </button>
  </form>`;
}

/** The favourites and approvals of one guest, or of all, with the file names to copy. */
function group(
  translator: Translator,
  heading: Html,
  answers: readonly ListedFeedback[],
  form?: Html,
): Html {
  const of = (kind: ListedFeedback['kind']): ListedFeedback[] =>
    answers.filter((answer) => answer.kind === kind);
  return html`<section class="picks">
    <h2>${heading}</h2>
    ${names(translator, 'favourites', of('favourite'))}
    ${names(translator, 'approvals', of('approval'))} ${form}
  </section>`;
}

/** File names without extensions, as Lightroom searches for them. Raw files and their JPEGs have these in common. */
function names(
  translator: Translator,
  label: PlainKey,
  answers: readonly ListedFeedback[],
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
