import { UPLOAD_KIND } from '../../library/index.js';
import { WEBHOOK_EVENTS } from './events.js';
import {
  renderShell,
  type Workspace,
  type PageHandler,
  type PageShell,
} from '../../identity/index.js';
import { notFoundPage } from '../../site/error-pages.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { errorBox, type Page } from '../../kernel/html/layout.js';
import { html } from '../../kernel/html-tag.js';
import { sendPage } from '../../kernel/http/responses.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import type { EventKind } from '../../kernel/events/event.js';
import { webhookFields } from './webhook-form.js';
import type { WebhookPageDeps } from './webhook-page.js';
import {
  MAX_WEBHOOKS,
  readWebhookEntry,
  webhookEntryProblem,
  webhookName,
  type WebhookEntry,
} from './webhook.js';
import { webhookSecretPage } from './webhook-secret-page.js';

const EMPTY: WebhookEntry = { url: '', events: [UPLOAD_KIND] };

/** Shows the form for a new webhook. When the form is sent, makes the webhook and shows its secret once. */
export function newWebhook({ webhooks, outgoing, audit }: WebhookPageDeps): PageHandler {
  return async (context) => {
    const { form, query, account, memberships, shell, response } = context;
    const wanted = (form ?? query).get('workspace');
    const workspace = memberships.find(({ id, role }) => id === wanted && role === 'owner');
    if (workspace === undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    if (form === undefined) {
      sendPage(context, 200, newWebhookPage(shell, workspace, webhooks.kinds, EMPTY));
      return;
    }
    const entry = readWebhookEntry(form, webhooks.kinds);
    const problem = webhookEntryProblem(entry, outgoing);
    const about = { by: account.id, workspace: workspace.id };
    const made =
      problem === undefined
        ? await webhooks.create(
            entry,
            { workspaceId: workspace.id, accountId: account.id },
            (transaction) =>
              audit(
                response,
                WEBHOOK_EVENTS.created,
                { ...about, details: { name: webhookName(entry.url) } },
                transaction,
              ),
          )
        : undefined;
    if (typeof made === 'object') {
      sendPage(context, 201, webhookSecretPage(shell, 'webhookMade', made));
      return;
    }
    const why = problem ?? message('tooManyWebhooks', { max: MAX_WEBHOOKS });
    sendPage(context, 400, newWebhookPage(shell, workspace, webhooks.kinds, entry, why));
  };
}

function newWebhookPage(
  shell: PageShell,
  workspace: Workspace,
  kinds: readonly EventKind[],
  entry: WebhookEntry,
  problem?: Message,
): Page {
  return renderShell(
    'newWebhook',
    'developer',
    shell,
    (translator) =>
      html`<h1>${translator.t('newWebhook')}</h1>
        <p class="soft small">
          ${translator.html('workspaceNamed', { workspace: workspace.name })}
        </p>
        ${errorBox(translator, problem)}
        <form method="post" action="${SETTINGS.newWebhook}">
          ${csrfField(shell)}
          <input type="hidden" name="workspace" value="${workspace.id}" />
          ${webhookFields(translator, kinds, entry)}
          <button type="submit">${translator.t('createWebhook')}</button>
        </form>`,
  );
}
