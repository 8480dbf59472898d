import { html, type Html } from '../../kernel/html-tag.js';
import { errorBox, page, type Page } from '../../kernel/html/layout.js';
import type { Message } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import type { Guest } from '../../library/index.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import { MAX_SENTENCE, type Finish } from './digest-table.js';

/** What the page needs. */
export interface FinishView {
  readonly token: string;
  readonly csrf: string;
  readonly guest: Guest;
  readonly finish: Finish | undefined;
  readonly problem?: Message | undefined;
}

/**
 * The page on which a guest finishes.
 * @param nameField writes the field for the name, which a guest without answers has not entered
 * @param more is shown to a guest who has finished
 */
export function finishPage(
  view: FinishView,
  nameField: (translator: Translator) => Html,
  more: (translator: Translator) => Html | undefined,
): Page {
  const { token, csrf, guest, finish, problem } = view;
  return page(finish === undefined ? 'finish' : 'finishThanks', (translator) => {
    const sentence = finish?.sentence;
    return html`<h1>${translator.t(finish === undefined ? 'finish' : 'finishThanks')}</h1>
      <p>${translator.t(finish === undefined ? 'finishText' : 'finishDone')}</p>
      ${errorBox(translator, problem)}
      ${sentence === undefined ? undefined : html`<blockquote><bdi>${sentence}</bdi></blockquote>`}
      <form method="post" action="${SHARES.finish(token)}">
        <input type="hidden" name="csrf" value="${csrf}" />
        ${guest.name === '' ? nameField(translator) : undefined}
        <label for="sentence">${translator.t('finishSentence')}</label>
        <textarea
          id="sentence"
          name="sentence"
          rows="3"
          maxlength="${String(MAX_SENTENCE)}"
          ${finish === undefined ? undefined : html`required`}
        ></textarea>
        <button type="submit">
          ${translator.t(finish === undefined ? 'finish' : 'sendComment')}
        </button>
      </form>
      ${finish === undefined ? undefined : more(translator)}
      <p><a class="button quiet" href="${SHARES.shared(token)}">${translator.t('photos')}</a></p>`;
  });
}

/** The button on the page of a link. It takes one click. */
export function finishButton(
  translator: Translator,
  { token, csrf }: Pick<FinishView, 'token' | 'csrf'>,
): Html {
  return html`<form method="post" action="${SHARES.finish(token)}" class="finish">
    <input type="hidden" name="csrf" value="${csrf}" />
    <p class="soft">${translator.t('finishText')}</p>
    <button type="submit" class="pill main">${translator.t('finish')}</button>
  </form>`;
}
