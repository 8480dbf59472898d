import type { Provider } from 'oidc-provider';
import { sendPage, sendRedirect } from '../http/responses.js';
import type { ConnectedApps } from '../oauth/grants.js';
import { html } from '../pages/html.js';
import type { Page } from '../pages/layout.js';
import { cards, lastUsed, scopeWords } from './cards.js';
import { csrfField } from '../visits/form-fields.js';
import { renderShell, type PageShell } from '../visits/frame.js';
import { SETTINGS } from './paths.js';
import type { PageHandler } from '../visits/authenticated-request.js';

/** Shows the connected apps of a person. */
export function connectedApps(connections: ConnectedApps, provider: Provider): PageHandler {
  return async (context) => {
    const { account, frame } = context;
    const apps = (await connections.of(account.id)).map(async (connection) => {
      const client = await provider.Client.find(connection.clientId);
      return { ...connection, name: client?.clientName ?? connection.clientId };
    });
    sendPage(context, 200, connectedAppsPage(frame, await Promise.all(apps)));
  };
}

/** Disconnects one of the apps of a person. */
export function disconnectApp(connections: ConnectedApps): PageHandler {
  return async ({ response, form, account }) => {
    await connections.end(account.id, form?.get('grant_id') ?? '');
    sendRedirect(response, `${SETTINGS.apps}?done=disconnected`);
  };
}

/** The page "Connected apps": the apps that the person allowed, each with a button that disconnects it. */
function connectedAppsPage(
  frame: PageShell,
  apps: readonly {
    grantId: string;
    name: string;
    workspaceName: string;
    scope: string;
    createdAt: Date;
    lastUsedAt: Date | undefined;
  }[],
): Page {
  return renderShell(
    'connectedApps',
    'apps',
    frame,
    (translator) =>
      html`<h1>${translator.t('connectedApps')}</h1>
        <p class="soft">${translator.t('connectedAppsText', { name: frame.accountName })}</p>
        ${apps.length === 0 ? html`<p>${translator.t('noAppConnected')}</p>` : undefined}
        ${cards(
          apps.map(
            (app) =>
              html`<li>
                <h2>${app.name}</h2>
                <p class="small">
                  ${translator.t('workspaceNamed', { workspace: app.workspaceName })}
                </p>
                <p class="small">${scopeWords(translator, app.scope)}</p>
                <p class="small soft">
                  ${translator.html('since', { time: translator.time(app.createdAt) })} ·
                  ${lastUsed(translator, app.lastUsedAt)}
                </p>
                <form method="post" action="${SETTINGS.apps}">
                  ${csrfField(frame)}
                  <input type="hidden" name="grant_id" value="${app.grantId}" />
                  <button type="submit" class="danger small">${translator.t('disconnect')}</button>
                </form>
              </li>`,
          ),
        )}`,
  );
}
