import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Queryable } from '../../kernel/database/database.js';
import { ROUTES } from '../../site/addresses/oauth-paths.js';
import { clientText, WORKSPACE_ID } from '../clients/client-metadata.js';

/** How clients authenticate that may introspect tokens. */
export const CONFIDENTIAL_METHODS = ['client_secret_basic', 'client_secret_post'] as const;

/**
 * Whether a client may read about a token: it must be an access token of the client's workspace, and its user a member.
 * Other tokens get the answer of an unknown one
 * ([RFC 7662 §2.2](https://www.rfc-editor.org/rfc/rfc7662#section-2.2)).
 */
export async function mayIntrospect(
  database: Queryable,
  client: object,
  token: { readonly kind: string; readonly grantId?: string | undefined },
): Promise<boolean> {
  const workspaceId = clientText(client, WORKSPACE_ID);
  if (token.kind !== 'AccessToken' || workspaceId === undefined || token.grantId === undefined) {
    return false;
  }
  const found = await database.query(
    `SELECT 1 FROM consents JOIN workspace_members USING (workspace_id, account_id)
      WHERE grant_id = $1 AND workspace_id = $2`,
    [token.grantId, workspaceId],
  );
  return found.length > 0;
}

/**
 * Middleware that refuses introspection to clients without a secret: anyone can use their ids
 * ([RFC 7662 §2.1](https://www.rfc-editor.org/rfc/rfc7662#section-2.1)). The answer does not depend on the token.
 */
export async function refusePublicClients(
  ctx: KoaContextWithOIDC,
  next: () => Promise<void>,
): Promise<void> {
  await next();
  if (ctx.path !== ROUTES.introspection || ctx.status !== 200) {
    return;
  }
  if (ctx.oidc.client?.clientAuthMethod === 'none') {
    ctx.status = 401;
    ctx.set(
      'WWW-Authenticate',
      `Basic realm="${ctx.oidc.provider.issuer}", error="invalid_client"`,
    );
    ctx.body = { error: 'invalid_client', error_description: 'client authentication is required' };
  }
}
