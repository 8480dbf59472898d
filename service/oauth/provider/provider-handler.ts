import type { Provider } from 'oidc-provider';
import type { BufferedRequest } from '../../kernel/http/request/buffered-request.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { foldTyped } from '../../kernel/typed-text.js';
import { clientOfEmptySecret } from '../clients/empty-client-secret.js';
import { ProviderRequest } from './provider-request.js';

/**
 * Hands requests to oidc-provider.
 * @throws {Error} when a request failed in there by no fault of the client; then nothing was answered.
 */
export function providerFront(provider: Provider): (context: BufferedContext) => Promise<void> {
  const callback = provider.callback();
  return async ({ request: received, response }) => {
    const request = normalize(received);
    const headers = response.getHeaders();
    await callback(request, response);
    const { failure } = request;
    if (failure === undefined) {
      return;
    }
    // Removes the cookie and the redirect that oidc-provider has prepared.
    for (const name of response.getHeaderNames()) {
      if (!(name in headers)) {
        response.removeHeader(name);
      }
    }
    throw failure.error;
  };
}

/**
 * The request in the form that oidc-provider expects: a user code in its characters, and a client without a secret in
 * the form.
 */
function normalize(request: BufferedRequest): ProviderRequest {
  const clientId = clientOfEmptySecret(request);
  const form =
    request.form &&
    new URLSearchParams(
      [...request.form].map(([name, value]) => [
        name,
        name === 'user_code' ? foldTyped(value) : value,
      ]),
    );
  if (clientId !== undefined) {
    form?.set('client_id', clientId);
  }
  return new ProviderRequest(request, form, clientId !== undefined);
}
