import { ROUTES } from '../oauth/routes.js';
import { markup } from '../pages/html.js';
import { page, type Page } from '../pages/layout.js';
import { SETTINGS } from '../settings/paths.js';

/** What stands at the root of the service for who is not signed in: what this is, and the way in. */
export function welcomePage(): Page {
  return page(
    'welcomeTitle',
    (speech) =>
      markup`<h1>${speech.text('welcomeTitle')}</h1>
        <p>${speech.text('welcomeText')}</p>
        <p><a class="button" href="${SETTINGS.signIn}">${speech.text('signIn')}</a></p>
        <p class="soft small">${speech.linked('pageEndedCode', ROUTES.code_verification)}</p>`,
  );
}
