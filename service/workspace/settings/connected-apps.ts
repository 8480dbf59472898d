import type { Provider } from 'oidc-provider';
import {
  validateName,
  reachOf,
  renderShell,
  type Audit,
  type AuthenticatedRequest,
  type PageHandler,
  type PageShell,
} from '../../identity/index.js';
import type { ConnectedApp, ConnectedApps } from '../../oauth/index.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import { cards } from '../../kernel/html/components.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import type { Page } from '../../kernel/html/layout.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { message } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { MAX_DEVICE_NAME } from '../../site/addresses/device-paths.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import { waitingPhotos, type DeviceTable, type StoredReport } from '../../library/index.js';
import { lastUsed, scopeWords } from './components.js';

export interface ConnectedAppsDeps {
  readonly connections: ConnectedApps;
  readonly provider: Provider;
  readonly devices: Pick<DeviceTable, 'waiting'>;
  readonly audit: Audit;
  readonly now: () => Date;
}

/** A connected app with the name of its client. */
type NamedApp = ConnectedApp & { readonly name: string };

/** Shows the connected apps of the user, and which photos wait in them. Disconnects or renames one of them. */
export function connectedApps(deps: ConnectedAppsDeps): PageHandler {
  return async (context) => {
    const { form, response } = context;
    if (form === undefined) {
      await showApps(deps, context);
    } else if (form.get('action') === 'rename') {
      await renameApp(deps, context, form);
    } else {
      await disconnectApp(deps, context, form);
      sendRedirect(response, `${SETTINGS.apps}?flash=disconnected`);
    }
  };
}

async function renameApp(
  deps: ConnectedAppsDeps,
  context: AuthenticatedRequest,
  form: URLSearchParams,
): Promise<void> {
  const { response } = context;
  const name = form.get('device_name')?.trim() ?? '';
  const problem = validateName(name, MAX_DEVICE_NAME);
  if (problem !== undefined) {
    await showApps(deps, {
      ...context,
      shell: { ...context.shell, problem: message('nameTheComputer', { problem }) },
    });
    return;
  }
  const by = { audit: deps.audit, response };
  await deps.connections.rename(reachOf(context), form.get('grant_id') ?? '', name, by);
  sendRedirect(response, `${SETTINGS.apps}?flash=saved`);
}

async function disconnectApp(
  { connections, provider, audit }: ConnectedAppsDeps,
  context: AuthenticatedRequest,
  form: URLSearchParams,
): Promise<void> {
  const { response } = context;
  const grantId = form.get('grant_id') ?? '';
  const app = (await connections.of(reachOf(context))).find((one) => one.grantId === grantId);
  const client = app && (await provider.Client.find(app.clientId));
  const ended = { grantId, client: client?.clientName };
  await connections.end(reachOf(context), ended, { audit, response });
}

async function showApps(
  { connections, provider, devices, now }: ConnectedAppsDeps,
  context: AuthenticatedRequest,
): Promise<void> {
  const { account, shell, memberships } = context;
  const apps = (await connections.of(reachOf(context))).map(async (connection) => {
    const client = await provider.Client.find(connection.clientId);
    return { ...connection, name: client?.clientName ?? connection.clientId };
  });
  const waiting = memberships.map(({ id }) => devices.waiting(id, account.id));
  const page = connectedAppsPage(shell, await Promise.all(apps), {
    waiting: (await Promise.all(waiting)).flat(),
    now: now(),
  });
  sendPage(context, shell.problem === undefined ? 200 : 400, page);
}

/** The page "Connected apps": the apps that the user allowed, by computer. */
function connectedAppsPage(
  shell: PageShell,
  apps: readonly NamedApp[],
  { waiting, now }: { readonly waiting: readonly StoredReport[]; readonly now: Date },
): Page {
  return renderShell(
    'connectedApps',
    'apps',
    shell,
    (translator) =>
      html`<h1>${translator.t('connectedApps')}</h1>
        <p class="soft">${translator.html('connectedAppsText', { name: shell.accountName })}</p>
        ${waitingPhotos(translator, waiting, now)}
        ${apps.length === 0 ? html`<p>${translator.t('noAppConnected')}</p>` : undefined}
        ${cards(apps.map((app) => appCard(translator, shell, app)))}`,
  );
}

function appCard(translator: Translator, shell: PageShell, app: NamedApp): Html {
  const { device, name } = app;
  const about = [
    ...(device.name === undefined ? [] : [name]),
    ...[device.app, device.os].filter((part) => part !== undefined),
  ];
  return html`<li>
    <h2>${verbatim(device.name ?? name)}</h2>
    ${about.length === 0 ? undefined : html`<p>${about.join(' · ')}</p>`}
    <p class="small">${translator.html('workspaceNamed', { workspace: app.workspaceName })}</p>
    <p class="small">${scopeWords(translator, app.scope)}</p>
    <p class="small soft">
      ${translator.html('since', { time: translator.time(app.createdAt) })} ·
      ${lastUsed(translator, app.lastUsedAt)}
    </p>
    <div class="card-actions">
      <details>
        <summary class="button quiet small">${translator.t('rename')}</summary>
        <form method="post" action="${SETTINGS.apps}" class="fields">
          ${csrfField(shell)}
          <input type="hidden" name="action" value="rename" />
          <input type="hidden" name="grant_id" value="${app.grantId}" />
          <div>
            <label for="name-${app.grantId}">${translator.t('computerName')}</label>
            <input
              id="name-${app.grantId}"
              name="device_name"
              type="text"
              value="${device.name ?? ''}"
              maxlength="${String(MAX_DEVICE_NAME)}"
              autocomplete="off"
              required
            />
          </div>
          <button type="submit" class="small">${translator.t('saveChanges')}</button>
        </form>
      </details>
      <form method="post" action="${SETTINGS.apps}">
        ${csrfField(shell)}
        <input type="hidden" name="grant_id" value="${app.grantId}" />
        <button type="submit" class="danger small">${translator.t('disconnect')}</button>
      </form>
    </div>
  </li>`;
}
