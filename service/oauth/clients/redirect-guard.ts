import type { KoaContextWithOIDC } from 'oidc-provider';
import { companyOf, type Accounts } from '../../identity/index.js';
import { leavingPage } from '../../site/error-pages.js';
import { clientText, WORKSPACE_ID } from './client-metadata.js';
import { send } from '../device/device-pages.js';
import { isRoute } from '../context/request-state.js';

/**
 * Keeps the authorization endpoint from being an open redirector
 * ([RFC 9700 §4.11.2](https://www.rfc-editor.org/rfc/rfc9700#section-4.11.2)). Every owner of a workspace can register an app with
 * any address. oidc-provider answers an invalid request of that app with a redirect to it at once. Here the user
 * confirms the redirect first, unless they are signed in and belong to the app's workspace.
 *
 * The platform's apps get their errors at once: they listen on the user's machine.
 */
export function guardRedirects(accounts: Accounts) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    if (!isRoute(ctx, 'authorization') && !isRoute(ctx, 'resume')) {
      return;
    }
    const address = ctx.response.get('Location');
    if (!URL.canParse(address)) {
      return;
    }
    const url = new URL(address);
    const { client, session, provider } = ctx.oidc;
    if (client === undefined || url.origin === new URL(provider.issuer).origin) {
      return;
    }
    const workspaceId = clientText(client, WORKSPACE_ID);
    if (workspaceId === undefined) {
      return;
    }
    const { accountId } = session ?? {};
    const company = companyOf(session?.amr);
    const workspaces =
      accountId === undefined ? [] : await accounts.workspacesOf({ accountId, company });
    if (workspaces.some(({ id }) => id === workspaceId)) {
      return;
    }
    ctx.remove('Location');
    const answer = url.search === '' ? new URLSearchParams(url.hash.slice(1)) : url.searchParams;
    send(
      ctx,
      400,
      leavingPage({
        clientName: client.clientName ?? client.clientId,
        host: url.host,
        address,
        problem: answer.get('error_description') ?? answer.get('error') ?? 'invalid_request',
      }),
    );
  };
}
