import type { AdapterPayload, TokenEndpointGrantContext } from 'oidc-provider';
import { sha256 } from '../../kernel/hash.js';
import type { TokenLifetimes } from './lifetimes.js';
import { REFRESH_TOKEN } from './grant-types.js';
import { API_RESOURCE, epochSeconds } from '../../identity/index.js';
import { formatRefreshToken, newAccessToken } from './token-format.js';

/** A token's row in `oidc_records`. */
interface TokenRecord {
  /** Hash of the token. */
  readonly id: string;
  readonly payload: AdapterPayload;
  readonly expiresAt: Date;
}

/** Tokens that were made for a client, but are not stored yet. */
export interface IssuedTokens {
  readonly access: TokenRecord;
  /** Undefined for a client that may not refresh. */
  readonly refresh: TokenRecord | undefined;
  /** The response to the client ([RFC 6749 §5.1](https://www.rfc-editor.org/rfc/rfc6749#section-5.1)). */
  readonly response: Readonly<Record<string, unknown>>;
}

/** The inputs of the tokens. */
export interface TokenSource {
  readonly grantId: string;
  /** The payload of the refresh token, without its times. */
  readonly payload: AdapterPayload;
  /** The secret of the refresh token; see {@link formatRefreshToken}. */
  readonly refreshSecret: string;
  /** Space-separated, of the access token. */
  readonly scope: string;
  /** Thumbprint of the key that the access token is bound to; undefined for a Bearer token. */
  readonly thumbprint: string | undefined;
}

/** Whether refresh tokens of the client are bound to its key: those of other clients are bound to its secret. */
export function bindsRefreshTokens({ client }: TokenEndpointGrantContext['oidc']): boolean {
  return client.clientAuthMethod === 'none';
}

/** Makes the records and the response for an access token and, if the client may refresh, a refresh token. */
export function issueTokens(
  { client }: TokenEndpointGrantContext['oidc'],
  { grantId, payload, refreshSecret, scope, thumbprint }: TokenSource,
  refreshKey: string,
  { accessTokenSeconds, refreshTokenSeconds }: TokenLifetimes,
  now: Date,
): IssuedTokens {
  const iat = epochSeconds();
  const { accountId, clientId, gty, sessionUid } = payload;
  const accessToken = newAccessToken();
  const refreshToken = client.grantTypeAllowed(REFRESH_TOKEN)
    ? formatRefreshToken(refreshSecret, grantId, refreshKey)
    : undefined;
  const record = (token: string, content: AdapterPayload, seconds: number): TokenRecord => ({
    id: sha256(token),
    payload: { ...content, iat, exp: iat + seconds },
    expiresAt: new Date(now.getTime() + seconds * 1000),
  });
  return {
    access: record(
      accessToken,
      {
        kind: 'AccessToken',
        ...{ accountId, clientId, grantId, gty, sessionUid },
        ...{ aud: API_RESOURCE, scope, jkt: thumbprint },
      },
      accessTokenSeconds,
    ),
    refresh:
      refreshToken === undefined ? undefined : record(refreshToken, payload, refreshTokenSeconds),
    response: {
      access_token: accessToken,
      expires_in: accessTokenSeconds,
      refresh_token: refreshToken,
      scope,
      token_type: thumbprint === undefined ? 'Bearer' : 'DPoP',
    },
  };
}
