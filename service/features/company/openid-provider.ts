import {
  allowInsecureRequests,
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  genericGrantRequest,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
  type Configuration,
  type ClientAuth,
} from 'openid-client';
import {
  OutgoingError,
  outgoingFetch,
  type OutgoingFailure,
  type OutgoingPolicy,
} from '../../platform/http/outgoing.js';
import { lineAbout } from '../../platform/log.js';

/** Where a client of an OpenID provider is registered. */
export interface ProviderClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
}

/** The values that tie an answer of a provider to the browser that began. Keep them secret until then. */
export interface AuthorizationSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** What a provider states about a user, as far as it is needed. */
export interface CompanyClaims {
  readonly subject: string;
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
  readonly name: string | undefined;
}

/**
 * Why a provider was of no use: no connection, no OpenID provider with the code grant at this address, its client is
 * wrong, it or its user refused, or its answer was invalid.
 */
export type ProviderFailure =
  | OutgoingFailure
  | 'no_provider'
  | 'wrong_client'
  | 'refused'
  | 'invalid_answer';

/** A sign-in at a provider failed. `message` has the cause, for operators. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';

  constructor(
    readonly failure: ProviderFailure,
    options: ErrorOptions,
  ) {
    super(`${failure} (${lineAbout(options.cause)})`, options);
  }
}

/** How long all requests for one page may take, in milliseconds. */
const PATIENCE_MS = 20_000;

/** A client of the OpenID providers of companies ([OpenID Connect Core](https://openid.net/specs/openid-connect-core-1_0.html)). */
export class OpenIdClient {
  /** @param policy which addresses an owner may enter. */
  constructor(private readonly policy: OutgoingPolicy) {}

  /**
   * Begins a sign-in: authorization code with PKCE, state and nonce.
   * @returns the address to which the browser goes.
   * @throws {ProviderError}
   */
  async begin(client: ProviderClient): Promise<{ url: URL; secrets: AuthorizationSecrets }> {
    const configuration = await this.discover(client);
    const secrets = {
      state: randomState(),
      nonce: randomNonce(),
      codeVerifier: randomPKCECodeVerifier(),
    };
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: client.redirectUri,
      scope: 'openid email profile',
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: await calculatePKCECodeChallenge(secrets.codeVerifier),
      code_challenge_method: 'S256',
    });
    if (url.protocol !== 'https:' && !this.policy.allowsPrivate) {
      throw new ProviderError('not_https', { cause: new Error('of the authorization endpoint') });
    }
    return { url, secrets };
  }

  /**
   * Exchanges the code of an authorization response.
   * @param search the query of the response, with its question mark.
   * @throws {ProviderError}
   */
  async finish(
    client: ProviderClient,
    search: string,
    { state, nonce, codeVerifier }: AuthorizationSecrets,
  ): Promise<CompanyClaims> {
    const configuration = await this.discover(client);
    try {
      const tokens = await authorizationCodeGrant(
        configuration,
        new URL(client.redirectUri + search),
        {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        },
      );
      const claims = tokens.claims();
      const subject = claims?.sub ?? '';
      const isComplete = claims?.['email_verified'] !== undefined;
      const more =
        isComplete || configuration.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await fetchUserInfo(configuration, tokens.access_token, subject);
      return toClaims(subject, { ...claims, ...more });
    } catch (error) {
      throw providerError(error, 'invalid_answer');
    }
  }

  /**
   * Checks that there is a provider, and that it accepts the client: a code that nobody issued must be the only problem.
   * @throws {ProviderError}
   */
  async test(client: ProviderClient): Promise<void> {
    const configuration = await this.discover(client);
    try {
      await genericGrantRequest(configuration, 'authorization_code', {
        code: randomState(),
        redirect_uri: client.redirectUri,
        code_verifier: randomPKCECodeVerifier(),
      });
    } catch (error) {
      if (!(error instanceof ResponseBodyError && error.error === 'invalid_grant')) {
        throw providerError(error, 'invalid_answer');
      }
    }
  }

  private async discover({
    issuer,
    clientId,
    clientSecret,
  }: ProviderClient): Promise<Configuration> {
    const { policy } = this;
    const signal = AbortSignal.timeout(PATIENCE_MS);
    try {
      const configuration = await discovery(
        new URL(issuer),
        clientId,
        undefined,
        clientSecretOf(clientSecret),
        {
          [customFetch]: (url, { method, headers, body }) =>
            outgoingFetch(
              url,
              { method, headers, signal, ...(body != null && { body: bodyText(body) }) },
              policy,
            ),
          execute: [
            enableNonRepudiationChecks,
            // oxlint-disable-next-line typescript/no-deprecated -- marked so only to stand out
            ...(policy.allowsPrivate ? [allowInsecureRequests] : []),
          ],
        },
      );
      const { authorization_endpoint: endpoint, token_endpoint: token } =
        configuration.serverMetadata();
      if (endpoint === undefined || token === undefined) {
        throw new ProviderError('no_provider', { cause: new Error('an endpoint is missing') });
      }
      return configuration;
    } catch (error) {
      throw providerError(error, 'no_provider');
    }
  }
}

/** Sends a secret as the provider accepts it: in a header, unless it accepts it in the body only. */
function clientSecretOf(secret: string): ClientAuth {
  const basic = ClientSecretBasic(secret);
  const post = ClientSecretPost(secret);
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const send = methods.includes('client_secret_basic') ? basic : post;
    send(server, ...request);
  };
}

/** The library sends texts and forms only. */
function bodyText(body: unknown): string {
  return typeof body === 'string' || body instanceof URLSearchParams ? body.toString() : '';
}

function toClaims(subject: string, claims: Readonly<Record<string, unknown>>): CompanyClaims {
  const { email, name, email_verified: isVerified } = claims;
  return {
    subject,
    email: typeof email === 'string' && email.length <= 254 ? email.toLowerCase() : undefined,
    isEmailVerified: isVerified === true,
    name: typeof name === 'string' ? name.trim() : undefined,
  };
}

/** @param otherwise the failure when the error is neither about the connection nor an answer that names its reason. */
function providerError(error: unknown, otherwise: ProviderFailure): ProviderError {
  if (error instanceof ProviderError) {
    return error;
  }
  for (let cause = error; cause instanceof Error; { cause } = cause) {
    if (cause instanceof OutgoingError) {
      return new ProviderError(cause.failure, { cause: error });
    }
  }
  if (error instanceof AuthorizationResponseError) {
    return new ProviderError('refused', { cause: error });
  }
  const isClient =
    error instanceof WWWAuthenticateChallengeError ||
    (error instanceof ResponseBodyError &&
      (error.error === 'invalid_client' || error.error === 'unauthorized_client'));
  return new ProviderError(isClient ? 'wrong_client' : otherwise, { cause: error });
}
