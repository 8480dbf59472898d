import type { Provider } from 'oidc-provider';

/** Every access token begins with this (interface, section 2). */
export const ACCESS_TOKEN_PREFIX = 'svc_at_';

interface TokenIdMaker {
  generateTokenId: (this: TokenIdMaker) => string;
}

/**
 * Makes the provider's opaque access tokens begin with `svc_at_`.
 *
 * An opaque token of oidc-provider is its id, and its models make that id in `generateTokenId`.
 * There is no option for its form, so this wraps the method of this provider's AccessToken model.
 * @throws {Error} when a version of oidc-provider makes its ids in another way.
 */
export function prefixAccessTokens(provider: Provider): void {
  const model: object = provider.AccessToken.prototype;
  if (!makesTokenIds(model)) {
    throw new Error('oidc-provider no longer makes token ids as expected');
  }
  const original = model.generateTokenId;
  model.generateTokenId = function () {
    return ACCESS_TOKEN_PREFIX + original.call(this);
  };
}

function makesTokenIds(model: object): model is TokenIdMaker {
  return 'generateTokenId' in model && typeof model.generateTokenId === 'function';
}
