import { ROUTES } from '../oauth/routes.js';
import { Html, markup } from './html.js';
import { layout, problemBox } from './layout.js';

const CHECK = Html.trusted(
  '<svg class="mark" viewBox="0 0 56 56" aria-hidden="true"><circle cx="28" cy="28" r="28"/><path d="M18 29l7 7 14-15"/></svg>',
);
const CROSS = Html.trusted(
  '<svg class="mark bad" viewBox="0 0 56 56" aria-hidden="true"><circle cx="28" cy="28" r="28"/><path d="M20 20l16 16M36 20L20 36"/></svg>',
);

/** The last page after Allow. */
export function connectedPage(clientName: string): Html {
  return layout(
    'Connected',
    markup`${CHECK}
      <h1>You are connected</h1>
      <p>You can go back to the app. ${clientName} goes on by itself within a few seconds.</p>
      <p class="soft small">You may close this page.</p>`,
  );
}

/** The last page after Deny. */
export function deniedPage(): Html {
  return layout(
    'Not connected',
    markup`${CROSS}
      <h1>Not connected</h1>
      <p>You denied the access, so nothing was connected. You can go back to the app.</p>
      <p class="soft small">
        Changed your mind? Get a new code in the app and
        <a href="${ROUTES.code_verification}">enter it here</a>.
      </p>`,
  );
}

/** A page for something that went wrong and cannot be put right on the page itself. */
export function problemPage(problem: string): Html {
  return layout(
    'That did not work',
    markup`<h1>That did not work</h1>
      ${problemBox(problem)}
      <p>
        Get a new code in the app and <a href="${ROUTES.code_verification}">enter it here</a>.
      </p>`,
  );
}

/** A page for a request of an app that cannot be answered by sending the browser back to the app. */
export function requestProblemPage(problem: string): Html {
  return layout(
    'That did not work',
    markup`<h1>That did not work</h1>
      <p>The app sent you here with a request that cannot be answered:</p>
      ${problemBox(problem)}
      <p>Go back to the app and try again. If it happens again, tell the makers of the app.</p>`,
  );
}

/** The page for an address that does not exist. */
export function notFoundPage(): Html {
  return layout(
    'Page not found',
    markup`<h1>Page not found</h1>
      <p>
        There is nothing at this address. To connect an app,
        <a href="${ROUTES.code_verification}">enter its code</a>.
      </p>`,
  );
}

/** The page for when something that the service needs is away or has no room for the moment. */
export function unavailablePage(): Html {
  return layout(
    'The service is busy',
    markup`<h1>That did not work just now</h1>
      ${problemBox('The service is busy. Try again in a moment.')}
      <p>Nothing is lost. Load this page again, or go back and send it once more.</p>`,
  );
}
