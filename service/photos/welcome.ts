import { ROUTES } from '../oauth/routes.js';
import { markup } from '../pages/html.js';
import { page, type Page } from '../pages/layout.js';
import { SETTINGS } from '../settings/paths.js';

/** The page at the root of the service for people who are not signed in: what this is, and how to sign in. */
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
