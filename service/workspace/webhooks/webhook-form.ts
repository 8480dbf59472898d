import { EVENT_KINDS, KIND_WORDS, type EventKind } from '../../identity/index.js';
import { checkedAttr } from '../../kernel/html/form-fields.js';
import { html, type Html } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import type { WebhookEntry } from './webhook.js';

/** The fields for the address of a webhook and the events that it gets. */
export function webhookFields(translator: Translator, { url, events }: WebhookEntry): Html {
  return html`<label for="url">${translator.t('webhookUrl')}</label>
    <input
      id="url"
      name="url"
      type="url"
      value="${url}"
      placeholder="https://"
      maxlength="1000"
      autocomplete="off"
      spellcheck="false"
      required
    />
    <fieldset>
      <legend>${translator.t('webhookEvents')}</legend>
      ${EVENT_KINDS.map(
        (kind) =>
          html`<label class="option"
            ><input
              type="checkbox"
              name="events"
              value="${kind}"
              ${checkedAttr(events.includes(kind))}
            />
            <span>${translator.t(KIND_WORDS[kind])}</span></label
          >`,
      )}
    </fieldset>`;
}

/** The names of kinds of events in one line. */
export function kindNames(translator: Translator, kinds: readonly EventKind[]): string {
  return kinds.map((kind) => translator.t(KIND_WORDS[kind])).join(' · ');
}
