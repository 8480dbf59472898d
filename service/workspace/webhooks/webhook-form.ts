import type { EventKind } from '../../kernel/events/event.js';
import { checkedAttr } from '../../kernel/html/form-fields.js';
import { html, type Html } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import type { WebhookEntry } from './webhook.js';

/** The fields for the address of a webhook and the kinds of events that it gets. */
export function webhookFields(
  translator: Translator,
  kinds: readonly EventKind[],
  { url, events }: WebhookEntry,
): Html {
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
      ${kinds.map(
        (kind) =>
          html`<label class="option"
            ><input
              type="checkbox"
              name="events"
              value="${kind.name}"
              ${checkedAttr(events.includes(kind))}
            />
            <span>${translator.t(kind.label)}</span></label
          >`,
      )}
    </fieldset>`;
}

/** The names of kinds of events in one line. */
export function kindNames(translator: Translator, kinds: readonly EventKind[]): string {
  return kinds.map(({ label }) => translator.t(label)).join(' · ');
}
