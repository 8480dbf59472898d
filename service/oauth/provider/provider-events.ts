import type { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { isClientGone } from '../../kernel/http/client-disconnect.js';
import type { MetricsPort } from '../../kernel/metrics/metrics-port.js';
import { ROUTES } from '../../site/addresses/oauth-paths.js';

/**
 * Listens to Koa's own error event, which the provider's types leave out. Without a listener Koa prints
 * stacks. The event comes after a request was handled, most often because the client is gone.
 */
export function reportErrorsOf(provider: Provider, reportError: (error: unknown) => void): void {
  const koaEvents: EventEmitter = provider;
  koaEvents.on('error', (error: unknown, context?: { readonly res: ServerResponse }) => {
    if (context === undefined || !isClientGone(error, context.res)) {
      reportError(error);
    }
  });
}

/** A grant that ends at the token endpoint does so because a token or code was used twice. */
export function countReuse(provider: Provider, counts: MetricsPort): void {
  provider.on('grant.revoked', (ctx) => {
    if (ctx.path === ROUTES.token) {
      counts.sessionEndedByReuse();
    }
  });
}
