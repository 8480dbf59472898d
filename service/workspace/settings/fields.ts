import { ALL_SCOPES } from '../../identity/index.js';
import { html, type Html } from '../../kernel/html-tag.js';
import { SCOPE_WORDS } from '../../oauth/index.js';
import type { PlainKey } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { checkedAttr } from '../../kernel/html/form-fields.js';

/** A checkbox for each scope; those in `chosen` are ticked. */
export function scopeFields(
  translator: Translator,
  legend: PlainKey,
  chosen: ReadonlySet<string>,
): Html {
  return html`<fieldset>
    <legend>${translator.t(legend)}</legend>
    ${ALL_SCOPES.map(
      (scope) =>
        html`<label class="option"
          ><input type="checkbox" name="scope" value="${scope}" ${checkedAttr(chosen.has(scope))} />
          <span>${translator.t(SCOPE_WORDS[scope])} (${scope})</span></label
        >`,
    )}
  </fieldset>`;
}
