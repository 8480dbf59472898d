import type { Html } from './html.js';
import { markup } from './html.js';
import { layout, problemBox } from './layout.js';
import { signedInAs } from './signed-in-as.js';

/**
 * In place of the consent page, for a person who has no workspace to connect the app to. No new code
 * can help: somebody must add them to one. It posts to its own address.
 */
export function noWorkspacePage(page: {
  csrf: string;
  /** The page's own address: it is the consent page as soon as they were added. */
  address: string;
  clientName: string;
  /** Whether the app belongs to a workspace; else it works in any. */
  isOfWorkspace: boolean;
  accountName: string;
  username: string;
}): Html {
  return layout(
    'A workspace is missing',
    markup`<h1>You need a workspace first</h1>
      ${signedInAs(page)}
      ${problemBox(
        page.isOfWorkspace
          ? 'This app belongs to a workspace that you are not a member of.'
          : 'Your account does not belong to a workspace.',
      )}
      <p>
        ${
          page.isOfWorkspace
            ? 'Ask the people who gave you the app, or who look after Creative Workspace for you, to add this account to their workspace:'
            : 'Ask the owner of your workspace, or the people who look after Creative Workspace for you, to add this account to it:'
        }
        <strong>${page.username}</strong>
      </p>
      <p>
        A new code would not change that. The app waits for some minutes; if you were added by then,
        check again.
      </p>
      <p><a class="button" href="${page.address}">Check again</a></p>
      <form method="post">
        <input type="hidden" name="csrf" value="${page.csrf}" />
        <p class="small soft">
          Not now? Then ${page.clientName} stops waiting, and you start again there later.
        </p>
        <button type="submit" name="decision" value="deny" class="quiet">Do not connect</button>
      </form>`,
  );
}
