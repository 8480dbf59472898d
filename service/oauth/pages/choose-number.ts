import { html } from '../../kernel/html-tag.js';
import type { ContinueForm } from '../../site/error-pages.js';
import { page, type Page } from '../../kernel/html/layout.js';

/** A name of a computer with no room for a sentence of an attacker, who names the computer of their own request. */
const PLAIN_NAME = /^[\p{L}\p{M}\p{N} .'’()·_#-]{1,40}$/u;

/**
 * The page with the number that the user chooses in the app. `service/client/outcome.ts` shows the outcome as soon as there
 * is one. Without scripts the user loads it: a page that reloads by itself is read again and again by screen readers
 * ([WCAG 2.2.1](https://www.w3.org/TR/WCAG22/#timing-adjustable)).
 */
export function chooseNumberPage(about: {
  number: string;
  /** The registered name: what the app calls itself may be the text of an attacker. */
  appName: string;
  deviceName: string | undefined;
  /** Where the form goes that ends the sign-in. */
  continuation: ContinueForm;
}): Page {
  const { number, appName: app, deviceName, continuation } = about;
  const device = deviceName !== undefined && PLAIN_NAME.test(deviceName) ? deviceName : undefined;
  return page(
    'chooseNumber',
    (translator) =>
      html`<h1>${translator.html('chooseNumberHeading', { app })}</h1>
        <p class="big-number" translate="no" data-awaits-outcome>${number}</p>
        <p>
          ${
            device === undefined
              ? translator.html('chooseNumberText', { app })
              : translator.html('chooseNumberOnText', { app, device })
          }
        </p>
        <p class="small">${translator.t('chooseNumberWarning')}</p>
        <noscript>
          <p><a class="button" href="">${translator.t('checkAgain')}</a></p>
        </noscript>
        <form method="post" action="${continuation.action}">
          <input type="hidden" name="csrf" value="${continuation.csrf}" />
          <button type="submit" name="decision" value="no-number" class="quiet">
            ${translator.t('seeNoNumbers')}
          </button>
        </form>`,
    { client: 'page' },
  );
}
