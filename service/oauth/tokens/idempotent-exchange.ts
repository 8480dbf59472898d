import type { Database } from '../../kernel/database/database.js';
import { withKnownOutcome } from '../../kernel/database/known-outcome.js';
import type { ExchangeQueue } from './exchange-queue.js';
import type { IssuedTokens } from './issued-tokens.js';
import { storeExchange, type PendingExchange } from './token-exchange.js';

const STORED = `SELECT id FROM oidc_records WHERE kind = 'AccessToken' AND id = $1`;

/**
 * Like {@link storeExchange}. When the connection to the database is lost before the outcome is known, waits until the
 * database is back, and finds it out.
 * @param queue for a database with a single connection.
 * @throws {UnknownOutcomeError} when the database stays away for too long.
 */
export function storeExchangeIdempotently(
  database: Database,
  exchange: PendingExchange,
  now: Date,
  queue?: ExchangeQueue,
): Promise<boolean> {
  const store = (): Promise<boolean> =>
    queue?.store({ exchange, now }) ?? storeExchange(database, exchange, now);
  return withKnownOutcome(
    store,
    // In this order: the second write waits for the first one, if that is still running.
    async () => (await store()) || isStored(database, exchange.tokens),
  );
}

/** Whether these tokens were stored. No client has them yet, so no one else can have stored or ended them. */
async function isStored(database: Database, { access }: IssuedTokens): Promise<boolean> {
  return (await database.query(STORED, [access.id])).length > 0;
}
