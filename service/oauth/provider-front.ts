import type { Provider } from 'oidc-provider';
import { identifyByEmptySecret } from './empty-secret.js';
import { failureOf } from './provider-failures.js';
import type { WholeHandler } from '../http/handler.js';
import type { WholeRequest } from '../http/whole-request.js';
import { foldTyped } from '../typed-text.js';

/**
 * Hands requests to oidc-provider.
 * @throws {Error} when a request failed in there by no fault of the client; then nothing was answered.
 */
export function providerFront(provider: Provider): WholeHandler {
  const callback = provider.callback();
  return async (request, response) => {
    const identified = identifyByEmptySecret(withFoldedCode(request));
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

/** The same request; a code that a person has typed is in the characters that oidc-provider reads. */
function withFoldedCode(request: WholeRequest): WholeRequest {
  const code = request.form?.get('user_code') ?? undefined;
  if (request.form === undefined || code === undefined || foldTyped(code) === code) {
    return request;
  }
  const form = new URLSearchParams(
    [...request.form].map(([name, value]) => [
      name,
      name === 'user_code' ? foldTyped(value) : value,
    ]),
  );
  return request.with(form, {});
}
