import { markup, type Html } from './html.js';
import type { Speech } from './speech.js';

/**
 * Who is signed in, and a way out for anybody else: on a shared computer the person before may have forgotten to sign
 * out. It posts to the page's own address.
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
