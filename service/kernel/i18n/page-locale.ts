import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  languageCookie,
  languageOf,
  setLanguageCookie,
  type Language,
} from './locale-negotiation.js';

/** In which language a page is written, and what its language menu needs. */
export interface PageLocale {
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

/** For responses that are no pages. */
export const DEFAULT_LOCALE: PageLocale = { language: 'en', menu: undefined };

/**
 * Finds the language for the pages in a response.
 * @param about.isSecure whether browsers reach the service by https.
 * @param about.asked the language in the URL of the request, see `uiLocalesIn`.
 * @param about.returnUrl path and query at which the same page can be read again in another language. Without it the
 *   page has no language menu.
 */
export function negotiateLocale(
  request: IncomingMessage,
  about: {
    readonly isSecure: boolean;
    readonly asked?: Language | undefined;
    readonly returnUrl?: string | undefined;
  },
): PageLocale {
  const { isSecure, asked, returnUrl: address } = about;
  const language = languageOf(request, isSecure, asked);
  if (address === undefined) {
    return { language, menu: undefined };
  }
  const kept = languageCookie(request, isSecure)?.secret;
  const secret = kept ?? randomBytes(16).toString('base64url');
  const cookie =
    kept === undefined ? setLanguageCookie({ chosen: undefined, secret }, isSecure) : undefined;
  return { language, menu: { address, secret, cookie } };
}

/** The same locale with a language menu that leads to another address. */
export function withReturnUrl({ language, menu }: PageLocale, address: string): PageLocale {
  return { language, menu: menu && { ...menu, address } };
}
