import { codeForm, passkeyForm } from '../../identity/index.js';
import { html, type Html } from '../../kernel/html-tag.js';
import { errorBox, page, type Page } from '../../kernel/html/layout.js';
import type { Message, PlainKey } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';

/** The page for a code of an authenticator app, a recovery code or a passkey. It posts to its own address. */
export function secondStepPage(about: {
  csrf: string;
  title: 'enterACode' | 'confirmItIsYou';
  text: PlainKey;
  /** The hidden fields that the forms carry besides the anti-forgery token. */
  fields: Readonly<Record<string, string>>;
  /** Whether the user has an authenticator app. */
  hasAuthenticator: boolean;
  /** The options for a passkey, as JSON; undefined for users without one. */
  passkeyOptions: string | undefined;
  problem: Message | undefined;
}): Page {
  const { csrf, passkeyOptions: options } = about;
  const hidden = html`${Object.entries(about.fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )}`;
  return page(
    about.title,
    (translator) =>
      html`<h1>${translator.t(about.title)}</h1>
        <p class="soft">${translator.t(about.text)}</p>
        ${errorBox(translator, about.problem)}
        ${about.hasAuthenticator ? codeForm(translator, { csrf, label: 'continue', hidden, isFocused: true }) : undefined}
        ${
          options &&
          passkeyForm(translator, {
            ...{ csrf, kind: 'get', options, label: 'usePasskey', content: hidden },
            isMain: !about.hasAuthenticator,
          })
        }
        ${
          about.hasAuthenticator
            ? recoveryForm(translator, csrf, hidden)
            : html`<p class="problem" data-passkeys="missing">
                ${translator.t('passkeysMissing')}
              </p>`
        }`,
    { client: 'page' },
  );
}

/** Folded: a recovery code is for users without their other factors. */
function recoveryForm(translator: Translator, csrf: string, hidden: Html): Html {
  return html`<details class="recovery">
    <summary>${translator.t('useRecoveryCode')}</summary>
    <form method="post">
      <input type="hidden" name="csrf" value="${csrf}" />
      ${hidden}
      <label for="recovery_code">${translator.t('recoveryCode')}</label>
      <input
        id="recovery_code"
        name="recovery_code"
        type="text"
        maxlength="40"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        required
      />
      <button type="submit" class="quiet">${translator.t('continue')}</button>
    </form>
  </details>`;
}

/** Replaces {@link secondStepPage} for a user without a second factor. @param address leads back to the decision. */
export function factorMissingPage(address: string): Page {
  return page(
    'confirmItIsYou',
    (translator) =>
      html`<h1>${translator.t('confirmItIsYou')}</h1>
        <p>${translator.t('factorMissing')}</p>
        <p>
          <a class="button" href="${SETTINGS.secondFactors}" target="_blank"
            >${translator.t('setUpFactor')}</a
          >
        </p>
        <p><a href="${address}">${translator.t('checkAgain')}</a></p>`,
  );
}
