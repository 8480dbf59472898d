import { Provider } from 'oidc-provider';
import type { Queryable } from '../database/database.js';
import { endGrant, lockGrant } from './grants.js';

/**
 * Ends the grant of a refresh token or code that was used twice
 * ([RFC 9700 §4.14.2](https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2)). Call it in a transaction.
 * @returns false when the grant had ended already, for instance because the person disconnected the app.
 */
export async function endReusedGrant(transaction: Queryable, grantId: string): Promise<boolean> {
  const isThere = await lockGrant(transaction, grantId);
  if (isThere) {
    await endGrant(transaction, grantId);
  }
  return isThere;
}

/** Tells the provider's listeners that a reuse has ended a grant, as oidc-provider does where it finds the reuse. */
export function tellOfReuse(grantId: string): void {
  const ctx = Provider.ctx;
  ctx?.oidc.provider.emit('grant.revoked', ctx, grantId);
}
