import accepts from 'accepts';
import type { IncomingMessage } from 'node:http';
import { cookieHeader, cookieIn } from '../cookies.js';

/** The languages of the pages, the same as those of the panel, each with its own name for itself. */
export const LANGUAGES = {
  de: 'Deutsch',
  en: 'English',
  es: 'Español',
  fr: 'Français',
  ja: '日本語',
  'pt-BR': 'Português (Brasil)',
} as const;

/** The path of the form that chooses the language of the pages. */
export const LANGUAGE_PATH = '/language';

/** A language of the pages, as a language tag. */
export type Language = keyof typeof LANGUAGES;

/**
 * The languages offered to browsers; the first one is for browsers that ask for none. Readers of any Portuguese get the
 * Brazilian words.
 */
const OFFERED: ReadonlyMap<string, Language> = new Map<string, Language>([
  ['en', 'en'],
  ['de', 'de'],
  ['es', 'es'],
  ['fr', 'fr'],
  ['ja', 'ja'],
  ['pt', 'pt-BR'],
]);

/** The cookie with the chosen language, if any, and the secret of the form that chooses it. */
const COOKIE = 'cws_language';

/** How long the choice is kept, in seconds: 400 days, the longest that browsers keep a cookie. */
const CHOICE_SECONDS = 400 * 24 * 3600;

/** The cookie with the language that an app requested. */
const ASKED_COOKIE = 'cws_language_asked';

/** How long the language requested by an app is kept, in seconds: for one sign-in, since the user did not choose it. */
const ASKED_SECONDS = 3600;

/** The longest `ui_locales` that is read, in characters; no real list of languages is longer. */
const MAX_ASKED_LENGTH = 200;

/** The content of the language cookie. */
export interface LanguageCookie {
  readonly chosen: Language | undefined;
  /** A random secret of this browser and its pages. */
  readonly secret: string;
}

/** The language cookie of a request; undefined when there is none, or not one that this service can have set. */
export function languageCookie(
  request: IncomingMessage,
  isSecure: boolean,
): LanguageCookie | undefined {
  const [chosen = '', secret = ''] = cookieIn(request, COOKIE, isSecure).split('.');
  if (!/^[\w-]{22}$/.test(secret)) {
    return undefined;
  }
  return { chosen: isLanguage(chosen) ? chosen : undefined, secret };
}

/** The cookie as a `Set-Cookie` header. Until a language is chosen, it lasts until the browser is closed. */
export function setLanguageCookie({ chosen, secret }: LanguageCookie, isSecure: boolean): string {
  const maxAge = chosen === undefined ? undefined : CHOICE_SECONDS;
  return cookieHeader(COOKIE, `${chosen ?? ''}.${secret}`, { path: '/', maxAge, isSecure });
}

/**
 * The language that an app requests: the first supported language in `ui_locales` (OpenID Connect Core §3.1.2.1).
 * Undefined if there is none.
 */
export function uiLocalesIn(parameters: URLSearchParams): Language | undefined {
  const asked = parameters.get('ui_locales') ?? '';
  if (asked.length > MAX_ASKED_LENGTH) {
    return undefined;
  }
  const languages = asked.split(' ').map((tag) => tag.toLowerCase().replace(/-.*/s, ''));
  return languages.map((language) => OFFERED.get(language)).find((known) => known !== undefined);
}

/** The language that an app requested, as a `Set-Cookie` header: the next URLs do not contain it. */
export function setAskedCookie(language: Language, isSecure: boolean): string {
  return cookieHeader(ASKED_COOKIE, language, { path: '/', maxAge: ASKED_SECONDS, isSecure });
}

/**
 * The language of the response: the choice of the user, the request of an app, or `Accept-Language`, in this order
 * ([RFC 9110 §12.5.4](https://www.rfc-editor.org/rfc/rfc9110#section-12.5.4)).
 * @param isSecure whether browsers reach the service by https.
 * @param asked the language in the URL of this request; see {@link uiLocalesIn}.
 */
export function languageOf(
  request: IncomingMessage,
  isSecure: boolean,
  asked?: Language,
): Language {
  const chosen = languageCookie(request, isSecure)?.chosen ?? asked;
  if (chosen !== undefined) {
    return chosen;
  }
  const before = cookieIn(request, ASKED_COOKIE, isSecure);
  if (isLanguage(before)) {
    return before;
  }
  const accepted = accepts(request).language([...OFFERED.keys()]);
  return (accepted === false ? undefined : OFFERED.get(accepted)) ?? 'en';
}

/** Whether a text names a language of the pages. */
export function isLanguage(text: string): text is Language {
  return Object.hasOwn(LANGUAGES, text);
}
