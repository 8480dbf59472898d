import { markup, type Html } from './html.js';
import type { Speech } from './speech.js';

/**
 * Shows who is signed in, and lets anybody else switch to their own account: on a shared computer the previous person
 * may have forgotten to sign out. It posts to the page's own address.
 */
export function signedInAs(
  speech: Speech,
  about: { csrf: string; accountName: string; username: string },
): Html {
  return markup`<div class="person">
    <p class="soft">
      ${speech.text('signedInAs', { name: about.accountName, username: about.username })}
    </p>
    <form method="post">
      <input type="hidden" name="csrf" value="${about.csrf}" />
      <button type="submit" name="decision" value="switch" class="quiet small">
        ${speech.text('useAnotherAccount')}
      </button>
    </form>
  </div>`;
}
