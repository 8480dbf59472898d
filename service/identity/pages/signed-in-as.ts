import { html, type Html } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';

/**
 * Shows the signed-in user, with a button to switch accounts. On a shared computer, the previous user may have
 * forgotten to sign out. It posts to the page's address.
 */
export function signedInAs(
  translator: Translator,
  about: {
    csrf: string;
    accountName: string;
    username: string;
    /** The only workspace that the session reaches, see `Reach`; undefined for the user's own sign-in. */
    companyName?: string | undefined;
  },
): Html {
  return html`<div class="signed-in-as">
    <p class="soft">
      ${translator.html('signedInAs', { name: about.accountName, username: about.username })}
    </p>
    ${
      about.companyName === undefined
        ? undefined
        : html`<p class="soft small">
            ${translator.html('companyReach', { workspace: about.companyName })}
          </p>`
    }
    <form method="post">
      <input type="hidden" name="csrf" value="${about.csrf}" />
      <button type="submit" name="decision" value="switch" class="quiet small">
        ${translator.t('useAnotherAccount')}
      </button>
    </form>
  </div>`;
}
