import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Queryable } from '../../kernel/database/database.js';
import { endGrant, lockGrant } from '../../identity/index.js';

/**
 * Ends the grant of a credential that was used twice
 * ([RFC 9700 §4.14.2](https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2)). Call it in a transaction.
 * @returns false when the grant had ended already, for instance because the user disconnected the app.
 */
export async function endReusedGrant(transaction: Queryable, grantId: string): Promise<boolean> {
  const isThere = await lockGrant(transaction, grantId);
  if (isThere) {
    await endGrant(transaction, grantId);
  }
  return isThere;
}

/** Emits the event that oidc-provider emits when it finds a reuse itself. Call it after a reuse has ended a grant. */
export function emitReuse(ctx: KoaContextWithOIDC, grantId: string): void {
  ctx.oidc.provider.emit('grant.revoked', ctx, grantId);
}
