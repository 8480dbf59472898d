import { equalTexts } from '../kernel/hash.js';
import { ROUTES } from './addresses/oauth-paths.js';
import {
  isLanguage,
  LANGUAGE_PATH,
  languageCookie,
  setLanguageCookie,
} from '../kernel/i18n/locale-negotiation.js';
import { languageNotKeptPage } from './error-pages.js';
import { readTarget } from '../kernel/http/request/request-target.js';
import { OPEN, permit } from '../kernel/http/permission.js';
import { sendPage, sendRedirect } from '../kernel/http/responses.js';
import type { BufferedContext } from '../kernel/http/request/request-context.js';
import type { Route } from '../kernel/http/router.js';

/**
 * The route of the language form below every page: stores the language in a cookie, and redirects back to the page. The
 * form carries the secret from the browser's cookie, so other sites cannot submit the form.
 * @param isSecure whether browsers reach the service by https.
 */
export function languageRoute(isSecure: boolean): Route {
  return {
    path: LANGUAGE_PATH,
    kind: 'page',
    handlers: permit(OPEN, {
      POST: (context) => {
        setLanguage(context, isSecure);
        return Promise.resolve();
      },
    }),
  };
}

function setLanguage(context: BufferedContext, isSecure: boolean): void {
  const { request, response, form } = context;
  const back = ownAddress(form?.get('page') ?? '');
  const kept = languageCookie(request, isSecure);
  const language = form?.get('language') ?? '';
  if (kept === undefined || !equalTexts(form?.get('secret') ?? '', kept.secret)) {
    sendPage(context, 403, languageNotKeptPage(back));
    return;
  }
  if (isLanguage(language)) {
    const cookie = setLanguageCookie({ chosen: language, secret: kept.secret }, isSecure);
    response.appendHeader('Set-Cookie', cookie);
  }
  sendRedirect(response, back);
}

/** The address, if it is one of this service; otherwise the page to enter a code. */
function ownAddress(address: string): string {
  const target = readTarget(address);
  const isOwn = !('status' in target) && target.authority === undefined;
  return isOwn ? target.path + target.search : ROUTES.code_verification;
}
