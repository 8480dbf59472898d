import { ROUTES } from './addresses/oauth-paths.js';
import { PHOTOS } from './addresses/photo-paths.js';
import { SETTINGS } from './addresses/settings-paths.js';
import { Html, html } from '../kernel/html-tag.js';
import { page, errorBox, type Page } from '../kernel/html/layout.js';
import { message, type PlainKey, type Message } from '../kernel/i18n/message.js';
import type { Translator } from '../kernel/i18n/translator.js';

const CHECK = Html.raw(
  '<svg class="mark" viewBox="0 0 56 56" aria-hidden="true"><circle cx="28" cy="28" r="28"/><path d="M18 29l7 7 14-15"/></svg>',
);
const CROSS = Html.raw(
  '<svg class="mark bad" viewBox="0 0 56 56" aria-hidden="true"><circle cx="28" cy="28" r="28"/><path d="M20 20l16 16M36 20L20 36"/></svg>',
);

/** The last page after Allow. `clientName` is undefined for a deleted app. */
export function connectedPage(clientName: string | undefined): Page {
  return page(
    'connectedTitle',
    (translator) =>
      html`${CHECK}
        <h1>${translator.t('youAreConnected')}</h1>
        <p>
          ${
            clientName === undefined
              ? translator.t('connectedTextUnnamed')
              : translator.html('connectedText', { app: clientName })
          }
        </p>
        <p class="soft small">${translator.t('mayClose')}</p>`,
  );
}

/**
 * Why a request was denied: by the user, because they had no workspace for the app, by a policy, or because another
 * number was chosen in the app.
 */
export type Denial = 'user' | 'workspace' | 'policy' | 'number';

const DENIALS = {
  user: 'deniedText',
  workspace: 'appKnows',
  policy: 'appKnows',
  number: 'wrongNumberText',
} as const;

/** The last page after a denied request. */
export function deniedPage(why: Denial): Page {
  return page(
    'notConnected',
    (translator) =>
      html`${CROSS}
        <h1>${translator.t('notConnected')}</h1>
        <p>${translator.t(DENIALS[why])}</p>
        <p class="soft small">
          ${
            why === 'workspace'
              ? translator.t('onceAdded')
              : why === 'policy'
                ? translator.t('askAnOwner')
                : translator.withLink('changedYourMind', ROUTES.code_verification)
          }
        </p>`,
  );
}

/** A page for a problem that cannot be solved on the page itself. It offers to get a new code. */
export function errorPage(problem: Message): Page {
  return page(
    'didNotWork',
    (translator) =>
      html`<h1>${translator.t('didNotWork')}</h1>
        ${errorBox(translator, problem)}
        <p>${translator.withLink('getNewCode', ROUTES.code_verification)}</p>`,
  );
}

/** For a browser that requested another host from a loopback-only service. */
export function otherHostPage(baseUrl: string): Page {
  return page(
    'didNotWork',
    (translator) =>
      html`<h1>${translator.t('didNotWork')}</h1>
        <p>${translator.withLink('otherHost', baseUrl)}</p>`,
  );
}

/** For users who sign in while another user is signed in with the same browser. */
export function otherUserPage(continuation: ContinueForm): Page {
  return page(
    'otherUserTitle',
    (translator) =>
      html`<h1>${translator.t('otherUserTitle')}</h1>
        <p>
          ${translator.t('otherUserText')}
          ${translator.html('otherUserAdvice', {
            button: html`<strong>${translator.t('useAnotherAccount')}</strong>`,
          })}
        </p>
        ${goOnForm(translator, continuation, 'switch', 'useAnotherAccount')}`,
  );
}

/** Where a page sends the browser to continue its request, with the same code. */
export interface ContinueForm {
  /** The address of the interaction. */
  readonly action: string;
  readonly csrf: string;
}

/**
 * For users who submit a page after its sign-in has ended.
 * @param isSignedIn whether the browser has a signed-in user now.
 */
export function signInGonePage(isSignedIn: boolean, continuation: ContinueForm): Page {
  return isSignedIn ? anotherSignInPage(continuation) : signedOutPage(continuation);
}

/** For users who submit a page after signing out, for instance in another tab. */
function signedOutPage(continuation: ContinueForm): Page {
  return page(
    'signedOutTitle',
    (translator) =>
      html`<h1>${translator.t('signedOutTitle')}</h1>
        <p>${translator.t('signedOutText')}</p>
        ${goOnForm(translator, continuation, 'again', 'signInOnceMore')}`,
  );
}

/** For users who submit a page after a new sign-in with the same browser. */
function anotherSignInPage(continuation: ContinueForm): Page {
  return page(
    'anotherSignInTitle',
    (translator) =>
      html`<h1>${translator.t('anotherSignInTitle')}</h1>
        <p>${translator.t('anotherSignInText')}</p>
        <p>${translator.t('anotherSignInAdvice')}</p>
        ${goOnForm(translator, continuation, 'again', 'continue')}`,
  );
}

function goOnForm(
  translator: Translator,
  continuation: ContinueForm,
  decision: 'again' | 'switch',
  label: PlainKey,
): Html {
  return html`<form method="post" action="${continuation.action}">
    <input type="hidden" name="csrf" value="${continuation.csrf}" />
    <button type="submit" name="decision" value="${decision}">${translator.t(label)}</button>
  </form>`;
}

/** For users who submit a page after the operators have ended their sign-in. */
export function signInEndedPage(withCode: boolean): Page {
  return page(
    'signInEndedTitle',
    (translator) =>
      html`<h1>${translator.t('signInEndedTitle')}</h1>
        <p>${translator.t('signInEndedText')}</p>
        ${nextStep(translator, withCode)}`,
  );
}

/** For users who open a sign-in or consent page that does not belong to this browser, or no longer does. */
export function expiredPage(): Page {
  return page(
    'pageEnded',
    (translator) =>
      html`<h1>${translator.t('pageEnded')}</h1>
        <p>${translator.t('pageEndedText')}</p>
        <p class="soft small">
          ${translator.withLink('pageEndedCode', ROUTES.code_verification)}
        </p>`,
  );
}

/** For a form that does not belong to the page at its address. That page still waits for an answer. */
export function foreignFormPage(address: string): Page {
  return page(
    'nothingSent',
    (translator) =>
      html`<h1>${translator.t('nothingSent')}</h1>
        <p>${translator.t('nothingSentText')}</p>
        <p><a class="button" href="${address}">${translator.t('openAgain')}</a></p>`,
  );
}

/** For users who submit a sign-in form twice. */
export function alreadySignedInPage(withCode: boolean): Page {
  return page(
    'alreadySignedInTitle',
    (translator) =>
      html`<h1>${translator.t('alreadySignedInTitle')}</h1>
        <p>${translator.t('alreadySignedInText')}</p>
        ${nextStep(translator, withCode)}`,
  );
}

/** For users who submit a consent page twice, when the outcome is no longer known. */
export function alreadyAnsweredPage(withCode: boolean): Page {
  return page(
    'alreadyAnsweredTitle',
    (translator) =>
      html`<h1>${translator.t('alreadyAnsweredHeading')}</h1>
        <p>${translator.t('alreadyAnsweredText')}</p>
        ${nextStep(translator, withCode)}`,
  );
}

function nextStep(translator: Translator, withCode: boolean): Html {
  return withCode
    ? html`<p>
        <a class="button" href="${ROUTES.code_verification}">${translator.t('enterCodeAgain')}</a>
      </p>`
    : html`<p>${translator.withLink('backToApp', SETTINGS.apps)}</p>`;
}

/** For a form of Settings, or of the pages about photos, that came too late. Nothing was changed. */
export function csrfExpiredPage(of: 'settings' | 'photos'): Page {
  const [path, label] =
    of === 'photos'
      ? ([PHOTOS.root, 'openPhotos'] as const)
      : ([SETTINGS.root, 'openSettings'] as const);
  return page(
    'nothingChanged',
    (translator) =>
      html`<h1>${translator.t('nothingChanged')}</h1>
        ${errorBox(translator, message('staleForm'))}
        <p><a class="button" href="${path}">${translator.t(label)}</a></p>
        <p class="soft small">${translator.t('mustSignInAgain')}</p>`,
  );
}

/** A page for something in Settings that cannot be done. */
export function settingsProblemPage(problem: Message): Page {
  return page(
    'didNotWork',
    (translator) =>
      html`<h1>${translator.t('didNotWork')}</h1>
        ${errorBox(translator, problem)}
        <p><a class="button" href="${SETTINGS.root}">${translator.t('backToSettings')}</a></p>`,
  );
}

/**
 * For users who chose a language in a browser that rejects our cookie.
 * @param back the address of the previous page.
 */
export function languageNotKeptPage(back: string): Page {
  return page(
    'languageNotChanged',
    (translator) =>
      html`<h1>${translator.t('languageNotChanged')}</h1>
        <p>${translator.withLink('languageNotKept', back)}</p>`,
  );
}

/**
 * For an invalid request of an app of a workspace, when the user is not a member of that workspace. Users confirm the
 * redirect to the unknown address first ([RFC 9700 §4.11.2](https://www.rfc-editor.org/rfc/rfc9700#section-4.11.2)).
 */
export function leavingPage(about: {
  clientName: string;
  /** The host name, with its port. */
  host: string;
  /** The whole address with the error, as the app would get it. */
  address: string;
  /** In English, for the developers of the app. */
  problem: string;
}): Page {
  return page(
    'leaveTitle',
    (translator) =>
      html`<h1>${translator.t('leaveTitle')}</h1>
        <p>${translator.html('leaveText', { app: about.clientName })}</p>
        ${technicalBox(about.problem)}
        <p>${translator.t('leaveAdvice')}</p>
        <p class="box"><code translate="no">${about.host}</code></p>
        <p>
          <a href="${about.address}" rel="noreferrer nofollow"
            >${translator.html('goOnTo', { host: about.host })}</a
          >
        </p>`,
  );
}

/**
 * A page for a request of an app that cannot be answered by sending the browser back to the app.
 * @param problem in English, for the developers of the app.
 */
export function requestProblemPage(problem: string): Page {
  return page(
    'didNotWork',
    (translator) =>
      html`<h1>${translator.t('didNotWork')}</h1>
        <p>${translator.t('requestProblemText')}</p>
        ${technicalBox(problem)}
        <p>${translator.t('requestProblemAdvice')}</p>`,
  );
}

function technicalBox(problem: string): Html {
  return html`<p class="problem" role="alert" lang="en">${problem}</p>`;
}

/** The page for an address that does not exist. */
export function notFoundPage(): Page {
  return page(
    'notFoundTitle',
    (translator) =>
      html`<h1>${translator.t('notFoundTitle')}</h1>
        <p>${translator.withLink('notFoundText', ROUTES.code_verification)}</p>`,
  );
}

/** The page for times when something that the service needs is away or overloaded. */
export function unavailablePage(): Page {
  return page(
    'busyTitle',
    (translator) =>
      html`<h1>${translator.t('busyHeading')}</h1>
        ${errorBox(translator, message('busyText'))}
        <p>${translator.t('busyAdvice')}</p>`,
  );
}
