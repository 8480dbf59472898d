import { ROUTES } from '../../../site/addresses/oauth-paths.js';
import { html } from '../../../kernel/html-tag.js';
import { page, type Page } from '../../../kernel/html/layout.js';
import { SETTINGS } from '../../../site/addresses/settings-paths.js';

/** The page at the root of the service for anonymous visitors: a description and the sign-in. */
export function landingPage(): Page {
  return page(
    'welcomeTitle',
    (translator) =>
      html`<h1>${translator.t('welcomeTitle')}</h1>
        <p>${translator.t('welcomeText')}</p>
        <p><a class="button" href="${SETTINGS.signIn}">${translator.t('signIn')}</a></p>
        <p class="soft small">
          ${translator.withLink('pageEndedCode', ROUTES.code_verification)}
        </p>`,
  );
}
