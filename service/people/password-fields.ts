import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../accounts/password-rules.js';
import { markup, type Html } from '../pages/html.js';
import type { PlainKey } from '../pages/sentence.js';
import type { Speech } from '../pages/speech.js';
import { checked } from '../visits/form-fields.js';

/** A field for a password. */
export function passwordField(
  speech: Speech,
  name: string,
  label: PlainKey,
  autocomplete: 'current-password' | 'new-password',
): Html {
  return markup`<label for="${name}">${speech.text(label)}</label>
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
export function newPasswordFields(speech: Speech): Html {
  return markup`<p class="small soft" id="password_rule">
      ${speech.text('newPasswordRule', { min: MIN_PASSWORD_LENGTH })}
    </p>
    ${passwordField(speech, 'new_password', 'newPassword', 'new-password')}
    ${passwordField(speech, 'new_password_again', 'newPasswordAgain', 'new-password')}`;
}

/** A checkbox. {@link isTicked} reads it. */
export function tickBox(speech: Speech, name: string, label: PlainKey, isTicked: boolean): Html {
  return markup`<label class="option"
    ><input type="checkbox" name="${name}" value="yes"${checked(isTicked)} />
    <span>${speech.text(label)}</span></label
  >`;
}

/** Whether a checkbox is ticked; any value but `yes` counts as no. */
export function isTicked(form: URLSearchParams, name: string): boolean {
  return form.get(name) === 'yes';
}
