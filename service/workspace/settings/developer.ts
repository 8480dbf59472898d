import { TOKEN_EVENTS } from './events.js';
import {
  reachOf,
  renderShell,
  type Membership,
  type Audit,
  type AuthenticatorApps,
  type PersonalToken,
  type PersonalTokens,
  type PageShell,
  type PageHandler,
} from '../../identity/index.js';
import type { Queryable } from '../../kernel/database/database.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import type { WorkspaceClient, WorkspaceClients } from '../../oauth/index.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import type { Page } from '../../kernel/html/layout.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { clientKind, lastUsed, scopeWords } from './components.js';
import { cards } from '../../kernel/html/components.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import { webhookHeading, webhookList, type Webhook, type WebhookTable } from '../webhooks/index.js';

/** A workspace with what programs use in it; without anything for members who are no owners. */
interface OwnedWorkspace extends Membership {
  readonly clients: readonly WorkspaceClient[];
  readonly webhooks: readonly Webhook[];
}

/** Shows the applications and webhooks of the workspaces that the user owns, and the user's own tokens. */
export function developer({
  clients,
  webhooks,
  personalTokens,
}: {
  readonly clients: WorkspaceClients;
  readonly webhooks: Pick<WebhookTable, 'of'>;
  readonly personalTokens: PersonalTokens;
}): PageHandler {
  return async (context) => {
    const { memberships, shell } = context;
    const workspaces = memberships.map(async (workspace) => ({
      ...workspace,
      ...(workspace.role === 'owner'
        ? { clients: await clients.of(workspace.id), webhooks: await webhooks.of(workspace.id) }
        : { clients: [], webhooks: [] }),
    }));
    const tokens = await personalTokens.of(reachOf(context));
    sendPage(context, 200, developerPage(shell, await Promise.all(workspaces), tokens));
  };
}

/** The dependencies of the pages that change tokens. */
export interface TokenDeps {
  readonly personalTokens: PersonalTokens;
  readonly database: Queryable;
  readonly authenticators: Pick<AuthenticatorApps, 'isOn'>;
  readonly audit: Audit;
}

/** Revokes one of the user's tokens. */
export function revokeToken({
  personalTokens,
  audit,
}: Pick<TokenDeps, 'personalTokens' | 'audit'>): PageHandler {
  return async (context) => {
    const { response, form } = context;
    const { id } = context.account;
    await personalTokens.revoke(
      reachOf(context),
      form?.get('token_id') ?? '',
      (transaction, { name, workspaceId: workspace }) => {
        const about = { by: id, user: id, workspace, details: { name } };
        return audit(response, TOKEN_EVENTS.revoked, about, transaction);
      },
    );
    sendRedirect(response, `${SETTINGS.developer}?flash=revoked`);
  };
}

/** The page "Developer": OAuth applications of the workspaces, and personal access tokens. */
function developerPage(
  shell: PageShell,
  workspaces: readonly OwnedWorkspace[],
  tokens: readonly PersonalToken[],
): Page {
  return renderShell(
    'developer',
    'developer',
    shell,
    (translator) =>
      html`<h1>${translator.t('developer')}</h1>
        <h2>${translator.t('applications')}</h2>
        ${workspaces.map((workspace) =>
          workspace.role === 'owner'
            ? ownedApplications(translator, workspace)
            : html`<p class="soft small">
                ${translator.html('onlyOwnersOf', { workspace: workspace.name })}
              </p>`,
        )}
        ${workspaces
          .filter(({ role }) => role === 'owner')
          .map(
            (workspace, index) =>
              html`${index === 0 ? webhookHeading(translator) : undefined}
              ${webhookList(translator, workspace, workspace.webhooks)}`,
          )}
        <h2>${translator.t('tokens')}</h2>
        <p class="soft small">
          ${translator.html('tokensText', { header: html`<code translate="no">Authorization: Bearer</code>` })}
        </p>
        ${cards(
          tokens.map(
            (token) =>
              html`<li>
                <h3>${verbatim(token.name)}</h3>
                <p class="small">
                  ${translator.html('workspaceNamed', { workspace: token.workspaceName })}
                </p>
                <p class="small">${scopeWords(translator, token.scope)}</p>
                <p class="small soft">
                  ${translator.html('made', { time: translator.time(token.createdAt) })} ·
                  ${translator.html('expires', { time: translator.time(token.expiresAt) })} ·
                  ${lastUsed(translator, token.lastUsedAt)}
                </p>
                <form method="post" action="${SETTINGS.tokens}">
                  ${csrfField(shell)}
                  <input type="hidden" name="token_id" value="${token.id}" />
                  <button type="submit" class="danger small">${translator.t('revoke')}</button>
                </form>
              </li>`,
          ),
        )}
        <p>
          <a class="button quiet small" href="${SETTINGS.newToken}">${translator.t('newToken')}</a>
        </p>`,
  );
}

function ownedApplications(translator: Translator, workspace: OwnedWorkspace): Html {
  return html`<p class="small soft">
      ${translator.html('inWorkspace', { workspace: workspace.name })}
    </p>
    ${cards(
      workspace.clients.map(
        (client) =>
          html`<li>
            <h3><a href="${SETTINGS.application(client.clientId)}">${verbatim(client.name)}</a></h3>
            <p class="small">${translator.t(clientKind(client.confidential))}</p>
            <p class="small soft"><code translate="no">${client.clientId}</code></p>
          </li>`,
      ),
    )}
    <p>
      <a class="button quiet small" href="${SETTINGS.newApplication}?workspace=${workspace.id}"
        >${translator.t('newApplication')}</a
      >
    </p>`;
}
