import { renderShell, type PageShell, type PageHandler } from '../../identity/index.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import type { Page } from '../../kernel/html/layout.js';
import { sendPage } from '../../kernel/http/responses.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import { notFoundPage } from '../../site/error-pages.js';
import { reviewerList } from '../rounds/index.js';
import { answerFilterForm, queryOf } from './answer-filter.js';
import { commentList, fileNames, markerLinks, picks } from './answer-lists.js';
import {
  feedbackForm,
  finishList,
  GuestForms,
  guestPager,
  guestSection,
  inviteForm,
  mailForm,
  removedItem,
  unknownGuests,
} from './guest-lists.js';
import { titleOf } from './public-share-gallery.js';
import type { OpenShare, Share } from './share.js';
import { changeable } from './share-list.js';
import { readShownAnswers, type ShareAnswersDeps, type ShownAnswers } from './shown-answers.js';

/** Shows what the guests of a link said, to those who may change the link. */
export function shareAnswers(deps: ShareAnswersDeps): PageHandler {
  return async (context) => {
    const share = await changeable(deps.shares, context, context.id);
    if (share === undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const shown = await readShownAnswers(deps, context, share);
    const view = queryOf(shown.filter) === '' ? shareAnswersPage : filteredAnswersPage;
    sendPage(context, 200, view(context.shell, share, shown));
  };
}

function shareAnswersPage(shell: PageShell, share: OpenShare, shown: ShownAnswers): Page {
  const { guests, removals, mails } = shown;
  const content = (translator: Translator): Html => {
    const forms = new GuestForms(translator, shell, share);
    return html`<h1>${translator.t('answersOfClients')}: ${verbatim(titleOf(share))}</h1>
      ${feedbackForm(translator, forms, share)}
      ${mails === undefined ? undefined : mailForm(translator, forms, mails)}
      ${
        guests.length === 0
          ? html`<p>${translator.t('noAnswersYet')}</p>`
          : selection(translator, share, shown)
      }
      ${shown.decision && reviewerList(translator, shown.decision.round, shown.decision.states)}
      ${finishList(translator, forms, shown)} ${unknownGuests(translator, forms, shown)}
      ${
        guests.length > 1 ? picks(translator, html`${translator.t('everybody')}`, shown) : undefined
      }
      ${guests.map((guest) => guestSection(translator, forms, guest, shown))}
      ${guestPager(translator, share, shown)} ${commentList(translator, shell, share, shown)}
      ${
        removals.length === 0
          ? undefined
          : html`<section id="removed">
              <h2>${translator.t('guestsRemoved')}</h2>
              <p class="soft">${translator.t('guestsRemovedText')}</p>
              <ul class="cards">
                ${removals.map((removal) => removedItem(translator, forms, removal))}
              </ul>
            </section>`
      }
      ${shown.addressOf === undefined ? undefined : inviteForm(translator, forms)}
      ${
        share.workspace.role === 'owner'
          ? html`<p>
              <a href="${`${SHARES.labels}?workspace=${share.workspace.id}`}"
                >${translator.t('labelNames')}</a
              >
            </p>`
          : undefined
      }`;
  };
  return renderShell('answersOfClients', 'shares', shell, content, { showsPictures: true });
}

/** What fits the filter: its file names, its comments, and the guest to whom it is limited. */
function filteredAnswersPage(shell: PageShell, share: OpenShare, shown: ShownAnswers): Page {
  const { answers, choices, filter } = shown;
  const chosen = choices.find(({ id }) => id === filter.guest);
  return renderShell(
    'answersOfClients',
    'shares',
    shell,
    (translator) =>
      html`<h1>${translator.t('answersOfClients')}: ${verbatim(titleOf(share))}</h1>
        ${selection(translator, share, shown)}
        ${
          answers.length === 0
            ? html`<p>${translator.t('noAnswerFits')}</p>`
            : html`<section class="picks">
                ${fileNames(translator, translator.t('namesForLightroom'), answers)}
              </section>`
        }
        ${
          chosen === undefined
            ? undefined
            : guestSection(translator, new GuestForms(translator, shell, share), chosen, shown)
        }
        ${commentList(translator, shell, share, shown)}`,
    { showsPictures: true },
  );
}

/** The filter, and the ways to take away what fits it. */
function selection(
  translator: Translator,
  { id }: Share,
  { filter, choices, labels, answers }: ShownAnswers,
): Html {
  const address = SHARES.answersOf(id);
  const query = queryOf(filter);
  return html`${answerFilterForm(translator, { address, filter, guests: choices, labels })}
    <p class="exports">
      <a href="${SHARES.exportOf(id, 'csv')}${query}">${translator.t('exportCsv')}</a>
      <a href="${SHARES.exportOf(id, 'txt')}${query}">${translator.t('exportText')}</a>
      <a href="${SHARES.contactSheet(id)}${query}">${translator.t('contactSheet')}</a>
    </p>
    ${markerLinks(translator, id, filter, answers)}`;
}
