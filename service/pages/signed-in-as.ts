import type { Html } from './html.js';
import { markup } from './html.js';

/**
 * Who is signed in, and the way out for who is somebody else: on a shared computer the person before
 * may have forgotten to sign out. It posts to the page's own address.
 */
export function signedInAs(page: { csrf: string; accountName: string; username: string }): Html {
  return markup`<div class="person">
    <p class="soft">Signed in as ${page.accountName} (${page.username}). Not you?</p>
    <form method="post">
      <input type="hidden" name="csrf" value="${page.csrf}" />
      <button type="submit" name="decision" value="switch" class="quiet small">
        Use another account
      </button>
    </form>
  </div>`;
}
