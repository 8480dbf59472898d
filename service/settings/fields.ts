import { ALL_SCOPES } from '../oauth/scopes.js';
import { markup, type Html } from '../pages/html.js';
import { SCOPE_WORDS } from '../pages/scopes.js';
import type { PlainKey } from '../pages/sentence.js';
import type { Speech } from '../pages/speech.js';

/** A checkbox for each scope. */
export function scopeFields(speech: Speech, legend: PlainKey, chosen: ReadonlySet<string>): Html {
  return markup`<fieldset>
    <legend>${speech.text(legend)}</legend>
    ${ALL_SCOPES.map(
      (scope) =>
        markup`<label class="option"
          ><input type="checkbox" name="scope" value="${scope}"${checked(chosen.has(scope))} />
          <span>${speech.text(SCOPE_WORDS[scope])} (${scope})</span></label
        >`,
    )}
  </fieldset>`;
}

/** The token that every form carries. */
export function csrfField(frame: { readonly csrf: string }): Html {
  return markup`<input type="hidden" name="csrf" value="${frame.csrf}" />`;
}

/** The attribute of a checkbox or radio button that is chosen. */
export function checked(is: boolean): Html | undefined {
  return is ? markup` checked` : undefined;
}

/** The attribute of an option that is chosen. */
export function selected(is: boolean): Html | undefined {
  return is ? markup` selected` : undefined;
}
