import type { Membership } from '../accounts/accounts.js';
import { PERSONAL_TOKEN_DAYS } from '../accounts/personal-access-tokens.js';
import type { PersonalToken } from '../accounts/personal-access-tokens.js';
import { SETTINGS } from '../settings/paths.js';
import type { ClientEntry, WorkspaceClient } from '../oauth/workspace-clients.js';
import { ALL_SCOPES, apiScopes } from '../oauth/scopes.js';
import type { Html } from './html.js';
import { markup } from './html.js';
import { page, problemBox } from './layout.js';
import type { Page } from './layout.js';
import { SCOPE_WORDS } from './scopes.js';
import type { PlainKey, Sentence } from './sentence.js';
import type { Speech } from './speech.js';

/** What every page of Settings shows. */
export interface SettingsFrame {
  readonly csrf: string;
  readonly accountName: string;
  /** Something that was just done, in one sentence. */
  readonly done: Sentence | undefined;
}

type Section = 'apps' | 'developer';

function settingsPage(
  title: Page['title'],
  section: Section,
  frame: SettingsFrame,
  content: (speech: Speech) => Html,
): Page {
  const link = (target: Section, path: string, label: string): Html =>
    markup`<a href="${path}"${section === target ? markup` aria-current="page"` : undefined}
      >${label}</a
    >`;
  return page(
    title,
    (speech) =>
      markup`<nav aria-label="${speech.text('settings')}">
          ${link('apps', SETTINGS.apps, speech.text('connectedApps'))}
          ${link('developer', SETTINGS.developer, speech.text('developer'))}
          <form method="post" action="${SETTINGS.signOut}">
            ${csrfField(frame)}
            <button type="submit" class="quiet small">${speech.text('signOut')}</button>
          </form>
        </nav>
        ${
          frame.done === undefined
            ? undefined
            : markup`<p class="good" role="status">${speech.tell(frame.done)}</p>`
        }
        ${content(speech)}`,
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
): Page {
  return settingsPage(
    'connectedApps',
    'apps',
    frame,
    (speech) =>
      markup`<h1>${speech.text('connectedApps')}</h1>
        <p class="soft">${speech.text('connectedAppsText', { name: frame.accountName })}</p>
        ${apps.length === 0 ? markup`<p>${speech.text('noAppConnected')}</p>` : undefined}
        ${cards(
          apps.map(
            (app) =>
              markup`<li>
                <h2>${app.name}</h2>
                <p class="small">${speech.text('workspaceNamed', { workspace: app.workspaceName })}</p>
                <p class="small">${scopeWords(speech, app.scope)}</p>
                <p class="small soft">
                  ${speech.html('since', { time: speech.time(app.createdAt) })} ·
                  ${lastUsed(speech, app.lastUsedAt)}
                </p>
                <form method="post" action="${SETTINGS.apps}">
                  ${csrfField(frame)}
                  <input type="hidden" name="grant_id" value="${app.grantId}" />
                  <button type="submit" class="danger small">${speech.text('disconnect')}</button>
                </form>
              </li>`,
          ),
        )}`,
  );
}

/** "Developer": OAuth applications of the workspaces, and personal access tokens. */
export function developerPage(
  frame: SettingsFrame,
  workspaces: readonly (Membership & { clients: readonly WorkspaceClient[] })[],
  tokens: readonly PersonalToken[],
): Page {
  return settingsPage(
    'developer',
    'developer',
    frame,
    (speech) =>
      markup`<h1>${speech.text('developer')}</h1>
        <h2>${speech.text('applications')}</h2>
        ${workspaces.map((workspace) =>
          workspace.role === 'owner'
            ? ownedApplications(speech, workspace)
            : markup`<p class="soft small">
                ${speech.text('onlyOwnersOf', { workspace: workspace.name })}
              </p>`,
        )}
        <h2>${speech.text('tokens')}</h2>
        <p class="soft small">
          ${speech.html('tokensText', { header: markup`<code>Authorization: Bearer</code>` })}
        </p>
        ${cards(
          tokens.map(
            (token) =>
              markup`<li>
                <h3>${token.name}</h3>
                <p class="small">
                  ${speech.text('workspaceNamed', { workspace: token.workspaceName })}
                </p>
                <p class="small">${scopeWords(speech, token.scope)}</p>
                <p class="small soft">
                  ${speech.html('made', { time: speech.time(token.createdAt) })} ·
                  ${speech.html('expires', { time: speech.time(token.expiresAt) })} ·
                  ${lastUsed(speech, token.lastUsedAt)}
                </p>
                <form method="post" action="${SETTINGS.tokens}">
                  ${csrfField(frame)}
                  <input type="hidden" name="token_id" value="${token.id}" />
                  <button type="submit" class="danger small">${speech.text('revoke')}</button>
                </form>
              </li>`,
          ),
        )}
        <p><a class="button" href="${SETTINGS.newToken}">${speech.text('newToken')}</a></p>`,
  );
}

function ownedApplications(
  speech: Speech,
  workspace: Membership & { clients: readonly WorkspaceClient[] },
): Html {
  return markup`<p class="small soft">
      ${speech.text('inWorkspace', { workspace: workspace.name })}
    </p>
    ${cards(
      workspace.clients.map(
        (client) =>
          markup`<li>
            <h3><a href="${SETTINGS.application(client.clientId)}">${client.name}</a></h3>
            <p class="small">${speech.text(kind(client.confidential))}</p>
            <p class="small soft"><code>${client.clientId}</code></p>
          </li>`,
      ),
    )}
    <p>
      <a class="button" href="${SETTINGS.newApplication}?workspace=${workspace.id}"
        >${speech.text('newApplication')}</a
      >
    </p>`;
}

/** The form for a new OAuth application. */
export function newApplicationPage(
  frame: SettingsFrame,
  about: {
    workspace: Membership;
    confidential: boolean | undefined;
    entry: ClientEntry;
    problem: Sentence | undefined;
  },
): Page {
  const choice = (value: 'confidential' | 'public', label: string): Html =>
    markup`<label class="option"
      ><input type="radio" name="kind" value="${value}" required${checked(
        about.confidential === (value === 'confidential'),
      )} /> ${label}</label
    >`;
  return settingsPage(
    'newApplication',
    'developer',
    frame,
    (speech) =>
      markup`<h1>${speech.text('newApplication')}</h1>
        <p class="soft">${speech.text('inWorkspace', { workspace: about.workspace.name })}</p>
        ${problemBox(speech, about.problem)}
        <form method="post" action="${SETTINGS.newApplication}">
          ${csrfField(frame)}
          <input type="hidden" name="workspace" value="${about.workspace.id}" />
          <fieldset>
            <legend>${speech.text('whereDoesItRun')}</legend>
            ${choice('confidential', speech.text('onServer'))}
            ${choice('public', speech.text('onMachines'))}
          </fieldset>
          ${entryFields(speech, about.entry)}
          <button type="submit">${speech.text('createApplication')}</button>
        </form>`,
  );
}

/** The page of one OAuth application: change it, give it a new secret, delete it. */
export function applicationPage(
  frame: SettingsFrame,
  about: {
    client: WorkspaceClient;
    workspaceName: string;
    entry: ClientEntry;
    problem: Sentence | undefined;
  },
): Page {
  const { client } = about;
  const action = SETTINGS.application(client.clientId);
  return settingsPage(
    { name: client.name },
    'developer',
    frame,
    (speech) =>
      markup`<h1>${client.name}</h1>
        <p class="soft small">
          ${speech.text('applicationKind', {
            kind: { key: kind(client.confidential), values: {} },
            workspace: about.workspaceName,
          })}
        </p>
        <p class="small">
          ${speech.html('clientIdIs', { id: markup`<code>${client.clientId}</code>` })}
        </p>
        ${problemBox(speech, about.problem)}
        <form method="post" action="${action}">
          ${csrfField(frame)}
          <input type="hidden" name="action" value="save" />
          ${entryFields(speech, about.entry)}
          <button type="submit">${speech.text('saveChanges')}</button>
        </form>
        ${
          client.secretCreatedAt &&
          markup`<h2>${speech.text('clientSecret')}</h2>
          <p class="small soft">
            ${speech.html('secretMade', { time: speech.time(client.secretCreatedAt) })}
          </p>
          <form method="post" action="${action}">
            ${csrfField(frame)}
            <input type="hidden" name="action" value="rotate" />
            <label class="option"
              ><input type="checkbox" name="confirm" value="yes" required />
              ${speech.text('oldSecretStops')}</label
            >
            <button type="submit" class="danger">${speech.text('makeNewSecret')}</button>
          </form>`
        }
        <h2>${speech.text('delete')}</h2>
        <form method="post" action="${action}">
          ${csrfField(frame)}
          <input type="hidden" name="action" value="delete" />
          <label class="option"
            ><input type="checkbox" name="confirm" value="yes" required />
            ${speech.text('everybodyDisconnected')}</label
          >
          <button type="submit" class="danger">${speech.text('deleteApplication')}</button>
        </form>`,
  );
}

/** Shows a secret, once. */
export function secretPage(
  frame: SettingsFrame,
  about: {
    title: PlainKey;
    /** What the secret is, and that it is shown once. */
    what: PlainKey;
    secret: string | undefined;
    clientId: string | undefined;
  },
): Page {
  return settingsPage(
    about.title,
    'developer',
    frame,
    (speech) =>
      markup`<h1>${speech.text(about.title)}</h1>
        ${
          about.clientId === undefined
            ? undefined
            : markup`<p>${speech.text('clientId')}</p>
              <p><code class="secret" id="client_id">${about.clientId}</code></p>`
        }
        ${
          about.secret === undefined
            ? undefined
            : markup`<p>${speech.text(about.what)}</p>
              <p><code class="secret" id="secret">${about.secret}</code></p>`
        }
        <p><a class="button" href="${SETTINGS.developer}">${speech.text('done')}</a></p>`,
  );
}

/** The form for a new personal access token. */
export function newTokenPage(
  frame: SettingsFrame,
  about: {
    workspaces: readonly Membership[];
    workspaceId: string;
    name: string;
    scope: string;
    days: number;
    problem: Sentence | undefined;
  },
): Page {
  const scopes = new Set(about.scope.split(' '));
  return settingsPage(
    'newToken',
    'developer',
    frame,
    (speech) =>
      markup`<h1>${speech.text('newToken')}</h1>
        ${problemBox(speech, about.problem)}
        <form method="post" action="${SETTINGS.newToken}">
          ${csrfField(frame)}
          <label for="name">${speech.text('whatIsItFor')}</label>
          <input id="name" name="name" type="text" value="${about.name}" maxlength="80" required />
          <label for="workspace">${speech.text('workspace')}</label>
          <select id="workspace" name="workspace">
            ${about.workspaces.map(
              ({ id, name }) =>
                markup`<option value="${id}"${selected(id === about.workspaceId)}>${name}</option>`,
            )}
          </select>
          ${scopeFields(speech, 'itMay', scopes)}
          <label for="days">${speech.text('itExpiresAfter')}</label>
          <select id="days" name="days">
            ${PERSONAL_TOKEN_DAYS.map(
              (days) =>
                markup`<option value="${String(days)}"${selected(
                  days === about.days,
                )}>${speech.duration({ amount: days, unit: 'day' })}</option>`,
            )}
          </select>
          <button type="submit">${speech.text('createToken')}</button>
        </form>`,
  );
}

function entryFields(speech: Speech, entry: ClientEntry): Html {
  return markup`<label for="name">${speech.text('name')}</label>
    <input id="name" name="name" type="text" value="${entry.name}" maxlength="80" required />
    <label for="redirect_uris">${speech.text('redirectUris')}</label>
    <textarea id="redirect_uris" name="redirect_uris" rows="3" spellcheck="false" required>
${entry.redirectUris.join('\n')}</textarea
    >
    <p class="small soft">
      ${speech.html('redirectUrisText', {
        web: markup`<code>https://…</code>`,
        loopback: markup`<code>http://127.0.0.1/path</code>`,
      })}
    </p>
    ${scopeFields(speech, 'mayAskFor', new Set<string>(entry.scopes))}`;
}

function scopeFields(speech: Speech, legend: PlainKey, chosen: ReadonlySet<string>): Html {
  return markup`<fieldset>
    <legend>${speech.text(legend)}</legend>
    ${ALL_SCOPES.map(
      (scope) =>
        markup`<label class="option"
          ><input type="checkbox" name="scope" value="${scope}"${checked(chosen.has(scope))} />
          <span>${speech.text(SCOPE_WORDS[scope])} (${scope})</span></label
        >`,
    )}
  </fieldset>`;
}

/** A list of things; nothing where there is none. */
function cards(items: readonly Html[]): Html | undefined {
  return items.length === 0 ? undefined : markup`<ul class="cards">${items}</ul>`;
}

function csrfField(frame: SettingsFrame): Html {
  return markup`<input type="hidden" name="csrf" value="${frame.csrf}" />`;
}

function checked(is: boolean): Html | undefined {
  return is ? markup` checked` : undefined;
}

function selected(is: boolean): Html | undefined {
  return is ? markup` selected` : undefined;
}

function kind(confidential: boolean): PlainKey {
  return confidential ? 'confidential' : 'public';
}

function scopeWords(speech: Speech, scope: string): string {
  return apiScopes(scope)
    .map((one) => speech.text(SCOPE_WORDS[one]))
    .join(' · ');
}

function lastUsed(speech: Speech, date: Date | undefined): Html {
  return date === undefined
    ? speech.html('notUsedYet')
    : speech.html('lastUsed', { time: speech.time(date) });
}
