import type { Queryable } from '../database/database.js';
import { endBrowserSessionsOf } from '../oauth/browser-session.js';
import { endGrantsOfPerson } from '../oauth/grants.js';

/** How many ways in were ended. */
export interface EndedAccess {
  readonly browserSessions: number;
  readonly connectedApps: number;
  readonly personalTokens: number;
}

/**
 * Ends every way in that a person has but their password: browsers that are signed in or about to be,
 * connected apps with their tokens, personal access tokens. Call it in a transaction.
 */
export async function endAccess(transaction: Queryable, accountId: string): Promise<EndedAccess> {
  const browserSessions = await endBrowserSessionsOf(transaction, accountId);
  const connectedApps = await endGrantsOfPerson(transaction, accountId);
  const personalTokens = await transaction.query(
    'DELETE FROM personal_access_tokens WHERE account_id = $1 RETURNING id',
    [accountId],
  );
  return { browserSessions, connectedApps, personalTokens: personalTokens.length };
}
