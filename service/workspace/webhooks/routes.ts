import { getAndPost, type Route } from '../../kernel/http/router.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import type { SessionGuard } from '../../identity/index.js';
import { newWebhook } from './new-webhook.js';
import { webhookPage, type WebhookPageDeps } from './webhook-page.js';

export interface WebhookRoutesDeps extends WebhookPageDeps {
  readonly guard: SessionGuard;
}

/** Settings → Developer: the webhooks of a workspace, for its owners. */
export function webhookRoutes(deps: WebhookRoutesDeps): Route[] {
  const { guard } = deps;
  return [
    guard.page(SETTINGS.newWebhook, getAndPost(newWebhook(deps))),
    guard.page(SETTINGS.webhook(':id'), getAndPost(webhookPage(deps))),
  ];
}
