import {
  allowInsecureRequests,
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
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
import { isSameIssuer } from './identity-providers.js';
import {
  OutgoingError,
  outgoingFetch,
  type OutgoingFailure,
  type OutgoingPolicy,
} from '../../kernel/http/outgoing.js';
import { lineAbout } from '../../kernel/log.js';

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
  readonly email: string | undefined;
  /** `email_verified`. Microsoft Entra ID, for one, leaves it out. */
  readonly verification: 'verified' | 'unverified' | 'unstated';
  readonly name: string | undefined;
}

/** A user whom a provider has signed in. */
export interface CompanyUser {
  readonly subject: string;
  /**
   * Reads the claims, from the userinfo endpoint if the ID token has too few. A user who is linked needs none.
   * @throws {ProviderError}
   */
  claims(): Promise<CompanyClaims>;
}

/** How a sign-in is to begin. */
export interface SignInHints {
  /** The address that the user typed here. */
  readonly loginHint?: string | undefined;
  /** Whether the provider is to let the user choose another account than the one that is signed in there. */
  readonly choosesAccount?: boolean;
}

/**
 * Why a provider was of no use: no connection, no OpenID provider with the code grant at this address, its client is
 * wrong, it or its user refused, its clock is wrong, or its answer was invalid.
 */
export type ProviderFailure =
  | OutgoingFailure
  | 'no_provider'
  | 'wrong_client'
  | 'refused'
  | 'wrong_clock'
  | 'invalid_answer';

/** A sign-in at a provider failed. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  /** The cause, in one line of at most 300 characters without tokens or codes. It may have words of the provider. */
  readonly details: string;

  constructor(
    readonly failure: ProviderFailure,
    options: ErrorOptions,
  ) {
    const details = detailsOf(options.cause);
    super(`${failure} (${details})`, options);
    this.details = details;
  }
}

/** How long all requests for one page may take, in milliseconds. */
const PATIENCE_MS = 20_000;

/** By how much the clock of a provider may differ, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 300;

/** The longest subject: OpenID Connect Core §2. */
const MAX_SUBJECT = 255;

/** The longest name that is kept. */
const MAX_NAME = 200;

/** A client of the OpenID providers of companies ([OpenID Connect Core](https://openid.net/specs/openid-connect-core-1_0.html)). */
export class OpenIdClient {
  /** @param policy which addresses an owner may enter. */
  constructor(private readonly policy: OutgoingPolicy) {}

  /**
   * Begins a sign-in: authorization code with PKCE, state and nonce.
   * @returns the address to which the browser goes.
   * @throws {ProviderError}
   */
  async begin(
    client: ProviderClient,
    { loginHint, choosesAccount = false }: SignInHints = {},
  ): Promise<{ url: URL; secrets: AuthorizationSecrets }> {
    const { configuration } = await this.discover(client);
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
      ...(choosesAccount && promptForAccount(configuration)),
      ...(loginHint !== undefined && { login_hint: loginHint }),
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
  ): Promise<CompanyUser> {
    const discovered = await this.discover(client);
    const { configuration } = discovered;
    const current = new URL(client.redirectUri + search);
    try {
      const tokens = await authenticated(discovered, () =>
        authorizationCodeGrant(configuration, current, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        }),
      );
      const stated: Readonly<Record<string, unknown>> = tokens.claims() ?? {};
      const subject = typeof stated['sub'] === 'string' ? stated['sub'] : '';
      if (subject === '' || subject.length > MAX_SUBJECT) {
        throw new ProviderError('invalid_answer', { cause: new Error('the length of sub') });
      }
      return {
        subject,
        claims: async () => {
          const { issuer, userinfo_endpoint: endpoint } = configuration.serverMetadata();
          const isComplete =
            typeof stated['email'] === 'string' &&
            (stated['email_verified'] ?? undefined) !== undefined;
          try {
            const more =
              isComplete || endpoint === undefined
                ? {}
                : await fetchUserInfo(configuration, tokens.access_token, subject);
            return toClaims(stated, more, issuer);
          } catch (error) {
            throw providerError(error, 'invalid_answer');
          }
        },
      };
    } catch (error) {
      throw providerError(error, 'invalid_answer');
    }
  }

  /**
   * Checks that there is a provider, and that it accepts the client: a code that nobody issued must be the only problem.
   * @throws {ProviderError}
   */
  async test(client: ProviderClient): Promise<void> {
    const discovered = await this.discover(client);
    try {
      await authenticated(discovered, () =>
        genericGrantRequest(discovered.configuration, 'authorization_code', {
          code: randomState(),
          redirect_uri: client.redirectUri,
          code_verifier: randomPKCECodeVerifier(),
        }),
      );
    } catch (error) {
      if (!(error instanceof ResponseBodyError && error.error === 'invalid_grant')) {
        throw providerError(error, 'invalid_answer');
      }
    }
  }

  private async discover(client: ProviderClient): Promise<Discovered> {
    const { policy } = this;
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const secret = new ClientSecret(client.clientSecret);
    const discoverAt = (issuer: URL): Promise<Configuration> =>
      discovery(
        issuer,
        client.clientId,
        { [clockTolerance]: CLOCK_TOLERANCE_SECONDS },
        secret.authenticate,
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
    try {
      const issuer = new URL(client.issuer);
      const configuration = await discoverAt(issuer).catch((error: unknown) => {
        const named = issuerIn(error);
        // Both spellings have the same document. Tokens must have the one that it names.
        if (named === undefined || !isSameIssuer(named, issuer.href)) {
          throw error;
        }
        return discoverAt(new URL(named));
      });
      const { authorization_endpoint: endpoint, token_endpoint: token } =
        configuration.serverMetadata();
      if (endpoint === undefined || token === undefined) {
        throw new ProviderError('no_provider', { cause: new Error('an endpoint is missing') });
      }
      return { configuration, secret };
    } catch (error) {
      throw providerError(error, 'no_provider');
    }
  }
}

interface Discovered {
  readonly configuration: Configuration;
  readonly secret: ClientSecret;
}

/** A client secret, and the ways to send it that a provider may accept. */
class ClientSecret {
  private used = 0;
  private ways: readonly ClientAuth[] = [];

  constructor(private readonly secret: string) {}

  /** Whether there is a further way, which the next request uses. */
  next(): boolean {
    this.used += 1;
    return this.used < this.ways.length;
  }

  readonly authenticate: ClientAuth = (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported;
    const isBasic = methods?.includes('client_secret_basic') ?? true;
    const isPost = methods?.includes('client_secret_post') ?? true;
    const post = ClientSecretPost(this.secret);
    const basic = ClientSecretBasic(this.secret);
    const isPlain = /^[a-z\d]*$/i.test(client.client_id + this.secret);
    // The body has one spelling. Some providers do not decode the header, though RFC 6749 §2.3.1 requires it.
    this.ways = [
      ...(methods !== undefined && isPost ? [post] : []),
      ...(isBasic ? [basic] : []),
      ...(methods === undefined ? [post] : []),
      ...(isBasic && !isPlain ? [plainBasic(this.secret)] : []),
    ];
    (this.ways[this.used] ?? post)(server, client, body, headers);
  };
}

/** HTTP Basic without form encoding, against [RFC 6749 §2.3.1](https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1). */
function plainBasic(secret: string): ClientAuth {
  return (_server, { client_id: id }, _body, headers) => {
    headers.set('authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`);
  };
}

/** Repeats a request whose client was not accepted with the further ways to send the secret. */
async function authenticated<T>({ secret }: Discovered, request: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!isAboutClient(error) || !secret.next()) {
        throw error;
      }
    }
  }
}

/** The issuer that a document names instead of the expected one. */
function issuerIn(error: unknown): string | undefined {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const body: unknown =
    typeof cause === 'object' && cause !== null && 'body' in cause && cause.body;
  return typeof body === 'object' &&
    body !== null &&
    'issuer' in body &&
    typeof body.issuer === 'string'
    ? body.issuer
    : undefined;
}

/** The parameter with which a provider shows its accounts; none if it offers none. */
function promptForAccount(configuration: Configuration): { readonly prompt?: string } {
  const offered = configuration.serverMetadata()['prompt_values_supported'];
  const prompt = ['select_account', 'login'].find(
    (one) => !Array.isArray(offered) || offered.includes(one),
  );
  return prompt === undefined ? {} : { prompt };
}

/** The library sends texts and forms only. */
function bodyText(body: unknown): string {
  return typeof body === 'string' || body instanceof URLSearchParams ? body.toString() : '';
}

/**
 * The claims of a user.
 * @param stated in the ID token.
 * @param more from the userinfo endpoint.
 * @param issuer of the provider's document.
 */
export function toClaims(
  stated: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>>,
  issuer: string,
): CompanyClaims {
  const { email, name } = { ...stated, ...more };
  return {
    email: typeof email === 'string' && email.length <= 254 ? email.toLowerCase() : undefined,
    verification: verificationIn([stated['email_verified'], more['email_verified']], issuer),
    name: typeof name === 'string' ? name.trim().slice(0, MAX_NAME) : undefined,
  };
}

function verificationIn(values: readonly unknown[], issuer: string): CompanyClaims['verification'] {
  const stated = values.filter((value) => value !== undefined && value !== null);
  if (stated.length > 0) {
    // Amazon Cognito sends a text.
    return stated.every((value) => value === true || value === 'true') ? 'verified' : 'unverified';
  }
  // One issuer for all tenants of Microsoft Entra ID: the administrators of any tenant choose the addresses in it.
  return issuer.includes('{') ? 'unverified' : 'unstated';
}

/** The causes of an error in one line. Bodies of answers are left out, as they may have tokens in them. */
function detailsOf(error: unknown): string {
  const lines: string[] = [];
  for (let cause = error; cause instanceof Error && lines.length < 3; { cause } = cause) {
    lines.push(wordsOf(cause));
  }
  return lines
    .join('; ')
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .slice(0, 300);
}

function wordsOf(error: Error): string {
  const said =
    error instanceof WWWAuthenticateChallengeError
      ? error.cause.find(({ parameters }) => parameters.error !== undefined)?.parameters
      : error instanceof ResponseBodyError || error instanceof AuthorizationResponseError
        ? error
        : undefined;
  if (said?.error !== undefined) {
    return [said.error, said.error_description].filter((one) => one !== undefined).join(': ');
  }
  // The message of a SyntaxError has a part of the body.
  return error instanceof SyntaxError ? 'no JSON' : lineAbout(error);
}

function isAboutClient(error: unknown): boolean {
  return (
    error instanceof WWWAuthenticateChallengeError ||
    (error instanceof ResponseBodyError &&
      (error.error === 'invalid_client' || error.error === 'unauthorized_client'))
  );
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
    if ('code' in cause && cause.code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED') {
      return new ProviderError('wrong_clock', { cause: error });
    }
  }
  if (error instanceof AuthorizationResponseError) {
    return new ProviderError('refused', { cause: error });
  }
  return new ProviderError(isAboutClient(error) ? 'wrong_client' : otherwise, { cause: error });
}
