import { markup } from './html.js';
import { page, problemBox, type Page } from './layout.js';
import { sentence } from './sentence.js';
import { signedInAs } from './signed-in-as.js';

/**
 * In place of the consent page, for a person who has no workspace to connect the app to. No new code
 * can help: somebody must add them to one. It posts to its own address.
 */
export function noWorkspacePage(about: {
  csrf: string;
  /** The page's own address: it shows the consent page once the person was added to a workspace. */
  address: string;
  clientName: string;
  /** Whether the app belongs to a workspace; else it works in any. */
  isOfWorkspace: boolean;
  accountName: string;
  username: string;
}): Page {
  const { isOfWorkspace } = about;
  return page(
    'workspaceMissing',
    (speech) =>
      markup`<h1>${speech.text('needWorkspace')}</h1>
        ${signedInAs(speech, about)}
        ${problemBox(speech, sentence(isOfWorkspace ? 'notAMember' : 'noWorkspace'))}
        <p>
          ${speech.text(isOfWorkspace ? 'askForThatWorkspace' : 'askForWorkspace')}
          <strong>${about.username}</strong>
        </p>
        <p>${speech.text('noNewCode')}</p>
        <p><a class="button" href="${about.address}">${speech.text('checkAgain')}</a></p>
        <form method="post">
          <input type="hidden" name="csrf" value="${about.csrf}" />
          <p class="small soft">${speech.text('notNow', { app: about.clientName })}</p>
          <button type="submit" name="decision" value="deny" class="quiet">
            ${speech.text('doNotConnect')}
          </button>
        </form>`,
  );
}
