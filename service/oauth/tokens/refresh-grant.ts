import { errors, type TokenEndpointGrantContext } from 'oidc-provider';
import type { Database } from '../../kernel/database/database.js';
import { newSecret, sha256 } from '../../kernel/hash.js';
import type { TokenLifetimes } from './lifetimes.js';
import { checkClient, checkGrant, findCredential, scopeOf, type Credential } from './credential.js';
import { REFRESH_TOKEN } from './grant-types.js';
import { endGrant, lockGrant, isExpired } from '../../identity/index.js';
import { ExchangeQueue } from './exchange-queue.js';
import { RecentCredentials } from './recent-credentials.js';
import { bindsRefreshTokens, issueTokens } from './issued-tokens.js';
import { readTokenProof, useTokenProof } from './token-proof.js';
import type { DpopProof } from './dpop.js';
import { deriveSuccessor, readAttempt, rollBackRefresh } from './refresh-retry.js';
import { emitReuse } from './reuse-response.js';
import { storeExchangeIdempotently } from './idempotent-exchange.js';
import { storeExchange, type PendingExchange } from './token-exchange.js';
import { parseGrantId } from './token-format.js';

type Context = TokenEndpointGrantContext<{
  readonly refresh_token?: string;
  readonly scope?: string;
  readonly resource?: unknown;
}>;

export interface RefreshGrantDeps {
  readonly database: Database;
  /** Makes the refresh tokens; see {@link deriveSuccessor} and `formatRefreshToken`. */
  readonly refreshKey: string;
  readonly lifetimes: TokenLifetimes;
  readonly now: () => Date;
}

/** The parameters that oidc-provider checks and passes on. Several resources may be named. */
export const REFRESH_PARAMETERS = ['refresh_token', 'scope', 'resource'] as const;

/**
 * Answers a refresh ([RFC 6749 §6](https://www.rfc-editor.org/rfc/rfc6749#section-6)). A refresh token can be used once.
 * It is rotated; a second use ends the grant
 * ([RFC 9700 §4.14.2](https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2)), except where the same refresh is repeated
 * because its response was lost (docs/decisions/0005-lost-refresh-response.md).
 *
 * A usual refresh is two statements, or one where {@link RecentCredentials} spare the first. The last one checks that the
 * token is still unused, and is a transaction by itself. Otherwise {@link decideUsed} decides under the lock of the grant.
 */
export function refreshGrant(deps: RefreshGrantDeps) {
  const { database, refreshKey, lifetimes, now } = deps;
  // Another process could replace the tokens of a repeated refresh.
  const recent = database.isShared ? undefined : new RecentCredentials();
  const queue = database.isShared ? undefined : new ExchangeQueue(database);
  return async (ctx: Context): Promise<void> => {
    const { body, client, params } = ctx.oidc;
    const { refresh_token: refreshToken, scope, resource } = params;
    if (refreshToken === undefined) {
      throw new errors.InvalidRequest("missing required parameter 'refresh_token'");
    }
    const attempt = readAttempt(body);
    const proof = await readTokenProof(ctx);

    const credential = await findRefreshToken(deps, refreshToken, recent);
    checkClient(client, credential.payload);
    if (isExpired(credential.payload)) {
      throw new errors.InvalidGrant('refresh token is expired');
    }
    checkGrant(client, credential, 'refresh token');
    checkKey(credential, proof);
    if (scope !== undefined) {
      checkScope(credential, scope);
    }
    await useTokenProof(database, proof);

    const { id, grantId, payload } = credential;
    const tokens = issueTokens(
      ctx.oidc,
      {
        grantId,
        payload: {
          ...payload,
          gty: withRefresh(payload.gty),
          rotations: (payload.rotations ?? 0) + 1,
          jkt: bindsRefreshTokens(ctx.oidc) ? proof?.thumbprint : undefined,
        },
        refreshSecret:
          attempt === undefined
            ? newSecret()
            : deriveSuccessor({ refreshToken, attempt }, refreshKey),
        scope: scopeOf(credential, scope ?? payload.scope ?? '', resource),
        thumbprint: proof?.thumbprint,
      },
      refreshKey,
      lifetimes,
      now(),
    );
    const exchange: PendingExchange = { kind: 'RefreshToken', id, grantId, attempt, tokens };
    if (credential.isUsed || !(await storeExchangeIdempotently(database, exchange, now(), queue))) {
      refuseUnlessStored(ctx, grantId, await decideUsed(deps, refreshToken, exchange));
    }
    if (tokens.refresh !== undefined) {
      recent?.keep({ ...credential, ...tokens.refresh, isUsed: false });
    }
    ctx.body = tokens.response;
  };
}

/** @throws {InvalidGrant} */
async function findRefreshToken(
  { database, refreshKey }: RefreshGrantDeps,
  refreshToken: string,
  recent: RecentCredentials | undefined,
): Promise<Credential> {
  const credential =
    recent?.take(sha256(refreshToken)) ??
    (await readRefreshToken(database, refreshToken, refreshKey));
  if (credential === undefined) {
    throw new errors.InvalidGrant('refresh token not found');
  }
  return credential;
}

async function readRefreshToken(
  database: Database,
  refreshToken: string,
  refreshKey: string,
): Promise<Credential | undefined> {
  const grantId = parseGrantId(refreshToken, refreshKey);
  return grantId === undefined
    ? undefined
    : findCredential(database, 'RefreshToken', sha256(refreshToken), grantId);
}

/**
 * A refresh token that is bound to a key needs a proof of that key
 * ([RFC 9449 §5](https://www.rfc-editor.org/rfc/rfc9449#section-5)). Without it nothing is used and nothing ends: the
 * sender may be a thief.
 * @throws {InvalidGrant}
 */
function checkKey({ payload: { jkt } }: Credential, proof: DpopProof | undefined): void {
  if (jkt !== undefined && jkt !== proof?.thumbprint) {
    throw new errors.InvalidGrant('the refresh token is bound to another key');
  }
}

/**
 * A refresh can narrow the scope. The scopes of an old used token are not known: its reuse must end the grant.
 * @throws {InvalidScope}
 */
function checkScope({ payload }: Credential, requested: string): void {
  if (payload.scope === undefined) {
    return;
  }
  const allowed = new Set(payload.scope.split(' '));
  const missing = [...new Set(requested.split(' '))].filter((scope) => !allowed.has(scope));
  if (missing.length > 0) {
    const scopes = missing.length === 1 ? 'scope' : 'scopes';
    throw new errors.InvalidScope(`refresh token missing requested ${scopes}`, missing.join(' '));
  }
}

/** How the tokens of a connection came about: by a device code or an authorization code, and then by refreshing. */
function withRefresh(gty = ''): string {
  return gty.endsWith(REFRESH_TOKEN) ? gty : `${gty} ${REFRESH_TOKEN}`;
}

/** `stored`: the tokens are good. `reuse`: it has ended the grant. `ended`: the grant had ended before. */
type Outcome =
  | { readonly kind: 'stored' | 'reuse' | 'ended' | 'duplicate' }
  | { readonly kind: 'too many'; readonly waitSeconds: number };

/** Decides over a refresh whose token is used: it is answered when it is a repeat, otherwise the grant ends. */
function decideUsed(
  { database, refreshKey, now }: RefreshGrantDeps,
  refreshToken: string,
  exchange: PendingExchange,
): Promise<Outcome> {
  const { grantId, attempt } = exchange;
  return database.transaction(async (transaction) => {
    if (!(await lockGrant(transaction, grantId))) {
      return { kind: 'ended' };
    }
    if (attempt !== undefined) {
      const request = { refreshToken, attempt };
      const retry = await rollBackRefresh(transaction, request, grantId, refreshKey, now());
      if (retry.kind === 'duplicate' || retry.kind === 'too many') {
        return retry;
      }
      if (await storeExchange(transaction, exchange, now())) {
        return { kind: 'stored' };
      }
    }
    await endGrant(transaction, grantId);
    return { kind: 'reuse' };
  });
}

/** @throws {OIDCProviderError} unless the tokens were stored */
function refuseUnlessStored(ctx: Context, grantId: string, outcome: Outcome): void {
  switch (outcome.kind) {
    case 'stored':
      return;
    case 'duplicate':
      throw new errors.InvalidGrant('the tokens of this refresh are already in use');
    case 'too many':
      ctx.set('Retry-After', String(outcome.waitSeconds));
      throw new TooManyRetries();
    case 'ended':
      throw new errors.InvalidGrant('grant not found');
    case 'reuse':
      emitReuse(ctx, grantId);
      throw new errors.InvalidGrant('refresh token already used');
  }
}

/** One refresh was repeated too often ([RFC 6585 §4](https://www.rfc-editor.org/rfc/rfc6585#section-4)). */
class TooManyRetries extends errors.OIDCProviderError {
  constructor() {
    super(429, 'temporarily_unavailable');
    this.error_description = 'this refresh was repeated too often';
  }
}
