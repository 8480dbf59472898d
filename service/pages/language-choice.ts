import { equalTexts } from '../hash.js';
import { ROUTES } from '../oauth/routes.js';
import { isLanguage, languageCookie, setLanguageCookie } from './language.js';
import { languageNotKeptPage } from './outcome.js';
import { formIn } from '../http/form.js';
import { readTarget } from '../http/request-target.js';
import { sendPage, sendRedirect } from '../http/responses.js';
import type { WholeHandler } from '../http/handler.js';

/**
 * Answers the form that every page has below it: keeps the language in a cookie, and leads back to the
 * page. The form carries what the browser's cookie holds, which no other site knows or makes it send.
 * @param isSecure whether browsers reach the service by https.
 */
export function chooseLanguage(isSecure: boolean): WholeHandler {
  return (request, response) => {
    const form = formIn(request);
    const back = ownAddress(form.get('page') ?? '');
    const kept = languageCookie(request);
    const language = form.get('language') ?? '';
    if (kept === undefined || !equalTexts(form.get('secret') ?? '', kept.secret)) {
      sendPage(response, 403, languageNotKeptPage(back));
    } else {
      if (isLanguage(language)) {
        const cookie = setLanguageCookie({ chosen: language, secret: kept.secret }, isSecure);
        response.appendHeader('Set-Cookie', cookie);
      }
      sendRedirect(response, back);
    }
    return Promise.resolve();
  };
}

/** An address of this service; the page for codes in the place of everything else. */
function ownAddress(address: string): string {
  const target = readTarget(address);
  const isOwn = !('status' in target) && target.authority === undefined;
  return isOwn ? target.path + target.search : ROUTES.code_verification;
}
