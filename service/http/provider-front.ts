import type { IncomingMessage } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { Handler } from './router.js';

/**
 * Hands requests to oidc-provider. It builds its addresses from the request, so the request is made
 * to say what the base URL says: a forged Host header or a proxy in between changes nothing.
 */
export function providerFront(provider: Provider, baseUrl: string): Handler {
  const callback = provider.callback();
  return async (request, response) => {
    sayBaseUrl(request, baseUrl);
    await callback(request, response);
  };
}

/** Makes a request say the scheme and host of the base URL, also for cookies (`Secure`). */
export function sayBaseUrl(request: IncomingMessage, baseUrl: string): void {
  const { host, protocol } = new URL(baseUrl);
  request.headers.host = host;
  request.headers['x-forwarded-proto'] = protocol.replace(':', '');
  delete request.headers['x-forwarded-host'];
}
