import { COMPANY_EVENTS } from '../company/events.js';
import type { Accounts } from '../accounts/accounts.js';
import type { Audit } from '../accounts/audit.js';
import type { CompanyIdentities, LinkedCompany } from '../company/identities.js';
import type { PasswordChanges } from '../passwords/password-changes.js';
import type { AuthenticatedRequest } from '../session/authenticated-request.js';
import type { PageShell } from '../session/page-shell.js';
import { cards } from '../../kernel/html/components.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { html, type Html } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { LINK_PARAMETER, PEOPLE_PATHS } from '../../site/addresses/people-paths.js';

/** The dependencies of what the account page has about company accounts. */
export interface CompanyLinksDeps {
  readonly accounts: Accounts;
  readonly identities: CompanyIdentities;
  readonly passwordChanges: PasswordChanges;
  readonly audit: Audit;
}

/**
 * Handles the forms about company accounts.
 * @returns the page to go to; undefined when the user may not do this: only a user with a password can unlink a company
 *   account, and only a user without one gets a link to choose one.
 */
export async function changeCompanyLinks(
  { accounts, identities, passwordChanges, audit }: CompanyLinksDeps,
  { response, account: { id } }: Pick<AuthenticatedRequest, 'response' | 'account'>,
  form: URLSearchParams,
): Promise<string | undefined> {
  const hasPassword = await accounts.hasPassword(id);
  if (form.get('action') === 'choose-password' && !hasPassword) {
    const token = await passwordChanges.makeReset(id);
    return `${PEOPLE_PATHS.reset}?${new URLSearchParams({ [LINK_PARAMETER]: token }).toString()}`;
  }
  if (form.get('action') === 'unlink' && hasPassword) {
    const workspace = form.get('workspace') ?? '';
    await identities.unlink(id, workspace, (transaction) =>
      audit(response, COMPANY_EVENTS.unlinked, { by: id, user: id, workspace }, transaction),
    );
    return `${PEOPLE_PATHS.account}?flash=companyUnlinked`;
  }
  return undefined;
}

/** The company accounts that open an account; a user with a password can unlink them. */
export function companyLinks(
  translator: Translator,
  shell: PageShell,
  linked: readonly LinkedCompany[],
  hasPassword: boolean,
): Html | undefined {
  const unlink = (workspaceId: string): Html =>
    html`<form method="post" action="${PEOPLE_PATHS.account}">
      ${csrfField(shell)}
      <input type="hidden" name="action" value="unlink" />
      <input type="hidden" name="workspace" value="${workspaceId}" />
      <button type="submit" class="quiet small">${translator.t('companyUnlink')}</button>
    </form>`;
  return linked.length === 0
    ? undefined
    : html`<h2>${translator.t('companyAccount')}</h2>
        <p class="soft small">${translator.t('companyOpensThis')}</p>
        ${cards(
          linked.map(
            ({ workspaceId, workspaceName }) =>
              html`<li>
                <h3>${workspaceName}</h3>
                ${hasPassword ? unlink(workspaceId) : undefined}
              </li>`,
          ),
        )}`;
}

/** For users without a password: the way to choose one. */
export function choosePasswordForm(translator: Translator, shell: PageShell): Html {
  return html`<p>${translator.t('noPasswordYet')}</p>
    <form method="post" action="${PEOPLE_PATHS.account}">
      ${csrfField(shell)}
      <input type="hidden" name="action" value="choose-password" />
      <button type="submit">${translator.t('choosePassword')}</button>
    </form>`;
}
