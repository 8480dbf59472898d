import { SCOPES } from '../oauth/scopes.js';
import type { Scope } from '../oauth/scopes.js';
import type { Workspace } from '../accounts/accounts.js';
import type { Html } from './html.js';
import { markup } from './html.js';
import { layout, problemBox } from './layout.js';
import { signedInAs } from './signed-in-as.js';

/** Who made an app. */
export type Maker =
  | 'platform'
  /** The owner of the workspace with this name. */
  | { readonly workspaceName: string };

/** The consent page: who asks, for what, in which workspace. It posts to its own address. */
export function consentPage(page: {
  csrf: string;
  clientName: string;
  maker: Maker;
  /** Where the browser goes after the answer, when it leaves the service. */
  redirectHost: string | undefined;
  accountName: string;
  username: string;
  /** The ones to choose from; never empty. */
  workspaces: readonly Workspace[];
  scopes: readonly Scope[];
  problem: string | undefined;
}): Html {
  const single = page.workspaces.length === 1 ? page.workspaces[0] : undefined;
  return layout(
    'Allow access',
    markup`<h1>Connect ${page.clientName}?</h1>
      ${madeBy(page.maker)}
      ${signedInAs(page)} ${problemBox(page.problem)}
      <dl>
        <dt>It will be able to</dt>
        <dd>
          <ul>
            ${page.scopes.map((scope) => markup`<li>${SCOPES[scope]}</li>`)}
          </ul>
        </dd>
        ${
          single &&
          markup`<dt>In the workspace</dt>
          <dd>${single.name}</dd>`
        }
        ${
          page.redirectHost &&
          markup`<dt>Your answer goes to</dt>
          <dd>${page.redirectHost}</dd>`
        }
      </dl>
      <p class="small soft">
        Allow this only if you started it yourself. Your password is not shared with the app.
      </p>
      <form method="post">
        <input type="hidden" name="csrf" value="${page.csrf}" />
        ${single === undefined ? workspaceChoice(page.workspaces) : undefined}
        <div class="choices">
          <button type="submit" name="decision" value="deny" class="quiet" formnovalidate>Deny</button>
          <button type="submit" name="decision" value="allow">Allow</button>
        </div>
      </form>`,
  );
}

/** Anybody who owns a workspace can register an app of any name: the page says who made it. */
function madeBy(maker: Maker): Html {
  return maker === 'platform'
    ? markup`<p class="box small">An official app of Creative Workspace.</p>`
    : markup`<p class="box small">
        Made by the owner of ${maker.workspaceName}; not checked by Creative Workspace.
      </p>`;
}

/** None is chosen beforehand: photos in the wrong workspace are seen by the wrong people. */
function workspaceChoice(workspaces: readonly Workspace[]): Html {
  return markup`<fieldset>
    <legend>In which workspace?</legend>
    ${workspaces.map(
      ({ id, name }) =>
        markup`<label class="option"
          ><input type="radio" name="workspace" value="${id}" required /> ${name}</label
        >`,
    )}
  </fieldset>`;
}
