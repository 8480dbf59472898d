import type { Provider } from 'oidc-provider';
import { equalTexts, sha256 } from '../hash.js';

/**
 * Makes the provider compare client secrets by their hash, since only the hash is stored.
 *
 * oidc-provider calls `compareClientSecret` of its Client model with the secret that was sent; the model's
 * own method expects the secret itself, not its hash.
 * @throws {Error} when a version of oidc-provider compares in another way.
 */
export function compareHashedSecrets(provider: Provider): void {
  const model: object = provider.Client.prototype;
  if (!('compareClientSecret' in model)) {
    throw new Error('oidc-provider no longer compares client secrets as expected');
  }
  model.compareClientSecret = function (this: { clientSecret?: string }, sent: string): boolean {
    return this.clientSecret !== undefined && equalTexts(sha256(sent), this.clientSecret);
  };
}
