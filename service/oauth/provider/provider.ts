import { errors, type Configuration, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import {
  opensAccount,
  touchBrowserSession,
  ALL_SCOPES,
  API_RESOURCE,
  TOLERATED_SCOPE,
  SESSION_SECONDS,
  type Accounts,
  type CodeSignInPolicy,
  type Audit,
  type CsrfTokens,
} from '../../identity/index.js';
import type { AmbientDatabase } from '../../kernel/database/ambient-transaction.js';
import type { TokenLifetimes } from '../tokens/lifetimes.js';
import { createAdapterFactory } from './adapter.js';
import {
  API_SCOPE,
  clientText,
  platformClientMetadata,
  NUMBER_MATCHING,
  WORKSPACE_ID,
} from '../clients/client-metadata.js';
import type { ClientAddress } from '../../kernel/http/request/client-address.js';
import { cookieName } from '../../kernel/cookies.js';
import type { RateLimiter } from '../../kernel/rate-limit/rate-limiter.js';
import { limitUserCodeEntry } from '../device/user-code-rate-limit.js';
import { mayIntrospect, refusePublicClients } from '../tokens/introspection.js';
import { DPOP_ALGORITHMS } from '../tokens/dpop.js';
import { ConsentTransaction } from '../interactions/consent-transaction.js';
import { endConnection } from '../tokens/connection.js';
import { DEVICE_PARAMETERS, deviceGrant } from '../tokens/device-grant.js';
import { CODE_ENTRY, setCodeEntryParam } from '../device/code-entry.js';
import { readDeviceInfo } from '../device/device-info.js';
import { DevicePages, renderTooMany, USER_CODES } from '../device/device-pages.js';
import type { FinishedInteractions } from '../interactions/finished-interactions.js';
import { DEVICE_CODE, REFRESH_TOKEN } from '../tokens/grant-types.js';
import type { PlatformClient } from '../clients/platform-clients.js';
import { metadataOverrides } from './metadata-overrides.js';
import { captureErrors } from './provider-errors.js';
import { sha256 } from '../../kernel/hash.js';
import { createModelledProvider } from './provider-models.js';
import { guardRedirects } from '../clients/redirect-guard.js';
import { REFRESH_PARAMETERS, refreshGrant } from '../tokens/refresh-grant.js';
import { checkParameterLengths } from '../clients/parameter-limits.js';
import { INTERACTION_PATH, ROUTES } from '../../site/addresses/oauth-paths.js';
import type { ServiceSecrets } from './service-secrets.js';
import { skipAnonymousCookie } from './session-persistence.js';
import { ACCOUNT_CHOICE_QUERY, requestsAccountChoice } from '../device/account-choice.js';
import { DeviceCodeQuota } from '../device/device-code-quota.js';
import { skipForTokenEndpoints, tokenTransaction } from '../tokens/token-transaction.js';
import { redirectToPendingInteraction } from '../interactions/resume-guard.js';
import { UndeliveredTokens } from '../tokens/undelivered-tokens.js';

/** A consent lasts a year. Then the user connects the app again. */
const GRANT_SECONDS = 365 * 24 * 3600;
/** The lifetime of a sign-in or consent page. */
const INTERACTION_SECONDS = 3600;

/**
 * The exchange follows the redirect at once ([RFC 6749 §4.1.2](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2)
 * allows ten minutes at most).
 */
const AUTHORIZATION_CODE_SECONDS = 60;

export interface ProviderDeps {
  /**
   * The issuer ([RFC 8414 §2](https://www.rfc-editor.org/rfc/rfc8414#section-2)): the origin under which
   * clients reach the service.
   */
  readonly baseUrl: string;
  readonly database: AmbientDatabase;
  readonly accounts: Accounts;
  readonly clients: PlatformClient[];
  readonly secrets: ServiceSecrets;
  readonly formTokens: CsrfTokens;
  readonly finished: FinishedInteractions;
  readonly limit: RateLimiter;
  readonly addressOf: ClientAddress;
  readonly lifetimes: TokenLifetimes;
  /** The operator's own policy for sign-ins with a code. */
  readonly codeSignIn: CodeSignInPolicy;
  readonly audit: Audit;
  readonly now: () => Date;
}

/**
 * The OAuth 2.0 server: oidc-provider with the paths of the interface, opaque `svc_at_` access
 * tokens, rotating refresh tokens and our own pages. docs/oauth.md and docs/decisions give the reasons.
 */
export function createProvider(deps: ProviderDeps): Provider {
  const pages = new DevicePages(deps.formTokens, deps.finished, deps.now);
  const decisions = new ConsentTransaction(deps);
  const { database, secrets, lifetimes, now } = deps;
  const { refreshKey } = secrets;
  const provider = createModelledProvider(deps.baseUrl, configuration(deps, pages, decisions), {
    refreshKey,
    formTokens: deps.formTokens,
    opensAccount: (workspaceId, accountId) => opensAccount(database, workspaceId, accountId),
    touchSession: async (accountId, id) => {
      const request = Provider.ctx?.req;
      // A page that signs a user in has no context of the library: the next page stores the use.
      if (request !== undefined) {
        const session = { sessionId: sha256(id), accountId };
        await touchBrowserSession(database, session, { request, addressOf: deps.addressOf }, now());
      }
    },
  });
  // It reads scheme and host from headers that the service itself sets, from the base URL (request/request-headers.ts).
  provider.proxy = true;
  captureErrors(provider);
  const { limit, audit } = deps;
  const grants = { database, refreshKey, lifetimes, limit, audit, now };
  const severalOf = ['resource'];
  provider.registerGrantType(REFRESH_TOKEN, refreshGrant(grants), REFRESH_PARAMETERS, severalOf);
  provider.registerGrantType(DEVICE_CODE, deviceGrant(grants), DEVICE_PARAMETERS, severalOf);
  decisions.watch(provider);
  provider.use(metadataOverrides(lifetimes.pollIntervalSeconds));
  provider.use(refusePublicClients);
  provider.use(new UndeliveredTokens(now).around);
  provider.use(tokenTransaction(database));
  const storage = new DeviceCodeQuota(provider, deps.limit, deps.addressOf);
  provider.use(
    skipForTokenEndpoints([
      redirectToPendingInteraction(provider),
      decisions.whole,
      storage.middleware(renderTooMany),
      limitUserCodeEntry(provider, deps.limit, deps.addressOf, renderTooMany),
      pages.around,
      guardRedirects(deps.accounts),
      skipAnonymousCookie,
    ]),
  );
  return provider;
}

function configuration(
  deps: ProviderDeps,
  pages: DevicePages,
  decisions: ConsentTransaction,
): Configuration {
  const { lifetimes, secrets } = deps;
  const isSecure = deps.baseUrl.startsWith('https:');
  return {
    adapter: createAdapterFactory(deps.database, deps.now, deps.secrets.refreshKey),
    clients: deps.clients.map(platformClientMetadata),
    extraClientMetadata: { properties: [API_SCOPE, WORKSPACE_ID, NUMBER_MATCHING] },
    extraParams: [CODE_ENTRY.name],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    responseTypes: ['code'],
    pkce: { required: () => true },
    scopes: [TOLERATED_SCOPE],
    claims: {},
    enabledJWA: { dPoPSigningAlgValues: [...DPOP_ALGORITHMS] },
    routes: ROUTES,
    jwks: { keys: [{ ...secrets.signingKey, alg: 'ES256', use: 'sig' }] },
    cookies: {
      keys: [secrets.cookieKey],
      names: {
        session: cookieName('cws_session', isSecure),
        interaction: cookieName('cws_interaction', isSecure),
        resume: cookieName('cws_resume', isSecure),
      },
      long: { httpOnly: true, sameSite: 'lax', signed: true },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    // Lifetimes are exact: with the default tolerance an access token would live 15 s longer.
    clockTolerance: 0,
    ttl: {
      AccessToken: lifetimes.accessTokenSeconds,
      RefreshToken: lifetimes.refreshTokenSeconds,
      AuthorizationCode: AUTHORIZATION_CODE_SECONDS,
      DeviceCode: lifetimes.deviceCodeSeconds,
      Grant: GRANT_SECONDS,
      Session: SESSION_SECONDS,
      Interaction: INTERACTION_SECONDS,
    },
    features: featuresOf(deps, pages),
    findAccount: async (_ctx, id) => {
      const account = await deps.accounts.find(id);
      return account && { accountId: id, claims: () => ({ sub: id }) };
    },
    loadExistingGrant: decisions.grant,
    interactions: {
      url: (ctx, interaction) =>
        `${INTERACTION_PATH}/${interaction.uid}${requestsAccountChoice(ctx) ? ACCOUNT_CHOICE_QUERY : ''}`,
    },
    // Tokens belong to the plugin, not to the browser of the sign-in.
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed(REFRESH_TOKEN),
    rotateRefreshToken: true,
    // For an authorization code that is used twice.
    revokeGrantPolicy: () => true,
    // CORS is answered for all of /api in http/cors.ts.
    clientBasedCORS: () => true,
    renderError: pages.renderError,
  };
}

function featuresOf(
  { database, lifetimes, addressOf, codeSignIn, audit }: ProviderDeps,
  pages: DevicePages,
): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    // Without nonces: a client would need two requests more, and a proof can be used once anyway.
    dPoP: { enabled: true, requireNonce: () => false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    revocation: {
      enabled: true,
      allowedPolicy: async (ctx, client, token) => {
        if (token.clientId === client.clientId && 'grantId' in token) {
          // RFC 7009 §2.1 lets either token end the other: Disconnect leaves nothing behind. The grant is ended here;
          // `false` keeps the library from doing so in six statements.
          const ended = { grantId: token.grantId ?? '', client: client.clientName };
          await database.transaction((transaction) =>
            endConnection(audit, ctx.res, ended, transaction),
          );
          return false;
        }
        // RFC 7009 §2.1: the request is refused; the error is that of RFC 6749 §5.2 for what "was issued to another
        // client". It reveals only what the client could find out anyway.
        throw new errors.InvalidGrant('the token was issued to another client');
      },
    },
    introspection: {
      enabled: true,
      allowedPolicy: (_ctx, client, token) => mayIntrospect(database, client, token),
    },
    deviceFlow: {
      enabled: true,
      ...USER_CODES,
      // Stored with the code, and gone with it.
      deviceInfo: (ctx) => readDeviceInfo(ctx, addressOf),
      userCodeInputSource: pages.enterCode,
      userCodeConfirmSource: pages.confirmCode,
      successSource: pages.connected,
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => API_RESOURCE,
      useGrantedResource: () => true,
      getResourceServerInfo: (ctx, resource, client) => {
        if (resource !== API_RESOURCE) {
          throw new errors.InvalidTarget();
        }
        checkParameterLengths(ctx);
        checkCodeSignIn(ctx, codeSignIn, clientText(client, WORKSPACE_ID) === undefined);
        setCodeEntryParam(ctx);
        checkRequestedScopes(ctx, clientText(client, API_SCOPE));
        return {
          scope: ALL_SCOPES.join(' '),
          audience: API_RESOURCE,
          accessTokenFormat: 'opaque',
          accessTokenTTL: lifetimes.accessTokenSeconds,
        };
      },
    },
  };
}

/**
 * Refuses to begin a sign-in with a code that the operator does not allow.
 * @throws {UnauthorizedClient}
 */
function checkCodeSignIn(
  ctx: KoaContextWithOIDC,
  { signIn, apps }: CodeSignInPolicy,
  isOfficial: boolean,
): void {
  const isAllowed = signIn !== 'off' && (isOfficial || apps === 'all');
  if (ctx.oidc.route === 'device_authorization' && !isAllowed) {
    throw new errors.UnauthorizedClient('sign-in with a code is off');
  }
}

/**
 * Refuses unknown scopes and scopes that the client may not have
 * ([RFC 6749 §3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3)), before the user is asked. oidc-provider would drop them
 * silently.
 */
function checkRequestedScopes(ctx: KoaContextWithOIDC, allowed: string | undefined): void {
  if (ctx.oidc.route !== 'device_authorization' && ctx.oidc.route !== 'authorization') {
    return;
  }
  const requested = [...ctx.oidc.requestParamScopes].filter((scope) => scope !== TOLERATED_SCOPE);
  const allowedScopes = new Set(allowed?.split(' '));
  const refused = requested.filter((scope) => !allowedScopes.has(scope));
  if (refused.length > 0) {
    throw new errors.InvalidScope('requested scope is not allowed', refused.join(' '));
  }
  if (requested.length === 0) {
    throw new errors.InvalidScope('scope is missing', [...allowedScopes].join(' '));
  }
}
