import { TOKEN_EVENTS } from './events.js';
import {
  PERSONAL_TOKEN_DAYS,
  personalTokenEntryProblem,
  tokenRefusal,
  mustSignInAgain,
  apiScopes,
  renderShell,
  type Membership,
  type Scope,
  type PageShell,
  type PageHandler,
} from '../../identity/index.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { html } from '../../kernel/html-tag.js';
import { errorBox, type Page } from '../../kernel/html/layout.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import type { TokenDeps } from './developer.js';
import { scopeFields } from './fields.js';
import { csrfField, selectedAttr } from '../../kernel/html/form-fields.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import { secretPage } from './secret-page.js';

/** The entries of the form for a new token. */
interface TokenEntry {
  readonly name: string;
  readonly workspaceId: string;
  readonly scopes: Scope[];
  readonly days: number;
}

const EMPTY_ENTRY: TokenEntry = { name: '', workspaceId: '', scopes: [], days: 30 };

/**
 * Shows the form for a new personal access token. When the form is sent, makes the token and shows it once. A token outlives
 * the session, so the sign-in must be recent; that of a company is enough for its own workspace.
 */
export function newToken(deps: TokenDeps): PageHandler {
  return async (context) => {
    const { personalTokens, audit, database, authenticators } = deps;
    const { form, account, memberships: workspaces, shell, response, session } = context;
    const { company } = session;
    const needsCode = company === undefined && (await authenticators.isOn(account.id));
    if (mustSignInAgain(session, needsCode)) {
      const query = new URLSearchParams({ to: SETTINGS.newToken });
      sendRedirect(response, `${SETTINGS.signIn}?${query.toString()}`);
      return;
    }
    if (form === undefined) {
      const page = { workspaces, entry: EMPTY_ENTRY, problem: undefined };
      sendPage(context, 200, newTokenPage(shell, page));
      return;
    }
    const entry = readEntry(form);
    const isTheirs = workspaces.some(({ id }) => id === entry.workspaceId);
    const origin = { company, hasSecondFactor: session.methods.includes('mfa') };
    const problem = isTheirs
      ? (personalTokenEntryProblem(entry) ??
        (await tokenRefusal(database, entry.workspaceId, origin)))
      : undefined;
    const secret =
      isTheirs && problem === undefined
        ? await personalTokens.create(
            account.id,
            entry,
            (transaction) => {
              const { workspaceId: workspace, name } = entry;
              const about = { by: account.id, user: account.id, workspace, details: { name } };
              return audit(response, TOKEN_EVENTS.created, about, transaction);
            },
            origin,
          )
        : undefined;
    if (secret === undefined) {
      const why = problem ?? message('chooseAWorkspace');
      sendPage(context, 400, newTokenPage(shell, { workspaces, entry, problem: why }));
      return;
    }
    const page = { title: 'tokenCreated', what: 'tokenOnce', secret, clientId: undefined } as const;
    sendPage(context, 201, secretPage(shell, page));
  };
}

function readEntry(form: URLSearchParams): TokenEntry {
  return {
    name: (form.get('name') ?? '').trim(),
    workspaceId: form.get('workspace') ?? '',
    scopes: apiScopes(form.getAll('scope').join(' ')),
    days: Number(form.get('days')),
  };
}

/** The form for a new personal access token. */
function newTokenPage(
  shell: PageShell,
  about: {
    workspaces: readonly Membership[];
    entry: TokenEntry;
    problem: Message | undefined;
  },
): Page {
  const { entry } = about;
  return renderShell(
    'newToken',
    'developer',
    shell,
    (translator) =>
      html`<h1>${translator.t('newToken')}</h1>
        ${errorBox(translator, about.problem)}
        <form method="post" action="${SETTINGS.newToken}">
          ${csrfField(shell)}
          <label for="name">${translator.t('whatIsItFor')}</label>
          <input id="name" name="name" type="text" value="${entry.name}" maxlength="80" required />
          <label for="workspace">${translator.t('workspace')}</label>
          <select id="workspace" name="workspace">
            ${about.workspaces.map(
              ({ id, name }) =>
                html`<option value="${id}" ${selectedAttr(id === entry.workspaceId)} translate="no">
                  ${name}
                </option>`,
            )}
          </select>
          ${scopeFields(translator, 'itMay', new Set<string>(entry.scopes))}
          <label for="days">${translator.t('itExpiresAfter')}</label>
          <select id="days" name="days">
            ${PERSONAL_TOKEN_DAYS.map(
              (days) =>
                html`<option value="${String(days)}" ${selectedAttr(days === entry.days)}>
                  ${translator.duration({ amount: days, unit: 'day' })}
                </option>`,
            )}
          </select>
          <button type="submit">${translator.t('createToken')}</button>
        </form>`,
  );
}
