import type { Membership } from '../accounts/accounts.js';
import type { AuthenticatedRequest, PageHandler } from '../session/authenticated-request.js';
import { renderShell, type PageShell } from '../session/page-shell.js';
import { settingsProblemPage } from '../../site/error-pages.js';
import { html, type Html } from '../../kernel/html-tag.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { message } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';

/** One part of the page: loads the settings of a workspace, and shows them with a heading and a form. */
export type SecuritySection = (
  workspace: Membership,
) => Promise<(translator: Translator, shell: PageShell) => Html>;

/** Settings → Security: the rules of a workspace for sign-ins, for its owners. */
export function securityPage(sections: readonly SecuritySection[]): PageHandler {
  return async (context) => {
    const { query, memberships, shell } = context;
    const workspace = ownedWorkspace(memberships, query.get('workspace'));
    if (workspace === undefined) {
      sendPage(context, 403, settingsProblemPage(message('onlyOwnersSecurity')));
      return;
    }
    const parts = await Promise.all(sections.map((section) => section(workspace)));
    const shellOfWorkspace = { ...shell, workspace };
    const page = renderShell(
      'security',
      'security',
      shellOfWorkspace,
      (translator) =>
        html`<h1>${translator.t('security')}</h1>
          <p class="soft">${translator.html('workspaceNamed', { workspace: workspace.name })}</p>
          <p class="soft small">${translator.t('securityText')}</p>
          ${parts.map((part) => part(translator, shellOfWorkspace))}`,
    );
    sendPage(context, 200, page);
  };
}

/**
 * Handles a form of one part of the page, for an owner of the workspace in it.
 * @param save returns whether it stored the form; false for a value that is not offered.
 */
export function securitySetting(
  save: (
    context: AuthenticatedRequest,
    workspace: Membership,
    form: URLSearchParams,
  ) => Promise<boolean>,
): PageHandler {
  return async (context) => {
    const { response, form, memberships } = context;
    const workspace = ownedWorkspace(memberships, form?.get('workspace') ?? '');
    if (form === undefined || workspace === undefined) {
      sendPage(context, 403, settingsProblemPage(message('onlyOwnersSecurity')));
    } else if (await save(context, workspace, form)) {
      const query = new URLSearchParams({ workspace: workspace.id, flash: 'saved' });
      sendRedirect(response, `${SETTINGS.security}?${query.toString()}`);
    } else {
      sendPage(context, 400, settingsProblemPage(message('cannotBeDone')));
    }
  };
}

/** @param wanted the id of a workspace; null for the first one that the user owns. */
function ownedWorkspace(
  memberships: readonly Membership[],
  wanted: string | null,
): Membership | undefined {
  const owned = memberships.filter(({ role }) => role === 'owner');
  return wanted === null ? owned[0] : owned.find(({ id }) => id === wanted);
}
