import type { KoaContextWithOIDC } from 'oidc-provider';
import type { AmbientDatabase } from '../database/ambient-transaction.js';
import { tookBackRefresh } from './refresh-attempts.js';
import { withRecords } from './request-records.js';
import { ROUTES } from './routes.js';
import type { TokenRequests } from './token-requests.js';

const PATHS: readonly string[] = [ROUTES.token, ROUTES.revocation];

/**
 * Makes each exchange and each revocation one transaction, committed before the answer goes out. When the
 * process is killed in the middle, the old token stays good; what it has answered is stored.
 *
 * Most requests write with a single statement, which is a transaction by itself; {@link TokenRequests} tells
 * which. The others run in a transaction as a whole. An error of the client's (a reused token, for one) is
 * committed as well: the grant that it ended must stay ended. Rolled back are failures of ours, and a repeated
 * refresh that was refused: what it took back was good.
 *
 * The transaction begins when the request has arrived to its last byte and its parameters have been read
 * (http/receive.ts). So it waits for the database alone, never for the sender.
 */
export function wholeTokenRequests(database: AmbientDatabase, requests: TokenRequests) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    if (!PATHS.includes(ctx.path)) {
      await next();
      return;
    }
    const read = await requests.read(ctx.req);
    if (read !== undefined) {
      await withRecords(read, next);
      return;
    }
    try {
      await database.together(async () => {
        await next();
        if (ctx.status >= 500 || (ctx.status >= 400 && tookBackRefresh(ctx))) {
          throw new FailedRequest();
        }
      });
    } catch (error) {
      // The answer that oidc-provider wrote stands.
      if (!(error instanceof FailedRequest)) {
        throw error;
      }
    }
  };
}

type Middleware = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>;

/**
 * Makes one middleware of several, the first one outermost. Exchanges and revocations go past them: they have nothing
 * to do with pages, and each step would cost them time.
 */
export function exceptForTokens(steps: readonly Middleware[]): Middleware {
  return (ctx, next) => {
    if (PATHS.includes(ctx.path)) {
      return next();
    }
    return steps.reduceRight<() => Promise<void>>((rest, step) => () => step(ctx, rest), next)();
  };
}

/** Rolls back a transaction whose failure has been reported already. */
class FailedRequest extends Error {}
