import { html, verbatim } from '../../kernel/html-tag.js';
import { page, errorBox, type Page } from '../../kernel/html/layout.js';
import { message } from '../../kernel/i18n/message.js';
import { signedInAs } from '../../identity/index.js';

/**
 * Replaces the consent page for users without a workspace for the app. A new code would not help: an owner must add
 * them to a workspace. It posts to the page's address.
 */
export function noWorkspacePage(about: {
  csrf: string;
  /** The page's address: it shows the consent page once the user has been added to a workspace. */
  address: string;
  clientName: string;
  /** Whether the app belongs to one workspace; otherwise it works in any. */
  isOfWorkspace: boolean;
  accountName: string;
  username: string;
  /** See {@link signedInAs}. */
  companyName: string | undefined;
}): Page {
  const { isOfWorkspace } = about;
  return page(
    'workspaceMissing',
    (translator) =>
      html`<h1>${translator.t('needWorkspace')}</h1>
        ${signedInAs(translator, about)}
        ${errorBox(translator, message(isOfWorkspace ? 'notAMember' : 'noWorkspace'))}
        <p>
          ${translator.t(isOfWorkspace ? 'askForThatWorkspace' : 'askForWorkspace')}
          <strong>${verbatim(about.username)}</strong>
        </p>
        <p>${translator.t('noNewCode')}</p>
        <p><a class="button" href="${about.address}">${translator.t('checkAgain')}</a></p>
        <form method="post">
          <input type="hidden" name="csrf" value="${about.csrf}" />
          <p class="small soft">${translator.html('notNow', { app: about.clientName })}</p>
          <button type="submit" name="decision" value="deny" class="quiet">
            ${translator.t('doNotConnect')}
          </button>
        </form>`,
  );
}
