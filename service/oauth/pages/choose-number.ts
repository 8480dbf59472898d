import { html } from '../../platform/html-tag.js';
import type { ContinueForm } from '../../platform/html/error-pages.js';
import { page, type Page } from '../../platform/html/layout.js';

/** How often the page loads itself again, to show the outcome. */
const REFRESH_SECONDS = 3;

/** The page with the number that the user chooses in the app. It shows the outcome as soon as there is one. */
export function chooseNumberPage(about: {
  number: string;
  /** The app with its version, if it is known. */
  appName: string;
  deviceName: string | undefined;
  /** Where the form goes that ends the sign-in. */
  continuation: ContinueForm;
}): Page {
  const { number, appName: app, deviceName: device, continuation } = about;
  return page(
    'chooseNumber',
    (translator) =>
      html`<h1>${translator.t('chooseNumberHeading', { app })}</h1>
        <p class="big-number" aria-live="polite">${number}</p>
        <p>
          ${
            device === undefined
              ? translator.t('chooseNumberText', { app })
              : translator.t('chooseNumberOnText', { app, device })
          }
        </p>
        <p class="small">${translator.t('chooseNumberWarning')}</p>
        <form method="post" action="${continuation.action}">
          <input type="hidden" name="csrf" value="${continuation.csrf}" />
          <button type="submit" name="decision" value="no-number" class="quiet">
            ${translator.t('seeNoNumbers')}
          </button>
        </form>`,
    { refreshSeconds: REFRESH_SECONDS },
  );
}
