import { ROUTES } from '../oauth/routes.js';
import { SETTINGS } from '../settings/paths.js';
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

/**
 * The last page after a request was denied: by Deny, or by who could not have allowed it.
 * @param withoutWorkspace whether it was the second.
 */
export function deniedPage(withoutWorkspace: boolean): Html {
  if (withoutWorkspace) {
    return layout(
      'Not connected',
      markup`${CROSS}
        <h1>Not connected</h1>
        <p>Nothing was connected, and the app knows. You can go back to it.</p>
        <p class="soft small">
          As soon as somebody has added you to a workspace, start again in the app.
        </p>`,
    );
  }
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

/** For who signs in while another person is signed in with the same browser. */
export function otherPersonPage(goOn: GoOn): Html {
  return layout(
    'Somebody else is signed in',
    markup`<h1>Somebody else is signed in</h1>
      <p>
        Since this page was opened, somebody else signed in with this browser. Nothing was
        connected. <strong>Use another account</strong> signs that person out of this browser and
        leads you to the sign-in.
      </p>
      ${goOnForm(goOn, 'switch', 'Use another account')}`,
  );
}

/** Where a page sends the browser to take its request up again, with the same code. */
export interface GoOn {
  /** The address of the interaction. */
  readonly action: string;
  readonly csrf: string;
}

/** For who answers a page after they signed out, for instance in another tab. */
export function signedOutPage(goOn: GoOn): Html {
  return layout(
    'You have signed out',
    markup`<h1>You have signed out</h1>
      <p>
        Since this page was opened, you signed out of this browser, for instance in another tab.
        Nothing was connected so far.
      </p>
      ${goOnForm(goOn, 'again', 'Sign in again')}`,
  );
}

/** For who answers a page after somebody signed in anew with the same browser. */
export function anotherSignInPage(goOn: GoOn): Html {
  return layout(
    'The sign-in has changed',
    markup`<h1>The sign-in has changed</h1>
      <p>
        Since this page was opened, somebody signed in with this browser anew: you in another tab,
        or another person. Nothing was connected so far.
      </p>
      <p>The next page says who is signed in, and asks once more.</p>
      ${goOnForm(goOn, 'again', 'Continue')}`,
  );
}

function goOnForm(goOn: GoOn, decision: 'again' | 'switch', label: string): Html {
  return markup`<form method="post" action="${goOn.action}">
    <input type="hidden" name="csrf" value="${goOn.csrf}" />
    <button type="submit" name="decision" value="${decision}">${label}</button>
  </form>`;
}

/** For who answers a page after the people who run the service have ended their sign-in. */
export function signInEndedPage(withCode: boolean): Html {
  return layout(
    'Your sign-in was ended',
    markup`<h1>Your sign-in was ended</h1>
      <p>
        The people who look after Creative Workspace have ended your sign-in, for instance because
        you were given a new password. Nothing was connected. Begin once more, and sign in with the
        password that you have now.
      </p>
      ${wayOn(withCode)}`,
  );
}

/** For who comes to a sign-in or consent page that this browser has not, or not any more. */
export function pageTooOldPage(): Html {
  return layout(
    'This page has ended',
    markup`<h1>This page has ended</h1>
      <p>
        It was open for more than an hour, or it was begun in another browser. Go back to the app
        and start again there.
      </p>
      <p class="soft small">
        Does the app show a code? <a href="${ROUTES.code_verification}">Enter it here</a>.
      </p>`,
  );
}

/** For a form that does not belong to the page at its address, which still waits for an answer. */
export function foreignFormPage(address: string): Html {
  return layout(
    'Nothing was sent',
    markup`<h1>Nothing was sent</h1>
      <p>The form does not belong to this page. Open the page again, and answer it there.</p>
      <p><a class="button" href="${address}">Open the page again</a></p>`,
  );
}

/** For who sends a sign-in form twice. */
export function alreadySignedInPage(withCode: boolean): Html {
  return layout(
    'You are signed in',
    markup`<h1>You are signed in</h1>
      <p>You are signed in already: the form was sent twice, or from another tab.</p>
      ${wayOn(withCode)}`,
  );
}

/** For who answers a consent page twice, when the outcome is not known any more. */
export function alreadyAnsweredPage(withCode: boolean): Html {
  return layout(
    'Already answered',
    markup`<h1>You have already answered</h1>
      <p>This page was already answered: the form was sent twice, or from another tab.</p>
      ${wayOn(withCode)}`,
  );
}

function wayOn(withCode: boolean): Html {
  return withCode
    ? markup`<p><a class="button" href="${ROUTES.code_verification}">Enter the code again</a></p>`
    : markup`<p>
        Go back to the app. If it still waits, start again there. What is connected stands in
        <a href="${SETTINGS.apps}">Settings</a>.
      </p>`;
}

/** For a form of Settings that came too late. Nothing was changed. */
export function staleSettingsPage(): Html {
  return layout(
    'Nothing was changed',
    markup`<h1>Nothing was changed</h1>
      ${problemBox('This page was open for too long, or your sign-in has ended.')}
      <p><a class="button" href="${SETTINGS.root}">Open Settings</a></p>
      <p class="soft small">You may have to sign in again. Then do it once more.</p>`,
  );
}

/** A page for something in Settings that cannot be done. */
export function settingsProblemPage(problem: string): Html {
  return layout(
    'That did not work',
    markup`<h1>That did not work</h1>
      ${problemBox(problem)}
      <p><a class="button" href="${SETTINGS.root}">Back to Settings</a></p>`,
  );
}

/**
 * For a wrong request of an app that a workspace registered, when the person does not belong there:
 * nobody is sent to an address that we do not know without being asked (RFC 9700 §4.11.2).
 */
export function leavingPage(page: {
  clientName: string;
  /** Name and port of the host. */
  host: string;
  /** The whole address with the error, as the app would get it. */
  address: string;
  problem: string;
}): Html {
  return layout(
    'Leave Creative Workspace?',
    markup`<h1>Leave Creative Workspace?</h1>
      <p>
        The app ${page.clientName}, which is not checked by Creative Workspace, sent you here with a
        request that cannot be answered:
      </p>
      ${problemBox(page.problem)}
      <p>You may close this page. To tell the app, go on to its address, if you know it:</p>
      <p class="box"><code>${page.host}</code></p>
      <p><a href="${page.address}" rel="noreferrer nofollow">Go on to ${page.host}</a></p>`,
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
