import { ROUTES } from '../oauth/routes.js';
import { PHOTOS } from '../photos/paths.js';
import { SETTINGS } from '../settings/paths.js';
import { Html, markup } from './html.js';
import { page, problemBox, type Page } from './layout.js';
import { sentence, type PlainKey, type Sentence } from './sentence.js';
import type { Speech } from './speech.js';

const CHECK = Html.trusted(
  '<svg class="mark" viewBox="0 0 56 56" aria-hidden="true"><circle cx="28" cy="28" r="28"/><path d="M18 29l7 7 14-15"/></svg>',
);
const CROSS = Html.trusted(
  '<svg class="mark bad" viewBox="0 0 56 56" aria-hidden="true"><circle cx="28" cy="28" r="28"/><path d="M20 20l16 16M36 20L20 36"/></svg>',
);

/** The last page after Allow. `clientName` is missing for an app that was deleted meanwhile. */
export function connectedPage(clientName: string | undefined): Page {
  return page(
    'connectedTitle',
    (speech) =>
      markup`${CHECK}
        <h1>${speech.text('youAreConnected')}</h1>
        <p>
          ${
            clientName === undefined
              ? speech.text('connectedTextUnnamed')
              : speech.text('connectedText', { app: clientName })
          }
        </p>
        <p class="soft small">${speech.text('mayClose')}</p>`,
  );
}

/**
 * The last page after a request was denied: with Deny, or by a person who has no workspace to allow it for.
 * @param withoutWorkspace whether the person had no workspace.
 */
export function deniedPage(withoutWorkspace: boolean): Page {
  return page(
    'notConnected',
    (speech) =>
      markup`${CROSS}
        <h1>${speech.text('notConnected')}</h1>
        <p>${speech.text(withoutWorkspace ? 'appKnows' : 'deniedText')}</p>
        <p class="soft small">
          ${
            withoutWorkspace
              ? speech.text('onceAdded')
              : speech.linked('changedYourMind', ROUTES.code_verification)
          }
        </p>`,
  );
}

/** A page for a problem that cannot be solved on the page itself. It offers to get a new code. */
export function problemPage(problem: Sentence): Page {
  return page(
    'didNotWork',
    (speech) =>
      markup`<h1>${speech.text('didNotWork')}</h1>
        ${problemBox(speech, problem)}
        <p>${speech.linked('getNewCode', ROUTES.code_verification)}</p>`,
  );
}

/** For a browser that asked a service of this machine alone for another host. */
export function otherHostPage(baseUrl: string): Page {
  return page(
    'didNotWork',
    (speech) =>
      markup`<h1>${speech.text('didNotWork')}</h1>
        <p>${speech.linked('otherHost', baseUrl)}</p>`,
  );
}

/** For a person who signs in while another one is signed in with the same browser. */
export function otherPersonPage(goOn: GoOn): Page {
  return page(
    'otherPersonTitle',
    (speech) =>
      markup`<h1>${speech.text('otherPersonTitle')}</h1>
        <p>
          ${speech.text('otherPersonText')}
          ${speech.html('otherPersonAdvice', {
            button: markup`<strong>${speech.text('useAnotherAccount')}</strong>`,
          })}
        </p>
        ${goOnForm(speech, goOn, 'switch', 'useAnotherAccount')}`,
  );
}

/** Where a page sends the browser to continue its request, with the same code. */
export interface GoOn {
  /** The address of the interaction. */
  readonly action: string;
  readonly csrf: string;
}

/**
 * For a person who answers a page after the sign-in it belongs to is gone.
 * @param isSignedIn whether somebody is signed in with the browser now.
 */
export function signInGonePage(isSignedIn: boolean, goOn: GoOn): Page {
  return isSignedIn ? anotherSignInPage(goOn) : signedOutPage(goOn);
}

/** For a person who answers a page after signing out, for instance in another tab. */
function signedOutPage(goOn: GoOn): Page {
  return page(
    'signedOutTitle',
    (speech) =>
      markup`<h1>${speech.text('signedOutTitle')}</h1>
        <p>${speech.text('signedOutText')}</p>
        ${goOnForm(speech, goOn, 'again', 'signInOnceMore')}`,
  );
}

/** For a person who answers a page after somebody has signed in again with the same browser. */
function anotherSignInPage(goOn: GoOn): Page {
  return page(
    'anotherSignInTitle',
    (speech) =>
      markup`<h1>${speech.text('anotherSignInTitle')}</h1>
        <p>${speech.text('anotherSignInText')}</p>
        <p>${speech.text('anotherSignInAdvice')}</p>
        ${goOnForm(speech, goOn, 'again', 'continue')}`,
  );
}

function goOnForm(speech: Speech, goOn: GoOn, decision: 'again' | 'switch', label: PlainKey): Html {
  return markup`<form method="post" action="${goOn.action}">
    <input type="hidden" name="csrf" value="${goOn.csrf}" />
    <button type="submit" name="decision" value="${decision}">${speech.text(label)}</button>
  </form>`;
}

/** For a person who answers a page after the people who run the service have ended their sign-in. */
export function signInEndedPage(withCode: boolean): Page {
  return page(
    'signInEndedTitle',
    (speech) =>
      markup`<h1>${speech.text('signInEndedTitle')}</h1>
        <p>${speech.text('signInEndedText')}</p>
        ${wayOn(speech, withCode)}`,
  );
}

/** For a person who opens a sign-in or consent page that does not belong to this browser, or no longer does. */
export function pageTooOldPage(): Page {
  return page(
    'pageEnded',
    (speech) =>
      markup`<h1>${speech.text('pageEnded')}</h1>
        <p>${speech.text('pageEndedText')}</p>
        <p class="soft small">${speech.linked('pageEndedCode', ROUTES.code_verification)}</p>`,
  );
}

/** For a form that does not belong to the page at its address. That page still waits for an answer. */
export function foreignFormPage(address: string): Page {
  return page(
    'nothingSent',
    (speech) =>
      markup`<h1>${speech.text('nothingSent')}</h1>
        <p>${speech.text('nothingSentText')}</p>
        <p><a class="button" href="${address}">${speech.text('openAgain')}</a></p>`,
  );
}

/** For a person who sends a sign-in form twice. */
export function alreadySignedInPage(withCode: boolean): Page {
  return page(
    'alreadySignedInTitle',
    (speech) =>
      markup`<h1>${speech.text('alreadySignedInTitle')}</h1>
        <p>${speech.text('alreadySignedInText')}</p>
        ${wayOn(speech, withCode)}`,
  );
}

/** For a person who answers a consent page twice, when the outcome is no longer known. */
export function alreadyAnsweredPage(withCode: boolean): Page {
  return page(
    'alreadyAnsweredTitle',
    (speech) =>
      markup`<h1>${speech.text('alreadyAnsweredHeading')}</h1>
        <p>${speech.text('alreadyAnsweredText')}</p>
        ${wayOn(speech, withCode)}`,
  );
}

function wayOn(speech: Speech, withCode: boolean): Html {
  return withCode
    ? markup`<p>
        <a class="button" href="${ROUTES.code_verification}">${speech.text('enterCodeAgain')}</a>
      </p>`
    : markup`<p>${speech.linked('backToApp', SETTINGS.apps)}</p>`;
}

/** For a form of Settings, or of the pages about photos, that came too late. Nothing was changed. */
export function stalePage(of: 'settings' | 'photos'): Page {
  const [path, label] =
    of === 'photos'
      ? ([PHOTOS.root, 'openPhotos'] as const)
      : ([SETTINGS.root, 'openSettings'] as const);
  return page(
    'nothingChanged',
    (speech) =>
      markup`<h1>${speech.text('nothingChanged')}</h1>
        ${problemBox(speech, sentence('staleForm'))}
        <p><a class="button" href="${path}">${speech.text(label)}</a></p>
        <p class="soft small">${speech.text('mustSignInAgain')}</p>`,
  );
}

/** A page for something in Settings that cannot be done. */
export function settingsProblemPage(problem: Sentence): Page {
  return page(
    'didNotWork',
    (speech) =>
      markup`<h1>${speech.text('didNotWork')}</h1>
        ${problemBox(speech, problem)}
        <p><a class="button" href="${SETTINGS.root}">${speech.text('backToSettings')}</a></p>`,
  );
}

/**
 * For a person who chose a language in a browser that does not keep our cookie.
 * @param back the address where they were.
 */
export function languageNotKeptPage(back: string): Page {
  return page(
    'languageNotChanged',
    (speech) =>
      markup`<h1>${speech.text('languageNotChanged')}</h1>
        <p>${speech.linked('languageNotKept', back)}</p>`,
  );
}

/**
 * For a wrong request of an app that a workspace registered, when the person does not belong to that workspace: the
 * page asks before it sends anybody to an address that we do not know
 * ([RFC 9700 §4.11.2](https://www.rfc-editor.org/rfc/rfc9700#section-4.11.2)).
 */
export function leavingPage(about: {
  clientName: string;
  /** The host name, with its port. */
  host: string;
  /** The whole address with the error, as the app would get it. */
  address: string;
  /** In English: it is for the makers of the app. */
  problem: string;
}): Page {
  return page(
    'leaveTitle',
    (speech) =>
      markup`<h1>${speech.text('leaveTitle')}</h1>
        <p>${speech.text('leaveText', { app: about.clientName })}</p>
        ${technicalBox(about.problem)}
        <p>${speech.text('leaveAdvice')}</p>
        <p class="box"><code>${about.host}</code></p>
        <p>
          <a href="${about.address}" rel="noreferrer nofollow"
            >${speech.text('goOnTo', { host: about.host })}</a
          >
        </p>`,
  );
}

/**
 * A page for a request of an app that cannot be answered by sending the browser back to the app.
 * @param problem in English: it is for the makers of the app.
 */
export function requestProblemPage(problem: string): Page {
  return page(
    'didNotWork',
    (speech) =>
      markup`<h1>${speech.text('didNotWork')}</h1>
        <p>${speech.text('requestProblemText')}</p>
        ${technicalBox(problem)}
        <p>${speech.text('requestProblemAdvice')}</p>`,
  );
}

function technicalBox(problem: string): Html {
  return markup`<p class="problem" role="alert" lang="en">${problem}</p>`;
}

/** The page for an address that does not exist. */
export function notFoundPage(): Page {
  return page(
    'notFoundTitle',
    (speech) =>
      markup`<h1>${speech.text('notFoundTitle')}</h1>
        <p>${speech.linked('notFoundText', ROUTES.code_verification)}</p>`,
  );
}

/** The page for times when something that the service needs is away or overloaded. */
export function unavailablePage(): Page {
  return page(
    'busyTitle',
    (speech) =>
      markup`<h1>${speech.text('busyHeading')}</h1>
        ${problemBox(speech, sentence('busyText'))}
        <p>${speech.text('busyAdvice')}</p>`,
  );
}
