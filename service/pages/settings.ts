import type { Membership } from '../accounts/accounts.js';
import { PERSONAL_TOKEN_DAYS } from '../accounts/personal-access-tokens.js';
import type { PersonalToken } from '../accounts/personal-access-tokens.js';
import { SETTINGS } from '../settings/paths.js';
import type { ClientEntry, WorkspaceClient } from '../oauth/workspace-clients.js';
import { ALL_SCOPES, apiScopes, SCOPES } from '../oauth/scopes.js';
import type { Html } from './html.js';
import { markup } from './html.js';
import { layout, problemBox } from './layout.js';

/** What every page of Settings shows. */
export interface SettingsFrame {
  readonly csrf: string;
  readonly accountName: string;
  /** Something that was just done, in one sentence. */
  readonly done: string | undefined;
}

type Section = 'apps' | 'developer';

function settingsLayout(
  title: string,
  section: Section,
  frame: SettingsFrame,
  content: Html,
): Html {
  const link = (target: Section, path: string, label: string): Html =>
    markup`<a href="${path}"${section === target ? markup` aria-current="page"` : undefined}
      >${label}</a
    >`;
  return layout(
    title,
    markup`<nav aria-label="Settings">
        ${link('apps', SETTINGS.apps, 'Connected apps')}
        ${link('developer', SETTINGS.developer, 'Developer')}
        <form method="post" action="${SETTINGS.signOut}">
          ${csrfField(frame)}
          <button type="submit" class="quiet small">Sign out</button>
        </form>
      </nav>
      ${
        frame.done === undefined
          ? undefined
          : markup`<p class="good" role="status">${frame.done}</p>`
      }
      ${content}`,
    'wide',
  );
}

/** "Connected apps": what the person allowed, each with a button that ends it. */
export function connectedAppsPage(
  frame: SettingsFrame,
  apps: readonly {
    grantId: string;
    name: string;
    workspaceName: string;
    scope: string;
    createdAt: Date;
    lastUsedAt: Date | undefined;
  }[],
): Html {
  return settingsLayout(
    'Connected apps',
    'apps',
    frame,
    markup`<h1>Connected apps</h1>
      <p class="soft">
        Apps that you, ${frame.accountName}, allowed to use your account. Disconnecting an app ends
        its access at once; photos it uploaded stay.
      </p>
      ${apps.length === 0 ? markup`<p>No app is connected.</p>` : undefined}
      <ul class="cards">
        ${apps.map(
          (app) =>
            markup`<li>
              <h3>${app.name}</h3>
              <p class="small">Workspace: ${app.workspaceName}</p>
              <p class="small">${scopeWords(app.scope)}</p>
              <p class="small soft">
                Since ${time(app.createdAt)} · ${lastUsed(app.lastUsedAt)}
              </p>
              <form method="post" action="${SETTINGS.apps}">
                ${csrfField(frame)}
                <input type="hidden" name="grant_id" value="${app.grantId}" />
                <button type="submit" class="danger small">Disconnect</button>
              </form>
            </li>`,
        )}
      </ul>`,
  );
}

/** "Developer": OAuth applications of the workspaces, and personal access tokens. */
export function developerPage(
  frame: SettingsFrame,
  workspaces: readonly (Membership & { clients: readonly WorkspaceClient[] })[],
  tokens: readonly PersonalToken[],
): Html {
  return settingsLayout(
    'Developer',
    'developer',
    frame,
    markup`<h1>Developer</h1>
      <h2>OAuth applications</h2>
      ${workspaces.map((workspace) =>
        workspace.role === 'owner'
          ? ownedApplications(workspace)
          : markup`<p class="soft small">
              ${workspace.name}: only owners of this workspace register applications.
            </p>`,
      )}
      <h2>Personal access tokens</h2>
      <p class="soft small">
        For scripts of your own. Send one as <code>Authorization: Bearer</code> to the data API. It
        can do what you can do, within its scopes: keep it like a password.
      </p>
      <ul class="cards">
        ${tokens.map(
          (token) =>
            markup`<li>
              <h3>${token.name}</h3>
              <p class="small">Workspace: ${token.workspaceName}</p>
              <p class="small">${scopeWords(token.scope)}</p>
              <p class="small soft">
                Made ${time(token.createdAt)} · expires ${time(token.expiresAt)} ·
                ${lastUsed(token.lastUsedAt)}
              </p>
              <form method="post" action="${SETTINGS.tokens}">
                ${csrfField(frame)}
                <input type="hidden" name="token_id" value="${token.id}" />
                <button type="submit" class="danger small">Revoke</button>
              </form>
            </li>`,
        )}
      </ul>
      <p><a class="button" href="${SETTINGS.newToken}">New personal access token</a></p>`,
  );
}

function ownedApplications(workspace: Membership & { clients: readonly WorkspaceClient[] }): Html {
  return markup`<p class="small soft">In the workspace ${workspace.name}</p>
    <ul class="cards">
      ${workspace.clients.map(
        (client) =>
          markup`<li>
            <h3><a href="${SETTINGS.application(client.clientId)}">${client.name}</a></h3>
            <p class="small">${kindWords(client.confidential)}</p>
            <p class="small soft"><code>${client.clientId}</code></p>
          </li>`,
      )}
    </ul>
    <p>
      <a class="button" href="${SETTINGS.newApplication}?workspace=${workspace.id}"
        >New OAuth application</a
      >
    </p>`;
}

/** The form for a new OAuth application. */
export function newApplicationPage(
  frame: SettingsFrame,
  page: {
    workspace: Membership;
    confidential: boolean | undefined;
    entry: ClientEntry;
    problem: string | undefined;
  },
): Html {
  const kind = (value: 'confidential' | 'public', label: string): Html =>
    markup`<label class="option"
      ><input type="radio" name="kind" value="${value}" required${checked(
        page.confidential === (value === 'confidential'),
      )} /> ${label}</label
    >`;
  return settingsLayout(
    'New OAuth application',
    'developer',
    frame,
    markup`<h1>New OAuth application</h1>
      <p class="soft">In the workspace ${page.workspace.name}</p>
      ${problemBox(page.problem)}
      <form method="post" action="${SETTINGS.newApplication}">
        ${csrfField(frame)}
        <input type="hidden" name="workspace" value="${page.workspace.id}" />
        <fieldset>
          <legend>Where does it run?</legend>
          ${kind('confidential', 'On a server: it gets a client secret')}
          ${kind('public', 'On people’s own machines: it has no secret')}
        </fieldset>
        ${entryFields(page.entry)}
        <button type="submit">Create application</button>
      </form>`,
  );
}

/** The page of one OAuth application: change it, give it a new secret, delete it. */
export function applicationPage(
  frame: SettingsFrame,
  page: {
    client: WorkspaceClient;
    workspaceName: string;
    entry: ClientEntry;
    problem: string | undefined;
  },
): Html {
  const { client } = page;
  const action = SETTINGS.application(client.clientId);
  return settingsLayout(
    client.name,
    'developer',
    frame,
    markup`<h1>${client.name}</h1>
      <p class="soft small">
        ${kindWords(client.confidential)}, in the workspace ${page.workspaceName}
      </p>
      <p class="small">Client ID: <code>${client.clientId}</code></p>
      ${problemBox(page.problem)}
      <form method="post" action="${action}">
        ${csrfField(frame)}
        <input type="hidden" name="action" value="save" />
        ${entryFields(page.entry)}
        <button type="submit">Save changes</button>
      </form>
      ${
        client.secretCreatedAt &&
        markup`<h2>Client secret</h2>
        <p class="small soft">Made ${time(client.secretCreatedAt)}. It is stored as a hash only.</p>
        <form method="post" action="${action}">
          ${csrfField(frame)}
          <input type="hidden" name="action" value="rotate" />
          <label class="option"
            ><input type="checkbox" name="confirm" value="yes" required /> The old secret stops
            working at once</label
          >
          <button type="submit" class="danger">Make a new secret</button>
        </form>`
      }
      <h2>Delete</h2>
      <form method="post" action="${action}">
        ${csrfField(frame)}
        <input type="hidden" name="action" value="delete" />
        <label class="option"
          ><input type="checkbox" name="confirm" value="yes" required /> Everybody who connected it is
          disconnected</label
        >
        <button type="submit" class="danger">Delete application</button>
      </form>`,
  );
}

/** Shows a secret, once. */
export function secretPage(
  frame: SettingsFrame,
  page: {
    title: string;
    what: string;
    secret: string | undefined;
    clientId: string | undefined;
  },
): Html {
  return settingsLayout(
    page.title,
    'developer',
    frame,
    markup`<h1>${page.title}</h1>
      ${
        page.clientId === undefined
          ? undefined
          : markup`<p>Client ID</p>
            <p><code class="secret" id="client_id">${page.clientId}</code></p>`
      }
      ${
        page.secret === undefined
          ? undefined
          : markup`<p>${page.what}. Copy it now: it is not shown again.</p>
            <p><code class="secret" id="secret">${page.secret}</code></p>`
      }
      <p><a class="button" href="${SETTINGS.developer}">Done</a></p>`,
  );
}

/** The form for a new personal access token. */
export function newTokenPage(
  frame: SettingsFrame,
  page: {
    workspaces: readonly Membership[];
    workspaceId: string;
    name: string;
    scope: string;
    days: number;
    problem: string | undefined;
  },
): Html {
  const scopes = new Set(page.scope.split(' '));
  return settingsLayout(
    'New personal access token',
    'developer',
    frame,
    markup`<h1>New personal access token</h1>
      ${problemBox(page.problem)}
      <form method="post" action="${SETTINGS.newToken}">
        ${csrfField(frame)}
        <label for="name">What is it for?</label>
        <input id="name" name="name" type="text" value="${page.name}" maxlength="80" required />
        <label for="workspace">Workspace</label>
        <select id="workspace" name="workspace">
          ${page.workspaces.map(
            ({ id, name }) =>
              markup`<option value="${id}"${
                id === page.workspaceId ? markup` selected` : undefined
              }>${name}</option>`,
          )}
        </select>
        ${scopeFields('It may', scopes)}
        <label for="days">It expires after</label>
        <select id="days" name="days">
          ${PERSONAL_TOKEN_DAYS.map(
            (days) =>
              markup`<option value="${String(days)}"${
                days === page.days ? markup` selected` : undefined
              }>${String(days)} days</option>`,
          )}
        </select>
        <button type="submit">Create token</button>
      </form>`,
  );
}

function entryFields(entry: ClientEntry): Html {
  return markup`<label for="name">Name</label>
    <input id="name" name="name" type="text" value="${entry.name}" maxlength="80" required />
    <label for="redirect_uris">Redirect URIs, one per line</label>
    <textarea id="redirect_uris" name="redirect_uris" rows="3" spellcheck="false" required>
${entry.redirectUris.join('\n')}</textarea
    >
    <p class="small soft">
      On a server: <code>https://…</code>, compared character by character. On people’s machines:
      <code>http://127.0.0.1/path</code>, with any port.
    </p>
    ${scopeFields('It may ask people for permission to', new Set<string>(entry.scopes))}`;
}

function scopeFields(legend: string, chosen: ReadonlySet<string>): Html {
  return markup`<fieldset>
    <legend>${legend}</legend>
    ${ALL_SCOPES.map(
      (scope) =>
        markup`<label class="option"
          ><input type="checkbox" name="scope" value="${scope}"${checked(chosen.has(scope))} />
          ${SCOPES[scope]} (${scope})</label
        >`,
    )}
  </fieldset>`;
}

function csrfField(frame: SettingsFrame): Html {
  return markup`<input type="hidden" name="csrf" value="${frame.csrf}" />`;
}

function checked(is: boolean): Html | undefined {
  return is ? markup` checked` : undefined;
}

function kindWords(confidential: boolean): string {
  return confidential ? 'Runs on a server (confidential)' : 'Runs on people’s machines (public)';
}

function scopeWords(scope: string): string {
  return apiScopes(scope)
    .map((one) => SCOPES[one])
    .join('. ');
}

function lastUsed(date: Date | undefined): string {
  return date === undefined ? 'not used yet' : `last used ${time(date)}`;
}

/** Without scripts the reader's time zone is not known. */
function time(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
