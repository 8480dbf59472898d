import { WEBHOOK_EVENTS } from './events.js';
import { randomUUID } from 'node:crypto';
import {
  renderShell,
  type Audit,
  type Membership,
  type AuthenticatedRequest,
  type PageHandler,
  type PageShell,
} from '../../identity/index.js';
import type { Queryable } from '../../kernel/database/database.js';
import { stateLine } from '../../kernel/html/components.js';
import { notFoundPage } from '../../site/error-pages.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { errorBox, type Page } from '../../kernel/html/layout.js';
import { html, type Html } from '../../kernel/html-tag.js';
import type { OutgoingFailure, OutgoingPolicy } from '../../kernel/http/outgoing.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { message, type Message, type PlainKey } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import type { EventDeclaration, EventKind } from '../../kernel/events/event.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import { webhookFields } from './webhook-form.js';
import { webhookState } from './webhook-list.js';
import { webhookSecretPage } from './webhook-secret-page.js';
import type { WebhookTable } from './webhook-table.js';
import {
  readWebhookEntry,
  webhookEntryProblem,
  webhookName,
  type Delivery,
  type Webhook,
  type WebhookEntry,
} from './webhook.js';

export interface WebhookPageDeps {
  readonly webhooks: WebhookTable;
  readonly outgoing: OutgoingPolicy;
  readonly audit: Audit;
  readonly now: () => Date;
}

/** The result of a form about a webhook. */
type Outcome =
  | { readonly goTo: string }
  | { readonly secret: string }
  /** Nothing was changed. */
  | { readonly entry: WebhookEntry; readonly problem: Message };

/** Shows one webhook and its deliveries to an owner of its workspace, and changes it. */
export function webhookPage(deps: WebhookPageDeps): PageHandler {
  return async (context) => {
    const { response, id, form, memberships, shell } = context;
    const webhook = await deps.webhooks.find(id);
    const workspace = memberships.find(
      (one) => one.id === webhook?.workspaceId && one.role === 'owner',
    );
    // The same answer in both cases: only owners of its workspace learn whether a webhook exists.
    if (webhook === undefined || workspace === undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const outcome =
      form === undefined
        ? { entry: webhook, problem: undefined }
        : await change(deps, context, webhook, form);
    if ('goTo' in outcome) {
      sendRedirect(response, outcome.goTo);
    } else if ('secret' in outcome) {
      sendPage(context, 200, webhookSecretPage(shell, 'newSecret', { id, ...outcome }));
    } else {
      const deliveries = await deps.webhooks.deliveriesOf(id);
      const page = shownPage(shell, {
        kinds: deps.webhooks.kinds,
        webhook,
        workspace,
        deliveries,
        ...outcome,
      });
      sendPage(context, outcome.problem === undefined ? 200 : 400, page);
    }
  };
}

/** Changes a webhook by its form. */
async function change(
  { webhooks, outgoing, audit, now }: WebhookPageDeps,
  { account, response }: AuthenticatedRequest,
  webhook: Webhook,
  form: URLSearchParams,
): Promise<Outcome> {
  const { id, workspaceId } = webhook;
  const record =
    (event: EventDeclaration, url = webhook.url) =>
    (transaction: Queryable): Promise<void> => {
      const about = { by: account.id, workspace: workspaceId, details: { name: webhookName(url) } };
      return audit(response, event, about, transaction);
    };
  const page = SETTINGS.webhook(id);
  const action = form.get('action');
  if (action === 'save') {
    const entry = readWebhookEntry(form, webhooks.kinds);
    const problem = webhookEntryProblem(entry, outgoing);
    if (problem !== undefined) {
      return { entry, problem };
    }
    await webhooks.change(id, entry, record(WEBHOOK_EVENTS.changed, entry.url));
    return { goTo: `${page}?flash=saved` };
  }
  if (action === 'test') {
    const timestamp = now().toISOString();
    await webhooks.send(id, {
      type: WEBHOOK_EVENTS.test.type,
      timestamp,
      data: { id: randomUUID(), workspace_id: workspaceId },
    });
    return { goTo: `${page}?flash=webhookTested#deliveries` };
  }
  if (action === 'again') {
    await webhooks.sendAgain(id, form.get('delivery') ?? '');
    return { goTo: `${page}?flash=webhookSentAgain#deliveries` };
  }
  if (form.get('confirm') !== 'yes') {
    return { entry: webhook, problem: message('tickTheBox') };
  }
  if (action === 'rotate') {
    return { secret: await webhooks.rotateSecret(id, record(WEBHOOK_EVENTS.changed)) };
  }
  if (action === 'delete') {
    await webhooks.remove(id, record(WEBHOOK_EVENTS.deleted));
    return { goTo: `${SETTINGS.developer}?flash=deleted` };
  }
  return { entry: webhook, problem: message('cannotBeDone') };
}

/** Why an attempt failed, by what is stored about it. */
const FAILURES: Readonly<Record<OutgoingFailure, PlainKey>> = {
  not_https: 'webhookNotHttps',
  not_public: 'webhookNotPublic',
  unknown_host: 'deliveryUnknownHost',
  timeout: 'deliveryTimeout',
  too_large: 'deliveryTooLarge',
  certificate: 'deliveryCertificate',
  tls: 'deliveryTls',
  proxy: 'deliveryProxy',
  unreachable: 'deliveryUnreachable',
};

function shownPage(
  shell: PageShell,
  about: {
    readonly kinds: readonly EventKind[];
    readonly webhook: Webhook;
    readonly workspace: Membership;
    readonly entry: WebhookEntry;
    readonly deliveries: readonly Delivery[];
    readonly problem: Message | undefined;
  },
): Page {
  const { webhook, workspace, deliveries } = about;
  const name = webhookName(webhook.url);
  const isOff = webhook.disabledAt !== undefined;
  return renderShell(
    { name },
    'developer',
    shell,
    (translator) =>
      html`<h1>${name}</h1>
        <p class="soft small">
          ${translator.html('workspaceNamed', { workspace: workspace.name })}
        </p>
        ${webhookState(translator, webhook)}
        ${isOff ? html`<p class="problem">${translator.t('webhookOffText')}</p>` : undefined}
        ${errorBox(translator, about.problem)}
        <form method="post" action="${SETTINGS.webhook(webhook.id)}">
          ${csrfField(shell)}
          <input type="hidden" name="action" value="save" />
          ${webhookFields(translator, about.kinds, about.entry)}
          <button type="submit">${translator.t(isOff ? 'turnOn' : 'saveChanges')}</button>
        </form>
        <h2 id="deliveries">${translator.t('deliveries')}</h2>
        ${isOff ? undefined : testForm(translator, shell, webhook)}
        ${deliveryList(translator, shell, webhook, deliveries)}
        <h2>${translator.t('webhookSecret')}</h2>
        ${confirmedForm(translator, shell, webhook, {
          action: 'rotate',
          warning: 'webhookOldSecret',
          button: 'makeNewSecret',
        })}
        <h2>${translator.t('delete')}</h2>
        ${confirmedForm(translator, shell, webhook, {
          action: 'delete',
          warning: 'webhookEnds',
          button: 'deleteWebhook',
        })}`,
  );
}

function testForm(translator: Translator, shell: PageShell, { id }: Webhook): Html {
  return html`<form method="post" action="${SETTINGS.webhook(id)}">
    ${csrfField(shell)}
    <button type="submit" name="action" value="test" class="quiet small">
      ${translator.t('sendTestEvent')}
    </button>
  </form>`;
}

function deliveryList(
  translator: Translator,
  shell: PageShell,
  webhook: Webhook,
  deliveries: readonly Delivery[],
): Html {
  if (deliveries.length === 0) {
    return html`<p class="soft">${translator.t('noDeliveries')}</p>`;
  }
  return html`<p class="soft small">${translator.t('deliveriesText')}</p>
    <ul class="rows">
      ${deliveries.map(
        (delivery) =>
          html`<li>
            <div>
              <h3><code translate="no">${delivery.type}</code></h3>
              ${deliveryState(translator, delivery)}
              <p class="small soft">${translator.time(delivery.createdAt)}</p>
            </div>
            ${
              webhook.disabledAt === undefined && delivery.attempts > 0
                ? againForm(translator, shell, webhook, delivery)
                : undefined
            }
          </li>`,
      )}
    </ul>`;
}

function againForm(
  translator: Translator,
  shell: PageShell,
  { id }: Webhook,
  delivery: Delivery,
): Html {
  return html`<form method="post" action="${SETTINGS.webhook(id)}">
    ${csrfField(shell)}
    <input type="hidden" name="delivery" value="${delivery.id}" />
    <button type="submit" name="action" value="again" class="quiet small">
      ${translator.t('sendAgain')}
    </button>
  </form>`;
}

function deliveryState(
  translator: Translator,
  { deliveredAt, dueAt, attempts, status, failure }: Delivery,
): Html {
  if (deliveredAt !== undefined) {
    return stateLine(translator.html('delivered', { status: String(status ?? '') }), 'good');
  }
  if (attempts === 0) {
    return dueAt === undefined
      ? stateLine(translator.html('deliveryGivenUp'), 'bad')
      : stateLine(translator.html('deliveryWaits'), 'waiting');
  }
  const why =
    failure === undefined
      ? status === undefined
        ? translator.t('deliveryWaits')
        : translator.t('deliveryRefused', { status: String(status) })
      : translator.t(FAILURES[failure as OutgoingFailure]);
  const next =
    dueAt === undefined
      ? translator.html('deliveryGivenUp')
      : translator.html('deliveryNext', { time: translator.time(dueAt) });
  return stateLine(html`${why} ${next}`, 'bad');
}

/** A form with a button for what cannot be undone, and a box to tick before. */
function confirmedForm(
  translator: Translator,
  shell: PageShell,
  { id }: Webhook,
  about: { readonly action: string; readonly warning: PlainKey; readonly button: PlainKey },
): Html {
  return html`<form method="post" action="${SETTINGS.webhook(id)}">
    ${csrfField(shell)}
    <input type="hidden" name="action" value="${about.action}" />
    <label class="option"
      ><input type="checkbox" name="confirm" value="yes" required />
      ${translator.t(about.warning)}</label
    >
    <button type="submit" class="danger">${translator.t(about.button)}</button>
  </form>`;
}
