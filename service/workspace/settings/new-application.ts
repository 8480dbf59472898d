import { APPLICATION_EVENTS } from './events.js';
import {
  renderShell,
  type Membership,
  type PageShell,
  type PageHandler,
} from '../../identity/index.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { clientEntryProblem, type ClientEntry } from '../../oauth/index.js';
import { html, type Html } from '../../kernel/html-tag.js';
import { errorBox, type Page } from '../../kernel/html/layout.js';
import { settingsProblemPage } from '../../site/error-pages.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import type { ApplicationDeps } from './application.js';
import { entryFields, readEntry } from './application-form.js';
import { checkedAttr, csrfField } from '../../kernel/html/form-fields.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import { secretPage } from './secret-page.js';

const EMPTY_ENTRY: ClientEntry = { name: '', redirectUris: [], scopes: [] };

/** Whether an application is confidential, by the value of `kind` in the form. */
const IS_CONFIDENTIAL: ReadonlyMap<string, boolean> = new Map([
  ['confidential', true],
  ['public', false],
]);

/** Shows the form for a new application of a workspace that the user owns, and makes the application. */
export function newApplication({ clients, officialNames, audit }: ApplicationDeps): PageHandler {
  return async (context) => {
    const { response, query, form, account, memberships, shell } = context;
    const owned = memberships.filter(({ role }) => role === 'owner');
    const id = (form ?? query).get('workspace') ?? undefined;
    if (form === undefined && id === undefined && owned.length > 1) {
      // That page has a button for each workspace, which names the workspace in the address.
      sendRedirect(response, SETTINGS.developer);
      return;
    }
    const workspace =
      form === undefined && id === undefined ? owned[0] : owned.find((one) => one.id === id);
    if (workspace === undefined) {
      sendPage(context, 403, settingsProblemPage(message('onlyOwners')));
      return;
    }
    const confidential = IS_CONFIDENTIAL.get(form?.get('kind') ?? '');
    const entry = form === undefined ? EMPTY_ENTRY : readEntry(form);
    const show = (status: number, problem: Message | undefined): void => {
      const page = { workspace, confidential, entry, problem };
      sendPage(context, status, newApplicationPage(shell, page));
    };
    if (form === undefined) {
      show(200, undefined);
      return;
    }
    if (confidential === undefined) {
      show(400, message('chooseWhere'));
      return;
    }
    const problem = clientEntryProblem(entry, confidential, officialNames);
    if (problem !== undefined) {
      show(400, problem);
      return;
    }
    const created = await clients.create(workspace.id, confidential, entry, (transaction) => {
      const about = { by: account.id, workspace: workspace.id, details: { name: entry.name } };
      return audit(response, APPLICATION_EVENTS.created, about, transaction);
    });
    const page = { title: 'applicationCreated', what: 'clientSecretOnce', ...created } as const;
    sendPage(context, 201, secretPage(shell, page));
  };
}

/** The form for a new OAuth application. */
function newApplicationPage(
  shell: PageShell,
  about: {
    workspace: Membership;
    confidential: boolean | undefined;
    entry: ClientEntry;
    problem: Message | undefined;
  },
): Page {
  const choice = (value: 'confidential' | 'public', label: string): Html =>
    html`<label class="option"
      ><input
        type="radio"
        name="kind"
        value="${value}"
        required
        ${checkedAttr(about.confidential === (value === 'confidential'))}
      />
      ${label}</label
    >`;
  return renderShell(
    'newApplication',
    'developer',
    shell,
    (translator) =>
      html`<h1>${translator.t('newApplication')}</h1>
        <p class="soft">${translator.html('inWorkspace', { workspace: about.workspace.name })}</p>
        ${errorBox(translator, about.problem)}
        <form method="post" action="${SETTINGS.newApplication}">
          ${csrfField(shell)}
          <input type="hidden" name="workspace" value="${about.workspace.id}" />
          <fieldset>
            <legend>${translator.t('whereDoesItRun')}</legend>
            ${choice('confidential', translator.t('onServer'))}
            ${choice('public', translator.t('onMachines'))}
          </fieldset>
          ${entryFields(translator, about.entry)}
          <button type="submit">${translator.t('createApplication')}</button>
        </form>`,
  );
}
