import {
  setMembersSeeAll,
  type Membership,
  type Audit,
  type PageShell,
  type PageHandler,
  POLICY_EVENTS,
} from '../../identity/index.js';
import type { Database } from '../../kernel/database/database.js';
import { settingsProblemPage } from '../../site/error-pages.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { html, type Html } from '../../kernel/html-tag.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { message } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { PEOPLE_PATHS, peoplePath } from '../../site/addresses/people-paths.js';

/** Lets an owner choose whether all members of a workspace see all of its photos. Opening needs a confirmation. */
export function visibilitySetting({
  database,
  audit,
}: {
  readonly database: Database;
  readonly audit: Audit;
}): PageHandler {
  return async (context) => {
    const { response, form, account, memberships } = context;
    const id = form?.get('workspace');
    const workspace = memberships.find((one) => one.id === id && one.role === 'owner');
    const choice = form?.get('members') ?? '';
    if (workspace === undefined || !['all', 'own'].includes(choice)) {
      sendPage(context, 403, settingsProblemPage(message('onlyOwnersOpen')));
      return;
    }
    if (choice === 'all' && form?.get('confirm') !== 'yes') {
      sendPage(context, 400, settingsProblemPage(message('tickTheBox')));
      return;
    }
    await database.transaction(async (transaction) => {
      await setMembersSeeAll(transaction, workspace.id, choice === 'all');
      const details = { setting: 'visibility', value: choice };
      const about = { by: account.id, workspace: workspace.id, details };
      await audit(response, POLICY_EVENTS.changed, about, transaction);
    });
    sendRedirect(response, peoplePath(workspace.id, 'saved'));
  };
}

/** Shows who can see the photos of a workspace; owners can change it. */
export function visibilityForm(
  translator: Translator,
  shell: PageShell,
  { id, name, role, membersSeeAll }: Membership,
): Html {
  const text = translator.t(membersSeeAll ? 'allMembersSee' : 'membersSeeOwn');
  return html`<h2>${translator.t('whoSeesPhotos')}</h2>
    <p class="soft small">${text}</p>
    ${
      role !== 'owner'
        ? undefined
        : html`<form method="post" action="${PEOPLE_PATHS.visibility}">
            ${csrfField(shell)}
            <input type="hidden" name="workspace" value="${id}" />
            ${
              membersSeeAll
                ? undefined
                : html`<label class="option"
                    ><input type="checkbox" name="confirm" value="yes" required />
                    <span>${translator.html('opensViewing', { workspace: name })}</span></label
                  >`
            }
            <button
              type="submit"
              name="members"
              value="${membersSeeAll ? 'own' : 'all'}"
              class="quiet small"
            >
              ${translator.t(membersSeeAll ? 'closeViewing' : 'openViewing')}
            </button>
          </form>`
    }`;
}
