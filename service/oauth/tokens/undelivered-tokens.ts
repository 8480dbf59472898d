import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { BufferedRequest } from '../../kernel/http/request/buffered-request.js';
import { REFRESH_TOKEN } from './grant-types.js';
import { REFRESH_ATTEMPT } from './refresh-retry.js';
import { ROUTES } from '../../site/addresses/oauth-paths.js';

/** How long tokens that were not delivered are kept, in milliseconds. */
const KEEP_MS = 15 * 60_000;
/** How many token responses are kept at most; the oldest are dropped first. */
const MAX_KEPT = 10_000;

/** A token response whose client was gone before any of it was sent. */
interface Undelivered {
  readonly body: object;
  /** In milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Keeps tokens whose client disconnected before they were sent, for instance because the database was unavailable for
 * longer than the client waits. A repeat of the request gets them. Otherwise it would count as reuse of a refresh token
 * or code and end the session, although the tokens were never delivered.
 *
 * A repeat during the first request waits for it. A refresh with `refresh_attempt` is repeated in another way
 * (refresh-retry.ts).
 */
export class UndeliveredTokens {
  private readonly running = new Map<string, Promise<void>>();
  private readonly kept = new Map<string, Undelivered>();

  constructor(private readonly now: () => Date) {}

  /** Middleware around the work on requests for tokens. */
  readonly around = async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    const key = idempotencyKeyOf(ctx.req);
    if (key === undefined) {
      await next();
      return;
    }
    for (let before = this.running.get(key); before !== undefined;) {
      await before;
      before = this.running.get(key);
    }
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.running.set(key, ended);
    try {
      await this.answer(ctx, key, next);
    } finally {
      this.running.delete(key);
      end();
    }
  };

  private async answer(
    ctx: KoaContextWithOIDC,
    key: string,
    next: () => Promise<void>,
  ): Promise<void> {
    const kept = this.take(key);
    if (kept === undefined) {
      await next();
    } else {
      ctx.status = 200;
      ctx.set('Cache-Control', 'no-store');
      ctx.body = withLifeLeft(kept.body, this.now().getTime() - kept.at);
    }
    // Nothing has been sent yet; Koa sends the response after this, unless the connection has ended.
    const body: unknown = ctx.body;
    if (ctx.status === 200 && !ctx.writable && typeof body === 'object' && body !== null) {
      this.keep(key, kept ?? { body, at: this.now().getTime() });
    }
  }

  private take(key: string): Undelivered | undefined {
    const found = this.kept.get(key);
    this.kept.delete(key);
    if (found === undefined) {
      return undefined;
    }
    const age = this.now().getTime() - found.at;
    return age > KEEP_MS ? undefined : found;
  }

  private keep(key: string, undelivered: Undelivered): void {
    this.kept.set(key, undelivered);
    for (const [old, { at }] of this.kept) {
      if (this.kept.size <= MAX_KEPT && this.now().getTime() - at <= KEEP_MS) {
        break;
      }
      this.kept.delete(old);
    }
  }
}

/** The response with the remaining lifetime of its access token. */
function withLifeLeft(body: object, ageMs: number): object {
  return 'expires_in' in body && typeof body.expires_in === 'number'
    ? { ...body, expires_in: Math.max(1, body.expires_in - Math.ceil(ageMs / 1000)) }
    : body;
}

/** Whether the request is a refresh that can be repeated by its `refresh_attempt`. */
function isNamedRefresh(form: URLSearchParams): boolean {
  return form.get('grant_type') === REFRESH_TOKEN && form.has(REFRESH_ATTEMPT);
}

/**
 * The hash of the form and the client's credentials, which identify a token request. So a repeat needs the same
 * credentials as the first request. Undefined for other requests.
 */
function idempotencyKeyOf(request: IncomingMessage): string | undefined {
  if (!(request instanceof BufferedRequest) || request.target.path !== ROUTES.token) {
    return undefined;
  }
  if (request.form === undefined || isNamedRefresh(request.form)) {
    return undefined;
  }
  const form = [...request.form].sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([form, request.headers.authorization ?? '']))
    .digest('base64url');
}
