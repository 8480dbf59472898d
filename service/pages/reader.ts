import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestTarget } from '../http/request-target.js';
import { INTERACTION_PATH, ROUTES } from '../oauth/routes.js';
import { holdsShareToken } from '../shares/paths.js';
import { SETTINGS } from '../settings/paths.js';
import {
  askedIn,
  languageCookie,
  languageOf,
  setAskedCookie,
  setLanguageCookie,
  type Language,
} from './language.js';

/** Who reads a page. */
export interface Reader {
  readonly language: Language;
  /** For the menu that chooses another language; undefined if the page has none. */
  readonly menu:
    | {
        /** Where the page can be read again: path and query. */
        readonly address: string;
        /** The secret that the form must carry; see {@link languageCookie}. */
        readonly secret: string;
        /** The `Set-Cookie` header that gives a browser its secret; undefined if it has one. */
        readonly cookie: string | undefined;
      }
    | undefined;
}

const readers = new WeakMap<ServerResponse, Reader>();

/**
 * Notes who will read an answer, so that no function in between has to pass that on. The language that an app
 * asks for in the address is kept for the next pages.
 * @param target where the request goes; undefined when it cannot be read, or when the service cannot keep
 *   a choice yet.
 * @param isSecure whether browsers reach the service by https.
 */
export function noteReader(
  request: IncomingMessage,
  response: ServerResponse,
  target: RequestTarget | undefined,
  isSecure: boolean,
): void {
  const asked = target && askedIn(target);
  if (asked !== undefined) {
    response.appendHeader('Set-Cookie', setAskedCookie(asked, isSecure));
  }
  const language = languageOf(request, isSecure, asked);
  if (target === undefined || !canReadAgain(request, target.path)) {
    readers.set(response, { language, menu: undefined });
    return;
  }
  const kept = languageCookie(request, isSecure)?.secret;
  const secret = kept ?? randomBytes(16).toString('base64url');
  const cookie =
    kept === undefined ? setLanguageCookie({ chosen: undefined, secret }, isSecure) : undefined;
  const address = target.path + target.search;
  readers.set(response, { language, menu: { address, secret, cookie } });
}

/** Who will read this answer; a reader of English if none was noted. */
export function readerOf(response: ServerResponse): Reader {
  return readers.get(response) ?? { language: 'en', menu: undefined };
}

/** Makes the language menu lead to another address, because the page's own must not be requested again. */
export function readAgainAt(response: ServerResponse, address: string): void {
  const { language, menu } = readerOf(response);
  readers.set(response, { language, menu: menu && { ...menu, address } });
}

/**
 * Whether requesting the address again shows the same page. The answer to a form of Settings may hold
 * a secret that is shown only once, or what a person has typed.
 */
function canReadAgain({ method }: IncomingMessage, path: string): boolean {
  // Without a menu no cookie is set, and the token of the link does not get into the language form.
  if (holdsShareToken(path)) {
    return false;
  }
  const answersItself =
    path === ROUTES.code_verification ||
    path === SETTINGS.signIn ||
    path.startsWith(`${INTERACTION_PATH}/`);
  return method !== 'POST' || answersItself;
}
