import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import { errorBox, page, type Page } from '../../kernel/html/layout.js';
import type { Message } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { MAX_ADDRESS_LENGTH } from '../../kernel/mail/mail-address.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import type { Subscription } from './subscription-table.js';

export interface RepliesView {
  readonly token: string;
  readonly csrf: string;
  readonly subscription: Subscription | undefined;
  readonly typed?: string | undefined;
  readonly problem?: Message | undefined;
  /** How long addresses are kept after the link has ended, in days. */
  readonly keptDays: number;
}

/** The page on which a guest leaves an address for replies. */
export function repliesPage(view: RepliesView): Page {
  const { token, csrf, subscription, typed, problem, keptDays } = view;
  return page('repliesTitle', (translator) => {
    const email = subscription && verbatim(subscription.email);
    const isConfirmed = subscription?.confirmedAt !== undefined;
    return html`<h1>${translator.t('repliesTitle')}</h1>
      ${
        email === undefined
          ? html`<p>${translator.t('repliesText')}</p>`
          : html`<p>${translator.html(isConfirmed ? 'repliesGo' : 'emailPending', { email })}</p>`
      }
      ${errorBox(translator, problem)}
      <form method="post" action="${SHARES.replies(token)}">
        <input type="hidden" name="csrf" value="${csrf}" />
        <label for="email">${translator.t('email')}</label>
        <input
          id="email"
          name="email"
          type="email"
          value="${typed ?? (isConfirmed ? '' : subscription?.email)}"
          maxlength="${String(MAX_ADDRESS_LENGTH)}"
          autocomplete="email"
          required
        />
        <button type="submit">${translator.t('mailMeReplies')}</button>
      </form>
      ${
        subscription === undefined
          ? undefined
          : html`<form method="post" action="${SHARES.replies(token)}">
              <input type="hidden" name="csrf" value="${csrf}" />
              <button type="submit" name="stop" value="1" class="quiet">
                ${translator.t('repliesStop')}
              </button>
            </form>`
      }
      <p class="small soft">${translator.t('repliesKept', { days: keptDays })}</p>
      <p><a class="button quiet" href="${SHARES.shared(token)}">${translator.t('photos')}</a></p>`;
  });
}

/** The way to the page, for guests who can answer. */
export function repliesLink(translator: Translator, token: string): Html {
  return html`<a href="${SHARES.replies(token)}">${translator.t('mailMeReplies')}</a>`;
}
