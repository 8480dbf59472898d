import accepts from 'accepts';
import type { IncomingMessage } from 'node:http';
import { cookieHeader, cookieIn } from '../http/cookies.js';
import type { RequestTarget } from '../http/request-target.js';
import { ROUTES } from '../oauth/routes.js';

/** Languages the pages speak, the same as the panel's, each by its own name. */
export const LANGUAGES = {
  de: 'Deutsch',
  en: 'English',
  es: 'Español',
  fr: 'Français',
  ja: '日本語',
  'pt-BR': 'Português (Brasil)',
} as const;

/** Where the language of the pages is chosen. */
export const LANGUAGE_PATH = '/language';

export type Language = keyof typeof LANGUAGES;

/**
 * What is offered to browsers, the first to those that say nothing. European Portuguese readers get the
 * Brazilian words, so these are offered to everybody who reads any Portuguese.
 */
const OFFERED: ReadonlyMap<string, Language> = new Map<string, Language>([
  ['en', 'en'],
  ['de', 'de'],
  ['es', 'es'],
  ['fr', 'fr'],
  ['ja', 'ja'],
  ['pt', 'pt-BR'],
]);

/** Holds the language that was chosen, if any, and the secret of the form in which it is chosen. */
const COOKIE = 'cws_language';

/** The choice lasts as long as browsers keep a cookie at most (400 days). */
const CHOICE_SECONDS = 400 * 24 * 3600;

/** Holds the language that an app asked for. */
const ASKED_COOKIE = 'cws_language_asked';

/** What an app asked for lasts for a sign-in: nobody has chosen it. */
const ASKED_SECONDS = 3600;

/** The pages with which an app sends a person here. */
const FIRST_PAGES: readonly string[] = [ROUTES.code_verification, ROUTES.authorization];

/** More than any list of languages needs. */
const MAX_ASKED_LENGTH = 200;

/** What the cookie of a browser says about languages. */
export interface LanguageCookie {
  readonly chosen: Language | undefined;
  /** A random value that only this browser and its pages know. */
  readonly secret: string;
}

/** The cookie that came with a request, or undefined when none came that we could have given. */
export function languageCookie(request: IncomingMessage): LanguageCookie | undefined {
  const [chosen = '', secret = ''] = cookieIn(request, COOKIE).split('.');
  if (!/^[\w-]{22}$/.test(secret)) {
    return undefined;
  }
  return { chosen: isLanguage(chosen) ? chosen : undefined, secret };
}

/** The cookie as a `Set-Cookie` header. Until something is chosen, it goes when the browser is closed. */
export function setLanguageCookie({ chosen, secret }: LanguageCookie, isSecure: boolean): string {
  const maxAge = chosen === undefined ? undefined : CHOICE_SECONDS;
  return cookieHeader(COOKIE, `${chosen ?? ''}.${secret}`, { path: '/', maxAge, isSecure });
}

/**
 * The language that an app asks for in the address with which it sends a person here: the first in
 * `ui_locales` that the pages speak (OpenID Connect Core §3.1.2.1). Undefined where there is none.
 */
export function askedIn({ path, search }: RequestTarget): Language | undefined {
  if (!FIRST_PAGES.includes(path)) {
    return undefined;
  }
  const asked = new URLSearchParams(search).get('ui_locales') ?? '';
  if (asked.length > MAX_ASKED_LENGTH) {
    return undefined;
  }
  const languages = asked.split(' ').map((tag) => tag.toLowerCase().replace(/-.*/s, ''));
  return languages.map((language) => OFFERED.get(language)).find((known) => known !== undefined);
}

/** What an app asked for as a `Set-Cookie` header: the pages that follow have addresses without it. */
export function setAskedCookie(language: Language, isSecure: boolean): string {
  return cookieHeader(ASKED_COOKIE, language, { path: '/', maxAge: ASKED_SECONDS, isSecure });
}

/**
 * The language to answer in: the one that the person chose, or else the one that an app asked for, or
 * else by `Accept-Language` ([RFC 9110 §12.5.4](https://www.rfc-editor.org/rfc/rfc9110#section-12.5.4)).
 * @param asked what the address of this very request asks for; see {@link askedIn}.
 */
export function languageOf(request: IncomingMessage, asked?: Language): Language {
  const chosen = languageCookie(request)?.chosen ?? asked;
  if (chosen !== undefined) {
    return chosen;
  }
  const before = cookieIn(request, ASKED_COOKIE);
  if (isLanguage(before)) {
    return before;
  }
  const accepted = accepts(request).language([...OFFERED.keys()]);
  return (accepted === false ? undefined : OFFERED.get(accepted)) ?? 'en';
}

export function isLanguage(text: string): text is Language {
  return Object.hasOwn(LANGUAGES, text);
}
