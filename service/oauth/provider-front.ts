import type { Provider } from 'oidc-provider';
import { identifyByEmptySecret } from './empty-secret.js';
import { failureOf } from './provider-failures.js';
import type { WholeHandler } from '../http/handler.js';

/**
 * Hands requests to oidc-provider.
 * @throws {Error} when a request failed in there by no fault of the client; then nothing was answered.
 */
export function providerFront(provider: Provider): WholeHandler {
  const callback = provider.callback();
  return async (request, response) => {
    const identified = identifyByEmptySecret(request);
    const headers = response.getHeaders();
    await callback(identified, response);
    const failure = failureOf(identified);
    if (failure === undefined) {
      return;
    }
    // Takes back what oidc-provider had prepared for its answer: a cookie, a redirect.
    for (const name of response.getHeaderNames()) {
      if (!(name in headers)) {
        response.removeHeader(name);
      }
    }
    throw failure.error;
  };
}
