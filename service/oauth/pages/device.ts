import { html, type Html } from '../../kernel/html-tag.js';
import { page, errorBox, type Page } from '../../kernel/html/layout.js';
import { CODE_ENTRY } from '../device/code-entry.js';
import { ACCOUNT_CHOICE, ACCOUNT_CHOICE_QUERY } from '../device/account-choice.js';
import type { Message } from '../../kernel/i18n/message.js';

/** The values for a form about a code. */
export interface CodeForm {
  readonly action: string;
  readonly xsrf: string;
  /** When the form is shown, in seconds since 1970. */
  readonly shownAt: number;
  /** Whether the code came with the address that the app opened. */
  readonly isByLink: boolean;
  /** Whether the user chooses an account after the code. */
  readonly choosesAccount: boolean;
}

/** The page for entering the code from the app. */
export function enterCodePage(
  about: CodeForm & {
    /** The code that was typed before and not accepted. */
    code: string | undefined;
    problem: Message | undefined;
  },
): Page {
  // `confirm` means that the user has compared the code with the app; here they did so by typing it.
  return page(
    'connectAnApp',
    (translator) =>
      html`<h1>${translator.t('connectAnApp')}</h1>
        <p class="soft">${translator.t('enterCodeText')}</p>
        ${errorBox(translator, about.problem)}
        <form method="post" action="${about.action}">
          ${hiddenFields(about)}
          <input type="hidden" name="confirm" value="yes" />
          <label for="user_code">${translator.t('code')}</label>
          <input
            class="code"
            id="user_code"
            name="user_code"
            type="text"
            value="${about.code ?? ''}"
            placeholder="XXXX-XXXX"
            maxlength="40"
            autocomplete="off"
            autocapitalize="characters"
            autocorrect="off"
            spellcheck="false"
            translate="no"
            autofocus
          />
          <button type="submit">${translator.t('continue')}</button>
        </form>`,
  );
}

/** The page on which users compare the code from a link with the one in the app. */
export function confirmCodePage(
  about: CodeForm & {
    code: string;
    clientName?: string;
  },
): Page {
  const { clientName } = about;
  return page(
    'compareTitle',
    (translator) =>
      html`<h1>${translator.t('compareHeading')}</h1>
        <p class="soft">
          ${
            clientName === undefined
              ? translator.t('compareTextUnnamed')
              : translator.html('compareText', { app: clientName })
          }
        </p>
        <p class="big-code" translate="no">${about.code}</p>
        <form method="post" action="${about.action}">
          ${hiddenFields(about)}
          <input type="hidden" name="confirm" value="yes" />
          <input type="hidden" name="user_code" value="${about.code}" />
          <button type="submit">${translator.t('continue')}</button>
        </form>
        <p class="small soft">${translator.withLink('notTheSame', addressOf(about))}</p>`,
  );
}

/** The address of the page for entering a code. */
function addressOf({ action, choosesAccount }: CodeForm): string {
  return choosesAccount ? action + ACCOUNT_CHOICE_QUERY : action;
}

function hiddenFields({ xsrf, shownAt, isByLink, choosesAccount }: CodeForm): Html {
  const { name, value } = ACCOUNT_CHOICE;
  return html`<input type="hidden" name="xsrf" value="${xsrf}" />
    <input type="hidden" name="shown_at" value="${String(shownAt)}" />
    ${isByLink ? html`<input type="hidden" name="${CODE_ENTRY.name}" value="${CODE_ENTRY.byLink}" />` : undefined}
    ${choosesAccount ? html`<input type="hidden" name="${name}" value="${value}" />` : undefined}`;
}
