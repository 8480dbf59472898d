/** The languages of the panel: each is a file `locales/<language>.json` of the package. */
export const LANGUAGES = ['en', 'de', 'es', 'fr', 'ja', 'pt-BR'] as const;

export type Language = (typeof LANGUAGES)[number];

/**
 * The language for a host's `uiLocale`, such as `de_DE` or `pt-BR`; English for a language that is not there.
 * Readers of European Portuguese get the Brazilian words.
 */
export function languageFor(uiLocale: string): Language {
  const language = /^[a-z]{2,3}(?![a-z])/i.exec(uiLocale)?.[0].toLowerCase();
  return LANGUAGES.find((known) => known.slice(0, 2) === language) ?? 'en';
}
