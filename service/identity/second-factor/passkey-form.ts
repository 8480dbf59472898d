import { html, type Html } from '../../kernel/html-tag.js';
import type { PlainKey } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';

/** A form that `service/client/passkeys.ts` shows where passkeys can be used. It posts the response of the browser. */
export function passkeyForm(
  translator: Translator,
  about: {
    readonly csrf: string;
    /** Whether a passkey is made or used. */
    readonly kind: 'create' | 'get';
    /** The options for the browser, as JSON. */
    readonly options: string;
    readonly label: PlainKey;
    readonly content?: Html | undefined;
    /** Whether the page offers nothing else. */
    readonly isMain?: boolean;
    /** Whether the browser offers passkeys in the field for the username, too. */
    readonly autofill?: boolean;
  },
): Html {
  const { kind, options } = about;
  return html`<form
    method="post"
    class="passkey"
    data-passkey="${kind}"
    data-options="${options}"
    data-autofill="${about.autofill === true ? 'yes' : 'no'}"
    hidden
  >
    <input type="hidden" name="csrf" value="${about.csrf}" />
    <input type="hidden" name="passkey" value="" />
    <p class="problem" role="alert" hidden>${translator.t('passkeyFailed')}</p>
    ${about.content}
    <button type="submit" ${about.isMain === true ? undefined : html`class="quiet"`}>
      ${translator.t(about.label)}
    </button>
  </form>`;
}
