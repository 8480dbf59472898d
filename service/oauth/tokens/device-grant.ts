import { APP_EVENTS } from '../events.js';
import { errors, type TokenEndpointGrantContext } from 'oidc-provider';
import type { Database } from '../../kernel/database/database.js';
import { newSecret, sha256 } from '../../kernel/hash.js';
import type { TokenLifetimes } from './lifetimes.js';
import { checkClient, checkGrant, findCredential, scopeOf } from './credential.js';
import { bindsRefreshTokens, issueTokens } from './issued-tokens.js';
import { readTokenProof, useTokenProof } from './token-proof.js';
import { PollLimit } from '../device/poll-limit.js';
import { emitReuse, endReusedGrant } from './reuse-response.js';
import { epochSeconds, isExpired, type RecordRow, type Audit } from '../../identity/index.js';
import { storeExchangeIdempotently } from './idempotent-exchange.js';
import type { RateLimiter } from '../../kernel/rate-limit/rate-limiter.js';
import { stateOf } from '../context/request-state.js';
import { deviceInfoOf } from '../device/device-info.js';
import { wrongNumberRule } from '../device/number-match.js';
import { recordConnection } from './connection.js';
import { aboutRefusedNumber, denyMismatchedCode } from '../device/end-code.js';
import { DENIED_BY_NUMBER, denialReason } from '../interactions/denials.js';

type Context = TokenEndpointGrantContext<{
  readonly device_code?: string;
  /** The number that the user chose in the app. */
  readonly number?: string;
  readonly resource?: unknown;
}>;

export interface DeviceGrantDeps {
  readonly database: Database;
  /** Makes the refresh tokens; see `formatRefreshToken`. */
  readonly refreshKey: string;
  readonly lifetimes: TokenLifetimes;
  readonly limit: RateLimiter;
  readonly audit: Audit;
  readonly now: () => Date;
}

/** The parameters that oidc-provider checks and passes on. Several resources may be named. */
export const DEVICE_PARAMETERS = ['device_code', 'number', 'resource'] as const;

/**
 * Answers a poll with a device code ([RFC 8628 §3.4](https://www.rfc-editor.org/rfc/rfc8628#section-3.4)). While the
 * code is undecided, a poll is one statement.
 *
 * `slow_down` is "a variant of authorization_pending" (§3.5): a client that polls early after the user approved gets
 * its tokens.
 */
export function deviceGrant(deps: DeviceGrantDeps) {
  const { database, refreshKey, lifetimes, now } = deps;
  const interval = lifetimes.pollIntervalSeconds;
  const polls = new PollLimit(database, interval, now);
  return async (ctx: Context): Promise<void> => {
    const { client, params } = ctx.oidc;
    const { device_code: deviceCode, number: chosen, resource } = params;
    if (deviceCode === undefined) {
      throw new errors.InvalidRequest("missing required parameter 'device_code'");
    }
    const proof = await readTokenProof(ctx);
    const id = sha256(deviceCode);

    const { row, isTooFast } = await polls.poll(id);
    if (row === undefined) {
      throw new errors.InvalidGrant('device code not found');
    }
    const code = row.payload;
    checkClient(client, code);
    if (isExpired(code)) {
      throw new errors.ExpiredToken('device code is expired');
    }
    if (code.error !== undefined) {
      const reason = denialReason(code.errorDescription);
      stateOf(ctx).errorMembers = reason === undefined ? {} : { reason };
      throw new errors.AccessDenied(code.errorDescription);
    }
    const { grantId } = code;
    if (grantId === undefined) {
      throw isTooFast
        ? new errors.SlowDown(`polled faster than every ${interval} seconds`)
        : new errors.AuthorizationPending();
    }

    const match = deviceInfoOf(code).number;
    if (match !== undefined) {
      if (chosen === undefined) {
        stateOf(ctx).errorMembers = { number_choices: match.choices };
        throw new errors.AuthorizationPending();
      }
      const isRight = chosen === match.number;
      if (!(await mayChoose(deps, code.accountId ?? '', isRight))) {
        await refuseNumber(deps, ctx, { id, grantId, code });
        stateOf(ctx).errorMembers = { reason: denialReason(DENIED_BY_NUMBER) };
        throw new errors.AccessDenied(DENIED_BY_NUMBER);
      }
    }

    const credential = await findCredential(database, 'DeviceCode', id, grantId);
    if (credential === undefined) {
      throw new errors.InvalidGrant('grant not found');
    }
    checkGrant(client, credential, 'device code');
    await useTokenProof(database, proof);

    if (match !== undefined && !credential.isUsed) {
      // Before the tokens: nobody gets some without the notice.
      await database.transaction((transaction) =>
        recordConnection(deps.audit, ctx.res, { grantId, client: client.clientName }, transaction),
      );
    }
    const { accountId, authTime, clientId, scope, sessionUid } = code;
    const tokens = issueTokens(
      ctx.oidc,
      {
        grantId,
        payload: {
          kind: 'RefreshToken',
          gty: 'device_code',
          rotations: 0,
          iiat: epochSeconds(),
          resource: code.resource,
          jkt: bindsRefreshTokens(ctx.oidc) ? proof?.thumbprint : undefined,
          ...{ accountId, authTime, clientId, grantId, scope, sessionUid },
        },
        refreshSecret: newSecret(),
        scope: scopeOf(credential, scope ?? '', resource),
        thumbprint: proof?.thumbprint,
      },
      refreshKey,
      lifetimes,
      now(),
    );
    const exchange = { kind: 'DeviceCode', id, grantId, attempt: undefined, tokens } as const;
    if (credential.isUsed || !(await storeExchangeIdempotently(database, exchange, now()))) {
      const isReuse = await database.transaction((transaction) =>
        endReusedGrant(transaction, grantId),
      );
      if (isReuse) {
        emitReuse(ctx, grantId);
      }
      throw new errors.InvalidGrant('device code already consumed');
    }
    ctx.body = tokens.response;
  };
}

/**
 * Counts a wrong number before its sign-in ends, so that concurrent guesses cannot exceed the limit. After too many
 * wrong ones a right number is refused, too: the user may have allowed several sign-ins before the first guess.
 * @returns whether the number gives tokens.
 */
async function mayChoose(
  { limit }: DeviceGrantDeps,
  accountId: string,
  isRight: boolean,
): Promise<boolean> {
  const attempt = await limit.consume([wrongNumberRule(accountId)]);
  if ('waitSeconds' in attempt) {
    return false;
  }
  if (isRight) {
    await limit.refund(attempt);
  }
  return isRight;
}

/**
 * Ends a sign-in after a number that was refused. When a concurrent request has already exchanged the code with the
 * right number, somebody tries all three: the grant ends as after a second use.
 */
async function refuseNumber(
  { database, audit }: DeviceGrantDeps,
  ctx: Context,
  { id, grantId, code }: { id: string; grantId: string; code: RecordRow['payload'] },
): Promise<void> {
  const { clientName } = ctx.oidc.client;
  const isEnded = await denyMismatchedCode(database, id, grantId, (transaction, workspace) => {
    const about = aboutRefusedNumber(code, workspace, clientName);
    return audit(ctx.res, APP_EVENTS.numberRefused, about, transaction);
  });
  if (
    !isEnded &&
    (await database.transaction((transaction) => endReusedGrant(transaction, grantId)))
  ) {
    emitReuse(ctx, grantId);
  }
}
