import type { Provider } from 'oidc-provider';
import { sendPage, sendRedirect } from '../../platform/http/responses.js';
import type { ConnectedApps } from '../../oauth/tokens/connected-apps.js';
import { html } from '../../platform/html-tag.js';
import type { Page } from '../../platform/html/layout.js';
import { waitingPhotos, type DeviceTable, type StoredReport } from '../devices/index.js';
import { lastUsed, scopeWords } from './components.js';
import { cards } from '../../platform/html/components.js';
import { csrfField } from '../../platform/html/form-fields.js';
import { renderShell, type PageShell } from '../../auth/session/page-shell.js';
import { SETTINGS } from '../../platform/paths/settings-paths.js';
import type { PageHandler } from '../../auth/session/authenticated-request.js';

export interface ConnectedAppsDeps {
  readonly connections: ConnectedApps;
  readonly provider: Provider;
  readonly devices: Pick<DeviceTable, 'waiting'>;
  readonly now: () => Date;
}

/** Shows the connected apps of the user, and which photos wait in them. */
export function connectedApps({
  connections,
  provider,
  devices,
  now,
}: ConnectedAppsDeps): PageHandler {
  return async (context) => {
    const { account, frame, memberships } = context;
    const apps = (await connections.of(account.id)).map(async (connection) => {
      const client = await provider.Client.find(connection.clientId);
      return { ...connection, name: client?.clientName ?? connection.clientId };
    });
    const waiting = memberships.map(({ id }) => devices.waiting(id, account.id));
    const page = connectedAppsPage(frame, await Promise.all(apps), {
      waiting: (await Promise.all(waiting)).flat(),
      now: now(),
    });
    sendPage(context, 200, page);
  };
}

/** Disconnects one of the apps of the user. */
export function disconnectApp(connections: ConnectedApps): PageHandler {
  return async ({ response, form, account }) => {
    await connections.end(account.id, form?.get('grant_id') ?? '');
    sendRedirect(response, `${SETTINGS.apps}?done=disconnected`);
  };
}

/** The page "Connected apps": the apps that the user allowed, each with a button that disconnects it. */
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
  { waiting, now }: { readonly waiting: readonly StoredReport[]; readonly now: Date },
): Page {
  return renderShell(
    'connectedApps',
    'apps',
    frame,
    (translator) =>
      html`<h1>${translator.t('connectedApps')}</h1>
        <p class="soft">${translator.t('connectedAppsText', { name: frame.accountName })}</p>
        ${waitingPhotos(translator, waiting, now)}
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
