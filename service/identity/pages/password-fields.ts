import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../passwords/password-rules.js';
import { html, type Html } from '../../kernel/html-tag.js';
import type { PlainKey } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { checkedAttr } from '../../kernel/html/form-fields.js';

/** A field for a password. */
export function passwordField(
  translator: Translator,
  name: string,
  label: PlainKey,
  autocomplete: 'current-password' | 'new-password',
): Html {
  return html`<label for="${name}">${translator.t(label)}</label>
    <input
      id="${name}"
      name="${name}"
      type="password"
      autocomplete="${autocomplete}"
      maxlength="${String(MAX_PASSWORD_LENGTH)}"
      required
    />`;
}

/** The fields for a new password. It is typed twice, because it cannot be seen while typing. */
export function newPasswordFields(translator: Translator): Html {
  return html`<p class="small soft" id="password_rule">
      ${translator.t('newPasswordRule', { min: MIN_PASSWORD_LENGTH })}
    </p>
    ${passwordField(translator, 'new_password', 'newPassword', 'new-password')}
    ${passwordField(translator, 'new_password_again', 'newPasswordAgain', 'new-password')}`;
}

/** A checkbox. {@link isChecked} reads it. */
export function checkbox(
  translator: Translator,
  name: string,
  label: PlainKey,
  isChecked: boolean,
): Html {
  return html`<label class="option"
    ><input type="checkbox" name="${name}" value="yes" ${checkedAttr(isChecked)} />
    <span>${translator.t(label)}</span></label
  >`;
}

/** Whether a checkbox is ticked; any value but `yes` counts as no. */
export function isTicked(form: URLSearchParams, name: string): boolean {
  return form.get(name) === 'yes';
}
