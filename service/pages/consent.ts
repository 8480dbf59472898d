import { SCOPES } from '../oauth/scopes.js';
import type { Scope } from '../oauth/scopes.js';
import type { Html } from './html.js';
import { markup } from './html.js';
import { layout } from './layout.js';

/** The consent page: who asks, for what, in which workspace. It posts to its own address. */
export function consentPage(page: {
  csrf: string;
  clientName: string;
  accountName: string;
  username: string;
  workspaceName: string;
  scopes: readonly Scope[];
}): Html {
  return layout(
    'Allow access',
    markup`<h1>Connect ${page.clientName}?</h1>
      <p class="soft">Signed in as ${page.accountName} (${page.username})</p>
      <dl>
        <dt>It will be able to</dt>
        <dd>
          <ul>
            ${page.scopes.map((scope) => markup`<li>${SCOPES[scope]}</li>`)}
          </ul>
        </dd>
        <dt>In the workspace</dt>
        <dd>${page.workspaceName}</dd>
      </dl>
      <p class="small soft">
        Allow this only if you started it yourself. Your password is not shared with the app.
      </p>
      <form method="post">
        <input type="hidden" name="csrf" value="${page.csrf}" />
        <div class="choices">
          <button type="submit" name="decision" value="deny" class="quiet">Deny</button>
          <button type="submit" name="decision" value="allow">Allow</button>
        </div>
      </form>`,
  );
}
