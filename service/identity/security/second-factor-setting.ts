import { POLICY_EVENTS } from './events.js';
import type { Audit } from '../accounts/audit.js';
import { workspaceNeedsSecondFactor } from '../second-factor/second-factor.js';
import type { PageHandler } from '../session/authenticated-request.js';
import type { Database } from '../../kernel/database/database.js';
import { checkedAttr, csrfField } from '../../kernel/html/form-fields.js';
import { html } from '../../kernel/html-tag.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import { securitySetting, type SecuritySection } from './security-page.js';

export interface SecondFactorSettingDeps {
  readonly database: Database;
  readonly audit: Audit;
}

/** Lets an owner choose whether users prove a second factor before they allow an app. */
export function secondFactorSetting({ database, audit }: SecondFactorSettingDeps): PageHandler {
  return securitySetting(async ({ response, account }, workspace, form) => {
    const isNeeded = form.get('second_factor') === 'yes';
    await database.transaction(async (transaction) => {
      const changed = await transaction.query(
        `UPDATE workspaces SET needs_second_factor = $2
          WHERE id = $1 AND needs_second_factor <> $2 RETURNING id`,
        [workspace.id, isNeeded],
      );
      if (changed.length > 0) {
        const details = { setting: 'second_factor', value: isNeeded ? 'on' : 'off' };
        const about = { by: account.id, workspace: workspace.id, details };
        await audit(response, POLICY_EVENTS.changed, about, transaction);
      }
    });
    return true;
  });
}

/** Shows whether users prove a second factor, and what that means. */
export function secondFactorSection({ database }: SecondFactorSettingDeps): SecuritySection {
  return async ({ id }) => {
    const isNeeded = await workspaceNeedsSecondFactor(database, id);
    return (translator, shell) =>
      html`<h2>${translator.t('secondFactor')}</h2>
        <p class="soft small">${translator.t('secondFactorText')}</p>
        <form method="post" action="${SETTINGS.secondFactorPolicy}">
          ${csrfField(shell)}
          <input type="hidden" name="workspace" value="${id}" />
          <label class="option"
            ><input type="checkbox" name="second_factor" value="yes" ${checkedAttr(isNeeded)} />
            <span>${translator.t('askSecondFactor')}</span></label
          >
          <button type="submit">${translator.t('saveChanges')}</button>
        </form>`;
  };
}
