import { html } from '../../kernel/html-tag.js';
import { page, type Page } from '../../kernel/html/layout.js';

/** Lets a signed-in user choose between this account and another one. It posts to the page's address. */
export function accountChoicePage(about: {
  csrf: string;
  accountName: string;
  username: string;
}): Page {
  return page(
    'whichAccount',
    (translator) =>
      html`<h1>${translator.t('whichAccount')}</h1>
        <p class="soft">
          ${translator.html('whichAccountText', { name: about.accountName, username: about.username })}
        </p>
        <form method="post">
          <input type="hidden" name="csrf" value="${about.csrf}" />
          <div class="choices">
            <button type="submit" name="decision" value="continue" class="quiet">
              ${translator.html('continueAs', { name: about.accountName })}
            </button>
            <button type="submit" name="decision" value="switch">
              ${translator.t('useAnotherAccount')}
            </button>
          </div>
        </form>`,
  );
}
