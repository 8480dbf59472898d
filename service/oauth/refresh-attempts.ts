import { Provider, type KoaContextWithOIDC } from 'oidc-provider';
import {
  readRefreshAttempt,
  REFRESH_ATTEMPT,
  REFRESH_ATTEMPT_SUPPORTED,
  type RefreshRequest,
} from './refresh-attempt.js';
import { refuseRepeat } from './refresh-repeat.js';
import type { RefreshRetries } from './refresh-retries.js';
import { requestRecords } from './request-records.js';
import { METADATA_PATH, ROUTES } from './routes.js';

interface RefreshTokenToBe {
  readonly grantId?: string;
}

interface RefreshTokenModel {
  find: (this: RefreshTokenModel, value: unknown, ...more: unknown[]) => Promise<unknown>;
  readonly prototype: { generateTokenId: (this: RefreshTokenToBe) => string };
}
interface AccessTokenPrototype {
  save: (this: AccessTokenPrototype, ...args: unknown[]) => Promise<unknown>;
}

/**
 * Teaches oidc-provider to answer a refresh again whose answer was lost, by `refresh_attempt`
 * (docs/protocol.md, "A refresh whose answer was lost"). There is no option for it, so this goes around three
 * methods of this provider's models: finding the refresh token that a client shows, making the id of the one
 * that follows, and storing the access token.
 * @throws {Error} when a version of oidc-provider has other models
 */
export function acceptRefreshAttempts(provider: Provider, retries: RefreshRetries): void {
  const refreshTokens: unknown = provider.RefreshToken;
  const accessTokens: unknown = provider.AccessToken.prototype;
  if (!isRefreshTokenModel(refreshTokens) || !isAccessTokenPrototype(accessTokens)) {
    throw new Error('oidc-provider no longer has its models as expected');
  }
  const { find } = refreshTokens;
  refreshTokens.find = async function (value, ...more) {
    const current = refreshUnderWay();
    if (current !== undefined && !isFirst()) {
      await decide(current.ctx, current.request, retries);
    }
    return find.call(this, value, ...more);
  };
  const makeId = refreshTokens.prototype.generateTokenId;
  refreshTokens.prototype.generateTokenId = function () {
    const current = refreshUnderWay();
    const secret = current === undefined ? makeId.call(this) : retries.successorOf(current.request);
    return retries.tokenOf(secret, this.grantId ?? '');
  };
  const { save } = accessTokens;
  accessTokens.save = async function (...args) {
    const accessToken = await save.call(this, ...args);
    const current = refreshUnderWay();
    if (current !== undefined && !isFirst()) {
      await retries.given(current.request, String(accessToken));
    }
    return accessToken;
  };
  provider.use(refuseMalformed);
}

const takenBack = new WeakSet<object>();

/** Whether a former refresh was taken back for this request. If the request then fails, that is undone. */
export function tookBackRefresh(ctx: object): boolean {
  return takenBack.has(ctx);
}

async function decide(
  ctx: KoaContextWithOIDC,
  request: RefreshRequest,
  retries: RefreshRetries,
): Promise<void> {
  const repeat = await retries.prepare(request, ctx.oidc.client?.clientId ?? '');
  if (repeat.kind === 'retry') {
    takenBack.add(ctx);
  }
  refuseRepeat(repeat);
}

/** Whether the token was found unused, or not at all, when the request began. Then there is nothing to take back. */
function isFirst(): boolean {
  return requestRecords() !== undefined;
}

interface RefreshUnderWay {
  readonly ctx: KoaContextWithOIDC;
  readonly request: RefreshRequest;
}

/** The refresh that the current request asks for, if it names an attempt. */
function refreshUnderWay(): RefreshUnderWay | undefined {
  const ctx = Provider.ctx;
  if (ctx === undefined) {
    return undefined;
  }
  const request = readRefreshAttempt(ctx.req);
  return typeof request === 'object' ? { ctx, request } : undefined;
}

/** Refuses a malformed attempt; says in the metadata and in token answers that the service knows attempts. */
async function refuseMalformed(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  if (readRefreshAttempt(ctx.req) === 'malformed') {
    ctx.status = 400;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = {
      error: 'invalid_request',
      error_description: `${REFRESH_ATTEMPT} must be 32 bytes in base64url, given once`,
    };
    return;
  }
  await next();
  const body: unknown = ctx.body;
  if (ctx.status !== 200 || typeof body !== 'object' || body === null) {
    return;
  }
  if (ctx.path === ROUTES.token || ctx.path === METADATA_PATH) {
    ctx.body = { ...body, [REFRESH_ATTEMPT_SUPPORTED]: true };
  }
}

function isRefreshTokenModel(model: unknown): model is RefreshTokenModel {
  return (
    typeof model === 'function' &&
    'find' in model &&
    typeof model.find === 'function' &&
    typeof (model.prototype as Partial<RefreshTokenModel['prototype']>).generateTokenId ===
      'function'
  );
}

function isAccessTokenPrototype(prototype: unknown): prototype is AccessTokenPrototype {
  return (
    typeof prototype === 'object' &&
    prototype !== null &&
    'save' in prototype &&
    typeof prototype.save === 'function'
  );
}
