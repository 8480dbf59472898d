import type { KoaContextWithOIDC } from 'oidc-provider';
import type { AmbientDatabase } from '../../kernel/database/ambient-transaction.js';
import { BufferedRequest } from '../../kernel/http/request/buffered-request.js';
import { AUTHORIZATION_CODE } from './grant-types.js';
import { ROUTES } from '../../site/addresses/oauth-paths.js';

type Middleware = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>;

/**
 * Makes the exchange of an authorization code one transaction, committed before the response is sent. If the process is
 * killed in between, the code stays valid. The other grants store their tokens with one statement (token-exchange.ts).
 *
 * A client error (a code that is used twice) is also committed: the ended grant must stay ended.
 *
 * The transaction begins after the whole request has been read. So it waits only for the database, never for the
 * client.
 */
export function tokenTransaction(database: AmbientDatabase): Middleware {
  return async (ctx, next) => {
    const isExchange =
      ctx.path === ROUTES.token &&
      ctx.req instanceof BufferedRequest &&
      ctx.req.form?.get('grant_type') === AUTHORIZATION_CODE;
    await (isExchange ? inTransaction(database, ctx, next) : next());
  };
}

/**
 * Runs the work on a request in one transaction. It is rolled back when the service failed, that is when the status is
 * 500 or higher; the response that oidc-provider wrote stays.
 * @returns whether the transaction was committed.
 */
export async function inTransaction(
  database: AmbientDatabase,
  ctx: KoaContextWithOIDC,
  work: () => Promise<void>,
): Promise<boolean> {
  try {
    await database.together(async () => {
      await work();
      if (ctx.status >= 500) {
        throw new FailedRequest();
      }
    });
    return true;
  } catch (error) {
    if (!(error instanceof FailedRequest)) {
      throw error;
    }
    return false;
  }
}

const MACHINE_PATHS: ReadonlySet<string> = new Set([
  ROUTES.token,
  ROUTES.revocation,
  ROUTES.introspection,
]);

/**
 * Makes one middleware of several, the first one outermost. Requests about tokens skip them: they have nothing to
 * do with pages, and each step would cost them time.
 */
export function skipForTokenEndpoints(steps: readonly Middleware[]): Middleware {
  return (ctx, next) => {
    if (MACHINE_PATHS.has(ctx.path)) {
      return next();
    }
    return steps.reduceRight<() => Promise<void>>((rest, step) => () => step(ctx, rest), next)();
  };
}

/** Rolls back a transaction whose failure has been reported already. */
class FailedRequest extends Error {}
