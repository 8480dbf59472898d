import type { EventDeclaration } from '../../kernel/events/event.js';
import { APPLICATION_EVENTS } from './events.js';
import {
  apiScopes,
  renderShell,
  type Audit,
  type PageShell,
  type AuthenticatedRequest,
  type PageHandler,
} from '../../identity/index.js';
import type { Queryable } from '../../kernel/database/database.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import {
  clientEntryProblem,
  type ReservedClientNames,
  type ClientEntry,
  type WorkspaceClient,
  type WorkspaceClients,
} from '../../oauth/index.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import { errorBox, type Page } from '../../kernel/html/layout.js';
import { notFoundPage } from '../../site/error-pages.js';
import { message, type PlainKey, type Message } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { entryFields, readEntry } from './application-form.js';
import { clientKind } from './components.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import { secretPage } from './secret-page.js';

/** The result of a form about an application. */
type Outcome =
  | { readonly goTo: string }
  | { readonly secret: string }
  /** Nothing was changed. */
  | { readonly entry: ClientEntry; readonly problem: Message };

/** The dependencies of the pages that change applications. */
export interface ApplicationDeps {
  readonly clients: WorkspaceClients;
  readonly officialNames: ReservedClientNames;
  readonly audit: Audit;
}

/** Shows one application to an owner of its workspace, and changes it. */
export function application(deps: ApplicationDeps): PageHandler {
  const { clients } = deps;
  return async (context) => {
    const { response, id, form, memberships, shell } = context;
    const client = await clients.find(id);
    const workspace = memberships.find(
      (one) => one.id === client?.workspaceId && one.role === 'owner',
    );
    // The same answer in both cases: only owners of its workspace learn whether an application exists.
    if (client === undefined || workspace === undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const outcome =
      form === undefined
        ? { entry: entryOf(client), problem: undefined }
        : await change(deps, client, form, context);
    if ('goTo' in outcome) {
      sendRedirect(response, outcome.goTo);
    } else if ('secret' in outcome) {
      const { clientId } = client;
      const page = { title: 'newSecret', what: 'newSecretOnce', clientId, ...outcome } as const;
      sendPage(context, 200, secretPage(shell, page));
    } else {
      const page = { client, workspaceName: workspace.name, ...outcome };
      sendPage(context, outcome.problem === undefined ? 200 : 400, applicationPage(shell, page));
    }
  };
}

/** Changes an application by its form: saves the entry, makes a new secret, or deletes the application. */
async function change(
  { clients, officialNames, audit }: ApplicationDeps,
  client: WorkspaceClient,
  form: URLSearchParams,
  { response, account }: AuthenticatedRequest,
): Promise<Outcome> {
  const { clientId, confidential, workspaceId: workspace, name } = client;
  const record =
    (event: EventDeclaration, called = name) =>
    (transaction: Queryable): Promise<void> =>
      audit(response, event, { by: account.id, workspace, details: { name: called } }, transaction);
  const action = form.get('action');
  if (action === 'save') {
    const entry = readEntry(form);
    const problem = clientEntryProblem(entry, confidential, officialNames);
    if (problem !== undefined) {
      return { entry, problem };
    }
    await clients.update(clientId, entry, record(APPLICATION_EVENTS.changed, entry.name));
    return { goTo: `${SETTINGS.application(clientId)}?flash=saved` };
  }
  if (form.get('confirm') !== 'yes') {
    return { entry: entryOf(client), problem: message('tickTheBox') };
  }
  if (action === 'rotate' && confidential) {
    return {
      secret: await clients.rotateSecret(clientId, record(APPLICATION_EVENTS.secretCreated)),
    };
  }
  if (action === 'delete') {
    await clients.remove(clientId, record(APPLICATION_EVENTS.deleted));
    return { goTo: `${SETTINGS.developer}?flash=deleted` };
  }
  return { entry: entryOf(client), problem: message('cannotBeDone') };
}

function entryOf(client: WorkspaceClient): ClientEntry {
  return {
    name: client.name,
    redirectUris: client.redirectUris,
    scopes: apiScopes(client.scope),
  };
}

/** The page on which an owner changes one OAuth application, makes a new secret for it, or deletes it. */
function applicationPage(
  shell: PageShell,
  about: {
    client: WorkspaceClient;
    workspaceName: string;
    entry: ClientEntry;
    problem: Message | undefined;
  },
): Page {
  const { client } = about;
  return renderShell(
    { name: client.name },
    'developer',
    shell,
    (translator) =>
      html`<h1>${verbatim(client.name)}</h1>
        <p class="soft small">
          ${translator.html('applicationKind', {
            kind: { key: clientKind(client.confidential), values: {} },
            workspace: about.workspaceName,
          })}
        </p>
        <p class="small">
          ${translator.html('clientIdIs', { id: html`<code translate="no">${client.clientId}</code>` })}
        </p>
        ${errorBox(translator, about.problem)}
        <form method="post" action="${SETTINGS.application(client.clientId)}">
          ${csrfField(shell)}
          <input type="hidden" name="action" value="save" />
          ${entryFields(translator, about.entry)}
          <button type="submit">${translator.t('saveChanges')}</button>
        </form>
        ${client.secretCreatedAt && newSecret(translator, shell, client, client.secretCreatedAt)}
        <h2>${translator.t('delete')}</h2>
        ${confirmedForm(translator, shell, client, {
          action: 'delete',
          warning: 'everybodyDisconnected',
          button: 'deleteApplication',
        })}`,
  );
}

function newSecret(
  translator: Translator,
  shell: PageShell,
  client: WorkspaceClient,
  madeAt: Date,
): Html {
  return html`<h2>${translator.t('clientSecret')}</h2>
    <p class="small soft">${translator.html('secretMade', { time: translator.time(madeAt) })}</p>
    ${confirmedForm(translator, shell, client, {
      action: 'rotate',
      warning: 'oldSecretStops',
      button: 'makeNewSecret',
    })}`;
}

/** A form with a button for what cannot be undone, and a box to tick before. */
function confirmedForm(
  translator: Translator,
  shell: PageShell,
  client: WorkspaceClient,
  about: { action: string; warning: PlainKey; button: PlainKey },
): Html {
  return html`<form method="post" action="${SETTINGS.application(client.clientId)}">
    ${csrfField(shell)}
    <input type="hidden" name="action" value="${about.action}" />
    <label class="option"
      ><input type="checkbox" name="confirm" value="yes" required />
      ${translator.t(about.warning)}</label
    >
    <button type="submit" class="danger">${translator.t(about.button)}</button>
  </form>`;
}
