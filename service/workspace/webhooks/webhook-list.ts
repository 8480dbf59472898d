import type { Workspace } from '../../identity/index.js';
import { cards, stateLine } from '../../kernel/html/components.js';
import { html, type Html } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import { kindNames } from './webhook-form.js';
import { webhookName, type Webhook } from './webhook.js';

/** The beginning of the webhooks on the page "Developer". */
export function webhookHeading(translator: Translator): Html {
  return html`<h2>${translator.t('webhooks')}</h2>
    <p class="soft small">${translator.t('webhooksText')}</p>`;
}

/** The webhooks of one workspace, on the page "Developer". */
export function webhookList(
  translator: Translator,
  workspace: Workspace,
  webhooks: readonly Webhook[],
): Html {
  return html`<p class="small soft">
      ${translator.html('inWorkspace', { workspace: workspace.name })}
    </p>
    ${cards(
      webhooks.map(
        (webhook) =>
          html`<li>
            <h3><a href="${SETTINGS.webhook(webhook.id)}">${webhookName(webhook.url)}</a></h3>
            <p class="small">${kindNames(translator, webhook.events)}</p>
            ${webhookState(translator, webhook)}
          </li>`,
      ),
    )}
    <p>
      <a class="button quiet small" href="${SETTINGS.newWebhook}?workspace=${workspace.id}"
        >${translator.t('newWebhook')}</a
      >
    </p>`;
}

/** Whether a webhook gets events, and since when it fails. */
export function webhookState(translator: Translator, { disabledAt, failingSince }: Webhook): Html {
  if (disabledAt !== undefined) {
    return stateLine(translator.html('webhookOff', { time: translator.time(disabledAt) }), 'bad');
  }
  return failingSince === undefined
    ? stateLine(translator.html('webhookActive'), 'good')
    : stateLine(translator.html('webhookFailing', { time: translator.time(failingSince) }), 'bad');
}
