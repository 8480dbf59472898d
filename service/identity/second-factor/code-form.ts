import { csrfField } from '../../kernel/html/form-fields.js';
import { html, type Html } from '../../kernel/html-tag.js';
import type { PlainKey } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';

/** A form for a code of an authenticator app. It posts to its own address. */
export function codeForm(
  translator: Translator,
  about: {
    readonly csrf: string;
    /** The word on the button. */
    readonly label: PlainKey;
    readonly hidden?: Html;
    /** Whether the cursor starts in the field. */
    readonly isFocused: boolean;
  },
): Html {
  return html`<form method="post">
    ${csrfField(about)} ${about.hidden}
    <label for="code">${translator.t('authenticatorCode')}</label>
    <input
      class="code"
      id="code"
      name="code"
      type="text"
      inputmode="numeric"
      maxlength="10"
      autocomplete="one-time-code"
      required
      ${about.isFocused ? html`autofocus` : undefined}
    />
    <button type="submit">${translator.t(about.label)}</button>
  </form>`;
}
