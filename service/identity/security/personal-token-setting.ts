import { POLICY_EVENTS } from './events.js';
import { allowsTokens, setAllowsTokens } from '../accounts/personal-access-tokens.js';
import type { Audit } from '../accounts/audit.js';
import type { PageHandler } from '../session/authenticated-request.js';
import type { Database } from '../../kernel/database/database.js';
import { checkedAttr, csrfField } from '../../kernel/html/form-fields.js';
import { html } from '../../kernel/html-tag.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import { securitySetting, type SecuritySection } from './security-page.js';

export interface PersonalTokenSettingDeps {
  readonly database: Database;
  readonly audit: Audit;
}

/** Lets an owner choose whether members may create personal access tokens. */
export function personalTokenSetting({ database, audit }: PersonalTokenSettingDeps): PageHandler {
  return securitySetting(async ({ response, account }, workspace, form) => {
    const isAllowed = form.get('personal_tokens') === 'yes';
    await database.transaction(async (transaction) => {
      if (await setAllowsTokens(transaction, workspace.id, isAllowed)) {
        const details = { setting: 'personal_tokens', value: isAllowed ? 'on' : 'off' };
        const about = { by: account.id, workspace: workspace.id, details };
        await audit(response, POLICY_EVENTS.changed, about, transaction);
      }
    });
    return true;
  });
}

/** Shows whether members may create personal access tokens, and what that means. */
export function personalTokenSection({ database }: PersonalTokenSettingDeps): SecuritySection {
  return async ({ id }) => {
    const isAllowed = await allowsTokens(database, id);
    return (translator, shell) =>
      html`<h2>${translator.t('tokens')}</h2>
        <p class="soft small">${translator.t('personalTokensText')}</p>
        <form method="post" action="${SETTINGS.personalTokenPolicy}">
          ${csrfField(shell)}
          <input type="hidden" name="workspace" value="${id}" />
          <label class="option"
            ><input type="checkbox" name="personal_tokens" value="yes" ${checkedAttr(isAllowed)} />
            <span>${translator.t('allowTokens')}</span></label
          >
          <button type="submit">${translator.t('saveChanges')}</button>
        </form>`;
  };
}
