import { Provider, type Configuration } from 'oidc-provider';
import { equalTexts, newSecret, sha256 } from '../../kernel/hash.js';
import type { CsrfTokens } from '../../identity/index.js';
import { sessionModel, type TouchSession, type OpensAccount } from './session-persistence.js';
import { formatRefreshToken, newAccessToken } from '../tokens/token-format.js';

/** Secrets that the models need. */
interface ModelDeps {
  /** Makes the refresh tokens; see {@link formatRefreshToken}. */
  readonly refreshKey: string;
  readonly formTokens: CsrfTokens;
  readonly touchSession: TouchSession;
  readonly opensAccount: OpensAccount;
}

/**
 * An oidc-provider whose tokens and sessions are made and stored in this service's way, by subclasses of its models. It
 * has no option for that. A model's id is the token itself.
 */
export function createModelledProvider(
  issuer: string,
  configuration: Configuration,
  { refreshKey, formTokens, touchSession, opensAccount }: ModelDeps,
): Provider {
  class ModelledProvider extends Provider {
    override readonly AccessToken = accessTokenModel(this);
    override readonly RefreshToken = refreshTokenModel(this, refreshKey);
    override readonly Session = sessionModel(this, formTokens, touchSession, opensAccount);
  }
  const provider = new ModelledProvider(issuer, configuration);
  compareHashedSecrets(provider);
  return provider;
}

/** Opaque access tokens that begin with `svc_at_`. */
export function accessTokenModel(provider: Provider): Provider['AccessToken'] {
  return class AccessToken extends provider.AccessToken {
    override readonly format = 'opaque';

    generateTokenId(): string {
      return newAccessToken();
    }
  };
}

/** Refresh tokens that name their grant. */
function refreshTokenModel(provider: Provider, refreshKey: string): Provider['RefreshToken'] {
  return class RefreshToken extends provider.RefreshToken {
    generateTokenId(): string {
      return formatRefreshToken(newSecret(), this.grantId ?? '', refreshKey);
    }
  };
}

/**
 * Compares client secrets by their hash, since only the hash is stored. Replacing this method is the library's way for
 * that (https://github.com/panva/node-oidc-provider/discussions/1410). The model cannot be a subclass: its static
 * members are private.
 */
function compareHashedSecrets(provider: Provider): void {
  provider.Client.prototype.compareClientSecret = function (secret) {
    return this.clientSecret !== undefined && equalTexts(sha256(secret), this.clientSecret);
  };
}
